"""Reads hosts and their records as they are stored; ``lua/lib/records.lua`` has the same layout.

A host's records are spread over buckets that are small enough for Redis to keep compactly, by linear hashing: the
number of buckets grows by one at a time.
"""

from __future__ import annotations

import struct
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar, cast

from nutchlike.store.keys import PartitionKeys
from nutchlike.store.nodes import Client
from nutchlike.store.scripts import Scripts

_HOST = struct.Struct(">IIIIIIIddd")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StoredHost:
    """What the store knows of a host.

    ``records`` are spread over ``buckets``; ``waiting`` and ``active`` (leased) count URLs, ``taken`` those that were
    ever taken up, ``failures`` those in a row; ``clock`` is the epoch second from which it may be asked, ``delay`` what
    a robots.txt asks for (seconds, -1 = nothing), ``held_until`` the epoch second until which a failure holds it.
    """

    number: int
    name: str
    records: int
    buckets: int
    waiting: int
    active: int
    taken: int
    failures: int
    clock: float
    delay: float
    held_until: float

    def bucket_of(self, url_id: bytes) -> int:
        """Return the number of the bucket that holds a URL's record."""
        level = 1 << (self.buckets - 1).bit_length()
        number = int.from_bytes(url_id[:4], "big") % level
        return number if number < self.buckets else number - level // 2


def decode_host(number: int, raw: bytes) -> StoredHost:
    """Return the host that ``raw`` describes; ValueError when it is too short."""
    if len(raw) < _HOST.size:
        raise ValueError(f"host {number}: {len(raw)} bytes, at least {_HOST.size} are needed")
    records, buckets, waiting, active, taken, failures, _site, clock, delay, held = _HOST.unpack_from(raw)
    name = raw[_HOST.size :].decode()
    return StoredHost(number, name, records, buckets, waiting, active, taken, failures, clock, delay, held)


def read_record(client: Client, keys: PartitionKeys, handle: bytes) -> bytes | None:
    """Return the stored record of a handle (host number, url id), or ``None``."""
    number = int.from_bytes(handle[:4], "big")
    raw = cast("bytes | None", client.hget(keys.name("hosts"), str(number)))
    if raw is None:
        return None
    bucket = keys.bucket(number, decode_host(number, raw).bucket_of(handle[4:]))
    return cast("bytes | None", client.hget(bucket, cast("str", handle[4:])))


def read_hosts(client: Client, keys: PartitionKeys) -> Iterator[StoredHost]:
    """Yield every host of a partition, in no order."""
    for number, raw in client.hscan_iter(keys.name("hosts"), count=1000):
        yield decode_host(int(number), raw)


def read_records(
    client: Client, scripts: Scripts, partition: int, keys: PartitionKeys, *, hosts: Container[int] | None = None
) -> Iterator[tuple[bytes, bytes]]:
    """Yield handle and stored record of every URL of a partition, in small steps; ``hosts``: of those numbers only."""
    read = (host for host in read_hosts(client, keys) if hosts is None or host.number in hosts)
    buckets = ((host.number, i) for host in read for i in range(host.buckets))
    for chunk in chunks(buckets, 256):
        answers = scripts.ask([(partition, ("HGETALL", keys.bucket(number, i))) for number, i in chunk])
        for (number, _), records in zip(chunk, answers, strict=True):
            for url_id, raw in records.items():
                yield number.to_bytes(4, "big") + url_id, raw


def chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield ``items`` as lists of at most ``size``; none is empty."""
    items = iter(items)
    while chunk := list(islice(items, size)):
        yield chunk
