"""AbstractFetchSchedule: what all schedules do alike, with pages that are gone and fetches that failed above all."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, Self

from nutchlike import default_settings
from nutchlike.contracts import SettingsReader
from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.fetch_schedules.fetch_schedule import Outcome
from nutchlike.java_numbers import INT_MAX, as_byte, as_int, finite_float32

FIXED_INTERVAL_METADATA = "fixedInterval"  # seconds; set by a seed's nutch.fetchInterval.fixed
RETRY_DELAY = 86_400  # seconds
TIME_MAX = 2**32 - 1  # epoch seconds (the year 2106); no record can hold a later one
RETRIES_MAX = 255  # no record can hold more

FETCHED_STATUS = {
    Outcome.SUCCESS: DbStatus.DB_FETCHED,
    Outcome.UNKNOWN: DbStatus.DB_FETCHED,
    Outcome.NOTMODIFIED: DbStatus.DB_NOTMODIFIED,
    Outcome.REDIR_TEMP: DbStatus.DB_REDIR_TEMP,
    Outcome.REDIR_PERM: DbStatus.DB_REDIR_PERM,
    Outcome.DUPLICATE: DbStatus.DB_DUPLICATE,
}


class AbstractFetchSchedule(ABC):
    """Leaves to its subclasses when a page that answered is fetched again.

    ``default_interval`` and ``max_interval`` are seconds. A page that is gone is asked for less often each time: its
    interval grows by half, and to 0.9 * ``max_interval`` where that would reach the maximum. A failure that may pass
    is tried again a day later; the ``retry_max``-th in a row (the first, for 0) makes the page gone.

    Some things differ from Nutch unless ``strict``: an interval <= 0 means the default after *every* outcome (Nutch
    asks for a gone page with interval 0 again at once, and a negative one puts the next fetch into the past), a
    page with metadata ``fixedInterval`` keeps its interval when it is gone, no next fetch lies in the past, and the
    retries of a page do not begin anew when there were 127.

    Raises ValueError for an interval < 1 or ``retry_max`` < 0.
    Source: Apache Nutch, AbstractFetchSchedule and CrawlDbReducer.
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
        return cls(**cls._arguments(settings))

    @classmethod
    def _arguments(cls, settings: SettingsReader) -> dict[str, Any]:
        """Return the arguments of the class that the settings stand for."""
        return {
            "default_interval": settings.getint(
                "NUTCH_DB_FETCH_INTERVAL_DEFAULT", default_settings.NUTCH_DB_FETCH_INTERVAL_DEFAULT
            ),
            "max_interval": settings.getint(
                "NUTCH_DB_FETCH_INTERVAL_MAX", default_settings.NUTCH_DB_FETCH_INTERVAL_MAX
            ),
            "retry_max": settings.getint("NUTCH_DB_FETCH_RETRY_MAX", default_settings.NUTCH_DB_FETCH_RETRY_MAX),
            "strict": settings.getbool("NUTCH_STRICT"),
        }

    def schedule(self, datum: CrawlDatum, *, outcome: Outcome, now: int) -> CrawlDatum:
        """Return ``datum`` as it is after a fetch that ended at ``now`` (epoch seconds) with ``outcome``."""
        if not self.strict and datum.fetch_interval <= 0:
            datum = replace(datum, fetch_interval=self.default_interval)
        if outcome is Outcome.GONE:
            after = self._gone(datum, now)
        elif outcome is Outcome.RETRY:
            after = self._retry(datum, now)
        else:
            after = replace(self._fetched(datum, outcome, now), db_status=FETCHED_STATUS[outcome], retries=0)
        earliest = 0 if self.strict else now + 1
        return replace(
            after,
            fetch_time=min(max(after.fetch_time, earliest), TIME_MAX),
            fetch_interval=min(after.fetch_interval, INT_MAX),
        )

    @abstractmethod
    def _fetched(self, datum: CrawlDatum, outcome: Outcome, now: int) -> CrawlDatum:
        """Return ``datum`` with fetch time, modified time and interval as they are after an answer."""

    def should_fetch(self, datum: CrawlDatum, *, now: float) -> tuple[bool, CrawlDatum]:
        """Return whether ``datum`` is due at ``now``, and the record as it is then.

        One that is due later than ``max_interval`` from now, say since the settings have changed, is due at once.
        """
        if datum.fetch_time - now > self.max_interval:
            datum = replace(self._within_max(datum), fetch_time=int(now))
        return datum.fetch_time <= now, datum

    def force_refetch(self, datum: CrawlDatum) -> CrawlDatum:
        """Return ``datum`` as if it had never been fetched, but for when it is due: its next fetch is a new page."""
        return replace(
            self._within_max(datum),
            db_status=DbStatus.DB_UNFETCHED,
            modified_time=0,
            retries=0,
            signature=None,
            dedup_key=None,
        )

    @staticmethod
    def last_fetch_time(datum: CrawlDatum) -> int:
        """Return when ``datum`` was last fetched as far as its interval tells, in epoch seconds; 0 = never."""
        return 0 if datum.db_status is DbStatus.DB_UNFETCHED else datum.fetch_time - datum.fetch_interval

    def _fixed_interval(self, datum: CrawlDatum) -> float | None:
        """Return the interval (seconds) that a seed has fixed, ``None`` when there is none that can be used."""
        try:
            interval = float(datum.metadata[FIXED_INTERVAL_METADATA])
        except (KeyError, ValueError):
            return None
        return interval if math.isfinite(interval) and interval >= (0 if self.strict else 1) else None

    def _retry(self, datum: CrawlDatum, now: int) -> CrawlDatum:
        retries = datum.retries + 1
        if self.strict:
            datum = replace(datum, retries=as_byte(retries))
            is_gone = datum.retries >= self.retry_max
        else:
            datum = replace(datum, retries=min(retries, RETRIES_MAX))
            is_gone = datum.retries >= min(self.retry_max, RETRIES_MAX)
        if is_gone:
            return self._gone(datum, now)
        return replace(datum, db_status=DbStatus.DB_UNFETCHED, fetch_time=now + RETRY_DELAY)

    def _gone(self, datum: CrawlDatum, now: int) -> CrawlDatum:
        interval = datum.fetch_interval
        if self.strict or FIXED_INTERVAL_METADATA not in datum.metadata:
            interval = self._longer(interval)
        return replace(datum, db_status=DbStatus.DB_GONE, fetch_time=now + interval, fetch_interval=interval)

    def _longer(self, interval: int) -> int:
        longer = finite_float32(finite_float32(interval) * 1.5)
        return as_int(longer) if longer < self.max_interval else self.nearly_max

    def _within_max(self, datum: CrawlDatum) -> CrawlDatum:
        return replace(datum, fetch_interval=self.nearly_max) if datum.fetch_interval > self.max_interval else datum

    @property
    def nearly_max(self) -> int:
        """What an interval becomes that is above ``max_interval``, in seconds."""
        return max(1, as_int(finite_float32(self.max_interval * finite_float32(0.9))))
