"""Builds the store's parts for tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from nutchlike.crawldatum import DbStatus
from nutchlike.scoring.opic import PaperOPIC
from nutchlike.store.check import StoreCheck
from nutchlike.store.content_owners import ContentOwners
from nutchlike.store.crawldb import CrawlDb, Seed
from nutchlike.store.duplicates import Duplicates
from nutchlike.store.explain import Explainer
from nutchlike.store.frontier import Frontier
from nutchlike.store.gone_pages import GonePages
from nutchlike.store.host_clocks import HostClocks
from nutchlike.store.host_records import StoredHost, read_hosts
from nutchlike.store.keys import CrawlKeys, PartitionKeys, partition_and_handle
from nutchlike.store.layout import agree_on_layout
from nutchlike.store.lease import Lease, Limits, PageDone
from nutchlike.store.nodes import Client
from nutchlike.store.record_reader import RecordReader
from nutchlike.store.refetch import Refetch
from nutchlike.store.scripts import Scripts
from nutchlike.store.signature_index import SignatureIndex
from nutchlike.store.stored_url import StoredURL
from nutchlike.store.webgraph import WebGraph
from nutchlike.urls.queue_key import BY_HOST

KEYS = CrawlKeys("site")
NOW = 1_000_000.0
MONTH = 2_592_000


LIMITS = Limits(
    delay=0.0,
    per_host=100,
    host_max=-1,
    all_max=-1,
    lease_seconds=60.0,
    attempts_max=3,
    again_share=0.5,
    host_wait_max=60.0,
    history_window=0.0,
    keeps_link_times=False,
)


def scripts_of(client: Client, keys: CrawlKeys) -> Scripts:
    return Scripts(client, [partition.all() for partition in keys.partitions])


def frontier(
    client: Client,
    *,
    worker: str = "w1",
    keys: CrawlKeys = KEYS,
    queue_of: Callable[[str], str] = str,
    **limits: Any,
) -> Frontier:
    return Frontier(
        keys,
        scripts_of(client, keys),
        worker=worker,
        limits=replace(LIMITS, **limits),
        fetch_interval=MONTH,
        queue_of=queue_of,
    )


def seed(url: str, score: float = 1.0, **changes: object) -> Seed:
    return replace(Seed(url, score, MONTH, {}), **changes)  # type: ignore[arg-type]  # only for brevity


def fetched(lease: Lease, outlinks: list[str], *, now: float = NOW, status: DbStatus = DbStatus.DB_FETCHED) -> PageDone:
    """Return what a page tells the store when it was fetched and has these outlinks."""
    shares = PaperOPIC().shares(lease.datum.score, len(outlinks))
    datum = replace(lease.datum, db_status=status, fetch_time=int(now) + MONTH, modified_time=int(now))
    urls = [StoredURL.plain(url) for url in outlinks]
    paid = [shares.each] * len(urls)
    return PageDone(lease.key, datum, spent=shares.spent, rest=shares.virtual, outlinks=urls, shares=paid)


@dataclass
class Store:
    """The parts that most tests need."""

    client: Any  # redis.Redis or redis.RedisCluster
    keys: CrawlKeys
    crawldb: CrawlDb
    frontier: Frontier
    check: StoreCheck
    clocks: HostClocks
    webgraph: WebGraph
    signatures: SignatureIndex
    duplicates: Duplicates
    explainer: Explainer
    refetch: Refetch
    gone: GonePages

    def other(self, worker: str = "w2", **limits: Any) -> Store:
        """Return what another worker sees of the same store."""
        return open_store(self.client, keys=self.keys, worker=worker, **limits)

    def hosts(self) -> list[tuple[PartitionKeys, StoredHost]]:
        return [(keys, host) for keys in self.keys.partitions for host in read_hosts(self.client, keys)]

    def each(self, name: str) -> list[str]:
        """Return the names of a key in all partitions."""
        return [keys.name(name) for keys in self.keys.partitions]

    def inject(self, *seeds: Seed, merge: str = "keep", now: float = NOW) -> tuple[int, int]:
        return self.crawldb.inject(seeds, merge=merge, now=now)  # type: ignore[arg-type]  # tests pass literals

    def lease(self, most: int = 1, *, now: float = NOW) -> list[Lease]:
        return self.frontier.lease(most, now=now).leases

    def where(self, url: str) -> tuple[str, bytes]:
        """Return the hash that holds a URL's record, and its field."""
        key = self.crawldb.key_of(url)
        assert key is not None
        partition, handle = partition_and_handle(key)
        [host] = [
            h
            for h in read_hosts(self.client, self.keys.partitions[partition])
            if h.number == int.from_bytes(handle[:4], "big")
        ]
        return self.keys.partitions[partition].bucket(host.number, host.bucket_of(handle[4:])), handle[4:]

    def lease_urls(self, most: int = 100, *, now: float = NOW) -> list[str]:
        return [lease.datum.url for lease in self.lease(most, now=now)]


def open_store(client: Client, *, keys: CrawlKeys = KEYS, queue_of: Callable[[str], str] = str, **limits: Any) -> Store:
    scripts = scripts_of(client, keys)
    crawldb = CrawlDb(client, keys, scripts, queue_of=queue_of)
    webgraph = WebGraph(keys, scripts, client, crawldb)
    signatures = SignatureIndex(keys, scripts)
    duplicates = Duplicates(client, keys, scripts, signatures)
    return Store(
        client,
        keys,
        crawldb,
        frontier(client, keys=keys, queue_of=queue_of, **limits),
        StoreCheck(client, keys, scripts),
        HostClocks(keys, scripts, delay=limits.get("delay", 0.0), backoff=5.0, backoff_max=3600.0, queue_of=queue_of),
        webgraph,
        signatures,
        duplicates,
        Explainer(keys, scripts, client, crawldb, webgraph, duplicates),
        Refetch(client, keys, scripts),
        GonePages(keys, scripts, RecordReader(client, keys, scripts), ContentOwners(signatures, None)),
    )


def begin_store(client: Client) -> Store:
    """Return the store of a crawl that commands and crawls may go on with."""
    return open_store(client, keys=agree_on_layout(client, "site", partitions=None, default=1, queue_mode=BY_HOST))
