"""Frontier: hands out the best URLs as leases and takes completed pages back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import cycle, islice
from typing import Any

import msgpack  # type: ignore[import-untyped]  # it ships no types
import redis

from nutchlike.scoring.scoring_filter import Seen, Surroundings
from nutchlike.store.codec import UnreadableRecord, decode_record, encode_metadata, encode_signatures, priority
from nutchlike.store.keys import CrawlKeys, partition_and_handle, record_key
from nutchlike.store.lease import Acknowledged, Lease, LeaseBatch, Limits, PageDone
from nutchlike.store.outbox import DIVIDE_SECONDS, Outbox
from nutchlike.store.scripts import Call, Scripts, checked
from nutchlike.store.stored_url import StoredURL
from nutchlike.store.worker import is_dead_here

_LEASE_FIELDS = 8
_LEASE_HEAD = 9


class Frontier:
    """The queues of a crawl, as one worker sees them. ``queue_of`` names the queue (host, domain) of a host."""

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
            args += url.injected(self._queue_of, cash=cash, fetch_interval=self._fetch_interval)
        calls = [(partition, "inject", args) for partition, args in by_partition.items()]
        return sum(int(reply[0]) for reply in self._scripts.run_safely(calls))

    def lease(self, most: int, *, now: float) -> LeaseBatch:
        """Take up to ``most`` URLs: always the best of the hosts that may be asked at ``now``."""
        budgets, left = self._budgets(most)
        wanted = self._wanted(most, left, now) if most and len(self._keys) > 1 else [(most, most)] * len(self._keys)
        calls = [
            (partition, "lease", [*self._lease_arguments(number, now, budgets[partition]), new])
            for partition, (number, new) in enumerate(wanted)
        ]
        replies = self._scripts.run_all(calls)
        leases: list[Lease] = []
        answered = [(number, reply) for number, reply in enumerate(replies) if not isinstance(reply, redis.RedisError)]
        known, taken = (sum(int(reply[at]) for _, reply in answered) for at in (6, 7))
        given = sum(float(reply[8]) for _, reply in answered)
        for partition, reply in answered:
            leases += self._leases(partition, reply, crawl=Seen(known, taken), given=given, now=now)
        if any(isinstance(reply, redis.RedisError) for reply in replies):
            with suppress(redis.RedisError):
                self.give_back([lease.key for lease in leases], now=now)
            checked(replies)
        leases.sort(key=lambda lease: -lease.rank)
        again = [float(reply[0]) for reply in replies if reply[0]]
        return LeaseBatch(
            leases=leases,
            ask_again_at=min(again) if again else None,
            is_open=self._is_open(replies, now),
            waiting=sum(int(reply[2]) for reply in replies),
            leased=sum(int(reply[3]) for reply in replies),
            buried=sum(int(reply[5]) for reply in replies),
        )

    def _lease_arguments(self, most: int, now: float, budget: int) -> list[Any]:
        limits = self._limits
        return [
            repr(now), repr(now + limits.lease_seconds), self._worker, most, repr(limits.delay), limits.per_host,
            limits.host_max, budget, limits.attempts_max, repr(limits.again_share), repr(limits.host_wait_max),
            repr(limits.history_window), int(limits.keeps_link_times),
        ]  # fmt: skip

    def _budgets(self, most: int) -> tuple[list[int], int]:
        """Return how many URLs each partition may ever give, and how many new ones, up to ``most``, all together now.

        With several partitions two workers that ask at once may take a batch too many.
        """
        all_max = self._limits.all_max
        if all_max < 0 or len(self._keys) == 1:
            return [all_max] * len(self._keys), most
        taken = [int(float(n or 0)) for n in self._ask_each("HGET", "totals", "taken")]
        left = max(all_max - sum(taken), 0)
        return [left + n for n in taken], min(most, left)

    def _wanted(self, most: int, new_most: int, now: float) -> list[tuple[int, int]]:
        """Return how many URLs to take from each partition, so that the best of all come first.

        With each stands how many of them may be new: ``new_most`` of all, while those taken up before have no budget.
        """
        peek = [repr(now), most, self._limits.attempts_max]
        replies = checked(self._scripts.run_all([(partition, "peek", peek) for partition in range(len(self._keys))]))
        best = sorted(
            (-float(cash), partition, is_new)
            for partition, (new, again) in enumerate(replies)
            for is_new, all_cash in ((1, new), (0, again))
            for cash in all_cash
        )
        if not new_most:
            best = [row for row in best if not row[2]]
        wanted, new_wanted = [0] * len(self._keys), [0] * len(self._keys)
        for _, partition, is_new in islice(cycle(best[:most]), most):  # hosts that give more than one come round again
            wanted[partition] += 1
            new_wanted[partition] += is_new
        new = []
        for number in new_wanted:
            new.append(min(number, new_most))
            new_most -= new[-1]
        for partition, number in enumerate(wanted):  # which kind comes next in a partition is its own affair
            more = min(number - new[partition], new_most)
            new[partition] += more
            new_most -= more
        return list(zip(wanted, new, strict=True))

    def _leases(self, partition: int, reply: list[Any], *, crawl: Seen, given: float, now: float) -> Iterable[Lease]:
        for i in range(_LEASE_HEAD, len(reply), _LEASE_FIELDS):
            handle, raw, site, cash, metadata, request, known, taken = reply[i : i + _LEASE_FIELDS]
            key = record_key(partition, handle)
            try:
                datum = decode_record(raw, key=f"record {key.hex()}", site=site.decode(), metadata=metadata)
            except UnreadableRecord as error:
                self.bury(key, str(error), now=now)
                continue
            around = Surroundings(host=Seen(int(known), int(taken)), crawl=crawl, given=given)
            score = float(cash)
            datum, rank = replace(datum, score=score), score + priority(raw)
            yield Lease(key, datum, request, leased_at=now, rank=rank, surroundings=around)

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
        links: list[bytes | str | int | float] = []
        for url, share in zip(page.outlinks, page.shares, strict=True):
            target = self._keys.partition_of(url.url)
            links += ["" if target == partition else target, share, *url.place(self._queue_of), *url.extras()]
        return [
            repr(now), self._worker, handle, int(datum.db_status), datum.fetch_time if page.due else "",
            datum.modified_time, datum.fetch_interval, datum.retries, encode_signatures(datum), repr(page.spent),
            repr(page.rest), self._fetch_interval, int(page.keep_request), len(self._keys),
            int(page.failed), repr(page.balance), int(page.relinked), page.anchors, encode_metadata(page.metadata),
            msgpack.packb(links, use_bin_type=False),  # one argument for all: a page with 41 links had 430
            datum.validators,
        ]  # fmt: skip

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

    def _ask_each(self, command: str, key: str, *args: str) -> list[Any]:
        """Return the answers of all partitions to a command on one of their keys."""
        named = [(number, (command, keys.name(key), *args)) for number, keys in enumerate(self._keys.partitions)]
        return self._scripts.ask(named)

    def due_later(self) -> tuple[int, float | None]:
        """Return how many URLs are to be fetched again, and the epoch second of the first (``None``: none)."""
        due = sum(int(n or 0) for n in self._ask_each("HGET", "counts", "due"))
        calls: list[Call] = [(number, "next_due", []) for number in range(len(self._keys))]
        while b"more" in (replies := checked(self._scripts.run_all(calls))):
            pass
        first = [float(at) for at in replies if at]
        return due, min(first) if first else None


def _by_partition(keys: Iterable[bytes]) -> dict[int, list[bytes]]:
    handles: dict[int, list[bytes]] = {}
    for key in keys:
        partition, handle = partition_and_handle(key)
        handles.setdefault(partition, []).append(handle)
    return handles
