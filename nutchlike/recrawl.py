"""Recrawl: what a fetch's outcome does to a page's record, by the schedule that the settings name."""

from __future__ import annotations

from dataclasses import replace

from scrapy.settings import BaseSettings

from nutchlike.crawldatum import CrawlDatum
from nutchlike.fetch_schedules.fetch_schedule import CONTENT_TYPE_METADATA, FetchSchedule, Outcome
from nutchlike.page import Page
from nutchlike.plugins import build_plugin

_WITH_CONTENT = {Outcome.SUCCESS, Outcome.NOTMODIFIED, Outcome.DUPLICATE}


class Recrawl:
    """Tells NUTCH_FETCH_SCHEDULE_CLASS what is known of a fetch."""

    def __init__(self, settings: BaseSettings) -> None:
        """Raise ValueError, naming setting and value, when the schedule cannot be built."""
        self._schedule: FetchSchedule = build_plugin(settings, "NUTCH_FETCH_SCHEDULE_CLASS")
        self._reads_content_type = bool(getattr(self._schedule, "reads_content_type", False))

    def after(self, page: Page, *, now: int) -> CrawlDatum:
        """Return the record of a page that is done at ``now`` (epoch seconds).

        A page that was fetched for the first time, or whose contents are not signed, has not changed as far as
        anybody knows. One that comes back after it was gone has.
        """
        datum, outcome = page.lease.datum, page.outcome
        assert outcome is not None
        if self._reads_content_type and page.content_type and outcome in _WITH_CONTENT:
            datum = replace(datum, metadata={**datum.metadata, CONTENT_TYPE_METADATA: page.content_type})
        was_signed = datum.signature is not None or datum.modified_time > 0
        if outcome is Outcome.SUCCESS and not (page.key is not None and was_signed):
            datum, outcome = replace(datum, modified_time=0), Outcome.UNKNOWN
        return self._schedule.schedule(datum, outcome=outcome, now=now)


def changed_metadata(before: CrawlDatum, after: CrawlDatum) -> dict[str, str]:
    """Return what a schedule has set in a page's metadata."""
    return {name: text for name, text in after.metadata.items() if before.metadata.get(name) != text}
