"""QueuePlaces: how many URLs come before one that waits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from nutchlike.store.codec import QueueEntry, RecordState, UnreadableRecord, queue_entry
from nutchlike.store.host_records import StoredHost, chunks, read_hosts, read_records
from nutchlike.store.keys import CrawlKeys, PartitionKeys
from nutchlike.store.nodes import Client
from nutchlike.store.scripts import Scripts


@dataclass(frozen=True, slots=True)
class Place:
    """How many waiting URLs rank higher than one that waits itself, among those that are new as it is, or not.

    ``host_ahead`` of the ``host_waiting`` of its own host do. ``hosts_ahead`` other hosts have such a URL, as their
    queues say: the ranks there may be too high, never too low. ``all_ahead`` in the whole crawl do, ``None`` = not
    counted.
    """

    host_ahead: int
    host_waiting: int
    hosts_ahead: int
    all_ahead: int | None


class QueuePlaces:
    """Looks through the queues of a crawl."""

    def __init__(self, keys: CrawlKeys, scripts: Scripts, client: Client) -> None:
        self._keys = keys
        self._scripts = scripts
        self._client = client

    def find(self, partition: int, host: StoredHost, entry: QueueEntry, *, exact: bool) -> Place:
        """Return the place of a URL of ``host`` that waits. ``exact`` looks at each record of the crawl."""
        rank = entry.rank + self._virtual(self._keys.partitions[partition])
        own = list(self._entries_of_host(partition, host))
        return Place(
            host_ahead=sum(_comes_before(other, entry, entry.rank) for other in own),
            host_waiting=sum(other.state is RecordState.WAITING for other in own),
            hosts_ahead=self._hosts_ahead(entry, rank, (partition, host.number)),
            all_ahead=self._all_ahead(entry, rank) if exact else None,
        )

    def _entries_of_host(self, partition: int, host: StoredHost) -> Iterator[QueueEntry]:
        keys = self._keys.partitions[partition]
        for some in chunks(range(host.buckets), 256):
            buckets = self._scripts.ask([(partition, ("HGETALL", keys.bucket(host.number, i))) for i in some])
            for records in buckets:
                yield from _entries(records.values())

    def _hosts_ahead(self, entry: QueueEntry, rank: float, own: tuple[int, int]) -> int:
        ahead = 0
        for number, keys in enumerate(self._keys.partitions):
            virtual, family = self._virtual(keys), keys.name("q:" if entry.is_new else "a:")
            waiting = (host.number for host in read_hosts(self._client, keys) if host.waiting)
            for some in chunks((host for host in waiting if (number, host) != own), 500):
                best = [(number, ("ZREVRANGE", f"{family}{host}", 0, 0, "WITHSCORES")) for host in some]
                ahead += sum(bool(top) and _score(top) + virtual > rank for top in self._scripts.ask(best))
        return ahead

    def _all_ahead(self, entry: QueueEntry, rank: float) -> int:
        ahead = 0
        for number, keys in enumerate(self._keys.partitions):
            bound = rank - self._virtual(keys)
            records = (raw for _, raw in read_records(self._client, self._scripts, number, keys))
            ahead += sum(_comes_before(other, entry, bound) for other in _entries(records))
        return ahead

    def _virtual(self, keys: PartitionKeys) -> float:
        return float(cast("bytes | None", self._client.hget(keys.name("totals"), "virtual")) or 0)


def _entries(records: Any) -> Iterator[QueueEntry]:
    for raw in records:
        try:
            yield queue_entry(raw)
        except UnreadableRecord:
            continue


def _comes_before(other: QueueEntry, entry: QueueEntry, bound: float) -> bool:
    return other.state is RecordState.WAITING and other.is_new == entry.is_new and other.rank > bound


def _score(top: list[Any]) -> float:
    """Return the score in an answer to ZREVRANGE, which a client may give as a pair."""
    return float(top[0][1] if isinstance(top[0], tuple | list) else top[1])
