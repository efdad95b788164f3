"""RobotsCache: the robots.txt of each site, had once by one worker and shared by all."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

from nutchlike.store.keys import CrawlKeys, PartitionKeys
from nutchlike.store.scripts import Scripts
from nutchlike.store.worker import is_dead_here

BODY_MAX = 500 * 1024  # bytes of a robots.txt that count (RFC 9309, 2.5)
VERSION = 2
# Version, fetched at, http status, failures, failing since; behind them the body, compressed.
_HEADER = struct.Struct(">BdHId")


@dataclass(frozen=True, slots=True)
class StoredRobots:
    """What asking for a robots.txt brought.

    ``fetched_at`` is in epoch seconds; ``http_status`` 0 when there was no answer; ``failures`` how often in a row it
    could not be had, 0 when it could, and ``failing_since`` the epoch second of the first of these failures.
    """

    fetched_at: float
    http_status: int
    body: bytes = b""
    failures: int = 0
    failing_since: float = 0.0


class RobotsCache:
    """Keeps what was had for ``keep_seconds``; that one could not be had is known until somebody asks again.

    A site is ``scheme://authority``: the rules of one port or scheme say nothing about another.
    """

    def __init__(self, keys: CrawlKeys, scripts: Scripts, *, worker: str, keep_seconds: float) -> None:
        self._keys = keys
        self._scripts = scripts
        self._worker = worker
        self._keep_seconds = keep_seconds

    def get(self, site: str, *, now: float) -> StoredRobots | None:
        """Return what is known of the site's robots.txt; ``None`` when nothing is, or nothing that still counts."""
        number, keys = self._partition(site)
        raw = self._scripts.ask([(number, ("HGET", keys.name("robots"), site))])[0]
        robots = _decode(raw) if raw else None
        if robots is None or robots.failures or robots.fetched_at + self._keep_seconds > now:
            return robots
        return None

    def ask(self, site: str, *, now: float, seconds: float) -> bool:
        """Return whether the caller shall fetch the robots.txt, and ``put`` it; else another worker is about to.

        After ``seconds`` without an answer another worker may ask, or at once when that one was killed on this machine.
        """
        number, arguments = self._partition(site)[0], [repr(now), site, repr(seconds), self._worker]
        asker: bytes = self._scripts.run(number, "ask_robots", *arguments, "")
        if asker and is_dead_here(asker.decode()):
            asker = self._scripts.run(number, "ask_robots", *arguments, asker)
        return not asker

    def put(self, site: str, robots: StoredRobots) -> None:
        """Share what asking brought, up to BODY_MAX bytes of it."""
        number, keys = self._partition(site)
        store = ("HSET", keys.name("robots"), site, _encode(robots))
        self._scripts.ask([(number, store), (number, ("HDEL", keys.name("robots_asked"), site))])

    def _partition(self, site: str) -> tuple[int, PartitionKeys]:
        number = self._keys.partition_of(f"{site}/")
        return number, self._keys.partitions[number]


def _encode(robots: StoredRobots) -> bytes:
    header = _HEADER.pack(VERSION, robots.fetched_at, robots.http_status, robots.failures, robots.failing_since)
    return header + zlib.compress(robots.body[:BODY_MAX])


def _decode(raw: bytes) -> StoredRobots | None:
    """Return ``None`` for what another version of this program wrote: it is fetched again."""
    if raw[0] != VERSION:
        return None
    _, fetched_at, http_status, failures, failing_since = _HEADER.unpack_from(raw)
    return StoredRobots(fetched_at, http_status, zlib.decompress(raw[_HEADER.size :]), failures, failing_since)
