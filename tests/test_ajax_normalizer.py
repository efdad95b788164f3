"""AjaxURLNormalizer: ``#!`` and its escaped form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rule_vectors import URLS, is_url_or_refused
from scrapy.settings import Settings
from vectors import vector_rows

from nutchlike.urls.normalizers import AjaxURLNormalizer


def _differences(strict: bool) -> list[tuple[str, str | None]]:
    different = []
    for row in vector_rows("urlnormalizer_ajax.jsonl"):
        settings = Settings({"NUTCH_STRICT": strict})
        normalizer = AjaxURLNormalizer.from_settings(settings, scope=row["scope"])
        try:
            got = normalizer.normalize(row["url"])
        except ValueError:
            got = None
        if got != row["expected"]:
            different.append((row["url"], got))
    return different


def test_strict_results_are_those_of_nutch() -> None:
    assert _differences(strict=True) == []


def test_the_default_takes_the_fragment_out_of_the_query_as_text_not_as_an_expression() -> None:
    assert _differences(strict=False) == [
        ("http://example.org/?q=1&_escaped_fragment_=a*b", "http://example.org/?q=1#!a*b")
    ]


def test_without_a_scope_hash_bangs_become_parameters() -> None:
    assert AjaxURLNormalizer().normalize("http://a.test/p?q#!a&b") == "http://a.test/p?q&_escaped_fragment_=a%26b"


def test_an_expression_in_a_url_cannot_hang_strict_mode() -> None:
    url = "http://a.test/?" + "a" * 40 + "&_escaped_fragment_=(a+)+(a+)+(a+)+(a+)+$b"
    assert is_url_or_refused(AjaxURLNormalizer("indexer", strict=True), url)


@given(st.text("ab=&#%+ é!", max_size=20))
def test_a_fragment_survives_the_way_there_and_back(fragment: str) -> None:
    escaped = AjaxURLNormalizer().normalize(f"http://a.test/#!{fragment}")
    assert AjaxURLNormalizer("indexer").normalize(escaped) == f"http://a.test/#!{fragment}"


@given(URLS)
@pytest.mark.parametrize("scope", ["default", "indexer"])
@pytest.mark.parametrize("strict", [False, True])
def test_any_text_is_normalized_or_refused(scope: str, strict: bool, url: str) -> None:
    normalizer = AjaxURLNormalizer(scope, strict=strict)
    assert is_url_or_refused(normalizer, url)
    assert is_url_or_refused(normalizer, f"{url}#!{url}")
    assert is_url_or_refused(normalizer, f"http://a.test/?{url}&_escaped_fragment_={url}")
