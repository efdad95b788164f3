"""Frontier: hands out the best URLs as leases and takes completed pages back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import redis

from nutchlike.crawldatum import CrawlDatum
from nutchlike.store.codec import UnreadableRecord, decode_record, encode_signatures
from nutchlike.store.keys import PartitionKeys
from nutchlike.store.scripts import Scripts
from nutchlike.store.stored_url import StoredURL
from nutchlike.store.worker import is_dead_here

_LEASE_FIELDS = 6
_LEASE_HEAD = 5


@dataclass(frozen=True, slots=True)
class Lease:
    """A URL that one worker may fetch. ``datum.score`` is the cash that it had when it was leased."""

    id: bytes
    datum: CrawlDatum
    request: bytes = b""


@dataclass(frozen=True, slots=True)
class LeaseBatch:
    """What one call handed out, and how the frontier looked then.

    ``ask_again_at`` is the epoch second from which another call may bring something, ``None`` when nothing is held
    back by a clock or a lease; ``waiting`` and ``leased`` count the URLs of all workers after the call;
    ``orphans`` counts queue members that had no record and were dropped, ``buried`` URLs that became dead letters.
    """

    leases: list[Lease]
    ask_again_at: float | None
    waiting: int
    leased: int
    orphans: int
    buried: int


@dataclass(frozen=True, slots=True)
class PageDone:
    """A page's new state and outlinks.

    ``due`` says whether it is ever fetched again (at ``datum.fetch_time``), ``keep_request`` whether its stored request
    is needed for that.

    ``spent`` = ``each`` x number of outlinks + ``rest``: how its cash is divided; ``rest`` goes to the virtual page.
    """

    id: bytes
    datum: CrawlDatum
    due: bool = True
    keep_request: bool = False
    spent: float = 0.0
    each: float = 0.0
    rest: float = 0.0
    outlinks: Sequence[StoredURL] = field(default=())


class Frontier:
    """The queues of one partition, as one worker sees them.

    ``delay`` (seconds) and ``per_host`` (requests at once) bound what all workers together ask of a host;
    a lease ends ``lease_seconds`` after it was given or renewed; a URL that lost ``attempts_max`` leases is dead.
    """

    def __init__(
        self,
        client: redis.Redis,
        keys: PartitionKeys,
        *,
        worker: str,
        delay: float,
        per_host: int,
        lease_seconds: float,
        attempts_max: int,
        fetch_interval: int,
    ) -> None:
        self._client = client
        self._keys = keys
        self._scripts = Scripts(client, keys.all())
        self._worker = worker
        self._delay = delay
        self._per_host = per_host
        self._lease_seconds = lease_seconds
        self._attempts_max = attempts_max
        self._fetch_interval = fetch_interval

    def add(self, urls: Iterable[StoredURL], *, cash: float, now: float) -> int:
        """Make requests known that come from no page, with ``cash`` each; return how many were new."""
        args: list[bytes | str | int] = []
        for url in urls:
            args += [*url.place(), repr(cash), self._fetch_interval, 0, 0, *url.extras()]
        return int(self._scripts.run("inject", repr(now), self._per_host, "keep", *args)[0])

    def lease(self, most: int, *, now: float) -> LeaseBatch:
        """Take up to ``most`` URLs: always the best of the hosts that may be asked at ``now``."""
        reply = self._scripts.run(
            "lease",
            repr(now),
            self._per_host,
            repr(now + self._lease_seconds),
            repr(self._delay),
            most,
            self._worker,
            self._attempts_max,
        )
        leases = []
        for i in range(_LEASE_HEAD, len(reply), _LEASE_FIELDS):
            url_id, raw, site, cash, metadata, request = reply[i : i + _LEASE_FIELDS]
            try:
                datum = decode_record(raw, key=f"record {url_id.hex()}", site=site.decode(), metadata=metadata)
            except UnreadableRecord as error:
                self.bury(url_id, str(error), now=now)
                continue
            leases.append(Lease(id=url_id, datum=replace(datum, score=float(cash)), request=request))
        return LeaseBatch(
            leases=leases,
            ask_again_at=float(reply[0]) if reply[0] else None,
            waiting=int(reply[1]),
            leased=int(reply[2]),
            orphans=int(reply[3]),
            buried=int(reply[4]),
        )

    def complete(self, pages: Sequence[PageDone], *, now: float) -> list[int | redis.ResponseError | None]:
        """Acknowledge pages, each in one atomic step, together in one round trip.

        Returns for each page how many of its outlinks were new; ``None`` when this worker had lost its lease: then
        nothing was changed; the server's error when it refused this page.
        """
        pipeline = self._client.pipeline(transaction=False)
        for page in pages:
            self._scripts.run("complete", *self._complete_arguments(page, now), client=pipeline)
        replies = pipeline.execute(raise_on_error=False)
        return [
            reply if isinstance(reply, redis.ResponseError) else reply[1] if reply[0] else None for reply in replies
        ]

    def _complete_arguments(self, page: PageDone, now: float) -> list[bytes | str | int]:
        datum = page.datum
        arguments: list[bytes | str | int] = [
            repr(now), self._per_host, self._worker, page.id,
            int(datum.db_status), datum.fetch_time if page.due else "", datum.modified_time, datum.fetch_interval,
            datum.retries, encode_signatures(datum), repr(page.spent), repr(page.each), repr(page.rest),
            self._fetch_interval, int(page.keep_request),
        ]  # fmt: skip
        for url in page.outlinks:
            arguments += [*url.place(), *url.extras()]
        return arguments

    def renew(self, ids: Sequence[bytes], *, now: float) -> list[bytes]:
        """Keep leases for another term; return the ids that this worker does not hold any more."""
        return list(self._scripts.run("renew", self._worker, repr(now + self._lease_seconds), *ids)) if ids else []

    def give_back(self, ids: Sequence[bytes], *, now: float) -> int:
        """Return leases whose download never began; they wait again as before. Returns how many."""
        return int(self._scripts.run("release", repr(now), self._per_host, self._worker, 0, *ids)) if ids else 0

    def release_dead_workers(self, *, now: float) -> int:
        """Hand out again what workers held that were killed on this machine; return how many URLs.

        Workers elsewhere cannot be judged from here: their leases end by their deadlines.
        """
        holders = cast("dict[bytes, bytes]", self._client.hgetall(self._keys.name("lease_info")))
        released = 0
        for worker in {worker for worker in holders.values() if is_dead_here(worker.decode())}:
            ids = [url_id for url_id, holder in holders.items() if holder == worker]
            # by name: somebody else may have leased one of them since
            released += int(self._scripts.run("release", repr(now), self._per_host, worker, self._attempts_max, *ids))
        return released

    def bury(self, url_id: bytes, reason: str, *, now: float) -> None:
        """Make a leased URL a dead letter."""
        self._scripts.run("bury", repr(now), self._per_host, self._worker, url_id, reason)

    def claim_host(self, host: str, *, now: float) -> float:
        """Ask a host's clock for one more request; 0.0 = granted, else the seconds to wait."""
        return float(self._scripts.run("claim_host", repr(now), repr(self._delay), host))

    def due_later(self) -> tuple[int, float | None]:
        """Return how many URLs are to be fetched again, and the epoch second of the first (``None``: none)."""
        pipeline = self._client.pipeline(transaction=False)
        pipeline.zcard(self._keys.name("due"))
        pipeline.zrange(self._keys.name("due"), 0, 0, withscores=True)
        size, first = pipeline.execute()
        return int(size), float(first[0][1]) if first else None
