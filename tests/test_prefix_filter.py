"""PrefixURLFilter: how URLs begin."""

from __future__ import annotations

import pytest
from hypothesis import given
from rule_vectors import URLS, filter_differences
from scrapy.settings import Settings

from nutchlike.urls.filters import PrefixURLFilter


def _settings(row: dict[str, str | None], *, strict: bool) -> Settings:
    rules = {} if row["rules"] is None else {"NUTCH_URLFILTER_PREFIX_RULES": row["rules"]}
    return Settings({"NUTCH_URLFILTER_PREFIX_FILE": "none.txt", "NUTCH_STRICT": strict, **rules})


def test_strict_results_are_those_of_nutch() -> None:
    assert filter_differences("prefix", lambda row: PrefixURLFilter(row["rules"], strict=True)) == []


def test_strict_rules_in_the_settings_give_the_results_of_nutch() -> None:
    assert filter_differences("prefix", lambda row: PrefixURLFilter.from_settings(_settings(row, strict=True))) == []


def test_the_default_drops_trailing_blanks_and_refuses_to_start_without_rules() -> None:
    different = filter_differences("prefix", lambda row: PrefixURLFilter(row["rules"]))
    assert [(rules_id, got) for rules_id, _, _, got in different] == [
        ("prefix-own", True),
        ("prefix-missing", None),
        ("prefix-missing", None),
    ]


def test_the_reason_is_the_shortest_prefix_that_fits() -> None:
    prefixes = PrefixURLFilter("\ufeffhttp://a.test/x/y\r\n# mine\r\nhttp://a.test/x  \r\n", source="my.txt")
    assert prefixes.explain("http://a.test/x/y") == (True, "my.txt:3")
    assert prefixes.explain("http://a.test/") == (False, "no rule matched")
    assert prefixes.filter("HTTP://a.test/x") is None


def test_without_settings_the_web_is_accepted() -> None:
    prefixes = PrefixURLFilter.from_settings(Settings())
    assert prefixes.filter("http://a.test/") == "http://a.test/"
    assert prefixes.filter("https://a.test/") == "https://a.test/"


def test_a_missing_file_is_an_error_that_lists_the_places_tried() -> None:
    with pytest.raises(ValueError, match=r"NUTCH_URLFILTER_PREFIX_FILE: no rule file 'none.txt', tried .*none.txt, nu"):
        PrefixURLFilter.from_settings(_settings({"rules": None}, strict=False))


@given(URLS)
def test_any_text_comes_back_unchanged_or_not_at_all(url: str) -> None:
    assert PrefixURLFilter("http\nf").filter(url) in (None, url)
