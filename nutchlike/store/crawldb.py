"""CrawlDb: all records of a crawl; injection, look-up, counts, and the check of its invariants."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar, cast

import redis

from nutchlike.crawldatum import SCORE_MAX, CrawlDatum, DbStatus
from nutchlike.store.codec import (
    UnreadableRecord,
    decode_record,
    encode_metadata,
    is_readable,
    next_id,
    relative_cash,
    site_number,
)
from nutchlike.store.keys import BUCKETS, PartitionKeys
from nutchlike.store.scripts import Scripts
from nutchlike.store.stored_url import StoredURL
from nutchlike.urls.identity import split_url, url_id

Merge = Literal["keep", "update", "overwrite"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Seed:
    """A seed as it enters the CrawlDb: normalized URL, cash, interval in seconds, metadata.

    ``score_given`` and ``interval_given`` tell whether the seed list named them: only then an update changes them.
    """

    url: str
    score: float
    fetch_interval: int
    metadata: dict[str, str]
    score_given: bool = False
    interval_given: bool = False


@dataclass(frozen=True, slots=True)
class CrawlDbCounts:
    """How many URLs are in which state: known = waiting + leased + due + dead + done.

    ``repaired`` counts records whose cash was no finite number.
    """

    known: int
    waiting: int
    leased: int
    due: int
    dead: int
    repaired: int
    by_status: dict[DbStatus, int]

    @property
    def done(self) -> int:
        """Requests that were done and are not fetched again."""
        return self.known - self.waiting - self.leased - self.due - self.dead


@dataclass(frozen=True, slots=True)
class CashAudit:
    """The cash that was injected and the cash that is there; ``error`` is their relative difference."""

    injected: float
    found: float

    @property
    def error(self) -> float:
        return abs(self.found - self.injected) / self.injected if self.injected else abs(self.found)


class CrawlDb:
    """The records of one partition."""

    def __init__(self, client: redis.Redis, keys: PartitionKeys, *, per_host: int = 1) -> None:
        self._client = client
        self._keys = keys
        self._scripts = Scripts(client, keys.all())
        self._per_host = per_host

    def inject(self, seeds: Sequence[Seed], *, merge: Merge, now: float) -> tuple[int, int]:
        """Make seeds known; return how many were new, and how many known ones were changed.

        A known URL is kept as it is, or updated (score, interval, metadata; status and signature stay), or overwritten
        (a new unfetched record). Atomic per call: keep a call to some hundred seeds.

        Raises ValueError for a score that is negative, not finite or above SCORE_MAX.
        """
        args: list[bytes | str | int] = []
        for seed in seeds:
            if not 0 <= seed.score <= SCORE_MAX:
                raise ValueError(f"score of {seed.url} must be between 0 and {SCORE_MAX:g}, got {seed.score!r}")
            url = StoredURL.plain(seed.url, metadata=encode_metadata(seed.metadata))
            args += [
                *url.place(),
                repr(seed.score),
                seed.fetch_interval,
                int(seed.score_given),
                int(seed.interval_given),
                *url.extras(),
            ]
        created, changed = self._scripts.run("inject", repr(now), self._per_host, merge, *args)
        return int(created), int(changed)

    def get(self, url: str) -> CrawlDatum | None:
        """Return the record of a normalized URL, or ``None`` when it is not known.

        Raises UnreadableRecord.
        """
        key = url_id(url)
        site, path = split_url(url)
        number = int(self._client.hget(self._keys.name("sites"), site) or 0)
        while (raw := self._raw(key)) is not None:
            datum = self._decode(key, raw, virtual=self._total("virtual"))
            if datum.url == url:
                return datum
            key = next_id(key, number, path)
        return None

    def move(self, url: str, to: str | None, *, now: float) -> bool:
        """Give the record of ``url`` to the normalized URL ``to``, or forget it (``None``); False when it is leased.

        When ``to`` is known, its own record stays and gets the cash. A forgotten page takes its cash with it, as if it
        had never been injected.
        """
        target = StoredURL.plain(to).place() if to is not None else ["", "", "", ""]
        site, path = split_url(url)
        return bool(self._scripts.run("move", repr(now), self._per_host, url_id(url), site, path, *target))

    def url_of(self, key: bytes) -> str | None:
        """Return the URL of a url id, or ``None`` when it is not known."""
        raw = self._raw(key)
        return None if raw is None else self._decode(key, raw, virtual=0.0).url

    def records(self) -> Iterator[CrawlDatum | UnreadableRecord]:
        """Yield every record, or why it cannot be read, in no order; in small steps, so a crawl may go on meanwhile."""
        virtual = self._total("virtual")
        for key, raw in self._raw_records():
            try:
                yield self._decode(key, raw, virtual=virtual)
            except UnreadableRecord as error:
                yield error

    def counts(self) -> CrawlDbCounts:
        """Return how many URLs are in which state, from counters: it costs the same for any number of URLs."""
        pipeline = self._client.pipeline(transaction=False)
        pipeline.hgetall(self._keys.name("counts"))
        pipeline.hget(self._keys.name("totals"), "known")
        pipeline.zcard(self._keys.name("leases"))
        pipeline.zcard(self._keys.name("due"))
        pipeline.hlen(self._keys.name("dead"))
        counters, known, leased, due, dead = pipeline.execute()
        return CrawlDbCounts(
            known=int(float(known or 0)),
            waiting=int(counters.pop(b"waiting", 0)),
            leased=leased,
            due=due,
            dead=dead,
            repaired=int(counters.pop(b"repaired", 0)),
            by_status={DbStatus(int(status)): int(n) for status, n in sorted(counters.items()) if int(n)},
        )

    def audit_cash(self) -> CashAudit:
        """Add up all cash. Exact only while nothing changes: it reads every record."""
        stored = math.fsum(relative_cash(raw) for _, raw in self._raw_records() if is_readable(raw))
        found = math.fsum([stored, self._total("known") * self._total("virtual"), self._total("residue")])
        return CashAudit(injected=self._total("injected"), found=found)

    def recount(self) -> int:
        """Set the counters to what the queues and leases hold, in one step; return by how much they were wrong.

        Costs one look per host and lease; 0 when all was well.
        """
        return int(self._scripts.run("recount"))

    def rebuild(self, *, now: float) -> int:
        """Rebuild the queues from the records; return how many URLs were put back.

        The records are what counts: a record that is nowhere goes back to its host's queue, or among those that are
        due later. Reads every record, in small steps.
        """
        pipeline = self._client.pipeline(transaction=False)
        for bucket in range(BUCKETS):
            self._scripts.run("rebuild", repr(now), self._per_host, bucket, client=pipeline)
        back = sum(map(int, pipeline.execute()))
        self.recount()
        return back

    def dead_letters(self) -> dict[str, str]:
        """Return the URLs that are not handed out any more, each with the reason."""
        dead = cast("dict[bytes, bytes]", self._client.hgetall(self._keys.name("dead")))
        return {self._name_of(key): reason.decode(errors="replace") for key, reason in dead.items()}

    def clear(self) -> None:
        """Forget the whole crawl."""
        for names in _chunks(self._client.scan_iter(match=self._escaped_prefix() + "*", count=1000), 1000):
            self._client.unlink(*names)

    def _name_of(self, key: bytes) -> str:
        try:
            return self.url_of(key) or key.hex()
        except UnreadableRecord:
            return key.hex()

    def _raw_records(self) -> Iterator[tuple[bytes, bytes]]:
        for buckets in _chunks(range(BUCKETS), 256):
            pipeline = self._client.pipeline(transaction=False)
            for bucket in buckets:
                pipeline.hgetall(self._keys.bucket(bucket))
            for records in pipeline.execute():
                yield from records.items()

    def _decode(self, key: bytes, raw: bytes, *, virtual: float) -> CrawlDatum:
        name = cast("bytes | None", self._client.hget(self._keys.name("site_names"), str(site_number(raw)))) or b" "
        metadata = cast("bytes | None", self._client.hget(self._keys.name("metadata"), key)) or b""
        where = f"{self._keys.bucket_of(key)} field {key.hex()}"
        return decode_record(raw, key=where, site=name.decode().partition(" ")[2], metadata=metadata, virtual=virtual)

    def _raw(self, key: bytes) -> bytes | None:
        return cast("bytes | None", self._client.hget(self._keys.bucket_of(key), key))

    def _total(self, name: str) -> float:
        return float(self._client.hget(self._keys.name("totals"), name) or 0)

    def _escaped_prefix(self) -> str:
        return "".join(f"\\{c}" if c in "*?[]^\\" else c for c in self._keys.prefix)


def _chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    chunk: list[T] = []
    for item in items:
        chunk.append(item)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk
