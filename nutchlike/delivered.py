"""Which pages came out of the crawl as they are, and what is told of those that must be taken back."""

from __future__ import annotations

from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.fetch_failure import COPY_ONCE, FAILURE_METADATA, NOINDEX
from nutchlike.items import DeletedItem

OUT_METADATA = "_out_"  # the page came out and is to be taken back, which the rest of its record does not tell
DELETED = {
    DbStatus.DB_GONE: "gone",
    DbStatus.DB_REDIR_TEMP: "redirect",
    DbStatus.DB_REDIR_PERM: "redirect",
    DbStatus.DB_DUPLICATE: "duplicate",
    DbStatus.DB_ORPHAN: "orphan",
}


def is_delivered(datum: CrawlDatum) -> bool:
    """Return whether the last item of a page, as far as its record tells, was the page itself.

    A page that could not be had of late, or is to be fetched anew, was, when it has a content; one that repeated
    another's content once is, and one that asks not to be indexed is not. Of others OUT_METADATA tells: a page without
    a content that could not be had of late, one whose content a better copy has taken, one whose deletion failed.
    """
    if OUT_METADATA in datum.metadata:
        return True
    reason = datum.metadata.get(FAILURE_METADATA)
    if datum.db_status is DbStatus.DB_UNFETCHED:
        return datum.signature is not None or datum.dedup_key is not None
    if datum.db_status is DbStatus.DB_DUPLICATE:
        return reason == COPY_ONCE
    return datum.db_status in {DbStatus.DB_FETCHED, DbStatus.DB_NOTMODIFIED} and reason != NOINDEX


def notes_of_duplicates(*, told: bool) -> dict[str, str]:
    """Return what is kept of pages that become duplicates without a fetch: if ``told``, their next fetch tells it."""
    return {OUT_METADATA: "1"} if told else {}


def deletion(datum: CrawlDatum, *, http_status: int | None, now: int) -> DeletedItem | None:
    """Return what is told of a page with this record; ``None`` for one that is still there. ``now``: epoch seconds."""
    reason = DELETED.get(datum.db_status)
    if reason is None and datum.metadata.get(FAILURE_METADATA) == NOINDEX:
        reason = "noindex"
    return DeletedItem(datum.url, reason, http_status, now) if reason is not None else None
