"""Requests of pages that this worker holds already, on their way back to the engine."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator

from scrapy import Request
from scrapy.utils.asyncio import call_later
from scrapy.utils.defer import deferred_from_coro

from nutchlike.host_clock import HostClock
from nutchlike.page import Page
from nutchlike.request_meta import PAGE


class HeldRequests:
    """Retries, and pages whose turn was taken by robots.txt or put off; each may be sent when its host's clock allows.

    ``wake_up`` is called when one may be sent, ``give_up(page)`` when its host is held for too long.
    """

    def __init__(self, *, clock: HostClock, wake_up: Callable[[], None], give_up: Callable[[Page], None]) -> None:
        self._clock = clock
        self._wake_up = wake_up
        self._give_up = give_up
        self._waiting: list[Request] = []
        self._allowed: deque[Request] = deque()

    def __len__(self) -> int:
        return len(self._waiting) + len(self._allowed)

    def __iter__(self) -> Iterator[Request]:
        yield from self._waiting
        yield from self._allowed

    def add(self, request: Request) -> None:
        """Keep a request until ``take`` returns it; its page knows until when its host is held."""
        self._waiting.append(request)
        self._wait(request)

    def take(self) -> Request | None:
        """Return a request that may be sent now, or ``None``."""
        while self._allowed:
            request = self._allowed.popleft()
            if not request.meta[PAGE].done:  # else it was given up meanwhile
                return request
        return None

    def drop(self) -> None:
        """Forget them all; the leases of their pages are another's affair."""
        self._waiting.clear()
        self._allowed.clear()

    def _wait(self, request: Request) -> None:
        page: Page = request.meta[PAGE]
        seconds = page.held_until - time.time()
        if seconds > self._clock.wait_max:
            self._waiting.remove(request)
            self._give_up(page)
        elif seconds > 0:
            call_later(seconds, self._begin, request)
        else:
            self._begin(request)

    def _begin(self, request: Request) -> None:
        if request in self._waiting:
            deferred_from_coro(self._ask(request))

    async def _ask(self, request: Request) -> None:
        page: Page = request.meta[PAGE]
        seconds = await self._clock.claim(page.url)
        if request not in self._waiting:
            return
        if seconds:
            page.held_until = time.time() + seconds
            self._wait(request)
            return
        page.granted = time.time()
        self._waiting.remove(request)
        self._allowed.append(request)
        self._wake_up()
