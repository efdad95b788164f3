"""Why a page could not be had: what its record keeps of a failed fetch (Nutch: ProtocolStatus)."""

from __future__ import annotations

from dataclasses import dataclass

from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.fetch_schedules.abstract_schedule import RETRY_DELAY

RETRY_STATUSES = {408, 425, 429}  # answers below 500 that may be others later
FAILURE_METADATA = "_pst_"  # Nutch's name: why the last fetch failed; a page that was had has none
ROBOTS, CRAWL_DELAY, CIRCLE, PIPELINE = "robots.txt", "Crawl-delay", "circle", "item pipeline"
IGNORED = "ignored: "  # before the reason why a middleware refused the page
COPY_ONCE = "copy once"  # no failure: it has a content of its own, but its last fetch brought another page's
NOINDEX = "noindex"  # no failure: it was had, but asks not to be indexed, so it did not come out
_IN_WORDS = {
    ROBOTS: "forbidden by robots.txt",
    CRAWL_DELAY: "robots.txt asks for a longer delay than NUTCH_FETCHER_MAX_CRAWL_DELAY",
    CIRCLE: "its redirects lead back to it",
    PIPELINE: "an item pipeline failed",
    "BrokenBody": "its body is cut or damaged",
    "RobotsUnreachable": "robots.txt of its site cannot be had",
}


@dataclass(frozen=True, slots=True)
class FetchFailure:
    """Why a page is gone, or is tried again: ``at`` (epoch seconds) its last fetch, after so many tries in a row."""

    reason: str
    at: int
    tries: int

    @property
    def http_status(self) -> int | None:
        """The HTTP status of the answer; ``None`` when there was none."""
        return int(self.reason) if self.reason.isdecimal() else None

    @property
    def in_words(self) -> str:
        """The reason for people to read."""
        return f"HTTP {self.reason}" if self.reason.isdecimal() else _IN_WORDS.get(self.reason, self.reason)

    def as_dict(self) -> dict[str, str | int]:
        """Return what commands print as JSON."""
        return {"reason": self.in_words, "at": self.at, "tries": self.tries}


def may_pass(http_status: int) -> bool:
    """Return whether an answer that is no page is worth another try a day later."""
    return http_status >= 500 or http_status in RETRY_STATUSES


def failure_of(datum: CrawlDatum) -> FetchFailure | None:
    """Return why the last fetch of a page failed; ``None`` for one that was had, or that nothing is known of."""
    reason = datum.metadata.get(FAILURE_METADATA, "")
    if reason in ("", COPY_ONCE, NOINDEX):
        return None
    if datum.db_status is DbStatus.DB_GONE:
        tries = datum.retries + _is_final(reason)  # what may pass was counted when it failed
        return FetchFailure(reason, datum.fetch_time - datum.fetch_interval, tries)
    if datum.db_status is DbStatus.DB_UNFETCHED and datum.retries:
        return FetchFailure(reason, datum.fetch_time - RETRY_DELAY, datum.retries)
    return None


def _is_final(reason: str) -> bool:
    if reason.isdecimal():
        return not may_pass(int(reason))
    return reason in (ROBOTS, CRAWL_DELAY, CIRCLE) or reason.startswith(IGNORED)
