"""The URLs that this worker has leased and not begun, and what it knows of the frontier."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable

import redis
from scrapy.crawler import Crawler

from nutchlike.checked_settings import get_int
from nutchlike.crawl_store import CrawlStore, host_delay
from nutchlike.outage import RETRY_SECONDS, Outage
from nutchlike.store.frontier import Lease, LeaseBatch

logger = logging.getLogger(__name__)
POLL_SECONDS = 1.0  # how long news from other workers may go unnoticed while this one has nothing to do


class LeaseBuffer:
    """Leases URLs a batch at a time, and does not ask again while it is known that there is nothing to have.

    ``wake_up_in(seconds)`` is called with the time after which asking again may bring something.
    """

    def __init__(self, crawler: Crawler, *, outage: Outage, wake_up_in: Callable[[float], None]) -> None:
        settings = crawler.settings
        self._crawler = crawler
        self._outage = outage
        self._wake_up_in = wake_up_in
        self._delay = host_delay(settings)
        self._batch = get_int(settings, "NUTCH_LEASE_BATCH")
        self._concurrency = get_int(settings, "CONCURRENT_REQUESTS") or self._batch
        self._leases: deque[Lease] = deque()
        self._seen: LeaseBatch | None = None  # the last look at the frontier; None = it may have changed since
        self._not_before = 0.0
        self._has_mended = False

    @property
    def keys(self) -> list[bytes]:
        """The record keys of the leases that were not taken yet."""
        return [lease.key for lease in self._leases]

    @property
    def has_work(self) -> bool:
        """Whether any worker of this crawl had work at the last look, or there was none since something changed."""
        return bool(self._leases) or self._seen is None or self._seen.is_open

    def take(self, store: CrawlStore) -> Lease | None:
        """Return the best lease, or ``None`` when there is none now."""
        if not self._leases:
            self._refill(store)
        return self._leases.popleft() if self._leases else None

    def drop(self) -> list[bytes]:
        """Forget the leases that were not taken, and return their record keys."""
        keys = self.keys
        self._leases.clear()
        return keys

    def look_again(self, *, after: float = 0.0) -> None:
        """Believe nothing that was known of the frontier; ask it again, after some seconds."""
        self._seen = None
        self._not_before = time.time() + after if after else 0.0
        self._wake_up_in(after)

    def bury(self, store: CrawlStore, lease: Lease, reason: str) -> None:
        """Make a lease that cannot be used a dead letter."""
        self._count_dead(1, reason)
        try:
            store.frontier.bury(lease.key, reason, now=time.time())
        except redis.RedisError as error:  # the lease ends by itself, and comes here again
            self._outage.begin(error)

    def _refill(self, store: CrawlStore) -> None:
        now = time.time()
        if now < self._not_before:
            return
        wanted = self._wanted()
        try:
            seen = store.frontier.lease(wanted, now=now)
            if seen.waiting and not seen.is_open and not self._has_mended:
                self._has_mended = True
                if mended := store.check.mend_queues(now=now):
                    logger.warning("URLs waited in no queue: %d put back", mended)
                    seen = store.frontier.lease(wanted, now=now)
        except redis.RedisError as error:
            self._outage.begin(error)
            self.look_again(after=RETRY_SECONDS)
            return
        self._outage.end()
        self._seen = seen
        self._leases.extend(seen.leases)
        if seen.buried:
            self._count_dead(seen.buried, "lost their lease too often, or cannot be read; see scrapy deadletters")
        if len(seen.leases) < wanted:
            soon = now + POLL_SECONDS
            self._not_before = min(seen.ask_again_at or soon, soon)
            self._wake_up_in(self._not_before - now)

    def _wanted(self) -> int:
        """Return how many URLs to lease: with a delay only what is sent at once, so that host clocks tell the truth."""
        if not self._delay:
            return self._batch
        return max(1, self._concurrency - len(self._crawler.engine.downloader.active))

    def _count_dead(self, number: int, reason: str) -> None:
        logger.warning("Dead letters (%d): %s", number, reason)
        self._crawler.stats.inc_value("nutch/scheduler/dead_letters", number)
