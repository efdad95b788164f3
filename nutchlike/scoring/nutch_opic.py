"""NutchOPIC: the variant of OPIC that Nutch has, where a page keeps the score that it passes on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Self

from nutchlike.contracts import SettingsReader
from nutchlike.crawldatum import CrawlDatum
from nutchlike.default_settings import (
    NUTCH_DB_SCORE_COUNT_FILTERED,
    NUTCH_DB_SCORE_LINK_EXTERNAL,
    NUTCH_DB_SCORE_LINK_INTERNAL,
    NUTCH_INDEXER_SCORE_POWER,
    NUTCH_STRICT,
)
from nutchlike.java_numbers import float32
from nutchlike.scoring.scoring_filter import Distribution, Inlink, ScoredPage, ScoringFilter


class NutchOPIC(ScoringFilter):
    """Gives each outlink an equal part of the page's score, times a factor; the page loses nothing.

    So scores grow with every recrawl, up to SCORE_MAX (the chain sees to that; in Nutch they become infinite), and
    cash is not conserved. Scores are of double precision, where shares stay apart for long chains of links; ``strict``
    rounds each result to Nutch's 32 bits, and lets a score below 0 have NaN as its item's score.
    Source: Nutch ``scoring.opic.OPICScoringFilter``.
    """

    def __init__(
        self,
        *,
        internal: float = NUTCH_DB_SCORE_LINK_INTERNAL,
        external: float = NUTCH_DB_SCORE_LINK_EXTERNAL,
        count_filtered: bool = NUTCH_DB_SCORE_COUNT_FILTERED,
        power: float = NUTCH_INDEXER_SCORE_POWER,
        strict: bool = NUTCH_STRICT,
    ) -> None:
        """``internal`` and ``external`` are the factors for links to the page's own host and to others.

        ``count_filtered``: links that a rule dropped count as outlinks too, and what they would have got is lost.
        An item's score is the page's to the power ``power``.
        """
        self._internal, self._external = internal, external
        self._count_filtered = count_filtered
        self._power = power
        self._strict = strict
        self._rounded = float32 if strict else float

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the filter with the factors of NUTCH_DB_SCORE_… and the power of NUTCH_INDEXER_SCORE_POWER."""
        return cls(
            internal=settings.getfloat("NUTCH_DB_SCORE_LINK_INTERNAL", NUTCH_DB_SCORE_LINK_INTERNAL),
            external=settings.getfloat("NUTCH_DB_SCORE_LINK_EXTERNAL", NUTCH_DB_SCORE_LINK_EXTERNAL),
            count_filtered=settings.getbool("NUTCH_DB_SCORE_COUNT_FILTERED", NUTCH_DB_SCORE_COUNT_FILTERED),
            power=settings.getfloat("NUTCH_INDEXER_SCORE_POWER", NUTCH_INDEXER_SCORE_POWER),
            strict=settings.getbool("NUTCH_STRICT", NUTCH_STRICT),
        )

    def initial_score(self, datum: CrawlDatum) -> CrawlDatum:
        return replace(datum, score=0.0)

    def sort_value(self, datum: CrawlDatum, initial: float) -> float:
        return self._rounded(self._rounded(datum.score) * initial)

    def distribute(self, page: ScoredPage, distribution: Distribution) -> Distribution:
        outlinks = distribution.outlinks
        if not outlinks:
            return distribution
        count = max(page.all_count, len(outlinks)) if self._count_filtered else len(outlinks)
        each = self._rounded(self._rounded(page.datum.score) / count)
        internal = self._rounded(each * self._rounded(self._internal))
        external = self._rounded(each * self._rounded(self._external))
        return replace(distribution, scores=[internal if link.is_internal else external for link in outlinks])

    def update_db_score(
        self, datum: CrawlDatum, old: CrawlDatum | None, inlinked: Sequence[Inlink], *, now: int
    ) -> CrawlDatum:
        received = 0.0
        for link in inlinked:
            received = self._rounded(received + self._rounded(link.score))
        before = (datum if old is None else old).score
        return replace(datum, score=self._rounded(self._rounded(before) + received))

    def indexer_score(self, datum: CrawlDatum, score: float) -> float:
        own = self._rounded(datum.score)
        if own < 0:
            own = math.nan if self._strict else 0.0
        return self._rounded(self._rounded(math.pow(own, self._rounded(self._power))) * score)
