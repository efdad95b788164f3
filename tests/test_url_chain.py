"""URLChain: one verdict and its reason for each raw URL."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nutchlike.urls.chain import CACHED_VERDICTS, MOST_PASSES, URLChain, Verdict
from nutchlike.urls.filters import RegexURLFilter
from nutchlike.urls.normalizers import BasicURLNormalizer

RULES = "# scope\n-\\.pdf$\n+^http://a\\.test/"


class OddLengthFilter:
    """A filter without ``explain``: takes URLs of odd length."""

    def filter(self, url: str) -> str | None:
        return url if len(url) % 2 else None


class CountingNormalizer:
    """Leaves URLs alone and remembers how often it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def normalize(self, url: str) -> str:
        self.asked.append(url)
        return url


def chain(*, max_length: int = 4096) -> URLChain:
    return URLChain(
        [BasicURLNormalizer()], [RegexURLFilter(RULES, source="regex-urlfilter.txt")], max_length=max_length
    )


@pytest.mark.parametrize(
    ("url", "verdict"),
    [
        # Accepted in the normalized form
        ("HTTP://A.test:80/x#y", Verdict("http://a.test/x")),
        # Rejected by the normalizer, by a rule, by the lack of one
        ("http://a.test:99999/", Verdict(None, "BasicURLNormalizer: bad port '99999', right is a number up to 65535")),
        ("http://a.test/f.pdf", Verdict(None, "RegexURLFilter: regex-urlfilter.txt:2")),
        ("http://b.test/", Verdict(None, "RegexURLFilter: no rule matched")),
    ],
)
def test_a_verdict_has_the_normalized_url_or_the_reason(url: str, verdict: Verdict) -> None:
    assert chain().judge(url) == verdict


def test_a_filter_that_cannot_explain_is_named() -> None:
    odd = URLChain([], [OddLengthFilter()], max_length=-1)
    assert odd.judge("abc") == Verdict("abc")
    assert odd.judge("ab") == Verdict(None, "OddLengthFilter")


def test_a_filter_that_inherits_its_explanations_only_is_asked_itself() -> None:
    class Contrary(RegexURLFilter):
        def filter(self, url: str) -> str | None:
            return None if super().filter(url) else url

    contrary = URLChain([], [Contrary(RULES)], max_length=-1)
    assert contrary.judge("http://a.test/") == Verdict(None, "Contrary")
    assert contrary.judge("http://b.test/") == Verdict("http://b.test/")


def test_a_search_that_takes_too_long_is_made_once() -> None:
    slow = RegexURLFilter("-(?=(x+)+!)x\n+.")
    verdict = URLChain([], [slow], max_length=-1).judge("http://a.test/" + "x" * 4000)
    assert verdict.url is None
    assert "took longer than" in verdict.reason
    assert slow.timeouts == 1


def test_a_url_that_is_too_long_is_rejected_before_any_rule_sees_it() -> None:
    normalizer = CountingNormalizer()
    # The second pattern needs exponential time on this URL; the length limit makes it harmless
    limited = URLChain([normalizer], [RegexURLFilter("-^http://(a+)+$\n+.")], max_length=4096)
    assert limited.judge("http://" + "a" * 30_000 + "!") == Verdict(None, "too long: 30008 > 4096 characters")
    assert normalizer.asked == []


def test_a_url_that_escapes_make_too_long_is_rejected_before_the_filters() -> None:
    assert chain(max_length=20).judge("http://a.test/éé") == Verdict(None, "too long: 26 > 20 characters")
    assert chain(max_length=26).judge("http://a.test/éé") == Verdict("http://a.test/%C3%A9%C3%A9")


def test_a_url_of_exactly_the_limit_is_judged() -> None:
    assert chain(max_length=15).judge("http://a.test/x") == Verdict("http://a.test/x")
    assert chain(max_length=14).judge("http://a.test/x") == Verdict(None, "too long: 15 > 14 characters")


def test_minus_one_is_no_limit() -> None:
    url = "http://a.test/" + "x" * 30_000
    assert chain(max_length=-1).judge(url) == Verdict(url)


@pytest.mark.parametrize("max_length", [0, -2])
def test_a_limit_that_allows_nothing_is_refused(max_length: int) -> None:
    with pytest.raises(ValueError, match=f"got {max_length}"):
        chain(max_length=max_length)


def test_no_pass_is_refused() -> None:
    with pytest.raises(ValueError, match="passes must be at least 1, got 0"):
        URLChain([], [], max_length=-1, passes=0)


def test_a_url_is_worked_on_once_while_it_is_remembered() -> None:
    normalizer = CountingNormalizer()
    remembering = URLChain([normalizer], [], max_length=-1)
    assert remembering.judge("a") is remembering.judge("a")
    assert normalizer.asked == ["a"]
    for number in range(CACHED_VERDICTS):
        remembering.judge(str(number))
    assert remembering.judge("a") == Verdict("a")
    assert normalizer.asked.count("a") == 2


class CountingDown:
    """Takes one ``x`` off the end, so that a URL needs as many passes as it has, and refuses ``bad``."""

    def normalize(self, url: str) -> str:
        if url == "bad":
            raise ValueError("no URL")
        return url.removesuffix("x")


def test_normalizers_run_again_until_nothing_changes() -> None:
    assert URLChain([CountingDown()], [], max_length=-1).judge("axx") == Verdict("a")
    assert URLChain([CountingDown()], [], max_length=-1, passes=1).judge("axx") == Verdict("ax")


def test_a_url_that_never_stops_changing_is_taken_as_it_is_after_the_last_pass() -> None:
    assert URLChain([CountingDown()], [], max_length=-1).judge("a" + "x" * 9) == Verdict("a" + "x" * (9 - MOST_PASSES))


def test_what_a_later_pass_refuses_is_rejected() -> None:
    endless = URLChain([CountingDown()], [], max_length=-1)
    assert endless.judge("badx") == Verdict(None, "CountingDown: no URL")
    assert endless.normalized("badx") is None


def test_two_chains_do_not_share_verdicts() -> None:
    assert chain().judge("http://b.test/").url is None
    assert URLChain([BasicURLNormalizer()], [], max_length=-1).judge("http://b.test/").url == "http://b.test/"


@given(st.lists(st.sampled_from(["http://a.test/x", "http://a.test:80/x", "http://a.test/%", "x", "http://b.test/"])))
def test_a_verdict_is_the_same_whether_it_was_asked_before_or_not(urls: list[str]) -> None:
    warm = chain()
    assert [warm.judge(url) for url in urls] == [chain().judge(url) for url in urls]


@given(st.text(st.characters(exclude_categories=())))
def test_a_verdict_has_either_a_url_or_a_reason_for_every_text(url: str) -> None:
    verdict = chain().judge(url)
    assert (verdict.url is None) == bool(verdict.reason)


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("http://a.test:99999/", "BasicURLNormalizer"),
        ("http://a.test/f.pdf", "RegexURLFilter: regex-urlfilter.txt:2"),
        ("http://a.test/" + "x" * 5000, "too long"),
        ("http://a.test/", ""),
    ],
)
def test_the_rule_of_a_verdict_does_not_depend_on_the_url(url: str, rule: str) -> None:
    assert chain().judge(url).rule == rule
