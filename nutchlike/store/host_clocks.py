"""HostClocks: when each host may be asked, one clock for all workers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nutchlike.store.keys import CrawlKeys
from nutchlike.store.scripts import Scripts
from nutchlike.urls.identity import host_key, split_url


class HostClocks:
    """The clocks that leases move on, too. ``queue_of`` names the queue (host, domain, address) of a host.

    ``delay`` is the seconds between two requests to a host. A host that fails is held for ``backoff`` seconds, twice as
    long each further time in a row, at most ``backoff_max``.
    """

    def __init__(
        self,
        keys: CrawlKeys,
        scripts: Scripts,
        *,
        delay: float,
        backoff: float,
        backoff_max: float,
        queue_of: Callable[[str], str],
    ) -> None:
        self._keys = keys
        self._scripts = scripts
        self._delay = delay
        self._backoff = backoff
        self._backoff_max = backoff_max
        self._queue_of = queue_of

    def claim(self, url: str, *, now: float, granted: float | None = None) -> float:
        """Ask the clock of a URL's host for one more request; 0.0 = granted, else the seconds to wait.

        ``granted`` is when leave was given (by a lease or a claim) that has not been used. It is given again at once
        when nobody else was given leave since and nothing holds the host.
        """
        unused = "" if granted is None else repr(granted)
        return float(self._run(url, "claim_host", repr(now), repr(self._delay), *self._site(url), unused))

    def hold(self, url: str, *, now: float, seconds: float, jitter: float) -> float:
        """Let no worker ask a URL's host for at least ``seconds``; return for how many seconds it is held.

        Failures in a row hold it for longer and longer, times ``jitter`` (0 to 1), which keeps workers from coming back
        together.
        """
        bounds = [repr(seconds), repr(self._backoff), repr(self._backoff_max), repr(jitter)]
        return float(self._run(url, "hold_host", repr(now), *self._site(url), *bounds))

    def set_crawl_delay(self, url: str, seconds: float | None, *, now: float) -> None:
        """Keep the delay that the site of ``url`` asks for, ``None`` when it asks for none.

        Where several sites share a host's queue (ports, or a whole domain), the slowest of them counts.
        """
        asked = "" if seconds is None else repr(seconds)
        self._run(url, "set_crawl_delay", repr(now), repr(self._delay), *self._site(url), asked)

    def _run(self, url: str, verb: str, *args: Any) -> Any:
        return self._scripts.run(self._keys.partition_of(url), verb, *args)

    def _site(self, url: str) -> list[str]:
        try:
            site, _ = split_url(url)
        except ValueError:  # not normalized: no stored URL has this site, its host alone says where it belongs
            site = ""
        return [site, self._queue_of(host_key(url))]
