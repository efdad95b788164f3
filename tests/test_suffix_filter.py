"""SuffixURLFilter: how URLs, or their paths, end."""

from __future__ import annotations

import pytest
from hypothesis import given
from rule_vectors import URLS, filter_differences
from scrapy.settings import Settings

from nutchlike.urls.filters import SuffixURLFilter


def _settings(row: dict[str, str | None], *, strict: bool) -> Settings:
    rules = {} if row["rules"] is None else {"NUTCH_URLFILTER_SUFFIX_RULES": row["rules"]}
    return Settings({"NUTCH_URLFILTER_SUFFIX_FILE": "none.txt", "NUTCH_STRICT": strict, **rules})


def test_strict_results_are_those_of_nutch() -> None:
    assert filter_differences("suffix", lambda row: SuffixURLFilter(row["rules"], strict=True)) == []


def test_strict_rules_in_the_settings_give_the_results_of_nutch() -> None:
    assert filter_differences("suffix", lambda row: SuffixURLFilter.from_settings(_settings(row, strict=True))) == []


def test_the_default_differs_in_that_it_refuses_to_start_without_rules() -> None:
    different = filter_differences("suffix", lambda row: SuffixURLFilter(row["rules"]))
    assert {(rules_id, got) for rules_id, _, _, got in different} == {("suffix-missing", None)}


@pytest.mark.parametrize(
    ("url", "is_kept"),
    [
        # The end of the path counts, not that of the query, in any case
        ("http://a.test/f.PDF?dl=1", False),
        ("http://a.test/a.php?f=b.jpg", True),
        ("http://a.test/x.tar.gz", False),
        ("http://a.test/archive.zip/readme.html", True),
        ("http://a.test/slides.pps", False),
        # The host is no path
        ("http://a.zip", True),
    ],
)
def test_with_the_flags_i_and_p_a_suffix_is_that_of_the_path_in_any_case(url: str, is_kept: bool) -> None:
    rules = "\ufeff+I\r\n+P\r\n  .pdf  \r\n.jpg\r\n.gz\r\n.zip\r\n.pps\r\n"
    assert (SuffixURLFilter(rules).filter(url) is not None) is is_kept


def test_the_reason_is_the_shortest_suffix_that_fits() -> None:
    suffixes = SuffixURLFilter("+\n.tar.gz\n.gz\n", source="my.txt")
    assert suffixes.explain("http://a.test/x.tar.gz") == (False, "my.txt:3")
    assert suffixes.explain("http://a.test/") == (True, "no rule matched")


def test_a_suffix_with_a_sign_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    SuffixURLFilter("+IP\n+.png\n", source="my.txt")
    assert caplog.messages == ["my.txt:2: '+.png' sets the mode and is no suffix, as it starts with a sign"]


def test_without_settings_every_url_is_accepted() -> None:
    assert SuffixURLFilter.from_settings(Settings()).filter("http://a.test/a.gif") == "http://a.test/a.gif"


def test_a_missing_file_is_an_error_that_lists_the_places_tried() -> None:
    with pytest.raises(ValueError, match=r"NUTCH_URLFILTER_SUFFIX_FILE: no rule file 'none.txt', tried .*none.txt, nu"):
        SuffixURLFilter.from_settings(_settings({"rules": None}, strict=False))


@given(URLS)
@pytest.mark.parametrize("mode", ["+", "-", "+IP", "-IP"])
def test_any_text_comes_back_unchanged_or_not_at_all(mode: str, url: str) -> None:
    assert SuffixURLFilter(f"{mode}\n/\nt\ntest\n").filter(url) in (None, url)
