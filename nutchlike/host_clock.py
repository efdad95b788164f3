"""HostClock: asks and moves the clocks of hosts, which all workers share, for one worker."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable

import redis
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import sleep
from scrapy.utils.datatypes import LocalCache

from nutchlike.blocking_calls import BlockingCalls
from nutchlike.crawl_store import CrawlStore, host_delay, host_wait_max
from nutchlike.outage import RETRY_SECONDS, Outage
from nutchlike.urls.identity import host_key

logger = logging.getLogger(__name__)
# An unused leave is taken for good without asking the store again for so many seconds: with a delay, requests may come
# closer by that much; without one, a hold that another worker made is noticed that much later.
FRESH_WITH_DELAY = 0.05
FRESH_WITHOUT_DELAY = 0.25
HOSTS = 10_000  # hosts of which this worker remembers that it held them
STEP = 1.0  # seconds after which a wait looks whether the crawl was told to stop


class HostHeld(Exception):
    """The host may not be asked for so long that the request does not wait for it."""


class HostClock:
    """Tells when a request may be sent. ``store`` gives the store once it is open."""

    def __init__(
        self, crawler: Crawler, *, calls: BlockingCalls, outage: Outage, store: Callable[[], CrawlStore]
    ) -> None:
        self._calls = calls
        self._crawler = crawler
        self._outage = outage
        self._store = store
        self._fresh = FRESH_WITH_DELAY if host_delay(crawler.settings) else FRESH_WITHOUT_DELAY
        self._held_at: LocalCache[str, float] = LocalCache(HOSTS)  # queue -> when this worker held it
        self._random = random.Random()
        self.wait_max = host_wait_max(crawler.settings)

    async def claim(self, url: str, *, granted: float | None = None) -> float:
        """Return 0.0 when a request for ``url`` may be sent now, else the seconds after which to ask again.

        ``granted`` is when leave was given that has not been used (a lease gives it, and a claim). Leave that is not
        fresh is asked for again: its host may have been held since, by any worker.
        """
        now = time.time()
        if granted is not None and now - granted <= self._fresh and not self._held_since(url, granted):
            return 0.0
        try:
            clocks = self._store().clocks
            return await self._calls.run(lambda: clocks.claim(url, now=time.time(), granted=granted))
        except redis.RedisError as error:
            self._outage.begin(error)
            return RETRY_SECONDS

    async def hold(self, url: str, *, seconds: float, reason: str) -> float:
        """Let no worker ask the host for at least ``seconds``; return for how many seconds it is held."""
        now = time.time()
        self._held_at[self._store().queues.of(host_key(url))] = now
        try:
            jitter = self._random.uniform(0.5, 1.0)
            clocks = self._store().clocks
            held = await self._calls.run(lambda: clocks.hold(url, now=now, seconds=seconds, jitter=jitter))
        except redis.RedisError as error:
            self._outage.begin(error)
            return seconds
        self._crawler.stats.inc_value("nutch/hosts/held")
        level = logging.WARNING if held > self.wait_max else logging.DEBUG
        logger.log(level, "No request to the host of %s for %.0f s: %s", url, held, reason)
        return held

    async def wait(self, url: str, *, granted: float | None = None) -> None:
        """Return when a request for ``url`` may be sent; HostHeld when that would take too long, or the crawl ends."""
        while seconds := await self.claim(url, granted=granted):
            granted = None
            if seconds > self.wait_max or not self._crawler.engine.running:
                raise HostHeld(f"{url}: its host is held for {seconds:.0f} s")
            await sleep(min(seconds, STEP))

    def _held_since(self, url: str, granted: float) -> bool:
        return bool(self._held_at.get(self._store().queues.of(host_key(url)), 0.0) >= granted)
