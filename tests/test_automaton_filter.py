"""AutomatonURLFilter: expressions of dk.brics.automaton for whole URLs."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rule_vectors import URLS, filter_differences
from scrapy.settings import Settings

from nutchlike.urls import brics_automaton
from nutchlike.urls.brics_automaton import BricsAutomaton
from nutchlike.urls.filters import AutomatonURLFilter


@pytest.mark.parametrize("strict", [False, True])
def test_results_are_those_of_nutch(strict: bool) -> None:
    cached: dict[str, AutomatonURLFilter] = {}

    def build(row: dict[str, str]) -> AutomatonURLFilter:
        rules = row["rules"]
        return cached.setdefault(rules, cached.get(rules) or AutomatonURLFilter(rules, strict=strict))

    assert filter_differences("automaton", build) == []


@pytest.mark.parametrize(
    ("pattern", "accepted", "rejected"),
    [
        # The whole text, and any character for a dot
        ("a.c", ["abc", "a\nc"], ["xabc", "abcx", "ac"]),
        ("", [""], ["a"]),
        # Repetition
        ("ab*", ["a", "abb"], ["abab"]),
        ("(ab)+", ["ab", "abab"], [""]),
        ("a{2}b{1,}c{0,1}", ["aab", "aabbc"], ["ab", "aabcc"]),
        ("a{3,2}", [], ["", "aaa"]),
        ("a{0}", [""], ["a"]),
        ("(a{2,3}){2}", ["aaaa", "aaaaaa"], ["aaa", "aaaaaaa"]),
        # Classes; a backslash takes any sign of its meaning, and gives a letter none
        ("[a-c]", ["b"], ["d", "-"]),
        ("[^a-c]", ["d", "\n", "\uffff"], ["b", ""]),
        ("[]^-]", ["]", "^", "-"], ["a"]),
        ("[c-a]", [], ["b"]),
        ("\\d\\.\\*", ["d.*"], ["1.*"]),
        # No anchors
        ("^a$", ["^a$"], ["a"]),
        # Complement binds tighter than repetition, intersection looser than what stands side by side
        ("~(a)", ["", "b", "aa"], ["a"]),
        ("~ab", ["b", "xb", "aab"], ["ab"]),
        ("~~a", ["a"], ["b"]),
        ("~(@x@)", ["", "abc"], ["x", "axc"]),
        ("@a@&@b@", ["ab", "b-a"], ["a", "b"]),
        ("a(@&~(@b@))c", ["ac", "axxc"], ["abc", "axbxc"]),
        ("a&b|c", ["c"], ["a", "b"]),
        # Any text, no text, a quotation, nothing
        ("a@", ["a", "abc"], ["b"]),
        ("a#|b", ["b"], ["a", "a#"]),
        ('"a.*"b', ["a.*b"], ["axb"]),
        ("a()b", ["ab"], []),
        # Numbers: as many digits as both ends have, or any number of zeros in front
        ("<7-12>", ["7", "12", "007", "10"], ["6", "13", "", "120"]),
        ("<08-12>", ["08", "12"], ["8", "012", "13"]),
        ("<0-0>", ["0"], ["1", "00"]),
        ("<120-98>", ["98", "120", "0100"], ["97", "121"]),
        ("<1-2147483647>", ["2147483647", "999"], ["0", "2147483648"]),
        # An operator without anything to its left is itself
        ("*a", ["*a"], ["a"]),
        ("a||b", ["a", "|b"], ["b"]),
        ("(?:a)", ["?:a"], ["a"]),
        ("}]", ["}]"], []),
        # Characters are UTF-16 units
        ("..", ["\U0001f600", "ab"], ["é"]),
        ("\U0001f600+", ["\U0001f600"], ["\U0001f600\U0001f600"]),
    ],
)
def test_an_expression_means_what_it_means_in_dk_brics(pattern: str, accepted: list[str], rejected: list[str]) -> None:
    automaton = BricsAutomaton(pattern)
    assert [text for text in accepted if not automaton.accepts(text)] == []
    assert [text for text in rejected if automaton.accepts(text)] == []


@pytest.mark.parametrize(
    ("pattern", "what"),
    [
        ("(a", "a '(' has no ')'"),
        ("a)", "a ')' without '('"),
        ("[a", "something is missing"),
        ("a|", "something is missing"),
        ("a\\", "something is missing"),
        ('"a', "no '\"' follows"),
        ("<1-2", "no '>' follows"),
        ("<name>", "<name> is no interval such as <1-99>"),
        ("<1-2-3>", "<1-2-3> is no interval such as <1-99>"),
        ("<1-9999999999>", "a number of <1-9999999999> is too high"),
        ("a{x}", "a '{' that starts no count"),
        ("a{1", "a '{' that starts no count"),
        ("a{9999999999}", "a count that is too high"),
        ("a" + "*" * 99, "more than 40 operators"),
        ("(" * 99, "more than 40 nested groups"),
    ],
)
def test_a_bad_expression_is_refused_at_load_with_file_and_line(pattern: str, what: str) -> None:
    with pytest.raises(ValueError) as raised:
        AutomatonURLFilter(f"+.\n-{pattern}", source="my.txt")
    assert str(raised.value).startswith("my.txt:2: bad automaton expression")
    assert what in str(raised.value)


_ATOMS = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", "(a|b)", "(ab)"])
_COMMON = st.recursive(
    st.builds("{}{}".format, _ATOMS, st.sampled_from(["", "*", "+", "?", "{2}", "{1,3}"])),
    lambda parts: (
        st.builds("({}|{}){}".format, parts, parts, st.sampled_from(["", "*", "{2}"]))
        | st.builds("{}{}".format, parts, parts)
    ),
    max_leaves=6,
)


@given(_COMMON, st.text("abc", max_size=8))
def test_what_both_languages_have_means_the_same_as_in_re(pattern: str, text: str) -> None:
    assert BricsAutomaton(pattern).accepts(text) is (re.fullmatch(pattern, text) is not None)


@given(_COMMON, _COMMON, st.text("abc", max_size=8))
def test_complement_and_intersection_are_those_of_logic(first: str, second: str, text: str) -> None:
    in_first, in_second = BricsAutomaton(first).accepts(text), BricsAutomaton(second).accepts(text)
    assert BricsAutomaton(f"~({first})").accepts(text) is not in_first
    assert BricsAutomaton(f"({first})&({second})").accepts(text) is (in_first and in_second)
    assert BricsAutomaton(f"c({first}&{second})c").accepts(f"c{text}c") is (in_first and in_second)


@given(st.integers(0, 3000), st.integers(0, 3000), st.integers(0, 4000))
def test_an_interval_holds_the_numbers_between_its_ends(first: int, last: int, number: int) -> None:
    is_between = min(first, last) <= number <= max(first, last)
    assert BricsAutomaton(f"<{first:04}-{last:04}>").accepts(f"{number:04}") is is_between
    assert BricsAutomaton(f"<{first:05}-{last:04}>").accepts(str(number)) is is_between


@pytest.mark.parametrize("pattern", ["(a+)+b", "(a|aa)+b", "@a.{12}b", "~(@a.{12}@)"])
def test_no_expression_takes_more_than_linear_time(pattern: str) -> None:
    automaton = BricsAutomaton(pattern)
    start = time.perf_counter()
    automaton.accepts("a" * 20_000)
    assert time.perf_counter() - start < 5


def test_an_automaton_that_runs_out_of_states_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(brics_automaton, "MAX_STATES", 5)
    automaton = BricsAutomaton("@a.{3}")
    for text in ("abcd", "xxabab", "aaaaaaaa", "xyz", "abababbb", "bbbbbbb"):
        assert automaton.accepts(text) is (text[-4:-3] == "a")


def test_the_first_rule_that_fits_decides_and_no_rule_means_no() -> None:
    rules = AutomatonURLFilter("\ufeff# mine\n> a.co.uk\n-@private@\n<\n+http://@  \n", source="my.txt")
    assert rules.explain("http://w.a.co.uk/private") == (False, "my.txt:3")
    assert rules.explain("http://b.co.uk/private") == (True, "my.txt:5")
    assert rules.explain("ftp://b.co.uk/") == (False, "no rule matched")
    assert rules.filter("no url") is None


def test_a_blank_behind_a_backslash_belongs_to_the_rule_and_in_strict_mode_any_blank() -> None:
    assert AutomatonURLFilter("+a\\  ").filter("a ") == "a "
    assert AutomatonURLFilter("+a ").filter("a") == "a"
    assert AutomatonURLFilter("+a ", strict=True).filter("a") is None


def test_a_line_that_is_no_rule_is_refused() -> None:
    with pytest.raises(ValueError, match=r"my.txt:1: a rule starts with '\+' or '-', a comment with '#', got 'http:'"):
        AutomatonURLFilter("http:", source="my.txt")


def test_rules_in_the_settings_beat_the_file_and_without_either_every_url_is_accepted() -> None:
    rules = AutomatonURLFilter.from_settings(Settings({"NUTCH_URLFILTER_AUTOMATON_RULES": "-@"}))
    assert rules.explain("http://a.test/") == (False, "NUTCH_URLFILTER_AUTOMATON_RULES:1")
    assert AutomatonURLFilter.from_settings(Settings()).filter("http://a.test/?x") == "http://a.test/?x"


@pytest.mark.parametrize("strict", [False, True])
def test_a_missing_file_is_an_error_that_lists_the_places_tried(strict: bool) -> None:
    settings = Settings({"NUTCH_URLFILTER_AUTOMATON_FILE": "none.txt", "NUTCH_STRICT": strict})
    with pytest.raises(
        ValueError, match=r"NUTCH_URLFILTER_AUTOMATON_FILE: no rule file 'none.txt', tried .*none.txt, nu"
    ):
        AutomatonURLFilter.from_settings(settings)


@given(URLS)
def test_any_text_comes_back_unchanged_or_not_at_all(url: str) -> None:
    assert AutomatonURLFilter("> a.test\n-@a@\n<\n+http@&~(@b@)\n").filter(url) in (None, url)
