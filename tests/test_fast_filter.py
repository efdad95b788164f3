"""FastURLFilter: rules by host."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from rule_vectors import URLS, filter_differences
from scrapy.settings import Settings

from nutchlike.urls.filters import FastURLFilter

_ARGUMENTS = {
    "urlfilter.fast.url.max.length": "url_max_length",
    "urlfilter.fast.url.path.max.length": "path_max_length",
    "urlfilter.fast.url.query.max.length": "query_max_length",
}


@pytest.mark.parametrize("strict", [False, True])
def test_results_are_those_of_nutch(strict: bool) -> None:
    def build(row: dict[str, Any]) -> FastURLFilter:
        lengths = {_ARGUMENTS[name]: int(value) for name, value in row["conf"].items()}
        return FastURLFilter(row["rules"], **lengths, source="my.txt", strict=strict)

    assert filter_differences("fast", build) == []


@pytest.mark.parametrize("strict", [False, True])
def test_rules_in_the_settings_give_the_results_of_nutch(strict: bool) -> None:
    def build(row: dict[str, Any]) -> FastURLFilter:
        conf = {f"NUTCH_{name.upper().replace('.', '_')}": value for name, value in row["conf"].items()}
        rules = {"NUTCH_URLFILTER_FAST_RULES": row["rules"], "NUTCH_STRICT": strict}
        return FastURLFilter.from_settings(Settings(rules | conf))

    assert filter_differences("fast", build) == []


def test_the_reason_is_the_rule_that_rejects() -> None:
    rules = "Host w.a.test\n DenyPath ^/h # mine\nDomain a.test\n DenyPathQuery [?&]s=\n\nDomain .\n DenyPath /g$\n"
    fast = FastURLFilter(rules, source="my.txt")
    # A host, a domain and all below it, every URL
    assert fast.explain("http://w.a.test/h") == (False, "my.txt:2")
    assert fast.explain("http://x.w.a.test/h") == (True, "no rule matched")
    assert fast.explain("http://x.w.a.test/?s=1") == (False, "my.txt:4")
    assert fast.explain("http://b.test/?s=1") == (True, "no rule matched")
    assert fast.explain("http://b.test/g?s=1") == (False, "my.txt:7")
    # What is no URL
    assert fast.explain("b.test") == (False, "no protocol in 'b.test', a URL starts like 'http://'")


def test_lengths_are_utf16_units_of_url_path_and_query() -> None:
    fast = FastURLFilter("", 30, 4, 3)
    assert fast.filter("http://a.test/\U0001f600?abc") == "http://a.test/\U0001f600?abc"
    assert fast.explain("http://a.test/\U0001f600xx") == (False, "path longer than 4 characters")
    assert fast.explain("http://a.test/?abcd") == (False, "query longer than 3 characters")
    assert fast.explain("http://a.test/#" + 16 * "x") == (False, "longer than 30 characters")


def test_a_line_that_is_no_rule_is_skipped_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    rules = "\ufeffDenyPath /x\nHost a.test\nAllow /x\nDenyPath\nDenyPath [x\nDenyPath /y\n"
    fast = FastURLFilter(rules, source="my.txt")
    assert [message.split(": ")[0] for message in caplog.messages] == ["my.txt:1", "my.txt:3", "my.txt:4", "my.txt:5"]
    assert fast.explain("http://a.test/y") == (False, "my.txt:6")
    assert fast.filter("http://a.test/x") == "http://a.test/x"


def test_a_section_without_a_name_is_refused_with_file_and_line() -> None:
    with pytest.raises(ValueError) as raised:
        FastURLFilter("Host a.test\nDomain # all\n", source="my.txt")
    assert str(raised.value) == "my.txt:2: right is 'Host a.test', got 'Domain'"


def test_a_bad_length_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 0, or -1 for no limit, got -2"):
        FastURLFilter("", -2)
    with pytest.raises(ValueError, match=r"NUTCH_URLFILTER_FAST_URL_PATH_MAX_LENGTH must be a number .* got 'x'"):
        FastURLFilter.from_settings(Settings({"NUTCH_URLFILTER_FAST_URL_PATH_MAX_LENGTH": "x"}))


def test_an_expression_cannot_hang_the_filter() -> None:
    fast = FastURLFilter("Domain .\n DenyPath ^/(a+)+\\1$\n")
    start = time.perf_counter()
    fast.filter(f"http://a.test/{'a' * 60}!")
    assert time.perf_counter() - start < 5


def test_without_settings_every_url_is_accepted() -> None:
    assert FastURLFilter.from_settings(Settings()).filter("http://a.test/a.gif") == "http://a.test/a.gif"


@pytest.mark.parametrize("strict", [False, True])
def test_a_missing_file_is_an_error_that_lists_the_places_tried(strict: bool) -> None:
    settings = Settings({"NUTCH_URLFILTER_FAST_FILE": "none.txt", "NUTCH_STRICT": strict})
    with pytest.raises(ValueError, match=r"NUTCH_URLFILTER_FAST_FILE: no rule file 'none.txt', tried .*none.txt, nu"):
        FastURLFilter.from_settings(settings)


@given(URLS)
def test_any_text_comes_back_unchanged_or_not_at_all(url: str) -> None:
    rules = "Host a.test\n DenyPath a\nDomain test\n DenyPathQuery [?&]a\nDomain .\n DenyPath /b\n"
    assert FastURLFilter(rules).filter(url) in (None, url)
