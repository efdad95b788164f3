"""Recrawl: what a fetch's outcome does to a page's record, by the schedule that the settings name."""

from __future__ import annotations

from dataclasses import replace

from scrapy.settings import BaseSettings

from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.delivered import OUT_METADATA, is_delivered
from nutchlike.fetch_failure import COPY_ONCE, FAILURE_METADATA, NOINDEX
from nutchlike.fetch_schedules.fetch_schedule import CONTENT_TYPE_METADATA, FetchSchedule, Outcome
from nutchlike.page import Page
from nutchlike.plugins import build_plugin

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
        datum = _noted(datum, FAILURE_METADATA, page.failure or _why_not_out(page))
        was_signed = datum.signature is not None or datum.modified_time > 0
        if outcome is Outcome.SUCCESS and not (page.key is not None and was_signed):
            datum, outcome = replace(datum, modified_time=0), Outcome.UNKNOWN
        after = with_content(self._schedule.schedule(datum, outcome=outcome, now=now), page)
        return _noted(after, OUT_METADATA, "1" if _is_still_out(page, after) else "")


def changed_metadata(before: CrawlDatum, after: CrawlDatum) -> dict[str, str | None]:
    """Return what a fetch has set in a page's metadata; ``None`` for what it has taken away."""
    changed: dict[str, str | None] = {name: None for name in before.metadata if name not in after.metadata}
    return changed | {name: text for name, text in after.metadata.items() if before.metadata.get(name) != text}


def _why_not_out(page: Page) -> str:
    """Return why a page that was had did not come out, where its status alone does not say so; else ""."""
    if _is_copy_for_the_first_time(page):
        return COPY_ONCE
    is_dropped = page.is_noindex and page.is_unsigned and page.outcome in FETCHED
    return NOINDEX if is_dropped else ""


def _is_still_out(page: Page, after: CrawlDatum) -> bool:
    """Return whether a page that could not be had came out before, which its record would not tell otherwise."""
    if page.outcome is not Outcome.RETRY:
        return False
    waits = after.db_status is DbStatus.DB_UNFETCHED and after.signature is None and after.dedup_key is None
    return page.is_untold or (waits and is_delivered(page.lease.datum))


def _is_copy_for_the_first_time(page: Page) -> bool:
    """Return whether a page that had a content of its own now repeats another's, and did not the last time."""
    before = page.lease.datum
    is_other = page.key is not None and before.dedup_key not in (None, page.key)
    return page.outcome is Outcome.DUPLICATE and is_other and before.db_status is not DbStatus.DB_DUPLICATE


def with_content(datum: CrawlDatum, page: Page) -> CrawlDatum:
    """Return a page's new record with the content that it has now, and what its server can be asked for that by.

    A page that had a content of its own, and now repeats another's, keeps what it had until a second fetch says so,
    too: a site that answers all URLs with a login page for an hour loses nothing. One that repeated another's and could
    not be had now has none: it is compared anew.
    """
    before, outcome = page.lease.datum, page.outcome
    if outcome in FETCHED and page.is_unsigned:
        return replace(datum, signature=None, dedup_key=None, validators=b"")
    if outcome in FETCHED and page.key:
        if not _is_copy_for_the_first_time(page):
            return replace(datum, signature=page.signature, dedup_key=page.key, validators=page.validators)
    elif outcome not in FETCHED and (
        outcome is not Outcome.RETRY or datum.db_status is DbStatus.DB_GONE or _repeats_another(before)
    ):
        return replace(datum, signature=None, dedup_key=None, validators=b"")
    return replace(datum, signature=before.signature, dedup_key=before.dedup_key)


def _repeats_another(datum: CrawlDatum) -> bool:
    """Return whether the content that a record has is another page's."""
    return datum.db_status is DbStatus.DB_DUPLICATE and datum.metadata.get(FAILURE_METADATA) != COPY_ONCE


def _noted(datum: CrawlDatum, name: str, text: str) -> CrawlDatum:
    """Return a page's record with ``text`` under ``name`` in its metadata, or without that name for an empty text."""
    if text == datum.metadata.get(name, ""):
        return datum
    kept = {other: value for other, value in datum.metadata.items() if other != name}
    return replace(datum, metadata={**kept, name: text} if text else kept)
