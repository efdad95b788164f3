"""HostClocks: when each host may be asked, one clock for all workers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nutchlike.store.keys import CrawlKeys
from nutchlike.store.scripts import Scripts
from nutchlike.urls.identity import split_url


class HostClocks:
    """The clocks that leases move on, too. ``delay`` is in seconds; ``queue_of`` names the queue (host) of a URL."""

    def __init__(self, keys: CrawlKeys, scripts: Scripts, *, delay: float, queue_of: Callable[[str], str]) -> None:
        self._keys = keys
        self._scripts = scripts
        self._delay = delay
        self._queue_of = queue_of

    def claim(self, url: str, *, now: float) -> float:
        """Ask the clock of a URL's host for one more request; 0.0 = granted, else the seconds to wait."""
        return float(self._run(url, "claim_host", repr(now), repr(self._delay), *self._site(url)))

    def _run(self, url: str, verb: str, *args: Any) -> Any:
        return self._scripts.run(self._keys.partition_of(url), verb, *args)

    def _site(self, url: str) -> list[str]:
        return [split_url(url)[0], self._queue_of(url)]
