"""DomainURLFilter: listed suffixes, domains and hosts."""

from __future__ import annotations

import pytest
from hypothesis import given
from rule_vectors import URLS, filter_differences
from scrapy.settings import Settings

from nutchlike.urls.filters import DomainURLFilter


def _settings(row: dict[str, str | None], *, strict: bool) -> Settings:
    rules = {} if row["rules"] is None else {"NUTCH_URLFILTER_DOMAIN_RULES": row["rules"]}
    return Settings({"NUTCH_URLFILTER_DOMAIN_FILE": "none.txt", "NUTCH_STRICT": strict, **rules})


def test_strict_results_are_those_of_nutch() -> None:
    assert filter_differences("domain", lambda row: DomainURLFilter(row["rules"], strict=True)) == []


def test_strict_rules_in_the_settings_give_the_results_of_nutch() -> None:
    def build(row: dict[str, str | None]) -> DomainURLFilter:
        return DomainURLFilter.from_settings(_settings(row, strict=True))

    assert filter_differences("domain", build) == []


def test_the_default_differs_in_that_it_refuses_to_start_without_rules() -> None:
    different = filter_differences("domain", lambda row: DomainURLFilter(row["rules"]))
    assert {(rules_id, got) for rules_id, _, _, got in different} == {("domain-missing", None)}


def test_a_suffix_a_domain_or_a_host_accepts_and_the_most_general_is_the_reason() -> None:
    domains = DomainURLFilter("\ufeff# mine\r\nwww.a.co.uk\r\n  A.co.uk\r\nb.co.uk\r\nnet\r\n", source="my.txt")
    assert domains.explain("http://www.a.co.uk/") == (True, "my.txt:3")
    assert domains.explain("https://x.y.b.co.uk:8080/z") == (True, "my.txt:4")
    assert domains.explain("http://any.net/") == (True, "my.txt:5")
    assert domains.explain("http://co.uk/") == (False, "no rule matched")
    assert domains.filter("http://ab.co.uk/") is None


def test_what_is_no_url_is_rejected_with_the_reason() -> None:
    assert DomainURLFilter("net").explain("a.net") == (False, "no protocol in 'a.net', a URL starts like 'http://'")


def test_without_settings_every_url_is_accepted() -> None:
    assert DomainURLFilter.from_settings(Settings()).filter("http://a.test/") == "http://a.test/"


def test_a_missing_file_is_an_error_that_lists_the_places_tried() -> None:
    with pytest.raises(ValueError, match=r"NUTCH_URLFILTER_DOMAIN_FILE: no rule file 'none.txt', tried .*none.txt, nu"):
        DomainURLFilter.from_settings(_settings({"rules": None}, strict=False))


@given(URLS)
def test_any_text_comes_back_unchanged_or_not_at_all(url: str) -> None:
    assert DomainURLFilter("a.test\ncom\n").filter(url) in (None, url)
