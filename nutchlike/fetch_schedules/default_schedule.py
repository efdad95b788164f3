"""DefaultFetchSchedule: the same interval after each fetch, whether the page changed or not."""

from __future__ import annotations

from dataclasses import replace

from nutchlike.crawldatum import CrawlDatum
from nutchlike.fetch_schedules.abstract_schedule import AbstractFetchSchedule
from nutchlike.fetch_schedules.fetch_schedule import Outcome

_LEAVES_MODIFIED_TIME = {Outcome.NOTMODIFIED, Outcome.UNKNOWN}


class DefaultFetchSchedule(AbstractFetchSchedule):
    """Fetches a page again after its own interval, or ``default_interval`` where it has none (0).

    Source: Apache Nutch, DefaultFetchSchedule.
    """

    def _fetched(self, datum: CrawlDatum, outcome: Outcome, now: int) -> CrawlDatum:
        interval = datum.fetch_interval or self.default_interval
        is_kept = outcome in _LEAVES_MODIFIED_TIME and datum.modified_time > 0
        modified_time = datum.modified_time if is_kept else now
        return replace(datum, fetch_time=now + interval, modified_time=modified_time, fetch_interval=interval)
