"""QuerystringURLNormalizer: sorted parameters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rule_vectors import URLS, is_url_or_refused, normalizer_differences
from scrapy.settings import Settings

from nutchlike.urls.normalizers import QuerystringURLNormalizer


@pytest.mark.parametrize("strict", [False, True])
def test_results_are_those_of_nutch(strict: bool) -> None:
    built = QuerystringURLNormalizer.from_settings(Settings({"NUTCH_STRICT": strict}))
    assert normalizer_differences("querystring", lambda _: built) == []


@pytest.mark.parametrize(
    ("url", "normalized"),
    [
        # Keys, and the values of equal keys
        ("http://a.test/?b=1&a=2", "http://a.test/?a=2&b=1"),
        ("http://a.test/?a=2&a=1", "http://a.test/?a=1&a=2"),
        # Port and fragment stay, user info goes
        ("http://u@a.test:81/p?b&a#f", "http://a.test:81/p?a&b#f"),
        # No query, nothing to do
        ("http://u@a.test", "http://u@a.test"),
    ],
)
def test_parameters_are_sorted(url: str, normalized: str) -> None:
    assert QuerystringURLNormalizer().normalize(url) == normalized


@given(URLS)
def test_any_text_is_sorted_or_refused(url: str) -> None:
    assert is_url_or_refused(QuerystringURLNormalizer(), url)


@given(st.lists(st.text("ab=12", max_size=4), max_size=6))
def test_sorting_twice_is_sorting_once(pairs: list[str]) -> None:
    once = QuerystringURLNormalizer().normalize(f"http://a.test/?{'&'.join(pairs)}")
    assert QuerystringURLNormalizer().normalize(once) == once
