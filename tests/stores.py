"""Builds the store's parts for tests."""

from __future__ import annotations

from dataclasses import dataclass, replace

import redis

from nutchlike.crawldatum import DbStatus
from nutchlike.scoring.opic import PaperOPIC
from nutchlike.store.crawldb import CrawlDb, Seed
from nutchlike.store.frontier import Frontier, Lease, PageDone
from nutchlike.store.keys import PartitionKeys
from nutchlike.store.stored_url import StoredURL

KEYS = PartitionKeys("site")
NOW = 1_000_000.0
MONTH = 2_592_000


def frontier(
    client: redis.Redis,
    *,
    worker: str = "w1",
    delay: float = 0.0,
    per_host: int = 100,
    attempts_max: int = 3,
) -> Frontier:
    return Frontier(
        client,
        KEYS,
        worker=worker,
        delay=delay,
        per_host=per_host,
        lease_seconds=60,
        attempts_max=attempts_max,
        fetch_interval=MONTH,
    )


def seed(url: str, score: float = 1.0, **changes: object) -> Seed:
    return replace(Seed(url, score, MONTH, {}), **changes)  # type: ignore[arg-type]  # only for brevity


def fetched(lease: Lease, outlinks: list[str], *, now: float = NOW, status: DbStatus = DbStatus.DB_FETCHED) -> PageDone:
    """Return what a page tells the store when it was fetched and has these outlinks."""
    shares = PaperOPIC().shares(lease.datum.score, len(outlinks))
    datum = replace(lease.datum, db_status=status, fetch_time=int(now) + MONTH, modified_time=int(now))
    urls = [StoredURL.plain(url) for url in outlinks]
    return PageDone(lease.id, datum, spent=shares.spent, each=shares.each, rest=shares.virtual, outlinks=urls)


@dataclass
class Store:
    """The parts that most tests need."""

    client: redis.Redis
    crawldb: CrawlDb
    frontier: Frontier

    def inject(self, *seeds: Seed, merge: str = "keep", now: float = NOW) -> tuple[int, int]:
        return self.crawldb.inject(seeds, merge=merge, now=now)  # type: ignore[arg-type]  # tests pass literals

    def lease(self, most: int = 1, *, now: float = NOW) -> list[Lease]:
        return self.frontier.lease(most, now=now).leases

    def lease_urls(self, most: int = 100, *, now: float = NOW) -> list[str]:
        return [lease.datum.url for lease in self.lease(most, now=now)]


def open_store(client: redis.Redis, **options: object) -> Store:
    return Store(client, CrawlDb(client, KEYS, per_host=100), frontier(client, **options))  # type: ignore[arg-type]
