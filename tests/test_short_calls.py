"""No call holds the store for long, however much there is to look through, and nothing is missed for that."""

from __future__ import annotations

from dataclasses import replace

import redis
from stores import NOW, Store, fetched, open_store, scripts_of, seed

from nutchlike.store.host_records import chunks
from nutchlike.store.keys import CrawlKeys
from nutchlike.store.lease import Lease, PageDone


def fetched_until(lease: Lease, due_at: float) -> PageDone:
    done = fetched(lease, [])
    return replace(done, datum=replace(done.datum, fetch_time=int(due_at)))


def test_a_due_page_behind_many_that_are_due_no_more_keeps_the_crawl_open(store: Store) -> None:
    urls = [f"http://h{i}.test/" for i in range(100)]
    store.inject(*map(seed, urls))
    for due_at in (100, 1_000_000):  # the first time is what the due index remembers
        leases = store.lease(100)
        store.frontier.complete([fetched_until(lease, NOW + due_at) for lease in leases], now=NOW)
        store.inject(*map(seed, urls), merge="overwrite" if due_at == 100 else "keep")
    store.inject(seed("http://late.test/"))
    store.frontier.complete([fetched_until(lease, NOW + 200) for lease in store.lease(1)], now=NOW)
    batch = store.frontier.lease(1, now=NOW + 300)
    while batch.is_open and not batch.leases:
        assert (batch.ask_again_at or 0.0) <= NOW + 300
        batch = store.frontier.lease(1, now=NOW + 300)
    assert [lease.datum.url for lease in batch.leases] == ["http://late.test/"]


def test_no_call_looks_through_a_whole_host_whose_scores_have_sunk(store: Store) -> None:
    urls = [f"http://a.test/{i}" for i in range(30_000)]
    for some in chunks(urls, 1000):
        store.inject(*(seed(url, 9.0) for url in some))
    for some in chunks(urls, 1000):
        store.inject(*(seed(url, 1.0, score_given=True) for url in some), merge="update")
    store.inject(seed("http://a.test/best", 2.0))
    batches = [store.frontier.lease(1, now=NOW)]
    while not batches[-1].leases:
        assert batches[-1].is_open
        assert batches[-1].ask_again_at == NOW
        batches.append(store.frontier.lease(1, now=NOW))
    assert [lease.datum.url for lease in batches[-1].leases] == ["http://a.test/best"]
    [(_, host)] = store.hosts()
    assert 1 < len(batches) <= host.buckets // 128 + 2  # a look goes through 128 buckets


def test_the_first_due_page_is_found_behind_many_that_are_due_later_than_they_were(store: Store) -> None:
    urls = [f"http://h{i}.test/" for i in range(600)]
    store.inject(*map(seed, urls))
    for due_at in (100, 2000):
        leases = store.lease(600)
        store.frontier.complete([fetched_until(lease, NOW + due_at) for lease in leases], now=NOW)
        store.inject(*map(seed, urls), merge="overwrite" if due_at == 100 else "keep")
    assert store.frontier.due_later() == (600, NOW + 2000)


def test_messages_between_partitions_are_brought_some_at_a_time(redis_client: redis.Redis) -> None:
    store = open_store(redis_client, keys=CrawlKeys("site", 4))
    store.inject(*(seed(f"http://h0.test/{i}") for i in range(20)))
    links = [f"http://h1.test/{'x' * 60}/{i}" for i in range(500)]
    pages = [fetched(lease, links) for lease in store.lease(20)]
    deliver, store.frontier._outbox.deliver = store.frontier._outbox.deliver, lambda *, now: 0  # type: ignore[method-assign]  # as if killed
    store.frontier.complete(pages, now=NOW)
    shown = scripts_of(redis_client, store.keys).run(0, "outbox", 4, 100, 60_000)
    assert 1 <= len(shown[0][2]) < 5
    assert store.check.audit_cash().error < 1e-9
    assert deliver(now=NOW) == 500
    assert store.check.run(repair=False, now=NOW).findings == []
