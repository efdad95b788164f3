"""ScoringChain: the scoring filters of NUTCH_SCORING_FILTERS as one."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import replace

from nutchlike.crawldatum import SCORE_MAX, CrawlDatum
from nutchlike.scoring.scoring_filter import Distribution, Inlink, Outlink, ScoredPage, ScoringFilter, Visit

logger = logging.getLogger(__name__)


class ScoringChain:
    """Calls each hook of all filters in their order; each gets what the one before has made of it.

    Whatever they do, a score comes out finite and from 0 to SCORE_MAX; ``repaired`` counts those that were not.
    Source: Nutch ``scoring.ScoringFilters``.
    """

    def __init__(self, filters: Sequence[ScoringFilter]) -> None:
        self._filters = tuple(filters)
        self.history_window = max((one.history_window for one in self._filters), default=0.0)
        self.needs_link_times = any(one.needs_link_times for one in self._filters)
        self.repaired = 0

    def injected_score(self, datum: CrawlDatum) -> CrawlDatum:
        """Return the record of a new seed; ValueError when a filter cannot use its metadata."""
        for one in self._filters:
            datum = one.injected_score(datum)
        return self._repair_datum(datum)

    def initial_score(self, datum: CrawlDatum) -> CrawlDatum:
        """Return the record of a page that a link has made known, before it gets its share."""
        for one in self._filters:
            datum = one.initial_score(datum)
        return self._repair_datum(datum)

    def sort_value(self, datum: CrawlDatum, initial: float = 1.0) -> float:
        """Return how soon a page is fetched, higher first."""
        for one in self._filters:
            initial = one.sort_value(datum, initial)
        return self._repair(initial, datum.url)

    def pass_metadata(self, page: ScoredPage) -> ScoredPage:
        """Return the page with the metadata that its item gets."""
        for one in self._filters:
            page = one.pass_metadata(page)
        return page

    def distribute(self, page: ScoredPage, outlinks: Sequence[Outlink]) -> Distribution:
        """Return what a page gives to its ``outlinks``, which are distinct and other than the page."""
        distribution = Distribution(outlinks, [0.0] * len(outlinks))
        for one in self._filters:
            distribution = one.distribute(page, distribution)
        if all(0 <= score <= SCORE_MAX for score in distribution.scores):
            return distribution
        return replace(distribution, scores=[self._repair(score, page.datum.url) for score in distribution.scores])

    def update_history(self, datum: CrawlDatum, visit: Visit) -> CrawlDatum:
        """Return the record of a page after it was fetched."""
        for one in self._filters:
            datum = one.update_history(datum, visit)
        return datum

    def update_db_score(
        self, datum: CrawlDatum, old: CrawlDatum | None, inlinked: Sequence[Inlink], *, now: int
    ) -> CrawlDatum:
        """Return the new record ``datum`` with what came by links; ``old`` is ``None`` when there was none before."""
        for one in self._filters:
            datum = one.update_db_score(datum, old, inlinked, now=now)
        return self._repair_datum(datum)

    def indexer_score(self, datum: CrawlDatum, score: float = 1.0) -> float:
        """Return the score that a page's item has."""
        for one in self._filters:
            score = one.indexer_score(datum, score)
        return self._repair(score, datum.url)

    def orphaned_score(self, datum: CrawlDatum, *, now: int) -> CrawlDatum:
        """Return the record of a page that nothing has linked to of late."""
        for one in self._filters:
            datum = one.orphaned_score(datum, now=now)
        return datum

    def _repair_datum(self, datum: CrawlDatum) -> CrawlDatum:
        score = self._repair(datum.score, datum.url)
        return datum if score is datum.score else replace(datum, score=score)

    def _repair(self, score: float, url: str) -> float:
        """Return a score that a queue can hold: NaN and what is below 0 become 0, what is too large SCORE_MAX."""
        if 0 <= score <= SCORE_MAX:
            return score
        if not self.repaired:
            logger.warning("A score must be from 0 to %g, got %r for %s; more are counted only", SCORE_MAX, score, url)
        self.repaired += 1
        return 0.0 if math.isnan(score) or score < 0 else SCORE_MAX
