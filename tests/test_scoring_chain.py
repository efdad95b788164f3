"""The scoring chain: filters in order, and scores that a queue can hold."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nutchlike.crawldatum import SCORE_MAX, CrawlDatum, DbStatus
from nutchlike.scoring.chain import ScoringChain
from nutchlike.scoring.nutch_opic import NutchOPIC
from nutchlike.scoring.opic import PaperOPIC
from nutchlike.scoring.scoring_filter import Distribution, Inlink, Outlink, ScoredPage, ScoringFilter, Visit

DATUM = CrawlDatum("http://a.test/", score=2.0)
LINKS = [Outlink("http://a.test/1", True), Outlink("http://b.test/", False)]


class Adding(ScoringFilter):
    """Adds one number in each hook."""

    def __init__(self, number: float) -> None:
        self.number = number

    def injected_score(self, datum: CrawlDatum) -> CrawlDatum:
        return replace(datum, score=datum.score + self.number)

    initial_score = injected_score

    def sort_value(self, datum: CrawlDatum, initial: float) -> float:
        return initial + self.number

    def pass_metadata(self, page: ScoredPage) -> ScoredPage:
        return replace(page, parse_metadata={**page.parse_metadata, str(self.number): page.datum.url})

    def distribute(self, page: ScoredPage, distribution: Distribution) -> Distribution:
        return replace(distribution, scores=[score + self.number for score in distribution.scores])

    def update_history(self, datum: CrawlDatum, visit: Visit) -> CrawlDatum:
        return replace(datum, history=datum.history + self.number)

    def update_db_score(
        self, datum: CrawlDatum, old: CrawlDatum | None, inlinked: Sequence[Inlink], *, now: int
    ) -> CrawlDatum:
        return replace(datum, score=datum.score + self.number, fetch_time=now)

    def indexer_score(self, datum: CrawlDatum, score: float) -> float:
        return score + self.number

    def orphaned_score(self, datum: CrawlDatum, *, now: int) -> CrawlDatum:
        return replace(datum, retries=datum.retries + int(self.number), db_status=DbStatus.DB_GONE)


class Doubling(Adding):
    """Doubles the sort value; its place in the chain matters."""

    def sort_value(self, datum: CrawlDatum, initial: float) -> float:
        return initial * 2


class Broken(ScoringFilter):
    """Answers with one number, whatever it is asked."""

    def __init__(self, number: float) -> None:
        self.number = number

    def sort_value(self, datum: CrawlDatum, initial: float) -> float:
        return self.number

    def distribute(self, page: ScoredPage, distribution: Distribution) -> Distribution:
        return replace(distribution, scores=[self.number] * len(distribution.outlinks))


def test_each_hook_goes_through_all_filters() -> None:
    chain = ScoringChain([Adding(1.0), Adding(3.0)])
    assert chain.injected_score(DATUM).score == 6.0
    assert chain.initial_score(DATUM).score == 6.0
    assert chain.sort_value(DATUM) == 5.0
    assert list(chain.pass_metadata(ScoredPage(DATUM)).parse_metadata) == ["1.0", "3.0"]
    assert chain.distribute(ScoredPage(DATUM), LINKS).scores == [4.0, 4.0]
    assert chain.update_history(DATUM, Visit(1.0, 1.0, 1.0)).history == 4.0
    assert chain.update_db_score(DATUM, None, [], now=7) == replace(DATUM, score=6.0, fetch_time=7)
    assert chain.indexer_score(DATUM) == 5.0
    assert chain.orphaned_score(DATUM, now=7).retries == 4


def test_filters_are_called_in_their_order() -> None:
    assert ScoringChain([Adding(1.0), Doubling(0.0)]).sort_value(DATUM) == 4.0
    assert ScoringChain([Doubling(0.0), Adding(1.0)]).sort_value(DATUM) == 3.0


def test_a_filter_without_hooks_of_its_own_changes_nothing() -> None:
    chain, page = ScoringChain([ScoringFilter()]), ScoredPage(DATUM)
    assert chain.injected_score(DATUM) is chain.initial_score(DATUM) is DATUM
    assert chain.update_history(DATUM, Visit(1.0, 1.0, 1.0)) is chain.orphaned_score(DATUM, now=7) is DATUM
    assert chain.update_db_score(DATUM, None, [Inlink(1.0)], now=7) is DATUM
    assert chain.pass_metadata(page) is page
    assert (chain.sort_value(DATUM), chain.indexer_score(DATUM)) == (1.0, 1.0)
    assert chain.distribute(page, LINKS) == Distribution(LINKS, [0.0, 0.0], spent=0.0)


def test_sort_values_of_two_filters_are_multiplied() -> None:
    assert ScoringChain([PaperOPIC(), NutchOPIC()]).sort_value(DATUM) == 4.0


@pytest.mark.parametrize(
    ("number", "repaired"),
    [(math.nan, 0.0), (-1.0, 0.0), (-math.inf, 0.0), (math.inf, SCORE_MAX), (SCORE_MAX * 2, SCORE_MAX)],
)
def test_what_no_queue_can_hold_is_repaired_and_counted(
    number: float, repaired: float, caplog: pytest.LogCaptureFixture
) -> None:
    chain = ScoringChain([Broken(number)])
    with caplog.at_level(logging.WARNING):
        assert chain.sort_value(DATUM) == repaired
        assert chain.distribute(ScoredPage(DATUM), LINKS).scores == [repaired, repaired]
    assert chain.repaired == 3
    assert [record.getMessage() for record in caplog.records] == [
        f"A score must be from 0 to 1e+15, got {number!r} for http://a.test/; more are counted only"
    ]


def test_a_record_that_holds_no_number_is_repaired() -> None:
    chain = ScoringChain([NutchOPIC()])
    broken = replace(DATUM, score=math.nan)
    assert chain.update_db_score(broken, broken, [Inlink(1.0)], now=7).score == 0.0


shares = st.lists(st.floats(min_value=0, max_value=SCORE_MAX), max_size=30)


@given(shares, st.floats(min_value=0, max_value=SCORE_MAX))
def test_the_virtual_page_never_owes_cash(scores: list[float], spent: float) -> None:
    links = [LINKS[0]] * len(scores)
    assert Distribution(links, scores, spent).virtual >= 0


@given(shares, st.integers(min_value=0, max_value=30))
def test_the_cash_of_dropped_links_is_the_virtual_pages(scores: list[float], kept: int) -> None:
    links = [LINKS[0]] * len(scores)
    before = Distribution(links, scores, spent=sum(scores))
    after = replace(before, outlinks=links[:kept], scores=scores[:kept])
    assert after.virtual == pytest.approx(sum(scores[kept:]), rel=1e-9, abs=1e-9 * max(scores, default=0))


def test_metadata_is_added_to_what_an_outlink_has() -> None:
    links = [Outlink("http://a.test/1", True, {"lang": "en", "kind": "a"})]
    changed = Distribution(links, [1.0], 1.0).with_metadata({"lang": "de"})
    assert changed == Distribution([Outlink("http://a.test/1", True, {"lang": "de", "kind": "a"})], [1.0], 1.0)
