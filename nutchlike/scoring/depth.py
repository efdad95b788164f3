"""DepthScoringFilter: no links from pages that are too many steps away from a seed."""

from __future__ import annotations

from dataclasses import replace
from typing import Self

from nutchlike.contracts import SettingsReader
from nutchlike.crawldatum import CrawlDatum
from nutchlike.default_settings import NUTCH_SCORING_DEPTH_MAX, NUTCH_SCORING_DEPTH_MAX_OVERRIDE, NUTCH_STRICT
from nutchlike.scoring.scoring_filter import Distribution, ScoredPage, ScoringFilter
from nutchlike.urls.java_pattern import JavaPattern, SearchTooLong

MAX_DEPTH_KEY = "_maxdepth_"  # metadata of a seed, and of what it leads to: its own limit
NO_LIMIT = 1000  # what a limit of 0 or less stands for, as in Nutch


class DepthScoringFilter(ScoringFilter):
    """Drops all links of a page at the limit, and lets pages that are nearer to a seed come sooner.

    A seed has depth 1 here, as in Nutch (``CrawlDatum.depth`` counts links, so one less). Its metadata ``_maxdepth_``
    is a limit for all that is found from it. A page whose URL fits the override pattern has the limit of that, and so
    has what it links to; any other page then keeps the limit that it has, where Nutch (and ``strict``) gives it the
    default one.
    Source: Nutch ``scoring.depth.DepthScoringFilter``.
    """

    def __init__(
        self,
        *,
        max_depth: int = NUTCH_SCORING_DEPTH_MAX,
        override_pattern: str | None = None,
        override: int = NUTCH_SCORING_DEPTH_MAX_OVERRIDE,
        strict: bool = NUTCH_STRICT,
    ) -> None:
        """Raise ValueError for a pattern that is no Java regular expression."""
        self._max_depth = max_depth if max_depth > 0 else NO_LIMIT
        self._pattern = (
            JavaPattern(override_pattern, source="NUTCH_SCORING_DEPTH_OVERRIDE_PATTERN") if override_pattern else None
        )
        self._override = override
        self._strict = strict

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the filter with the limits of NUTCH_SCORING_DEPTH_…."""
        return cls(
            max_depth=settings.getint("NUTCH_SCORING_DEPTH_MAX", NUTCH_SCORING_DEPTH_MAX),
            override_pattern=settings.get("NUTCH_SCORING_DEPTH_OVERRIDE_PATTERN"),
            override=settings.getint("NUTCH_SCORING_DEPTH_MAX_OVERRIDE", NUTCH_SCORING_DEPTH_MAX_OVERRIDE),
            strict=settings.getbool("NUTCH_STRICT", NUTCH_STRICT),
        )

    def injected_score(self, datum: CrawlDatum) -> CrawlDatum:
        """Return the seed; ValueError for a ``_maxdepth_`` that is no whole number above 0."""
        limit = datum.metadata.get(MAX_DEPTH_KEY)
        if limit is not None and _own_limit(datum) is None:
            raise ValueError(f"{MAX_DEPTH_KEY} must be a whole number above 0, got {limit!r}")
        return datum

    def sort_value(self, datum: CrawlDatum, initial: float) -> float:
        limit = _own_limit(datum) or self._max_depth
        return initial * (1 + limit - _depth(datum))

    def distribute(self, page: ScoredPage, distribution: Distribution) -> Distribution:
        """Return the distribution without its links when ``page`` is at the limit, else hand its limit on."""
        own = _own_limit(page.datum)
        if self._is_overridden(page.datum.url):
            own = self._override
        elif self._pattern is not None and self._strict:
            own = self._max_depth
        if _depth(page.datum) >= (own or self._max_depth):
            return replace(distribution, outlinks=(), scores=())
        return distribution if own is None else distribution.with_metadata({MAX_DEPTH_KEY: str(own)})

    def _is_overridden(self, url: str) -> bool:
        try:
            return self._pattern is not None and self._pattern.found_in(url)
        except SearchTooLong:
            return False


def _own_limit(datum: CrawlDatum) -> int | None:
    """Return the limit that a record's metadata has, ``None`` without one that can be used."""
    text = datum.metadata.get(MAX_DEPTH_KEY, "")
    return int(text) or None if text.isascii() and text.isdecimal() and len(text) < 10 else None


def _depth(datum: CrawlDatum) -> int:
    return datum.depth + 1
