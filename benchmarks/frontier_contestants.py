"""The frontiers that frontier.py compares, each on a private server, and how they are timed and weighed."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Protocol

import redis
from redis.connection import AbstractConnection
from scrapy import Request, Spider
from scrapy.settings import Settings
from scrapy_redis.dupefilter import RFPDupeFilter
from scrapy_redis.queue import PriorityQueue

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from stores import NOW, fetched, seed

from nutchlike.addon import NutchlikeAddon
from nutchlike.crawl_store import CrawlStore, open_store
from nutchlike.store.embedded import EmbeddedServer
from nutchlike.store.lease import Lease

LINKS, NEW_LINKS = 40, 2  # of a page
BATCH = 16  # URLs leased with one call
SEEDS_A_CALL = 500
FETCHES_A_CALL = 100
SIGNATURES_MAX = 100_000  # contents that are put into the signature index to weigh it
SAMPLE = 2_000  # requests that scrapy-redis adds one by one, to time it
SETTLE_SECONDS = 60.0


def url_of(number: int, hosts: int) -> str:
    """Return the ``number``-th URL: 74 characters, different for each number, spread over ``hosts`` hosts."""
    scattered = number * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
    return f"https://www.host{number % hosts:04}.example/articles/{scattered:016x}/{number:014}.html"


@dataclass
class Calls:
    """What went to a server: ``round_trips`` are writes to a connection, ``commands`` what they held."""

    round_trips: int = 0
    commands: int = 0


@contextmanager
def counted() -> Iterator[Calls]:
    """Count what all clients of this process send while this lasts."""
    calls = Calls()
    send, pack = AbstractConnection.send_packed_command, AbstractConnection.pack_commands

    def counting_send(self: Any, command: Any, check_health: bool = True) -> Any:
        calls.round_trips += 1
        calls.commands += 1
        return send(self, command, check_health)

    def counting_pack(self: Any, commands: Any) -> Any:
        calls.commands += len(commands) - 1
        return pack(self, commands)

    AbstractConnection.send_packed_command = counting_send
    AbstractConnection.pack_commands = counting_pack
    try:
        yield calls
    finally:
        AbstractConnection.send_packed_command, AbstractConnection.pack_commands = send, pack


def settled_memory(client: redis.Redis) -> int:
    """Return the bytes that the data takes, once the server has nothing left to tidy up."""
    deadline = time.monotonic() + SETTLE_SECONDS
    client.memory_purge()
    last = -1
    while time.monotonic() < deadline:
        time.sleep(0.3)
        used = int(client.info("memory")["used_memory"])
        is_rewriting = bool(client.info("persistence")["aof_rewrite_in_progress"])
        if not is_rewriting and abs(used - last) < 1000:
            return used
        last = used
    raise RuntimeError(f"the server was not at rest after {SETTLE_SECONDS:g} s")


@dataclass
class Measured:
    """Of one contestant at one size; seconds, bytes per URL, calls per page."""

    added: float = 0.0  # URLs per second
    batch: list[float] = field(default_factory=list)  # seconds for a lease of BATCH
    page: list[float] = field(default_factory=list)  # seconds for a completed page
    cycle: list[float] = field(default_factory=list)  # seconds for a page: its part of a lease, and its completion
    waiting: float = 0.0
    done: float = 0.0
    signature: float = 0.0
    round_trips: float = 0.0
    commands: float = 0.0
    counts: float = 0.0


class Contestant(Protocol):
    """A frontier that knows ``size`` URLs. The calls fill ``measured``: ``fill`` once, rounds, ``finish`` once."""

    name: str
    size: int
    measured: Measured

    def fill(self) -> None: ...
    def round(self) -> None: ...
    def finish(self) -> None: ...


class Nutchlike:
    """Our store, used as the scheduler and the injector use it."""

    name = "nutchlike"
    batches = 10  # of one round

    def __init__(self, server: EmbeddedServer, size: int, hosts: int) -> None:
        self.size = size
        self.measured = Measured()
        self._hosts = hosts
        self._rng = random.Random(size)
        self._next = 0
        self._server = server
        warm = self._open("warm")  # scripts are no part of what a URL takes
        warm.crawldb.inject([seed(url_of(0, hosts))], merge="keep", now=NOW)
        self._complete(warm, warm.frontier.lease(1, now=NOW).leases, [[]])
        warm.crawldb.clear()
        warm.close()
        self._store = self._open("site")
        self._empty = settled_memory(self._store.client)

    def _open(self, crawl_id: str) -> CrawlStore:
        settings = Settings({"REDIS_URL": f"unix://{self._server.socket_path}"})
        NutchlikeAddon.update_pre_crawler_settings(settings)
        settings.setdict({"DOWNLOAD_DELAY": 0, "CONCURRENT_REQUESTS_PER_DOMAIN": FETCHES_A_CALL})
        return open_store(settings, crawl_id=crawl_id)

    def fill(self) -> None:
        started = perf_counter()
        while self._next < self.size:
            urls = self._new_urls(min(SEEDS_A_CALL, self.size - self._next))
            self._store.crawldb.inject([seed(url) for url in urls], merge="keep", now=NOW)
        self.measured.added = self.size / (perf_counter() - started)
        self.measured.waiting = (settled_memory(self._store.client) - self._empty) / self.size
        times = []
        for _ in range(5):
            started = perf_counter()
            self._store.crawldb.counts()
            times.append(perf_counter() - started)
        self.measured.counts = median(times)

    def round(self) -> None:
        measured = self.measured
        links = [
            [url_of(self._rng.randrange(self.size), self._hosts) for _ in range(LINKS - NEW_LINKS)] + new
            for new in (self._new_urls(NEW_LINKS) for _ in range(self.batches * BATCH))
        ]
        leasing = completing = 0.0
        with counted() as calls:
            for _ in range(self.batches):
                started = perf_counter()
                leases = self._store.frontier.lease(BATCH, now=NOW).leases
                leased = perf_counter()
                for lease in leases:
                    self._complete(self._store, [lease], [links.pop()])
                leasing += leased - started
                completing += perf_counter() - leased
        pages = self.batches * BATCH
        measured.batch.append(leasing / self.batches)
        measured.page.append(completing / pages)
        measured.cycle.append((leasing + completing) / pages)
        measured.round_trips, measured.commands = calls.round_trips / pages, calls.commands / pages

    def finish(self) -> None:
        """Fetch all that waits, weigh the records, then the signature index."""
        store, owners = self._store, []
        while leases := store.frontier.lease(FETCHES_A_CALL, now=NOW).leases:
            self._complete(store, leases, [[]] * len(leases))
            owners += leases[: SIGNATURES_MAX - len(owners)]
        counts = store.crawldb.counts()
        if (counts.known, counts.due) != (self._next, self._next):
            raise RuntimeError(f"{self._next} URLs were to be known and fetched, got {counts}")
        used = settled_memory(store.client)
        self.measured.done = (used - self._empty) / self._next
        if self.size > SIGNATURES_MAX:
            return
        for lease in owners:
            store.signatures.claim_all([(lease.key, _content(lease)[1], None)])
        self.measured.signature = (settled_memory(store.client) - used) / len(owners)

    def _complete(self, store: CrawlStore, leases: Sequence[Lease], links: Sequence[list[str]]) -> None:
        pages = []
        for lease, outlinks in zip(leases, links, strict=True):
            page = fetched(lease, outlinks)
            signature, dedup_key = _content(lease)
            pages.append(replace(page, datum=replace(page.datum, signature=signature, dedup_key=dedup_key)))
        store.frontier.complete(pages, now=NOW)

    def _new_urls(self, number: int) -> list[str]:
        self._next += number
        return [url_of(i, self._hosts) for i in range(self._next - number, self._next)]


def _content(lease: Lease) -> tuple[bytes, bytes]:
    """Return a signature and a dedup key that no other page has."""
    return lease.id * 2, lease.id


class ScrapyRedis:
    """scrapy-redis's own queue and dupefilter, used as its scheduler uses them."""

    name = "scrapy-redis"
    pages = 2 * BATCH  # of one round

    def __init__(self, server: EmbeddedServer, size: int, hosts: int) -> None:
        self.size = size
        self.measured = Measured()
        self._hosts = hosts
        self._rng = random.Random(size)
        self._client = server.client()
        self._queue = PriorityQueue(self._client, Spider("site"), "%(spider)s:requests")
        self._seen = RFPDupeFilter(self._client, "site:dupefilter")
        self._empty = settled_memory(self._client)
        self._next = size

    def fill(self) -> None:
        """Add through pipelines what need not be timed, then a sample in scrapy-redis's way."""
        for start in range(0, self.size, SEEDS_A_CALL):
            pipeline = self._client.pipeline(transaction=False)
            for number in range(start, min(start + SEEDS_A_CALL, self.size)):
                request = Request(url_of(number, self._hosts))
                pipeline.sadd(self._seen.key, self._seen.request_fingerprint(request))
                pipeline.zadd(self._queue.key, {self._queue._encode_request(request): 0})
            pipeline.execute()
        self.measured.waiting = (settled_memory(self._client) - self._empty) / self.size
        urls = [self._new_url() for _ in range(SAMPLE)]
        started = perf_counter()
        for url in urls:
            self._enqueue(url)
        self.measured.added = SAMPLE / (perf_counter() - started)

    def round(self) -> None:
        measured = self.measured
        links = [
            [url_of(self._rng.randrange(self.size), self._hosts) for _ in range(LINKS - NEW_LINKS)]
            + [self._new_url() for _ in range(NEW_LINKS)]
            for _ in range(self.pages)
        ]
        popping = following = 0.0
        with counted() as calls:
            for page in links:
                started = perf_counter()
                self._queue.pop()
                popped = perf_counter()
                for url in page:
                    self._enqueue(url)
                popping += popped - started
                following += perf_counter() - popped
        measured.batch.append(popping / self.pages * BATCH)
        measured.page.append(following / self.pages)
        measured.cycle.append((popping + following) / self.pages)
        measured.round_trips, measured.commands = calls.round_trips / self.pages, calls.commands / self.pages

    def finish(self) -> None:
        """Weigh what stays of a URL when the queue is empty."""
        self._queue.clear()
        self.measured.done = (settled_memory(self._client) - self._empty) / self._next

    def _enqueue(self, url: str) -> None:
        request = Request(url)
        if not self._seen.request_seen(request):
            self._queue.push(request)

    def _new_url(self) -> str:
        self._next += 1
        return url_of(self._next - 1, self._hosts)
