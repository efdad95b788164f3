"""RegexURLNormalizer: Nutch's results, the default rules, bad rules, settings."""

from __future__ import annotations

import logging
from pathlib import Path
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.settings import Settings
from vectors import vector_rows

from nutchlike.urls.basic_normalizer import BasicURLNormalizer
from nutchlike.urls.regex_normalizer import RegexURLNormalizer
from nutchlike.urls.rule_files import read_rule_file

DEFAULT = RegexURLNormalizer(read_rule_file("regex-normalize.xml")[0])


def rules(*pairs: tuple[str, str]) -> str:
    """Return a rule file of pattern and substitution pairs, one a line from the second line on."""
    lines = [f"<regex><pattern>{a}</pattern><substitution>{b}</substitution></regex>" for a, b in pairs]
    return "\n".join(["<regex-normalize>", *lines, "</regex-normalize>"])


def normalized(normalizer: RegexURLNormalizer, url: str) -> str | None:
    try:
        return normalizer.normalize(url)
    except ValueError:
        return None


@pytest.mark.parametrize("strict", [False, True])
def test_results_are_those_of_nutch(strict: bool) -> None:
    rulesets = {row["rules_id"]: row["rules"] for row in vector_rows("urlnormalizer_rulesets.jsonl")}
    rows = vector_rows("urlnormalizer_regex.jsonl")
    used = {row["rules_id"] for row in rows}
    normalizers = {rules_id: RegexURLNormalizer(rulesets[rules_id], strict=strict) for rules_id in used}
    different = [
        (row["id"], row["url"], row["expected"], got)
        for row in rows
        if (got := normalized(normalizers[row["rules_id"]], row["url"])) != row["expected"]
    ]
    assert different == []


def test_basic_and_then_regex_give_nutchs_default_chain() -> None:
    rulesets = {row["rules_id"]: row["rules"] for row in vector_rows("urlnormalizer_rulesets.jsonl")}
    basic, regex = BasicURLNormalizer(strict=True), RegexURLNormalizer(rulesets["regex-default"], strict=True)
    different = []
    for row in vector_rows("urlnormalizers_chain.jsonl"):
        try:
            got = regex.normalize(basic.normalize(row["url"]))
        except ValueError:
            got = None
        if got != row["expected"]:
            different.append((row["id"], row["url"], row["expected"], got))
    assert different == []


@pytest.mark.parametrize(
    ("given_url", "expected"),
    [
        # Names that only look like a session id
        ("/x?newsid=5", "/x?newsid=5"),
        ("/x?cat-sid=3", "/x?cat-sid=3"),
        ("/x?side=left", "/x?side=left"),
        ("/x?a=sid", "/x?a=sid"),
        ("/sid=3/x", "/sid=3/x"),
        # Session ids, in any case, among the parameters and behind the path
        ("/x;jsessionid=AB12?p=2", "/x?p=2"),
        ("/x;JSESSIONID=AB12", "/x"),
        ("/x;v=1;jsessionid=AB12/y", "/x;v=1/y"),
        ("/x?PHPSESSID=q&p=2", "/x?p=2"),
        ("/x?phpsessid=q", "/x"),
        ("/x?a=1&ASPSESSIONIDQQBB=Z&b=2", "/x?a=1&b=2"),
        ("/x?sessionid=1&session_id=2&sid=3", "/x"),
        # Nothing is left over where it was
        ("/x?sid=9&p=2", "/x?p=2"),
        ("/x?p=2&sid=9", "/x?p=2"),
        ("/x?sid=9", "/x"),
        ("/x?&a=1&&b=2&", "/x?a=1&b=2"),
        ("/x?", "/x"),
        ("/x?a=b?", "/x?a=b"),
        # Fragments
        ("/x#part", "/x"),
        ("/x#a?b=1", "/x"),
        # The ASP.NET form has no rule unless one is configured
        ("/(S(abc123))/page.aspx", "/(S(abc123))/page.aspx"),
    ],
)
def test_the_default_rules_remove_session_ids_and_what_they_leave(given_url: str, expected: str) -> None:
    assert DEFAULT.normalize(f"http://a.test{given_url}") == f"http://a.test{expected}"


def test_the_asp_net_rule_is_there_to_be_switched_on() -> None:
    text = read_rule_file("regex-normalize.xml")[0]
    start = text.index("ASP.NET without cookies")
    comment_end = text.index("-->", start)
    switched_on = f"{text[:start]}-->{text[text.index('<regex>', start) : comment_end]}{text[comment_end + 3 :]}"
    url = "http://a.test/(S(abc123))/page.aspx"
    assert RegexURLNormalizer(switched_on).normalize(url) == "http://a.test/page.aspx"


# No line ends: the basic normalizer stands before, and lets none pass; Java's ``$`` also matches before the last one.
@given(st.text(alphabet="/?&;=#sidpheoSID12.\u00e9"))
def test_the_default_rules_change_nothing_the_second_time(tail: str) -> None:
    once = DEFAULT.normalize(f"http://a.test/{tail}")
    assert DEFAULT.normalize(once) == once


@given(st.text(st.characters(exclude_categories=())))
def test_no_text_raises_anything(url: str) -> None:
    DEFAULT.normalize(url)


def test_a_bad_rule_is_left_out_with_file_and_line_and_the_others_work(caplog: pytest.LogCaptureFixture) -> None:
    text = rules(("(unclosed", "x"), ("PHPSESSID=[^&amp;]*", ""))
    for strict in (False, True):
        caplog.clear()
        normalizer = RegexURLNormalizer(text, source="my.xml", strict=strict)
        assert normalizer.normalize("http://a.test/x?PHPSESSID=q&p=2") == "http://a.test/x?&p=2"
        (record,) = caplog.records
        assert record.levelno == logging.ERROR
        assert record.getMessage().startswith("my.xml:2: rule left out: bad regular expression '(unclosed'")


def test_a_rule_that_java_knows_and_we_do_not_is_refused_at_load() -> None:
    with pytest.raises(ValueError, match=r"^my\.xml:3: bad regular expression '\(\?x\)a b'"):
        RegexURLNormalizer(rules(("a", "b"), ("(?x)a b", "c")), source="my.xml")


def test_a_bad_substitution_is_told_at_load_and_refuses_the_urls_that_it_meets(
    caplog: pytest.LogCaptureFixture,
) -> None:
    normalizer = RegexURLNormalizer(rules(("(foo)", "$2")), source="my.xml")
    assert "my.xml:2: no URL passes that the rule fits" in caplog.text
    assert normalizer.normalize("http://a.test/bar") == "http://a.test/bar"
    with pytest.raises(ValueError, match=r"my\.xml:2: bad substitution '\$2': no group 2, there are 1"):
        normalizer.normalize("http://a.test/foo")


def test_where_the_xml_breaks_the_rules_end_and_strict_drops_them_all(caplog: pytest.LogCaptureFixture) -> None:
    text = rules(("a", "b"), ("c", "d")).replace("d</substitution>", "d")
    assert RegexURLNormalizer(text, source="my.xml").normalize("ac") == "bc"
    assert "my.xml:3: not well-formed XML of rules, they end here" in caplog.text
    assert RegexURLNormalizer(text, strict=True).normalize("ac") == "ac"
    assert RegexURLNormalizer("").normalize("ac") == "ac"


def test_an_entity_is_neither_expanded_nor_fetched(caplog: pytest.LogCaptureFixture) -> None:
    bomb = '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>' + rules(("&b;", "x"))
    external = '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + rules(("b", "&a;"))
    assert RegexURLNormalizer(bomb).normalize("aaaaaaaaaaaa") == "aaaaaaaaaaaa"
    assert RegexURLNormalizer(external).normalize("b") == "b"
    assert caplog.text.count("it declares the entity 'a'") == 2


def test_a_search_that_is_given_up_changes_nothing_and_the_next_rule_works(caplog: pytest.LogCaptureFixture) -> None:
    normalizer = RegexURLNormalizer(rules(("(?=(a+)+$)", "x"), ("!", "?")), source="my.xml")
    started = perf_counter()
    for _ in range(2):
        assert normalizer.normalize("a" * 4000 + "!") == "a" * 4000 + "?"
    assert perf_counter() - started < 2
    assert normalizer.timeouts == 2
    assert caplog.text.count("my.xml:2: '(?=(a+)+$)' took longer than 0.1 s") == 1


def test_without_settings_the_package_brings_the_rules() -> None:
    normalizer = RegexURLNormalizer.from_settings(Settings())
    assert normalizer.normalize("http://a.test/?sid=1") == "http://a.test/"


def test_rules_in_the_settings_beat_the_file_and_the_file_of_the_scope_beats_both(tmp_path: Path) -> None:
    (tmp_path / "general.xml").write_text(rules(("a", "general")), "utf-8")
    (tmp_path / "seeds.xml").write_text(rules(("a", "seeds")), "utf-8")
    values = {
        "NUTCH_URLNORMALIZER_REGEX_FILE": str(tmp_path / "general.xml"),
        "NUTCH_URLNORMALIZER_REGEX_FILE_GENERATE_HOST_COUNT": str(tmp_path / "seeds.xml"),
    }
    scope = "generate_host-count"
    assert RegexURLNormalizer.from_settings(Settings(values)).normalize("a") == "general"
    assert RegexURLNormalizer.from_settings(Settings(values), scope=scope).normalize("a") == "seeds"
    assert RegexURLNormalizer.from_settings(Settings(values), scope="inject").normalize("a") == "general"
    values["NUTCH_URLNORMALIZER_REGEX_RULES"] = rules(("a", "text"))
    assert RegexURLNormalizer.from_settings(Settings(values)).normalize("a") == "text"
    assert RegexURLNormalizer.from_settings(Settings(values), scope=scope).normalize("a") == "seeds"


@pytest.mark.parametrize("scope", [None, "inject"])
def test_a_missing_file_is_an_error_that_names_the_setting(scope: str | None) -> None:
    setting = "NUTCH_URLNORMALIZER_REGEX_FILE" + (f"_{scope.upper()}" if scope else "")
    with pytest.raises(ValueError, match=f"^{setting}: no rule file 'other.xml', tried "):
        RegexURLNormalizer.from_settings(Settings({setting: "other.xml"}), scope=scope)
