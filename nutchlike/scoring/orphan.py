"""OrphanScoringFilter: pages that nothing links to any more."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Self

from nutchlike.contracts import SettingsReader
from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.default_settings import NUTCH_SCORING_ORPHAN_MARK_GONE_AFTER, NUTCH_SCORING_ORPHAN_MARK_ORPHAN_AFTER
from nutchlike.scoring.scoring_filter import Inlink, ScoringFilter

logger = logging.getLogger(__name__)


class OrphanScoringFilter(ScoringFilter):
    """Marks a page as gone, and later as an orphan, when no link to it was seen for so long.

    A page that no link ever led to (a seed) is left alone. Nutch keeps the time as metadata, here it has a field of its
    own, and a page is judged each time that it was fetched.
    Source: Nutch ``scoring.orphan.OrphanScoringFilter``.
    """

    needs_link_times = True

    def __init__(
        self,
        *,
        gone_after: int = NUTCH_SCORING_ORPHAN_MARK_GONE_AFTER,
        orphan_after: int = NUTCH_SCORING_ORPHAN_MARK_ORPHAN_AFTER,
    ) -> None:
        """Take the seconds without a link after which a page is gone, and after which it is an orphan."""
        self._gone_after, self._orphan_after = gone_after, orphan_after
        if gone_after > orphan_after:
            logger.warning(
                "NUTCH_SCORING_ORPHAN_MARK_GONE_AFTER (%d s) is more than …_ORPHAN_AFTER (%d s): no page is ever gone",
                gone_after,
                orphan_after,
            )

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the filter with the seconds of NUTCH_SCORING_ORPHAN_MARK_GONE_AFTER and …_ORPHAN_AFTER."""
        gone, orphan = "NUTCH_SCORING_ORPHAN_MARK_GONE_AFTER", "NUTCH_SCORING_ORPHAN_MARK_ORPHAN_AFTER"
        return cls(
            gone_after=settings.getint(gone, NUTCH_SCORING_ORPHAN_MARK_GONE_AFTER),
            orphan_after=settings.getint(orphan, NUTCH_SCORING_ORPHAN_MARK_ORPHAN_AFTER),
        )

    def update_db_score(
        self, datum: CrawlDatum, old: CrawlDatum | None, inlinked: Sequence[Inlink], *, now: int
    ) -> CrawlDatum:
        if inlinked:
            return replace(datum, linked_at=now)
        return self.orphaned_score(datum, now=now)

    def orphaned_score(self, datum: CrawlDatum, *, now: int) -> CrawlDatum:
        if not datum.linked_at:
            return datum
        unlinked = now - datum.linked_at
        if unlinked > self._orphan_after:
            return replace(datum, db_status=DbStatus.DB_ORPHAN)
        if unlinked > self._gone_after:
            return replace(datum, db_status=DbStatus.DB_GONE)
        return datum
