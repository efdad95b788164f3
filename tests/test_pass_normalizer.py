"""PassURLNormalizer: nothing happens."""

from __future__ import annotations

from hypothesis import given
from rule_vectors import URLS, normalizer_differences
from scrapy.settings import Settings

from nutchlike.urls.normalizers import PassURLNormalizer


def test_results_are_those_of_nutch() -> None:
    assert normalizer_differences("pass", lambda _: PassURLNormalizer.from_settings(Settings())) == []


@given(URLS)
def test_every_text_stays_as_it_is(url: str) -> None:
    assert PassURLNormalizer().normalize(url) == url
