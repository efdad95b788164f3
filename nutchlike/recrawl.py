"""Recrawl: what a fetch's outcome does to a page's record, by the schedule that the settings name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from scrapy.settings import BaseSettings

from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.fetch_schedules.fetch_schedule import CONTENT_TYPE_METADATA, FetchSchedule, Outcome
from nutchlike.page import Page
from nutchlike.plugins import build_plugin
from nutchlike.validators import VALIDATORS_METADATA

FETCHED = {Outcome.SUCCESS, Outcome.NOTMODIFIED, Outcome.DUPLICATE}


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
        if self._reads_content_type and page.content_type and outcome in FETCHED:
            datum = replace(datum, metadata={**datum.metadata, CONTENT_TYPE_METADATA: page.content_type})
        was_signed = datum.signature is not None or datum.modified_time > 0
        if outcome is Outcome.SUCCESS and not (page.key is not None and was_signed):
            datum, outcome = replace(datum, modified_time=0), Outcome.UNKNOWN
        return self._schedule.schedule(datum, outcome=outcome, now=now)


def changed_metadata(before: CrawlDatum, after: CrawlDatum) -> dict[str, str]:
    """Return what a schedule has set in a page's metadata."""
    return {name: text for name, text in after.metadata.items() if before.metadata.get(name) != text}


def with_content(datum: CrawlDatum, page: Page) -> CrawlDatum:
    """Return a page's new record with the content that it has now, and what its server can be asked for that by.

    A page that had a content of its own, and now repeats another's, keeps what it had until a second fetch says so,
    too: a site that answers all URLs with a login page for an hour loses nothing.
    """
    before, outcome = page.lease.datum, page.outcome
    if outcome in FETCHED and page.is_unsigned:
        return replace(datum, signature=None, dedup_key=None, metadata=_with_validators(datum, ""))
    if outcome in FETCHED and page.key:
        lost = outcome is Outcome.DUPLICATE and before.dedup_key not in (None, page.key)
        if not lost or before.db_status is DbStatus.DB_DUPLICATE:
            return replace(
                datum, signature=page.signature, dedup_key=page.key, metadata=_with_validators(datum, page.validators)
            )
    elif outcome not in FETCHED and (outcome is not Outcome.RETRY or datum.db_status is DbStatus.DB_GONE):
        return replace(datum, signature=None, dedup_key=None, metadata=_with_validators(datum, ""))
    return replace(datum, signature=before.signature, dedup_key=before.dedup_key)


def _with_validators(datum: CrawlDatum, validators: str) -> Mapping[str, str]:
    if validators == datum.metadata.get(VALIDATORS_METADATA, ""):
        return datum.metadata
    return {**datum.metadata, VALIDATORS_METADATA: validators}
