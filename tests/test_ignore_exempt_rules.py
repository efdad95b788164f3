"""IgnoreExemptRules: external links that are followed all the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from scrapy.settings import Settings

from nutchlike.urls.filters import IgnoreExemptRules


def test_the_first_rule_that_fits_the_target_decides_and_no_rule_means_no() -> None:
    rules = IgnoreExemptRules("-/ads/\n+^http://cdn\\.test/\n", source="my.txt")
    assert rules.is_exempt("http://a.test/", "http://cdn.test/x")
    assert not rules.is_exempt("http://a.test/", "http://cdn.test/ads/x")
    assert not rules.is_exempt("http://cdn.test/", "http://a.test/")
    assert rules.explain("http://a.test/", "http://cdn.test/ads/x") == (False, "my.txt:1")


def test_without_settings_no_link_is_exempt() -> None:
    assert not IgnoreExemptRules.from_settings(Settings()).is_exempt("http://a.test/", "http://b.test/")


def test_the_file_is_the_one_that_the_settings_name(tmp_path: Path) -> None:
    rule_file = tmp_path / "exempt.txt"
    rule_file.write_text("+b\n", "utf-8")
    rules = IgnoreExemptRules.from_settings(Settings({"NUTCH_DB_IGNORE_EXTERNAL_EXEMPTIONS_FILE": str(rule_file)}))
    assert rules.explain("http://a.test/", "http://b.test/") == (True, f"{rule_file}:1")


def test_a_missing_file_and_a_bad_rule_are_errors() -> None:
    with pytest.raises(ValueError, match=r"NUTCH_DB_IGNORE_EXTERNAL_EXEMPTIONS_FILE: no rule file 'none.txt'"):
        IgnoreExemptRules.from_settings(Settings({"NUTCH_DB_IGNORE_EXTERNAL_EXEMPTIONS_FILE": "none.txt"}))
    with pytest.raises(ValueError, match=r"NUTCH_DB_IGNORE_EXTERNAL_EXEMPTIONS_RULES:1: "):
        IgnoreExemptRules.from_settings(Settings({"NUTCH_DB_IGNORE_EXTERNAL_EXEMPTIONS_RULES": "+(x"}))
