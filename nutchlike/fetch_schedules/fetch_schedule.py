"""The contract of a fetch schedule, and the outcomes of a fetch that it knows."""

from __future__ import annotations

from enum import Enum
from typing import Protocol

from nutchlike.crawldatum import CrawlDatum


class Outcome(Enum):
    """How a fetch ended, as far as the next fetch depends on it."""

    SUCCESS = "success"  # the page was fetched and is new or has changed
    NOTMODIFIED = "notmodified"  # 304, or the same signature as last time
    REDIR_TEMP = "redir_temp"
    REDIR_PERM = "redir_perm"
    GONE = "gone"  # 404, 410, denied by robots.txt
    RETRY = "retry"  # a failure that may pass
    DUPLICATE = "duplicate"  # the page was fetched, and another page owns its content


class FetchSchedule(Protocol):
    """Decides when a page is fetched again, from what the last fetch gave."""

    def schedule(self, datum: CrawlDatum, *, outcome: Outcome, now: int) -> CrawlDatum:
        """Return ``datum`` as it is after a fetch that ended at ``now`` (epoch seconds) with ``outcome``.

        Sets ``db_status``, ``fetch_time`` (when it is due next), ``modified_time``, ``fetch_interval`` and
        ``retries``, and nothing else. ``datum`` is the record from before the fetch.
        """
        ...
