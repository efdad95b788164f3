"""JavaPattern and JavaReplacement: what Java's Pattern and Matcher do, and that no text takes long."""

from __future__ import annotations

from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nutchlike.urls.java_char_class import UnsupportedJavaRegex
from nutchlike.urls.java_pattern import JavaPattern, PatternSet, SearchTooLong
from nutchlike.urls.java_replacement import parse_java_replacement, replace_all


def replaced(pattern: str, substitution: str, text: str) -> str:
    compiled = JavaPattern(pattern)
    return replace_all(compiled, parse_java_replacement(substitution, compiled), text)


@pytest.mark.parametrize(
    ("pattern", "found", "not_found"),
    [
        # Flags: from their place to the end of the group, in every alternative
        ("a(?i)b|c", ["aB", "C"], ["AB"]),
        ("(?:(?i)a)b", ["Ab"], ["AB"]),
        ("(?i)a(?-i)b", ["Ab"], ["AB"]),
        ("(?i:a)b", ["Ab"], ["AB"]),
        ("(?i)k", ["K"], ["\u212a"]),
        ("(?iu)é", ["É"], ["E"]),
        ("a(?s).b", ["a\nb"], []),
        ("a.b", ["a-b"], ["a\nb", "a\u2028b"]),
        ("(?i)[^K]", ["\u212a"], ["k"]),
        ("(?iu)k", ["\u212a"], ["j"]),
        ("(?m)^b$", ["a\nb\r\nc", "b"], ["ab"]),
        ("(?m)^", ["a"], [""]),
        ("(?d).", ["\r"], ["\n"]),
        ("(?d)a$", ["a\n"], ["a\r"]),
        ("(?i-s:a).", ["Ab"], ["A\n"]),
        # The end of the text, and a last line end
        ("a$", ["a", "a\n", "a\r\n", "a\u0085"], ["a\n\n", "ab"]),
        ("a\\z", ["a"], ["a\n"]),
        ("a\\Z", ["a\n"], ["a\n\n"]),
        # Quoting, blanks, properties, code points
        ("\\Qa.b[\\E+c", ["a.b[[c"], ["aXb[c"]),
        ("\\Qa|b", ["a|b"], ["a", "b"]),
        ("a\\hb", ["a b", "a\u00a0b"], ["a\nb"]),
        ("a\\Hb", ["axb"], ["a b"]),
        ("^\\R$", ["\r\n"], ["x"]),
        ("\\p{Lu}{2}", ["xAÉ"], ["Aé"]),
        ("\\pL", ["é"], ["1"]),
        ("^\\P{Alpha}$", ["1"], ["a"]),
        ("\\x41\\x{42}\\u0043\\0104\\t", ["ABCD\t"], []),
        ("^\\p{IsGreek}\\p{InCyrillic}\\p{IsAlphabetic}\\p{javaUpperCase}$", ["\u03b1\u0434\u00e9\u00c9"], ["adeE"]),
        ("^\\p{sc=Latin}\\p{gc=Nd}\\p{Punct}\\p{L1}$", ["a1!\u00e9"], ["\u03b11!a"]),
        ("^(?i)\\p{Lower}\\p{Lu}$", ["Aa"], ["1a"]),
        ("\\ud83d\\ude00", ["\U0001f600"], ["\U0001f601"]),
        ("[\\cA]", ["\x01"], ["A"]),
        # Possessive and atomic
        ("x++x", [], ["xxx"]),
        ("(?>a|ab)c", ["ac"], ["abc"]),
        # Names and references
        ("(?<year>\\d{4})/\\k<year>", ["2020/2020"], ["2020/2021"]),
        ("(.)\\1", ["aa"], ["ab"]),
        ("(a)\\11", ["aa1"], ["aa"]),
        ("(?i)(a)\\1", ["aA"], ["ab"]),
        ("\\Ga", ["ab"], ["ba"]),
        # Look-around
        ("a(?=b)", ["ab"], ["ac"]),
        ("(?<!:)/{2}", ["a//"], ["a://b"]),
        ("(?<=a{1,3})b", ["aab"], ["b"]),
        # Classes: union, intersection, negation, what is no range
        ("^[a-c&&[^b]]+$", ["ac"], ["ab"]),
        ("^[ab[xy]]+$", ["axby"], ["c"]),
        ("^[^a[xy]]$", ["b"], ["a", "x"]),
        ("^[a-z&&[def]&&[^e]]$", ["d"], ["e", "a"]),
        ("^[]a-]+$", ["]a-"], ["b"]),
        ("^[\\w-]+$", ["a_-"], ["é"]),
        ("^[\\Q^]\\E]+$", ["^]"], ["a"]),
        ("^[\\h\\P{L}]+$", ["1 "], ["a"]),
        ("^[\\H]$", ["a"], [" "]),
        ("^[\\x41-\\x43]$", ["B"], ["D"]),
        # ASCII digits and word characters only, yet word borders know letters
        ("^\\d$", ["1"], ["١"]),
        ("\\bid", ["a-id"], ["éid"]),
        ("\\bb", ["a\u0301 b"], ["a\u0301b"]),
        ("", ["", "x"], []),
    ],
)
def test_an_expression_finds_what_java_finds(pattern: str, found: list[str], not_found: list[str]) -> None:
    compiled = JavaPattern(pattern)
    assert [text for text in found if not compiled.found_in(text)] == []
    assert [text for text in not_found if compiled.found_in(text)] == []


@pytest.mark.parametrize(
    ("pattern", "substitution", "text", "expected"),
    [
        # Groups by number, with as many digits as there are groups, and by name
        ("(a)(b)", "$2$1", "xab", "xba"),
        ("(a)", "$11$0", "a", "a1a"),
        ("(?<n>a)|b", "<${n}>", "ab", "<a><>"),
        # A backslash takes what follows as it is
        ("a", "\\$1\\\\\\n", "a", "$1\\n"),
        # Empty matches: one place further each time
        ("x*", "-", "abxd", "-a-b--d-"),
        ("x*?", "-", "xx", "-x-x-"),
        ("$", "!", "a", "a!"),
        ("$", "!", "a\n", "a!\n!"),
        ("(?<!a)|a", "-", "aa", "-a-"),
        # Both engines
        ("(?<!:)/{2,}", "/", "http://a//b///c", "http://a/b/c"),
        ("(\\w)=(\\w)", "$2=$1", "a=1&b=2", "1=a&2=b"),
        ("\\G[ab]", "-", "abca", "--ca"),
        ("[ab]", "-", "ab" * 300, "-" * 600),
        ("[a\u00e9]", "-", "a\u00e9", "--"),
    ],
)
def test_a_replacement_is_what_javas_replace_all_gives(
    pattern: str, substitution: str, text: str, expected: str
) -> None:
    assert replaced(pattern, substitution, text) == expected


@pytest.mark.parametrize("substitution", ["$", "$x", "$2", "\\", "${m}", "${n", "${}", "${1n}"])
def test_a_substitution_that_java_would_refuse_is_refused(substitution: str) -> None:
    with pytest.raises(ValueError, match="bad substitution"):
        parse_java_replacement(substitution, JavaPattern("(?<n>a)"))


@pytest.mark.parametrize(
    "pattern",
    [
        "(?x)a b",
        "(?U)\\w",
        "\\X",
        "\\b{g}a",
        "\\N{DIGIT ONE}",
        # Java does not agree with itself on these
        "(a)|\\1b",
        "\\1(a)",
        "(a\\1)",
        "[a&&]",
        "(?<=a?+)b",
        "(?<=(a{1,2}))b",
        "a{2}{3}",
        "\\G",
        "(" * 200 + "a" + ")" * 200,
        "(?:a{1000}){1000}(?:b{999999999}){999}\\1",
    ],
)
def test_what_cannot_be_translated_is_refused_as_such(pattern: str) -> None:
    with pytest.raises(UnsupportedJavaRegex):
        JavaPattern(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "(a",
        "a)",
        "[a",
        "*a",
        "a**",
        "a{x}",
        "a{2,1}",
        "[b-a]",
        "\\y",
        "\\p{Klingon}",
        "\\p{IsKlingon",
        "(?<=a+)b",
        "(?<n>a)(?<n>b)",
        "\\k<n>",
        "(?z)a",
        "(?a",
        "\\",
        "\\x{110000}",
    ],
)
def test_what_java_refuses_is_refused_but_not_as_unsupported(pattern: str) -> None:
    with pytest.raises(ValueError, match="bad regular expression") as raised:
        JavaPattern(pattern)
    assert not isinstance(raised.value, UnsupportedJavaRegex)


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "^(a|a)*$", "^(a*)*$", "(a|aa)+$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(.*)*x"]
)
def test_nested_quantifiers_take_linear_time(pattern: str) -> None:
    compiled = JavaPattern(pattern)
    started = perf_counter()
    assert not compiled.found_in("a" * 4000 + "!")
    assert perf_counter() - started < 0.5
    assert compiled.timeouts == 0


def test_a_search_that_needs_the_other_engine_is_given_up_after_a_while() -> None:
    compiled = JavaPattern("(?=(a+)+$)", source="my.txt:7")
    started = perf_counter()
    with pytest.raises(SearchTooLong, match=r"^my\.txt:7: "):
        compiled.found_in("a" * 4000 + "!")
    with pytest.raises(SearchTooLong):
        list(compiled.matches("a" * 4000 + "!"))
    assert perf_counter() - started < 2
    assert compiled.timeouts == 2


def test_a_set_names_the_same_expressions_as_each_alone() -> None:
    patterns = [JavaPattern(pattern) for pattern in ("a+", "(?=b)", "^$", "a{2000}", "(.)\\1", "x$", "")]
    for text in ("", "a", "b", "aab", "x\n", "\u00e9\u00e9", "a" * 2000):
        alone = [number for number, pattern in enumerate(patterns) if pattern.found_in(text)]
        assert list(PatternSet(patterns).found_in(text)) == alone
        assert set(alone) <= set(PatternSet(patterns).candidates(text))


@given(st.text(alphabet="ab(|)[]^-&*+?{}12,\\.$:<>=!kpQEdwbGi"))
def test_any_text_is_an_expression_or_a_value_error(pattern: str) -> None:
    try:
        compiled = JavaPattern(pattern)
    except ValueError:
        return
    try:
        assert compiled.found_in("abab1") is any(True for _ in compiled.matches("abab1"))
    except SearchTooLong:
        assert compiled.timeouts
