"""Requests of pages that this worker holds already, on their way back to the engine."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator

import redis
from scrapy import Request
from scrapy.utils.asyncio import call_later
from scrapy.utils.defer import deferred_from_coro

from nutchlike.crawl_store import CrawlStore
from nutchlike.outage import RETRY_SECONDS, Outage
from nutchlike.store_calls import StoreCalls


class HeldRequests:
    """Retries, and redirects of a page to itself; each may be sent when the host's clock allows.

    ``delay`` is in seconds; without one there is no clock to ask. ``wake_up`` is called when one may be sent.
    """

    def __init__(self, *, calls: StoreCalls, outage: Outage, delay: float, wake_up: Callable[[], None]) -> None:
        self._calls = calls
        self._outage = outage
        self._delay = delay
        self._wake_up = wake_up
        self._waiting: list[Request] = []
        self._allowed: deque[Request] = deque()

    def __len__(self) -> int:
        return len(self._waiting) + len(self._allowed)

    def __iter__(self) -> Iterator[Request]:
        yield from self._waiting
        yield from self._allowed

    def add(self, request: Request, store: CrawlStore) -> None:
        """Keep a request until ``take`` returns it."""
        if self._delay:
            self._waiting.append(request)
            self._begin(request, store)
        else:
            self._allowed.append(request)

    def take(self) -> Request | None:
        """Return a request that may be sent now, or ``None``."""
        return self._allowed.popleft() if self._allowed else None

    def drop(self) -> None:
        """Forget them all; the leases of their pages are another's affair."""
        self._waiting.clear()
        self._allowed.clear()

    def _begin(self, request: Request, store: CrawlStore) -> None:
        if request in self._waiting:
            deferred_from_coro(self._ask(request, store))

    async def _ask(self, request: Request, store: CrawlStore) -> None:
        """Ask the host's clock, now and when it says so."""
        try:
            wait = await self._calls.run(lambda: store.clocks.claim(request.url, now=time.time()))
        except redis.RedisError as error:
            self._outage.begin(error)
            wait = RETRY_SECONDS
        if wait:
            call_later(wait, self._begin, request, store)
        elif request in self._waiting:
            self._waiting.remove(request)
            self._allowed.append(request)
            self._wake_up()
