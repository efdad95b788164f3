"""The contract of a fetch schedule, and the outcomes of a fetch that it knows."""

from __future__ import annotations

from enum import Enum
from typing import Protocol

from nutchlike.crawldatum import CrawlDatum

CONTENT_TYPE_METADATA = "Content-Type"
CHANGES_METADATA = "_changes_"  # what a schedule remembers of a page; no item has it, and no redirect passes it on


class Outcome(Enum):
    """How a fetch ended, as far as the next fetch depends on it."""

    SUCCESS = "success"  # the page was fetched and has changed
    UNKNOWN = "unknown"  # the page was fetched, and there was nothing to compare it with: the first time, above all
    NOTMODIFIED = "notmodified"  # 304, or the same signature as last time
    REDIR_TEMP = "redir_temp"
    REDIR_PERM = "redir_perm"
    GONE = "gone"  # 404, 410, denied by robots.txt
    RETRY = "retry"  # a failure that may pass
    DUPLICATE = "duplicate"  # the page was fetched, and another page owns its content


class FetchSchedule(Protocol):
    """Decides when a page is fetched again, from what the last fetch gave.

    A schedule whose class has ``reads_content_type = True`` finds the type of the page in the datum's metadata, under
    Nutch's name ``Content-Type``: that of this fetch, or of the last one where this brought none (a 304).
    """

    def schedule(self, datum: CrawlDatum, *, outcome: Outcome, now: int) -> CrawlDatum:
        """Return ``datum`` as it is after a fetch that ended at ``now`` (epoch seconds) with ``outcome``.

        Sets ``db_status``, ``fetch_time`` (when it is due next), ``modified_time``, ``fetch_interval`` and
        ``retries``, and in ``metadata`` what the schedule is to find there the next time. ``datum`` is the record from
        before the fetch; its ``modified_time`` is when the page was last seen to have changed (0 = never).
        """
        ...
