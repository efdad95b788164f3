"""The check of a store: what it finds, what it repairs, and that it leaves a sound store alone."""

from __future__ import annotations

import struct
from dataclasses import replace

import pytest
from stores import NOW, Store, fetched, seed

from nutchlike.store.check import Report
from nutchlike.store.lease import PageDone
from nutchlike.store.stored_url import StoredURL

URLS = [f"http://h{i % 3}.test/{i}" for i in range(12)]


def check(store: Store, *, repair: bool = False) -> Report:
    return store.check.run(repair=repair, now=NOW)


def problems(store: Store) -> dict[str, int]:
    return {finding.problem: finding.count for finding in check(store).findings}


@pytest.fixture
def filled(store: Store) -> Store:
    """A store with URLs in every state: waiting, due later, dead; with metadata, a stored request and a signature."""
    store.inject(*(seed(url, 1.0 + i) for i, url in enumerate(URLS)), seed("http://m.test/", metadata={"k": "v"}))
    store.frontier.add([StoredURL("http://r.test/", b"12345678", request=b"{}")], cash=1.0, now=NOW)
    first, second, third = store.lease(3)
    store.frontier.complete([fetched(first, [*URLS[:4], "http://new.test/"])], now=NOW)
    store.frontier.bury(second.key, "odd", now=NOW)
    store.frontier.complete([PageDone(third.key, replace(third.datum, retries=1, fetch_time=int(NOW) + 60))], now=NOW)
    store.frontier.deliver(now=NOW + 60)
    return store


def test_a_sound_store_is_clean_and_all_cash_is_there(filled: Store) -> None:
    report = check(filled)
    assert report.findings == []
    assert report.was_idle
    assert report.records == 15
    assert report.cash.error < 1e-12


def test_while_leases_are_held_counters_are_not_compared(filled: Store) -> None:
    filled.lease(2)
    report = check(filled)
    assert (report.findings, report.was_idle) == ([], False)


def corrupt_queue(store: Store) -> None:
    for keys, host in store.hosts():
        for family in ("q:", "a:"):
            store.client.delete(f"{keys.name(family)}{host.number}")


def corrupt_due(store: Store) -> None:
    for name in store.each("due"):
        store.client.delete(name)


def corrupt_leases(store: Store) -> None:
    store.lease(2)
    for name in (*store.each("leases"), *store.each("lease_info")):
        store.client.delete(name)


def corrupt_dead(store: Store) -> None:
    for name in store.each("dead"):
        store.client.delete(name)


def corrupt_metadata(store: Store) -> None:
    for name in store.each("metadata"):
        store.client.delete(name)


def corrupt_requests(store: Store) -> None:
    for name in store.each("requests"):
        store.client.delete(name)


def corrupt_counters(store: Store) -> None:
    for name in store.each("counts"):
        store.client.hincrby(name, "waiting", 3)


def lose_a_record(store: Store) -> None:
    bucket, field = store.where("http://m.test/")
    store.client.hdel(bucket, field)


def add_a_stray_lease(store: Store) -> None:
    name = store.each("lease_info")[0]
    store.client.hset(name, b"\0\0\0\1strayurl", b"nobody")


@pytest.mark.parametrize(
    ("corrupt", "problem"),
    [
        (corrupt_queue, "waits in no queue"),
        (corrupt_due, "due in no queue"),
        (corrupt_leases, "leased to nobody"),
        (corrupt_dead, "dead without a reason"),
        (corrupt_metadata, "its metadata is lost"),
        (corrupt_requests, "its request is lost"),
        (corrupt_counters, "counter waiting"),
        (lose_a_record, "metadata of no record"),
        (add_a_stray_lease, "lease_info of no record"),
    ],
)
def test_damage_is_found_and_repaired(filled: Store, corrupt: object, problem: str) -> None:
    assert callable(corrupt)
    corrupt(filled)
    assert any(found.startswith(problem) for found in problems(filled)), problems(filled)
    check(filled, repair=True)
    left = {found for found in problems(filled) if not found.startswith(("known", "cash"))}
    assert left == set()


def test_a_content_whose_owner_is_gone_is_freed(filled: Store) -> None:
    name = filled.each("signatures")[0]
    filled.client.hset(name, b"content-", b"\0\0\0\0\0\1nobodyxx")
    assert problems(filled) == {"content of no record": 1}
    check(filled, repair=True)
    assert problems(filled) == {}


def test_after_a_repair_every_url_is_handed_out(filled: Store) -> None:
    corrupt_queue(filled)
    corrupt_leases(filled)
    waiting = filled.crawldb.counts().waiting
    check(filled, repair=True)
    assert len(filled.lease_urls()) == waiting


def test_hosts_grow_over_many_buckets_and_every_record_is_found(store: Store) -> None:
    urls = [f"http://big.test/{i}" for i in range(3000)]
    for start in range(0, len(urls), 500):
        store.inject(*(seed(url, 1.0 + i % 7) for i, url in enumerate(urls[start : start + 500])))
    [(_, host)] = store.hosts()
    assert host.records == 3000
    assert host.buckets > 32
    assert check(store).findings == []
    assert all(store.crawldb.get(url) for url in urls[::97])
    assert sorted(store.other("w1", per_host=5000).lease_urls(3000)) == sorted(urls)


def test_records_in_the_wrong_bucket_do_not_keep_the_server_busy_and_are_put_back(store: Store) -> None:
    urls = [f"http://a.test/{i}" for i in range(90)]
    store.inject(*map(seed, urls))
    [(keys, host)] = store.hosts()
    stray, field = store.where(urls[0])
    bucket = next(name for name, _ in map(store.where, urls) if name != stray)
    raw = store.client.hget(stray, field)
    store.client.hdel(stray, field)
    # the stray is the best of its bucket, and its bucket that of the host
    store.client.hset(bucket, field, raw[:7] + struct.pack(">d", 9.0) + raw[15:])
    store.client.zadd(keys.name("q:") + str(host.number), {bucket.rpartition(":")[2]: 9.0})
    leased = store.lease_urls(200)
    assert store.check.mend_queues(now=NOW)
    assert sorted(leased + store.lease_urls(200)) == sorted(urls)


def test_records_that_go_back_to_their_bucket_are_counted_once(store: Store) -> None:
    store.inject(*(seed(f"http://a.test/{i}") for i in range(120)))
    [(keys, host)] = store.hosts()
    for number in range(1, host.buckets):
        for field, raw in store.client.hgetall(keys.bucket(host.number, number)).items():
            store.client.hset(keys.bucket(host.number, 0), field, raw)
        store.client.delete(keys.bucket(host.number, number))
    assert problems(store)["in the wrong bucket"] > 40
    report = check(store, repair=True)
    assert report.records == 120
    assert problems(store) == {}
    assert store.crawldb.counts().waiting == 120


@pytest.mark.parametrize("difference", [-2.5, 2.5])
def test_cash_and_known_pages_that_were_miscounted_are_repaired(filled: Store, difference: float) -> None:
    totals = filled.hosts()[0][0].name("totals")
    filled.client.hincrbyfloat(totals, "residue", difference)
    filled.client.hincrby(totals, "known", 3)
    assert {problem.partition(":")[0] for problem in problems(filled)} == {"cash", "known"}
    check(filled, repair=True)
    assert problems(filled) == {}
