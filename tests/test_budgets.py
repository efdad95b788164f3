"""Budgets that last across runs, the share of pages that come again, and hosts that hold nothing up."""

from __future__ import annotations

from dataclasses import replace

from stores import NOW, Store, fetched, seed

from nutchlike.store.lease import Lease, PageDone


def retry(lease: Lease, *, seconds: int = 60) -> PageDone:
    """Return what a page tells the store when it could not be fetched and comes again after ``seconds``."""
    return PageDone(lease.key, replace(lease.datum, retries=1, fetch_time=int(NOW) + seconds))


def test_a_host_gives_no_more_urls_than_its_budget_over_all_runs(store: Store) -> None:
    store.inject(*(seed(f"http://a.test/{i}", 2.0) for i in range(9)), *(seed(f"http://b.test/{i}") for i in range(2)))
    limited = store.other("w1", host_max=3)
    leases = limited.lease(100)
    assert sorted(lease.datum.url.split("/")[2] for lease in leases) == ["a.test"] * 3 + ["b.test"] * 2
    limited.frontier.complete([fetched(lease, []) for lease in leases], now=NOW)
    next_run = store.other("w2", host_max=3)
    assert next_run.lease(100) == []
    assert not next_run.frontier.lease(1, now=NOW).is_open
    assert store.crawldb.counts().waiting == 6


def test_a_larger_budget_frees_what_waits(store: Store) -> None:
    store.inject(*(seed(f"http://a.test/{i}") for i in range(9)))
    assert len(store.other("w1", host_max=3).lease(100)) == 3
    larger = store.other("w1", host_max=5)
    larger.lease(0)
    larger.check.mend_queues(now=NOW)
    assert len(larger.lease(100)) == 2


def test_a_crawl_gives_no_more_urls_than_its_budget(store: Store) -> None:
    store.inject(*(seed(f"http://h{i}.test/") for i in range(9)))
    limited = store.other("w1", all_max=4)
    taken = []
    for _ in range(9):
        taken += limited.lease(1)
    assert len(taken) == 4
    limited.frontier.complete([fetched(lease, []) for lease in taken], now=NOW)
    assert [limited.frontier.lease(1, now=NOW).is_open for _ in range(2)][-1] is False


def test_what_was_given_back_is_not_spent(store: Store) -> None:
    store.inject(*(seed(f"http://a.test/{i}") for i in range(5)))
    limited = store.other("w1", host_max=2)
    for _ in range(4):
        limited.frontier.give_back([lease.key for lease in limited.lease(5)], now=NOW)
    assert len(limited.lease(5)) == 2


def test_a_page_that_failed_comes_again_though_the_budget_is_spent(store: Store) -> None:
    store.inject(seed("http://a.test/1", 2.0), seed("http://a.test/2"))
    limited = store.other("w1", host_max=1)
    [lease] = limited.lease(5)
    limited.frontier.complete([retry(lease)], now=NOW)
    assert limited.lease_urls(now=NOW + 61) == ["http://a.test/1"]


def test_new_pages_and_those_that_come_again_share_the_fetches(store: Store) -> None:
    store.inject(*(seed(f"http://a.test/old{i}", 5.0) for i in range(40)))
    store.frontier.complete([retry(lease) for lease in store.lease(40)], now=NOW)
    store.inject(*(seed(f"http://a.test/new{i}", 1.0) for i in range(40)))
    quarter = store.other("w1", again_share=0.25)
    urls = [url for _ in range(20) for url in quarter.lease_urls(1, now=NOW + 61)]
    assert sum("old" in url for url in urls) == 5
    assert sum("new" in url for url in urls) == 15


def test_either_kind_gets_all_fetches_when_the_other_does_not_wait(store: Store) -> None:
    store.inject(*(seed(f"http://a.test/{i}") for i in range(6)))
    nothing_again = store.other("w1", again_share=0.0)
    leases = nothing_again.lease(3)
    assert len(leases) == 3
    nothing_again.frontier.complete([retry(lease) for lease in leases], now=NOW)
    assert len(nothing_again.lease(10, now=NOW + 61)) == 6


def test_a_host_that_must_rest_does_not_hold_up_the_others(store: Store) -> None:
    polite = store.other("w1", delay=10.0)
    polite.inject(*(seed(f"http://slow.test/{i}", 100.0) for i in range(50)))
    polite.inject(*(seed(f"http://h{i}.test/", 1.0) for i in range(50)))
    assert len(polite.lease(60)) == 51


def test_a_host_that_rests_for_long_does_not_keep_a_crawl_open(store: Store) -> None:
    patient = store.other("w1", delay=500.0, host_wait_max=600.0)
    patient.inject(seed("http://a.test/1"), seed("http://a.test/2"))
    [lease] = patient.lease(2)
    patient.frontier.complete([fetched(lease, [])], now=NOW)
    assert patient.frontier.lease(1, now=NOW).is_open
    hasty = store.other("w1", delay=500.0, host_wait_max=60.0)
    assert [hasty.frontier.lease(1, now=NOW).is_open for _ in range(2)][-1] is False
    assert hasty.lease_urls(now=NOW + 501) == ["http://a.test/2"]


def test_a_page_that_failed_comes_again_though_the_budget_of_all_is_spent(store: Store) -> None:
    store.inject(*(seed(f"http://h{i}.test/") for i in range(6)))
    limited = store.other("w1", all_max=2)
    leases = limited.lease(5)
    assert len(leases) == 2
    limited.frontier.complete([retry(lease) for lease in leases], now=NOW)
    again = limited.lease(5, now=NOW + 61)
    assert {lease.key for lease in again} == {lease.key for lease in leases}


def test_partitions_share_the_budget_of_all(store: Store) -> None:
    store.inject(*(seed(f"http://h{i}.test/{j}", 1.0 + i) for i in range(6) for j in range(4)))
    limited = store.other("w1", all_max=7)
    assert len(limited.lease(5)) == 5
    assert len(limited.lease(50)) == 2
    assert limited.lease(50) == []
