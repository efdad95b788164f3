"""DefaultFetchSchedule: the same interval after each fetch, whether the page changed or not."""

from __future__ import annotations

import math
import struct
from dataclasses import replace
from typing import Self

from nutchlike import default_settings
from nutchlike.contracts import SettingsReader
from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.fetch_schedules.fetch_schedule import Outcome

FIXED_INTERVAL_METADATA = "fixedInterval"  # set by a seed's nutch.fetchInterval.fixed
RETRY_DELAY = 86_400  # seconds

_FETCHED_STATUS = {
    Outcome.SUCCESS: DbStatus.DB_FETCHED,
    Outcome.NOTMODIFIED: DbStatus.DB_NOTMODIFIED,
    Outcome.REDIR_TEMP: DbStatus.DB_REDIR_TEMP,
    Outcome.REDIR_PERM: DbStatus.DB_REDIR_PERM,
    Outcome.DUPLICATE: DbStatus.DB_DUPLICATE,
}


class DefaultFetchSchedule:
    """Fetches a page again after its own interval, or ``default_interval`` where it has none (0).

    ``default_interval`` and ``max_interval`` are seconds. A page that is gone is asked for less often each time: its
    interval grows by half, and to 0.9 * ``max_interval`` where that would reach the maximum. A failure that may pass
    is tried again a day later; the ``retry_max``-th in a row (the first, for 0) makes the page gone.

    Two things differ from Nutch unless ``strict``: an interval <= 0 means the default after *every* outcome (Nutch
    asks for a gone page with interval 0 again at once, and a negative one puts the next fetch into the past), and a
    page with metadata ``fixedInterval`` keeps its interval when it is gone.

    Raises ValueError for an interval < 1 or ``retry_max`` < 0.
    Source: Apache Nutch, AbstractFetchSchedule, DefaultFetchSchedule and CrawlDbReducer.
    """

    def __init__(
        self,
        default_interval: int = default_settings.NUTCH_DB_FETCH_INTERVAL_DEFAULT,
        max_interval: int = default_settings.NUTCH_DB_FETCH_INTERVAL_MAX,
        retry_max: int = default_settings.NUTCH_DB_FETCH_RETRY_MAX,
        *,
        strict: bool = False,
    ) -> None:
        if default_interval < 1:
            raise ValueError(f"NUTCH_DB_FETCH_INTERVAL_DEFAULT must be >= 1 second, got {default_interval}")
        if max_interval < 1:
            raise ValueError(f"NUTCH_DB_FETCH_INTERVAL_MAX must be >= 1 second, got {max_interval}")
        if retry_max < 0:
            raise ValueError(f"NUTCH_DB_FETCH_RETRY_MAX must be >= 0, got {retry_max}")
        self.default_interval = default_interval
        self.max_interval = max_interval
        self.retry_max = retry_max
        self.strict = strict

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        return cls(
            settings.getint("NUTCH_DB_FETCH_INTERVAL_DEFAULT", default_settings.NUTCH_DB_FETCH_INTERVAL_DEFAULT),
            settings.getint("NUTCH_DB_FETCH_INTERVAL_MAX", default_settings.NUTCH_DB_FETCH_INTERVAL_MAX),
            settings.getint("NUTCH_DB_FETCH_RETRY_MAX", default_settings.NUTCH_DB_FETCH_RETRY_MAX),
            strict=settings.getbool("NUTCH_STRICT"),
        )

    def schedule(self, datum: CrawlDatum, *, outcome: Outcome, now: int) -> CrawlDatum:
        """Return ``datum`` as it is after a fetch that ended at ``now`` (epoch seconds) with ``outcome``."""
        if not self.strict and datum.fetch_interval <= 0:
            datum = replace(datum, fetch_interval=self.default_interval)
        if outcome is Outcome.GONE:
            return self._gone(datum, now)
        if outcome is Outcome.RETRY:
            return self._retry(datum, now)
        return self._fetched(datum, outcome, now)

    def _fetched(self, datum: CrawlDatum, outcome: Outcome, now: int) -> CrawlDatum:
        interval = datum.fetch_interval or self.default_interval
        unchanged = outcome is Outcome.NOTMODIFIED and datum.modified_time > 0
        return replace(
            datum,
            db_status=_FETCHED_STATUS[outcome],
            fetch_time=now + interval,
            modified_time=datum.modified_time if unchanged else now,
            fetch_interval=interval,
            retries=0,
        )

    def _retry(self, datum: CrawlDatum, now: int) -> CrawlDatum:
        datum = replace(datum, retries=datum.retries + 1)
        if datum.retries >= self.retry_max:
            return self._gone(datum, now)
        return replace(datum, db_status=DbStatus.DB_UNFETCHED, fetch_time=now + RETRY_DELAY)

    def _gone(self, datum: CrawlDatum, now: int) -> CrawlDatum:
        interval = datum.fetch_interval
        if self.strict or FIXED_INTERVAL_METADATA not in datum.metadata:
            interval = self._longer(interval)
        return replace(datum, db_status=DbStatus.DB_GONE, fetch_time=now + interval, fetch_interval=interval)

    def _longer(self, interval: int) -> int:
        longer = _float32(_float32(interval) * 1.5)
        return _java_round(longer if longer < self.max_interval else _float32(self.max_interval * _float32(0.9)))


def _float32(number: float) -> float:
    """Return ``number`` at the precision in which Nutch computes with intervals."""
    return float(struct.unpack("f", struct.pack("f", number))[0])


def _java_round(number: float) -> int:
    """Round as ``Math.round`` does: halves go up."""
    return math.floor(number + 0.5)
