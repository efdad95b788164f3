"""Host votes: what a link is worth by how much of its host was seen; the books always balance."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nutchlike.scoring.host_votes import Votes, host_votes, pages_spoken_for
from nutchlike.scoring.scoring_filter import Seen

links = st.integers(min_value=0, max_value=100_000)
scores = st.floats(min_value=0, max_value=1e12)
totals = st.floats(min_value=1e-6, max_value=1e12)


@st.composite
def seen(draw: st.DrawFn) -> Seen:
    fetched = draw(st.integers(min_value=1, max_value=10**9))
    return Seen(known=fetched + draw(st.integers(min_value=0, max_value=10**9)), fetched=fetched)


def votes(score: float = 1.0, **changed: Any) -> Votes:
    given_ = {"given": 600.0, "internal": 2, "external": 1, "host": Seen(40, 10), "crawl": Seen(600, 100)} | changed
    return host_votes(score, **given_)


def test_a_vote_is_the_root_of_the_opic_share_for_each_page_that_the_page_stands_for() -> None:
    # share 1 / (2 + 1 + 1), root 1/2; 40 / 10 pages
    assert votes() == Votes(internal=2.0, external=4.0, virtual=1.0 - 2 * 2.0 - 4.0)


def test_the_hundredth_page_of_a_host_adds_a_hundredth_of_what_the_first_one_did() -> None:
    crawl = Seen(1_000_000, 100)
    first, hundredth = (votes(host=Seen(300, fetched), crawl=crawl).internal for fetched in (1, 100))
    assert hundredth == pytest.approx(first / 100)


def test_a_list_of_links_does_not_speak_for_more_than_twice_what_a_page_of_the_crawl_does() -> None:
    assert pages_spoken_for(Seen(5000, 1), Seen(6000, 1000)) == 12.0
    assert pages_spoken_for(Seen(50, 10), Seen(6000, 1000)) == 5.0


def test_only_the_part_of_all_score_counts() -> None:
    assert votes(3.0, given=2.0).internal == pytest.approx(votes(3e6, given=2e6).internal)


def test_a_page_without_outlinks_leaves_its_score_to_the_virtual_page() -> None:
    assert votes(2.5, internal=0, external=0).virtual == 2.5


@given(scores, totals, links, links, seen(), seen())
def test_what_is_given_and_what_the_virtual_page_keeps_is_the_score_of_the_page(
    score: float, total: float, internal: int, external: int, host: Seen, crawl: Seen
) -> None:
    given_ = host_votes(score, given=total, internal=internal, external=external, host=host, crawl=crawl)
    paid = given_.internal * internal + given_.external * external
    assert given_.internal >= 0
    assert math.isfinite(given_.external)
    assert math.isclose(paid + given_.virtual, score, rel_tol=1e-9, abs_tol=1e-9 * max(paid, 1.0))


@given(scores, scores)
def test_more_score_never_gives_a_smaller_vote(one: float, other: float) -> None:
    less, more = sorted((one, other))
    assert votes(less).internal <= votes(more).internal


@pytest.mark.parametrize("score", [-1.0, math.nan, math.inf])
def test_a_score_that_is_no_amount_is_an_error(score: float) -> None:
    with pytest.raises(ValueError, match="score must be a finite number >= 0, got"):
        votes(score)


@pytest.mark.parametrize("total", [0.0, -1.0, math.nan, math.inf])
def test_a_total_that_nothing_can_be_compared_with_is_an_error(total: float) -> None:
    with pytest.raises(ValueError, match="given must be a finite number > 0, got"):
        votes(given=total)


def test_a_negative_number_of_outlinks_is_an_error() -> None:
    with pytest.raises(ValueError, match="the numbers of outlinks must be >= 0, got -1 and 1"):
        votes(internal=-1)


def test_counts_that_leave_out_the_page_itself_are_an_error() -> None:
    with pytest.raises(ValueError, match="pages known and fetched must be > 0, got Seen"):
        votes(host=Seen(3, 0))
