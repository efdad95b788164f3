"""SlashURLNormalizer: the slash at the end of a path."""

from __future__ import annotations

import pytest
from hypothesis import given
from rule_vectors import URLS, is_url_or_refused, normalizer_differences
from scrapy.settings import Settings

from nutchlike.urls.normalizers import SlashURLNormalizer


def test_strict_results_are_those_of_nutch() -> None:
    assert normalizer_differences("slash", lambda row: SlashURLNormalizer(row["rules"], strict=True)) == []


def test_strict_rules_in_the_settings_give_the_results_of_nutch() -> None:
    def build(row: dict[str, str]) -> SlashURLNormalizer:
        rules = {"NUTCH_URLNORMALIZER_SLASHES_RULES": row["rules"], "NUTCH_STRICT": True}
        return SlashURLNormalizer.from_settings(Settings(rules))

    assert normalizer_differences("slash", build) == []


def test_the_default_differs_by_the_port_that_nutch_loses() -> None:
    different = normalizer_differences("slash", lambda row: SlashURLNormalizer(row["rules"]))
    assert [(url, got) for _, url, _, got in different] == [
        ("http://plus.com:8080/abc", "http://plus.com:8080/abc/"),
        ("http://minus.com:80/abc/", "http://minus.com:80/abc"),
    ]


@pytest.mark.parametrize(
    ("url", "normalized"),
    [
        ("http://a.test/page?q", "http://a.test/page/?q"),
        ("http://a.test/page.html", "http://a.test/page.html"),
        ("http://a.test/v1.2/archive", "http://a.test/v1.2/archive/"),
        ("http://a.test", "http://a.test"),
        ("http://b.test/page/?q#f", "http://b.test/page?q"),
        ("http://b.test/", "http://b.test/"),
        ("http://c.test/page/", "http://c.test/page/"),
    ],
)
def test_a_path_ends_as_the_rule_of_its_host_says(url: str, normalized: str) -> None:
    assert SlashURLNormalizer("# mine\na.test +\nb.test\t -\n").normalize(url) == normalized


def test_a_line_of_one_word_is_refused_with_file_and_line() -> None:
    with pytest.raises(ValueError) as raised:
        SlashURLNormalizer("\na.test\n", source="my.txt")
    assert str(raised.value) == "my.txt:2: right is 'host +' or 'host -', got 'a.test'"


def test_without_settings_nothing_changes() -> None:
    assert SlashURLNormalizer.from_settings(Settings()).normalize("http://a.test/x") == "http://a.test/x"


def test_a_missing_file_is_an_error_and_no_rules_in_strict_mode() -> None:
    settings = {"NUTCH_URLNORMALIZER_SLASHES_FILE": "none.txt"}
    with pytest.raises(ValueError, match=r"NUTCH_URLNORMALIZER_SLASHES_FILE: no rule file 'none.txt'"):
        SlashURLNormalizer.from_settings(Settings(settings))
    strict = SlashURLNormalizer.from_settings(Settings(settings | {"NUTCH_STRICT": True}))
    assert strict.normalize("http://a.test/x") == "http://a.test/x"


@given(URLS)
def test_any_text_is_normalized_or_refused(url: str) -> None:
    assert is_url_or_refused(SlashURLNormalizer("a.test +\ntest -\n"), url)
