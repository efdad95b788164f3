"""What a crawl does while the store does not answer: it waits, says so once, and ends when that takes too long."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TypeVar

import redis
from redis.exceptions import (
    AskError,
    ClusterDownError,
    NoPermissionError,
    OutOfMemoryError,
    ReadOnlyError,
    TryAgainError,
)
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import sleep
from scrapy.utils.defer import deferred_from_coro

from nutchlike.blocking_calls import BlockingCalls
from nutchlike.store.errors import NoAnswer

logger = logging.getLogger(__name__)
RETRY_SECONDS = 1.0
# What the server answers when it, not what was sent to it, is the trouble: as redis-py's classes, which swallow the
# word, and as words in the text of an answer that has no class, or of one that a script passes on.
TROUBLE_CLASSES = (
    OutOfMemoryError,
    ReadOnlyError,
    NoPermissionError,
    NoAnswer,  # a cluster's node is away
    ClusterDownError,  # a part of the cluster is, or (MasterDownError) a replica has lost its master
    AskError,  # a partition is being moved, or (MovedError) its nodes do not agree yet
    TryAgainError,  # a partition is being moved
)
TROUBLE_WORDS = ("OOM", "READONLY", "MISCONF", "WRONGTYPE", "NOREPLICAS", "MASTERDOWN", "LOADING", "BUSY", "NOAUTH")
T = TypeVar("T")


class Outage:
    """Follows whether the store answers. ``wait_max`` is in seconds."""

    def __init__(self, crawler: Crawler, *, calls: BlockingCalls, wait_max: float) -> None:
        self._crawler = crawler
        self._calls = calls
        self._wait_max = wait_max
        self._since: float | None = None

    def begin(self, error: redis.RedisError) -> None:
        """The store failed: CRITICAL the first time; past ``wait_max`` the crawl ends with ``store_unavailable``."""
        now = time.monotonic()
        self._crawler.stats.inc_value("nutch/scheduler/store_errors")
        if self._since is None:
            self._since = now
            full = isinstance(error, OutOfMemoryError) or "maxmemory" in str(error)
            hint = " (raise maxmemory)" if full else ""
            logger.critical("The store fails, the crawl waits up to %d s: %s%s", self._wait_max, error, hint)
        elif now - self._since > self._wait_max:
            deferred_from_coro(self._crawler.engine.close_spider_async(reason="store_unavailable"))

    def end(self) -> None:
        """The store answered."""
        if self._since is not None:
            logger.warning("The store answers again after %.1f s", time.monotonic() - self._since)
            self._since = None

    async def patiently(self, work: Callable[[], T], *, calls: BlockingCalls | None = None) -> T:
        """Return ``work()``, a call of the store, tried again while the store fails.

        ``calls`` runs it; ``None``: those that leases and acknowledgements go through. Raises its last error once
        ``wait_max`` is over, or when the crawl was told to end.
        """
        calls = calls or self._calls
        until = time.monotonic() + self._wait_max
        while True:
            try:
                result = await calls.run(work)
            except redis.RedisError as error:
                self.begin(error)
                if time.monotonic() > until or calls.is_ending():
                    raise
                await sleep(RETRY_SECONDS)
            else:
                self.end()
                return result


def is_server_trouble(error: redis.ResponseError) -> bool:
    """Return whether the same call may succeed later; False when what was sent is at fault."""
    return isinstance(error, TROUBLE_CLASSES) or any(word in str(error) for word in TROUBLE_WORDS)
