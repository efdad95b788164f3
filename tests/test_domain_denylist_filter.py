"""DomainDenylistURLFilter: listed suffixes, domains and hosts."""

from __future__ import annotations

import pytest
from hypothesis import given
from rule_vectors import URLS, filter_differences
from scrapy.settings import Settings

from nutchlike.urls.filters import DomainDenylistURLFilter


def _settings(row: dict[str, str | None], *, strict: bool) -> Settings:
    rules = {} if row["rules"] is None else {"NUTCH_URLFILTER_DOMAINDENYLIST_RULES": row["rules"]}
    return Settings({"NUTCH_URLFILTER_DOMAINDENYLIST_FILE": "none.txt", "NUTCH_STRICT": strict, **rules})


def test_strict_results_are_those_of_nutch() -> None:
    assert filter_differences("domaindenylist", lambda row: DomainDenylistURLFilter(row["rules"], strict=True)) == []


def test_strict_rules_in_the_settings_give_the_results_of_nutch() -> None:
    def build(row: dict[str, str | None]) -> DomainDenylistURLFilter:
        return DomainDenylistURLFilter.from_settings(_settings(row, strict=True))

    assert filter_differences("domaindenylist", build) == []


def test_the_default_differs_in_that_it_refuses_to_start_without_rules() -> None:
    different = filter_differences("domaindenylist", lambda row: DomainDenylistURLFilter(row["rules"]))
    assert {(rules_id, got) for rules_id, _, _, got in different} == {("domaindenylist-missing", None)}


def test_a_suffix_a_domain_or_a_host_rejects_and_the_most_general_is_the_reason() -> None:
    domains = DomainDenylistURLFilter("# mine\nwww.a.co.uk\n  A.co.uk\nb.co.uk\n", source="my.txt")
    assert domains.explain("http://www.a.co.uk/") == (False, "my.txt:3")
    assert domains.explain("https://x.y.b.co.uk:8080/z") == (False, "my.txt:4")
    assert domains.explain("http://ab.co.uk/") == (True, "no rule matched")


def test_what_is_no_url_is_rejected_with_the_reason() -> None:
    assert DomainDenylistURLFilter("").explain("a:b") == (
        False,
        "unknown protocol 'a', known are http, https, ftp, file, jar",
    )


def test_without_settings_every_url_is_accepted() -> None:
    assert DomainDenylistURLFilter.from_settings(Settings()).filter("http://a.test/") == "http://a.test/"


def test_a_missing_file_is_an_error_that_lists_the_places_tried() -> None:
    expected = r"NUTCH_URLFILTER_DOMAINDENYLIST_FILE: no rule file 'none.txt', tried .*none.txt, nu"
    with pytest.raises(ValueError, match=expected):
        DomainDenylistURLFilter.from_settings(_settings({"rules": None}, strict=False))


@given(URLS)
def test_any_text_comes_back_unchanged_or_not_at_all(url: str) -> None:
    assert DomainDenylistURLFilter("a.test\ncom\n").filter(url) in (None, url)
