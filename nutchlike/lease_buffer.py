"""The URLs that this worker has leased and not begun, and what it knows of the frontier."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable
from functools import partial

import redis
from scrapy.crawler import Crawler
from scrapy.utils.defer import deferred_from_coro

from nutchlike.blocking_calls import BlockingCalls
from nutchlike.checked_settings import get_bool, get_int
from nutchlike.crawl_store import CrawlStore, host_delay
from nutchlike.outage import RETRY_SECONDS, Outage
from nutchlike.solo_task import SoloTask
from nutchlike.store.lease import Lease, LeaseBatch

logger = logging.getLogger(__name__)
POLL_SECONDS = 1.0  # how long news from other workers may go unnoticed while this one has nothing to do
FAR_BETTER = 2.0  # times the cash of the best lease that wait: then the waiting URL does not wait for the leases


class LeaseBuffer:
    """Leases URLs a batch at a time, in the background; does not ask while it is known that there is nothing to have.

    Without a delay it asks when half of NUTCH_LEASE_BATCH is used; with one only for what is sent at once, so that host
    clocks tell the truth. ``wake_up_in(seconds)`` is called with the time after which ``take`` may return something.
    """

    def __init__(
        self, crawler: Crawler, *, calls: BlockingCalls, outage: Outage, wake_up_in: Callable[[float], None]
    ) -> None:
        settings = crawler.settings
        self._crawler = crawler
        self._calls = calls
        self._outage = outage
        self._wake_up_in = wake_up_in
        self._delay = host_delay(settings)
        self._batch = get_int(settings, "NUTCH_LEASE_BATCH")
        self._concurrency = get_int(settings, "CONCURRENT_REQUESTS") or self._batch
        self._is_kept = get_bool(settings, "SCHEDULER_PERSIST")  # else another worker may have ended and removed it all
        self._store: CrawlStore | None = None
        self._leases: deque[Lease] = deque()
        self._arrived: list[Lease] = []  # in the thread of the calls, on their way to _leases
        self._unwanted: list[bytes] = []  # keys of leases that are being given back
        self._asking = SoloTask(self._ask)
        self._seen: LeaseBatch | None = None  # the last look at the frontier; None = it may have changed since
        self._changes = 0  # how often it was said to have changed
        self._not_before = 0.0
        self._has_mended = False
        self._bar = 0.0  # cash that the best waiting URL had when asking for it brought nothing of the kind

    @property
    def keys(self) -> list[bytes]:
        """The record keys of the leases that were not taken yet."""
        return [lease.key for lease in (*self._leases, *self._arrived)] + self._unwanted

    @property
    def has_work(self) -> bool:
        """Whether any worker of this crawl had work at the last look, or there was none since something changed."""
        return bool(self._leases) or self._seen is None or self._seen.is_open

    def open(self, store: CrawlStore) -> None:
        """Lease from this store."""
        self._store = store

    def take(self) -> Lease | None:
        """Return the best lease, or ``None`` when there is none now; never waits for the store."""
        lease = self._leases.popleft() if self._leases else None
        is_low = lease is None if self._delay else len(self._leases) <= self._batch // 2
        if is_low and time.time() >= self._not_before:
            self._asking.start()
        return lease

    async def drop(self) -> list[bytes]:
        """Forget the leases that were not taken, those under way too, and return their record keys."""
        await self._asking.finished()
        keys = self.keys
        self._leases.clear()
        self._unwanted = []
        return keys

    def look_again(self, *, after: float = 0.0, best_waiting: float = 0.0) -> None:
        """Believe nothing that was known of the frontier; ask it again, after some seconds.

        ``best_waiting`` is the cash of the best URL that waits: a far better one than those leased takes their place.
        """
        self._seen = None
        self._changes += 1
        self._not_before = time.time() + after if after else 0.0
        # a call that is under way was queued after the one that brought this news: it brings the better URL itself
        is_far_better = best_waiting > FAR_BETTER * max(self._best, self._bar) and not self._asking.is_running
        if self._leases and is_far_better:
            self._bar = best_waiting
            self._unwanted = [lease.key for lease in self._leases]
            self._leases.clear()
            self._crawler.stats.inc_value("nutch/scheduler/leases_exchanged", len(self._unwanted))
            self._asking.start()
        self._wake_up_in(after)

    def bury(self, lease: Lease, reason: str) -> None:
        """Make a lease that cannot be used a dead letter."""
        self._count_dead(1, reason)
        deferred_from_coro(self._bury(lease, reason))

    async def _bury(self, lease: Lease, reason: str) -> None:
        assert self._store is not None
        frontier = self._store.frontier
        try:
            await self._calls.run(lambda: frontier.bury(lease.key, reason, now=time.time()))
        except redis.RedisError as error:  # the lease ends by itself, and comes here again
            self._outage.begin(error)

    async def _ask(self) -> None:
        if self._store is None:
            return
        changes, is_renewal = self._changes, bool(self._unwanted)
        try:
            if self._unwanted:
                await self._calls.run(partial(_give_back, self._store, self._unwanted))
                self._unwanted = []
            wanted, seen = await self._calls.run(partial(self._lease, self._store))
        except redis.RedisError as error:
            self._outage.begin(error)
            self.look_again(after=RETRY_SECONDS)
            return
        self._outage.end()
        self._keep(seen.leases, is_renewal=is_renewal)
        if seen.buried:
            self._count_dead(seen.buried, "lost their lease too often, or cannot be read; see scrapy deadletters")
        if changes == self._changes:  # else the frontier has changed since, and is asked again
            self._seen = seen
            if len(seen.leases) < wanted:
                now = time.time()
                self._not_before = min(seen.ask_again_at or now + POLL_SECONDS, now + POLL_SECONDS)
                self._wake_up_in(self._not_before - now)
        self._wake_up_in(0)

    def _lease(self, store: CrawlStore) -> tuple[int, LeaseBatch]:
        """Lease in the thread of the calls: what is wanted now, not when the call had to wait its turn."""
        now, wanted = time.time(), self._wanted()
        seen = store.frontier.lease(wanted, now=now)
        if seen.waiting and not seen.is_open and not self._has_mended:
            self._has_mended = True  # budgets may be spent: once is enough to know that nothing is lost
            if mended := store.check.mend_queues(now=now):
                logger.warning("URLs waited in no queue: %d put back", mended)
                seen = store.frontier.lease(wanted, now=now)
        if self._is_kept and not seen.is_open:
            store.crawldb.check_presence()
        self._arrived = seen.leases
        return wanted, seen

    def _keep(self, leases: list[Lease], *, is_renewal: bool) -> None:
        """Put new leases behind those that wait here, or before them when they are far better."""
        best = max((lease.datum.score for lease in leases), default=0.0)
        if best > FAR_BETTER * self._best:
            self._leases.extendleft(reversed(leases))
        else:
            self._leases.extend(leases)
        self._arrived = []
        if not is_renewal or FAR_BETTER * best >= self._bar:
            self._bar = 0.0

    @property
    def _best(self) -> float:
        return max((lease.datum.score for lease in self._leases), default=0.0)

    def _wanted(self) -> int:
        """Return how many URLs to lease."""
        if not self._delay:
            return max(1, self._batch - len(self._leases))
        return max(1, self._concurrency - len(self._crawler.engine.downloader.active))

    def _count_dead(self, number: int, reason: str) -> None:
        logger.warning("Dead letters (%d): %s", number, reason)
        self._crawler.stats.inc_value("nutch/scheduler/dead_letters", number)


def _give_back(store: CrawlStore, keys: list[bytes]) -> None:
    store.frontier.give_back(keys, now=time.time())
