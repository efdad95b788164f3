"""HostURLNormalizer: one name for a host."""

from __future__ import annotations

import pytest
from hypothesis import given
from rule_vectors import URLS, is_url_or_refused, normalizer_differences
from scrapy.settings import Settings

from nutchlike.urls.normalizers import HostURLNormalizer


def test_strict_results_are_those_of_nutch() -> None:
    assert normalizer_differences("host", lambda row: HostURLNormalizer(row["rules"], strict=True)) == []


def test_strict_rules_in_the_settings_give_the_results_of_nutch() -> None:
    def build(row: dict[str, str]) -> HostURLNormalizer:
        rules = {"NUTCH_URLNORMALIZER_HOSTS_RULES": row["rules"], "NUTCH_STRICT": True}
        return HostURLNormalizer.from_settings(Settings(rules))

    assert normalizer_differences("host", build) == []


def test_the_default_differs_where_nutch_breaks_the_url() -> None:
    different = normalizer_differences("host", lambda row: HostURLNormalizer(row["rules"]))
    assert [(url, got) for _, url, _, got in different] == [
        # A second space became part of the host
        ("http://example.org", "http://www.example.org"),
        # The scheme was replaced
        ("http://http/", "http://httphost/"),
    ]


@pytest.mark.parametrize(
    ("url", "normalized"),
    [
        ("http://a.test/a.test", "http://www.a.test/a.test"),
        ("https://a.test:8443/?q=a.test", "https://www.a.test:8443/?q=a.test"),
        # The host, not its name in the user info
        ("http://a.test@a.test/", "http://a.test@www.a.test/"),
        # A pattern means what is below the domain
        ("http://x.y.b.test/", "http://b.test/"),
        ("http://b.test/", "http://b.test/"),
        ("http://xb.test/", "http://xb.test/"),
    ],
)
def test_a_host_is_replaced_where_it_stands(url: str, normalized: str) -> None:
    assert HostURLNormalizer("# mine\na.test   www.a.test \n*.b.test b.test\n").normalize(url) == normalized


def test_a_line_without_a_space_is_refused_with_file_and_line() -> None:
    with pytest.raises(ValueError) as raised:
        HostURLNormalizer("# mine\na.test\twww.a.test\n", source="my.txt")
    assert str(raised.value) == "my.txt:2: a space must separate two hosts, got 'a.test\\twww.a.test'"


def test_a_new_host_with_a_blank_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    HostURLNormalizer("a.test b.test c.test", source="my.txt")
    assert caplog.messages == ["my.txt:1: the host 'b.test c.test' holds a blank, its URLs cannot be fetched"]


def test_without_settings_nothing_changes() -> None:
    assert HostURLNormalizer.from_settings(Settings()).normalize("http://a.test/") == "http://a.test/"


def test_a_missing_file_is_an_error_and_no_rules_in_strict_mode() -> None:
    settings = {"NUTCH_URLNORMALIZER_HOSTS_FILE": "none.txt"}
    with pytest.raises(ValueError, match=r"NUTCH_URLNORMALIZER_HOSTS_FILE: no rule file 'none.txt'"):
        HostURLNormalizer.from_settings(Settings(settings))
    strict = HostURLNormalizer.from_settings(Settings(settings | {"NUTCH_STRICT": True}))
    assert strict.normalize("http://a.test/") == "http://a.test/"


@given(URLS)
@pytest.mark.parametrize("strict", [False, True])
def test_any_text_is_normalized_or_refused(strict: bool, url: str) -> None:
    rules = "test www.test\na.test b.test\n*.a.test c.test\nhttp x.test\n"
    assert is_url_or_refused(HostURLNormalizer(rules, strict=strict), url)
