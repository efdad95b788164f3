"""ValidatorURLFilter: what looks like a URL on a public host."""

from __future__ import annotations

import pytest
from hypothesis import given
from rule_vectors import URLS, filter_differences
from scrapy.settings import Settings

from nutchlike.urls.filters import ValidatorURLFilter


def test_results_are_those_of_nutch() -> None:
    assert filter_differences("validator", lambda _: ValidatorURLFilter.from_settings(Settings())) == []


@pytest.mark.parametrize(
    ("url", "is_valid"),
    [
        ("http://a.test/b?c[d]#e", True),
        ("http://1.2.3.4:99999/", True),
        # Hosts
        ("http://localhost/", False),
        ("http://a.t/", False),
        ("http://a_b.test/", False),
        ("http://256.1.1.1/", False),
        ("http://u@a.test/", False),
        # Paths
        ("http://a.test/a|b", False),
        ("http://a.test/a/../b", True),
        ("http://a.test/../b", False),
        ("http://a.test/é", False),
        ("http://a.test/b\n", False),
    ],
)
def test_hosts_and_paths_are_checked(url: str, is_valid: bool) -> None:
    assert (ValidatorURLFilter().filter(url) == url) is is_valid


@given(URLS)
def test_any_text_comes_back_unchanged_or_not_at_all(url: str) -> None:
    assert ValidatorURLFilter().filter(url) in (None, url)
