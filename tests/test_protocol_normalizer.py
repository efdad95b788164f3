"""ProtocolURLNormalizer: the scheme of a host."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from rule_vectors import URLS, is_url_or_refused, normalizer_differences
from scrapy.settings import Settings

from nutchlike.urls.normalizers import ProtocolURLNormalizer


@pytest.mark.parametrize("strict", [False, True])
def test_results_are_those_of_nutch(strict: bool) -> None:
    assert normalizer_differences("protocol", lambda row: ProtocolURLNormalizer(row["rules"], strict=strict)) == []


@pytest.mark.parametrize("strict", [False, True])
def test_rules_in_the_settings_give_the_results_of_nutch(strict: bool) -> None:
    def build(row: dict[str, str]) -> ProtocolURLNormalizer:
        rules = {"NUTCH_URLNORMALIZER_PROTOCOLS_RULES": row["rules"], "NUTCH_STRICT": strict}
        return ProtocolURLNormalizer.from_settings(Settings(rules))

    assert normalizer_differences("protocol", build) == []


@pytest.mark.parametrize(
    ("url", "normalized"),
    [
        # The host itself, and a domain with all below it
        ("http://a.test/x?y", "https://a.test/x?y"),
        ("http://w.a.test/", "http://w.a.test/"),
        ("http://b.test/", "https://b.test/"),
        ("http://w.b.test/", "https://w.b.test/"),
        ("http://wb.test/", "http://wb.test/"),
        # The rule for the host goes before the pattern, the longer pattern before the shorter
        ("https://old.b.test/", "http://old.b.test/"),
        ("https://x.c.b.test/", "http://x.c.b.test/"),
        # A port says that somebody knows better
        ("http://a.test:8080/", "http://a.test:8080/"),
        # A change drops user info and fragment
        ("http://u:p@a.test/#f", "https://a.test/"),
    ],
)
def test_a_host_gets_the_scheme_of_its_rule(url: str, normalized: str) -> None:
    rules = "a.test https\n*.b.test\thttps\nold.b.test http\n*.c.b.test http\n"
    assert ProtocolURLNormalizer(rules).normalize(url) == normalized


def test_a_line_that_is_no_rule_is_skipped_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    normalizer = ProtocolURLNormalizer("\ufeffa.test https\nb.test\nc.test https x\nd.test @\n", source="my.txt")
    assert normalizer.normalize("http://a.test/") == "https://a.test/"
    assert [record.getMessage().split(": ")[0] for record in caplog.records] == ["my.txt:2", "my.txt:3", "my.txt:4"]


def test_a_scheme_that_cannot_be_used_refuses_the_url_and_says_why() -> None:
    with pytest.raises(ValueError, match="asks for the scheme 'gopher', known are http, https"):
        ProtocolURLNormalizer("a.test gopher").normalize("http://a.test/")


def test_without_settings_nothing_changes() -> None:
    assert ProtocolURLNormalizer.from_settings(Settings()).normalize("http://a.test/") == "http://a.test/"


def test_a_missing_file_is_an_error_and_no_rules_in_strict_mode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = {"NUTCH_URLNORMALIZER_PROTOCOLS_FILE": "none.txt"}
    with pytest.raises(ValueError, match=r"NUTCH_URLNORMALIZER_PROTOCOLS_FILE: no rule file 'none.txt', tried /"):
        ProtocolURLNormalizer.from_settings(Settings(settings))
    strict = ProtocolURLNormalizer.from_settings(Settings(settings | {"NUTCH_STRICT": True}))
    assert strict.normalize("http://a.test/") == "http://a.test/"


def test_a_file_that_is_not_utf8_is_an_error_in_strict_mode_too(tmp_path: Path) -> None:
    rule_file = tmp_path / "rules.txt"
    rule_file.write_bytes(b"\xe9.test https")
    settings = Settings({"NUTCH_URLNORMALIZER_PROTOCOLS_FILE": str(rule_file), "NUTCH_STRICT": True})
    with pytest.raises(ValueError, match="is not UTF-8"):
        ProtocolURLNormalizer.from_settings(settings)


@given(URLS)
def test_any_text_is_normalized_or_refused(url: str) -> None:
    assert is_url_or_refused(ProtocolURLNormalizer("*.test https\n*. ftp\n"), url)
