"""Frontier: hands out the best URLs as leases and takes completed pages back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import redis

from nutchlike.crawldatum import CrawlDatum
from nutchlike.store.codec import UnreadableRecord, decode_record, encode_signatures
from nutchlike.store.keys import CrawlKeys, partition_and_handle, record_key
from nutchlike.store.outbox import DIVIDE_SECONDS, Outbox
from nutchlike.store.scripts import Scripts, checked
from nutchlike.store.stored_url import StoredURL
from nutchlike.store.worker import is_dead_here
from nutchlike.urls.identity import split_url

_LEASE_FIELDS = 6
_LEASE_HEAD = 6


@dataclass(frozen=True, slots=True)
class Lease:
    """A URL that one worker may fetch. ``datum.score`` is the cash that it had when it was leased.

    ``key`` stands for its record in the whole crawl.
    """

    key: bytes
    datum: CrawlDatum
    request: bytes = b""

    @property
    def id(self) -> bytes:
        """The url id (8 bytes)."""
        return self.key[-8:]


@dataclass(frozen=True, slots=True)
class LeaseBatch:
    """What one call handed out, and how the frontier looked then.

    ``ask_again_at`` is the epoch second from which another call may bring something, ``None`` when nothing is held
    back by a clock or a lease; ``is_open`` says whether any worker has something to do, now or soon; ``waiting`` and
    ``leased`` count the URLs of all workers after the call; ``buried`` those that became dead letters.
    """

    leases: list[Lease]
    ask_again_at: float | None
    is_open: bool
    waiting: int
    leased: int
    buried: int


@dataclass(frozen=True, slots=True)
class PageDone:
    """A page's new state and outlinks.

    ``due`` says whether it is ever fetched again (at ``datum.fetch_time``), ``keep_request`` whether its stored request
    is needed for that.

    ``spent`` = ``each`` x number of outlinks + ``rest``: how its cash is divided; ``rest`` goes to the virtual page.
    """

    key: bytes
    datum: CrawlDatum
    due: bool = True
    keep_request: bool = False
    spent: float = 0.0
    each: float = 0.0
    rest: float = 0.0
    outlinks: Sequence[StoredURL] = field(default=())


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """What came of completed pages.

    ``new`` has for each page how many of its outlinks were new; ``None`` when this worker had lost its lease: then
    nothing was changed; the server's error when it refused this page. ``best_waiting`` is the cash of the best URL that
    waits at a host that may be asked now, 0.0 when there is none.
    """

    new: list[int | redis.ResponseError | None]
    best_waiting: float


@dataclass(frozen=True, slots=True)
class Limits:
    """What all workers together may do, and how long they wait.

    ``delay``: seconds between two requests to a host; ``per_host``: requests to it at once; ``host_max`` and
    ``all_max``: URLs that are ever taken up, of a host and of all (-1 = no limit); ``lease_seconds``: a lease ends so
    long after it was given or renewed; ``attempts_max``: lost leases that make a dead letter; ``again_share``: part of
    the leases, in [0, 1], for URLs that were taken up before, while new ones wait too; ``host_wait_max``: a host that
    may not be asked for longer (seconds) does not keep a crawl open.
    """

    delay: float = 0.0
    per_host: int = 1
    host_max: int = -1
    all_max: int = -1
    lease_seconds: float = 60.0
    attempts_max: int = 10
    again_share: float = 0.5
    host_wait_max: float = 600.0


class Frontier:
    """The queues of a crawl, as one worker sees them. ``queue_of`` names the queue (host, domain) of a URL."""

    def __init__(
        self,
        keys: CrawlKeys,
        scripts: Scripts,
        *,
        worker: str,
        limits: Limits,
        fetch_interval: int,
        queue_of: Callable[[str], str],
    ) -> None:
        self._keys = keys
        self._scripts = scripts
        self._outbox = Outbox(keys, scripts)
        self._worker = worker
        self._limits = limits
        self._fetch_interval = fetch_interval
        self._queue_of = queue_of
        self._divide_at = 0.0
        self._handed_out: list[int] | None = None  # by each partition, when all of them were last found at rest

    def add(self, urls: Iterable[StoredURL], *, cash: float, now: float) -> int:
        """Make requests known that come from no page, with ``cash`` each; return how many were new."""
        by_partition: dict[int, list[Any]] = {}
        for url in urls:
            args = by_partition.setdefault(self._keys.partition_of(url.url), [repr(now), "keep"])
            args += [*url.place(self._queue_of), repr(cash), self._fetch_interval, 0, 0, *url.extras()]
        calls = [(partition, "inject", args) for partition, args in by_partition.items()]
        return sum(int(reply[0]) for reply in self._scripts.run_safely(calls))

    def lease(self, most: int, *, now: float) -> LeaseBatch:
        """Take up to ``most`` URLs: always the best of the hosts that may be asked at ``now``."""
        wanted = self._wanted(most, now) if most and len(self._keys) > 1 else [most] * len(self._keys)
        calls = [(partition, "lease", self._lease_arguments(number, now)) for partition, number in enumerate(wanted)]
        replies = self._scripts.run_all(calls)
        leases: list[Lease] = []
        for partition, reply in enumerate(replies):
            if not isinstance(reply, redis.RedisError):
                leases += self._leases(partition, reply, now)
        if any(isinstance(reply, redis.RedisError) for reply in replies):
            with suppress(redis.RedisError):
                self.give_back([lease.key for lease in leases], now=now)
            checked(replies)
        leases.sort(key=lambda lease: -lease.datum.score)
        again = [float(reply[0]) for reply in replies if reply[0]]
        return LeaseBatch(
            leases=leases,
            ask_again_at=min(again) if again else None,
            is_open=self._is_open(replies, now),
            waiting=sum(int(reply[2]) for reply in replies),
            leased=sum(int(reply[3]) for reply in replies),
            buried=sum(int(reply[5]) for reply in replies),
        )

    def _lease_arguments(self, most: int, now: float) -> list[Any]:
        limits = self._limits
        return [
            repr(now), repr(now + limits.lease_seconds), self._worker, most, repr(limits.delay), limits.per_host,
            limits.host_max, limits.all_max, limits.attempts_max, repr(limits.again_share), repr(limits.host_wait_max),
        ]  # fmt: skip

    def _wanted(self, most: int, now: float) -> list[int]:
        """Return how many URLs to take from each partition, so that the best of all come first."""
        peek = [repr(now), most, self._limits.attempts_max]
        replies = checked(self._scripts.run_all([(partition, "peek", peek) for partition in range(len(self._keys))]))
        best = sorted((-float(cash), partition) for partition, reply in enumerate(replies) for cash in reply)[:most]
        wanted = [0] * len(self._keys)
        for i in range(most if best else 0):  # hosts that give more than one come round again
            wanted[best[i % len(best)][1]] += 1
        return wanted

    def _leases(self, partition: int, reply: list[Any], now: float) -> Iterable[Lease]:
        for i in range(_LEASE_HEAD, len(reply), _LEASE_FIELDS):
            handle, raw, site, cash, metadata, request = reply[i : i + _LEASE_FIELDS]
            key = record_key(partition, handle)
            try:
                datum = decode_record(raw, key=f"record {key.hex()}", site=site.decode(), metadata=metadata)
            except UnreadableRecord as error:
                self.bury(key, str(error), now=now)
                continue
            yield Lease(key=key, datum=replace(datum, score=float(cash)), request=request)

    def _is_open(self, replies: list[Any], now: float) -> bool:
        """Return whether there is work, as far as one look can tell.

        Partitions are looked at one after the other: all are at rest when two looks in a row find each at rest, and
        nothing was handed out between them.
        """
        handed_out = [int(reply[4]) for reply in replies]
        if any(int(reply[1]) for reply in replies):
            self._handed_out = None
            return True
        if len(self._keys) == 1:
            return False
        self._outbox.divide(now=now)
        if self._outbox.deliver(now=now) or self._handed_out != handed_out:
            self._handed_out = handed_out
            return True
        return False

    def complete(self, pages: Sequence[PageDone], *, now: float) -> Acknowledged:
        """Acknowledge pages, each in one atomic step, together in one round trip."""
        calls = []
        for page in pages:
            partition, handle = partition_and_handle(page.key)
            calls.append((partition, "complete", self._complete_arguments(page, partition, handle, now)))
        new: list[int | redis.ResponseError | None] = []
        best, sent = 0.0, 0
        for reply in self._scripts.run_all(calls):
            if isinstance(reply, redis.ResponseError):
                new.append(reply)
            elif not reply[0]:
                new.append(None)
            else:
                new.append(int(reply[1]))
                best = float(reply[2])
                sent += int(reply[3])
        if sent:
            self._outbox.deliver(now=now)
        if now >= self._divide_at:
            self._divide_at = now + DIVIDE_SECONDS
            self._outbox.divide(now=now)
        return Acknowledged(new=new, best_waiting=best)

    def _complete_arguments(self, page: PageDone, partition: int, handle: bytes, now: float) -> list[Any]:
        datum = page.datum
        arguments: list[Any] = [
            repr(now), self._worker, handle, int(datum.db_status), datum.fetch_time if page.due else "",
            datum.modified_time, datum.fetch_interval, datum.retries, encode_signatures(datum), repr(page.spent),
            repr(page.each), repr(page.rest), self._fetch_interval, int(page.keep_request), len(self._keys),
        ]  # fmt: skip
        for url in page.outlinks:
            target = self._keys.partition_of(url.url)
            arguments += ["" if target == partition else target, *url.place(self._queue_of), *url.extras()]
        return arguments

    def renew(self, keys: Sequence[bytes], *, now: float) -> list[bytes]:
        """Keep leases for another term; return the keys that this worker does not hold any more."""
        head = [self._worker, repr(now + self._limits.lease_seconds)]
        calls = [(p, "renew", [*head, *handles]) for p, handles in _by_partition(keys).items()]
        replies = checked(self._scripts.run_all(calls))
        return [record_key(call[0], handle) for call, lost in zip(calls, replies, strict=True) for handle in lost]

    def give_back(self, keys: Sequence[bytes], *, now: float) -> int:
        """Return leases whose download never began; they wait again as before. Returns how many."""
        return self._release(_by_partition(keys), self._worker.encode(), losses=0, now=now)

    def _release(self, handles: dict[int, list[bytes]], worker: bytes, *, losses: int, now: float) -> int:
        calls = [(p, "release", [repr(now), worker, losses, *some]) for p, some in handles.items()]
        return sum(map(int, checked(self._scripts.run_all(calls))))

    def release_dead_workers(self, *, now: float) -> int:
        """Hand out again what workers held that were killed on this machine; return how many URLs.

        Workers elsewhere cannot be judged from here: their leases end by their deadlines.
        """
        released = 0
        for partition, holders in enumerate(self._ask_each("HGETALL", "lease_info")):
            for worker in {worker for worker in holders.values() if is_dead_here(worker.decode())}:
                handles = [handle for handle, holder in holders.items() if holder == worker]
                # by name: somebody else may have leased one of them since
                losses = self._limits.attempts_max
                released += self._release({partition: handles}, worker, losses=losses, now=now)
        return released

    def deliver(self, *, now: float) -> None:
        """Bring what waits between partitions, which a killed worker may have left behind, to where it belongs."""
        self._outbox.divide(now=now)
        self._outbox.deliver(now=now)

    def bury(self, key: bytes, reason: str, *, now: float) -> None:
        """Make a leased URL a dead letter."""
        partition, handle = partition_and_handle(key)
        self._scripts.run(partition, "bury", repr(now), self._worker, handle, reason)

    def claim_host(self, url: str, *, now: float) -> float:
        """Ask the clock of a URL's host for one more request; 0.0 = granted, else the seconds to wait."""
        return float(self._run_for(url, "claim_host", repr(now), repr(self._limits.delay), *self._site(url)))

    def _ask_each(self, command: str, key: str, *args: str) -> list[Any]:
        """Return the answers of all partitions to a command on one of their keys."""
        named = [(number, (command, keys.name(key), *args)) for number, keys in enumerate(self._keys.partitions)]
        return self._scripts.ask(named)

    def _run_for(self, url: str, verb: str, *args: Any) -> Any:
        return self._scripts.run(self._keys.partition_of(url), verb, *args)

    def _site(self, url: str) -> list[str]:
        return [split_url(url)[0], self._queue_of(url)]

    def due_later(self) -> tuple[int, float | None]:
        """Return how many URLs are to be fetched again, and the epoch second of the first (``None``: none)."""
        due = sum(int(n or 0) for n in self._ask_each("HGET", "counts", "due"))
        replies = checked(self._scripts.run_all([(number, "next_due", []) for number in range(len(self._keys))]))
        first = [float(at) for at in replies if at]
        return due, min(first) if first else None


def _by_partition(keys: Iterable[bytes]) -> dict[int, list[bytes]]:
    handles: dict[int, list[bytes]] = {}
    for key in keys:
        partition, handle = partition_and_handle(key)
        handles.setdefault(partition, []).append(handle)
    return handles
