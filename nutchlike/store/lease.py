"""What the frontier hands out and takes back: leases, completed pages, and the limits that it keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import redis

from nutchlike.crawldatum import CrawlDatum
from nutchlike.scoring.scoring_filter import Surroundings
from nutchlike.store.stored_url import StoredURL

NOTHING_AROUND = Surroundings()


@dataclass(frozen=True, slots=True)
class Lease:
    """A URL that one worker may fetch. ``datum.score`` is the cash that it had when it was leased.

    ``key`` stands for its record in the whole crawl; ``leased_at`` (epoch seconds) is when the clock of its host
    allowed the request; ``rank``, its cash and the priority of its request, is what its place in the queue came from.
    ``surroundings`` is what was known around the page then.
    """

    key: bytes
    datum: CrawlDatum
    request: bytes = b""
    leased_at: float = 0.0
    rank: float = 0.0
    surroundings: Surroundings = NOTHING_AROUND

    @property
    def id(self) -> bytes:
        """The url id (8 bytes)."""
        return self.key[-8:]


@dataclass(frozen=True, slots=True)
class LeaseBatch:
    """What one call handed out, and how the frontier looked then.

    ``ask_again_at`` is the epoch second from which another call may bring something, ``None`` when nothing is held
    back by a clock or a lease; ``is_open`` says whether any worker has something to do, now or soon; ``waiting`` and
    ``leased`` count the URLs of all workers after the call; ``buried`` those that became dead letters.
    """

    leases: list[Lease]
    ask_again_at: float | None
    is_open: bool
    waiting: int
    leased: int
    buried: int


@dataclass(frozen=True, slots=True)
class PageDone:
    """A page's new state and outlinks.

    ``due`` says whether it is ever fetched again (at ``datum.fetch_time``), ``keep_request`` whether its stored request
    is needed for that. ``failed``: there was no answer that counts; any other page ends its host's row of failures.

    ``spent`` is the cash that it loses, ``shares`` what each outlink gets, in their order, ``rest`` what goes to the
    virtual page, which spreads it over all pages, ``balance`` what it keeps, or owes when that is below 0. The last
    three add up to the first.

    ``relinked``: the outlinks are its new list in the web graph, with ``anchors`` (webgraph.py: encode_anchors).
    ``metadata`` is what is added to the page's, or taken away (``None``); that of ``datum`` does not count.
    """

    key: bytes
    datum: CrawlDatum
    due: bool = True
    keep_request: bool = False
    failed: bool = False
    spent: float = 0.0
    rest: float = 0.0
    balance: float = 0.0
    outlinks: Sequence[StoredURL] = ()
    shares: Sequence[float] = ()
    relinked: bool = False
    anchors: bytes = b""
    metadata: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """What came of completed pages.

    ``new`` has for each page how many of its outlinks were new; ``None`` when this worker had lost its lease: then
    nothing was changed; the server's error when it refused this page. ``best_waiting`` is the cash of the best URL that
    waits at a host that may be asked now, 0.0 when there is none.
    """

    new: list[int | redis.ResponseError | None]
    best_waiting: float


@dataclass(frozen=True, slots=True)
class Limits:
    """What all workers together may do, and how long they wait.

    ``delay``: seconds between two requests to a host; ``per_host``: requests to it at once; ``host_max`` and
    ``all_max``: URLs that are ever taken up, of a host and of all (-1 = no limit); ``lease_seconds``: a lease ends so
    long after it was given or renewed; ``attempts_max``: lost leases that make a dead letter; ``again_share``: part of
    the leases, in [0, 1], for URLs that were taken up before, while new ones wait too; ``host_wait_max``: a host that
    may not be asked for longer (seconds) does not keep a crawl open; ``history_window``: how long histories last, in
    times that all cash is spent (0.0 = for ever); ``keeps_link_times``: whether each page's last link is noted.
    """

    delay: float
    per_host: int
    host_max: int
    all_max: int
    lease_seconds: float
    attempts_max: int
    again_share: float
    host_wait_max: float
    history_window: float
    keeps_link_times: bool
