"""HostTurns: the clocks of hosts for whoever asks them outside the downloader."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from contextlib import suppress

import redis
from scrapy.settings import BaseSettings

from nutchlike.checked_settings import get_float
from nutchlike.crawl_store import host_wait_max
from nutchlike.store.host_clocks import HostClocks


class HostTurns:
    """Turns (sitemap_seeds.py) by the clocks that all workers share. It blocks: never in the reactor's thread.

    ``clocks`` gives those of the store once it is open. While the store does not answer, nobody waits: what is
    injected next waits for it.
    """

    def __init__(self, settings: BaseSettings, *, clocks: Callable[[], HostClocks]) -> None:
        self._clocks = clocks
        self._wait_max = host_wait_max(settings)
        self._retry_after_max = get_float(settings, "NUTCH_RETRY_AFTER_MAX")

    def wait(self, url: str) -> None:
        """Block until one more request may go; ValueError when the host is held for longer than a crawl waits."""
        with suppress(redis.RedisError):
            while seconds := self._clocks().claim(url, now=time.time()):
                if seconds > self._wait_max:
                    raise ValueError(f"its host may not be asked for {seconds:.0f} s")
                time.sleep(seconds)

    def hold(self, url: str, seconds: float) -> None:
        """Let no worker ask the host for that time, as far as NUTCH_RETRY_AFTER_MAX allows, or for a usual pause."""
        seconds, jitter = min(seconds, self._retry_after_max), random.uniform(0.5, 1.0)
        with suppress(redis.RedisError):
            self._clocks().hold(url, now=time.time(), seconds=seconds, jitter=jitter)
