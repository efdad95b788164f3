"""The clocks of hosts on a real server: leave to ask, holds, delays that sites ask for, queue modes."""

from __future__ import annotations

from dataclasses import replace

import pytest
import redis
from stores import NOW, Store, fetched, open_store, seed

from nutchlike.urls.queue_key import BY_DOMAIN, BY_IP, QueueKeys

URL = "http://a.test/1"


@pytest.fixture
def polite(store: Store) -> Store:
    """A store whose hosts need a second between two requests, with three pages of one host."""
    store = store.other("w1", delay=1.0)
    store.inject(seed("http://a.test/1", 3.0), seed("http://a.test/2", 2.0), seed("http://a.test/3", 1.0))
    return store


def test_leave_that_was_not_used_is_given_again_and_the_clock_counts_from_then(polite: Store) -> None:
    [lease] = polite.lease(now=NOW)
    assert polite.clocks.claim(URL, now=NOW + 0.4, granted=lease.leased_at) == 0.0
    assert polite.clocks.claim(URL, now=NOW + 1.2) == pytest.approx(0.2)


def test_leave_is_not_given_again_when_another_worker_had_leave_since(polite: Store) -> None:
    [lease] = polite.lease(now=NOW)
    polite.other("w2", delay=1.0).clocks.claim(URL, now=NOW + 1.0)
    assert polite.clocks.claim(URL, now=NOW + 1.5, granted=lease.leased_at) == pytest.approx(0.5)


def test_no_worker_asks_a_host_that_is_held(polite: Store) -> None:
    other = polite.other("w2", delay=1.0)
    [lease] = polite.lease(now=NOW)
    assert polite.clocks.hold(URL, now=NOW + 0.1, seconds=7.0, jitter=1.0) == pytest.approx(7.0)
    assert other.clocks.claim(URL, now=NOW + 2.0) == pytest.approx(5.1)
    assert other.clocks.claim(URL, now=NOW + 0.2, granted=lease.leased_at) == pytest.approx(6.9)
    assert not other.lease(9, now=NOW + 7.0)
    assert other.lease(9, now=NOW + 7.2)


def test_a_hold_that_is_shorter_than_the_delay_voids_leave_all_the_same(store: Store) -> None:
    store = store.other("w1", delay=30.0)
    store.inject(seed(URL))
    [lease] = store.lease(now=NOW)
    store.clocks.hold(URL, now=NOW + 1, seconds=7.0, jitter=0.0)
    assert store.clocks.claim(URL, now=NOW + 2, granted=lease.leased_at) == pytest.approx(28.0)


def test_without_a_delay_a_hold_stops_what_was_leased_before(store: Store) -> None:
    store.inject(seed(URL), seed("http://a.test/2"))
    first, _ = store.lease(2, now=NOW)
    store.clocks.hold(URL, now=NOW + 1, seconds=7.0, jitter=1.0)
    assert store.clocks.claim(URL, now=NOW + 2, granted=first.leased_at) == pytest.approx(6.0)
    assert store.clocks.claim(URL, now=NOW + 8, granted=first.leased_at) == 0.0


def test_each_failure_in_a_row_holds_the_host_twice_as_long_up_to_the_most(polite: Store) -> None:
    now, held = NOW, []
    for _ in range(12):
        held.append(polite.clocks.hold(URL, now=now, seconds=0.0, jitter=1.0))
        now += held[-1]
    assert held == pytest.approx([5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600])


def test_jitter_shortens_the_hold_but_never_below_what_the_host_asked_for(polite: Store) -> None:
    assert polite.clocks.hold(URL, now=NOW, seconds=0.0, jitter=0.5) == pytest.approx(2.5)
    assert polite.clocks.hold(URL, now=NOW + 10, seconds=7.0, jitter=0.5) == pytest.approx(7.0)


def test_requests_that_fail_together_are_one_failure(polite: Store) -> None:
    held = [polite.clocks.hold(URL, now=NOW, seconds=0.0, jitter=1.0) for _ in range(8)]
    assert held == pytest.approx([5.0] * 8)


def test_a_hold_never_ends_earlier_than_one_before_it(polite: Store) -> None:
    polite.clocks.hold(URL, now=NOW, seconds=100.0, jitter=1.0)
    assert polite.clocks.hold(URL, now=NOW + 1, seconds=7.0, jitter=1.0) == pytest.approx(99.0)


@pytest.mark.parametrize(("failed", "seconds"), [(False, 5.0), (True, 10.0)])
def test_a_page_that_is_had_ends_the_row_of_failures(polite: Store, failed: bool, seconds: float) -> None:
    [page] = polite.lease(now=NOW)
    polite.clocks.hold(URL, now=NOW, seconds=0.0, jitter=1.0)
    polite.frontier.complete([replace(fetched(page, []), failed=failed)], now=NOW + 6)
    assert polite.clocks.hold(URL, now=NOW + 6, seconds=0.0, jitter=1.0) == pytest.approx(seconds)


def test_other_hosts_are_not_held(polite: Store) -> None:
    polite.inject(seed("http://b.test/"))
    polite.clocks.hold(URL, now=NOW, seconds=1000.0, jitter=1.0)
    assert polite.lease_urls(now=NOW + 5) == ["http://b.test/"]


def test_a_host_that_is_held_for_long_does_not_keep_the_crawl_open(polite: Store) -> None:
    assert polite.frontier.lease(0, now=NOW).is_open
    polite.clocks.hold(URL, now=NOW, seconds=300.0, jitter=1.0)
    seen = [polite.frontier.lease(9, now=NOW) for _ in range(2)][-1]  # of several partitions two looks must agree
    assert (seen.is_open, seen.waiting, seen.ask_again_at) == (False, 3, NOW + 300.0)
    assert polite.frontier.lease(0, now=NOW + 240.0).is_open
    assert len(polite.lease(9, now=NOW + 300.0)) == 1


def test_a_crawl_is_open_while_a_page_is_leased(polite: Store) -> None:
    [page] = polite.lease(now=NOW)
    polite.clocks.hold(URL, now=NOW, seconds=300.0, jitter=1.0)
    assert polite.frontier.lease(9, now=NOW).is_open
    polite.frontier.give_back([page.key], now=NOW)
    assert [polite.frontier.lease(9, now=NOW).is_open for _ in range(2)][-1] is False


def test_the_delay_that_a_site_asks_for_is_that_of_its_host(polite: Store) -> None:
    polite.inject(seed("http://b.test/1"), seed("http://b.test/2"))
    polite.clocks.set_crawl_delay(URL, 2.5, now=NOW)
    other = polite.other("w2", delay=1.0)
    times = {"a": [], "b": []}
    for tenth in range(60):
        for lease in other.lease(9, now=NOW + tenth / 10):
            times[lease.datum.url[7]].append(tenth / 10)
    assert times == {"a": [0.0, 2.5, 5.0], "b": [0.0, 1.0]}


def test_the_delay_counts_from_the_request_that_was_sent_before_it_was_known(polite: Store) -> None:
    polite.clocks.claim(URL, now=NOW)  # robots.txt
    polite.clocks.set_crawl_delay(URL, 10.0, now=NOW + 0.2)
    assert polite.clocks.claim(URL, now=NOW + 2.0) == pytest.approx(8.0)
    assert polite.lease_urls(now=NOW + 9.0) == []


def test_the_first_delay_of_a_host_counts_from_now_where_no_clock_says_when_it_was_asked(store: Store) -> None:
    store.inject(seed(URL))
    store.clocks.set_crawl_delay(URL, 10.0, now=NOW)
    assert store.lease_urls(now=NOW + 9.0) == []
    assert store.lease_urls(now=NOW + 10.0) == [URL]


def test_a_delay_that_is_asked_for_no_more_ends(polite: Store) -> None:
    polite.clocks.set_crawl_delay(URL, 10.0, now=NOW)
    polite.clocks.set_crawl_delay(URL, None, now=NOW)
    polite.clocks.claim(URL, now=NOW)
    assert polite.clocks.claim(URL, now=NOW + 1.0) == 0.0


def test_of_several_sites_on_one_host_the_slowest_counts(polite: Store) -> None:
    polite.clocks.set_crawl_delay("http://a.test:8080/", 10.0, now=NOW)
    polite.clocks.set_crawl_delay("http://a.test/", None, now=NOW)
    polite.clocks.set_crawl_delay("https://a.test/", 3.0, now=NOW)
    polite.clocks.claim(URL, now=NOW)
    assert polite.clocks.claim(URL, now=NOW + 1.0) == pytest.approx(9.0)
    polite.clocks.set_crawl_delay("http://a.test:8080/", 2.0, now=NOW + 1.0)  # the same site may ask for less
    polite.clocks.claim(URL, now=NOW + 20.0)
    assert polite.clocks.claim(URL, now=NOW + 20.0) == pytest.approx(2.0)


def test_by_domain_all_hosts_of_a_domain_share_one_clock(redis_client: redis.Redis) -> None:
    queue_of = QueueKeys(BY_DOMAIN, lambda host: None).of
    store = open_store(redis_client, queue_of=queue_of, delay=1.0)
    store.inject(seed("http://a.example.com/", 2.0), seed("http://b.example.com/"), seed("http://example.org/"))
    assert store.lease_urls() == ["http://a.example.com/", "http://example.org/"]
    assert store.clocks.claim("http://c.example.com/", now=NOW) == pytest.approx(1.0)


def test_a_host_whose_address_changes_keeps_the_queue_it_has(redis_client: redis.Redis) -> None:
    addresses = {"a.test": "192.0.2.1", "b.test": "192.0.2.1"}
    queue_of = QueueKeys(BY_IP, addresses.get).of
    store = open_store(redis_client, queue_of=queue_of, delay=1.0)
    store.inject(seed("http://a.test/1", 3.0), seed("http://b.test/1"))
    addresses["a.test"] = "192.0.2.9"
    store.inject(seed("http://a.test/2", 2.0))
    [page] = store.lease(9)
    store.frontier.complete([fetched(page, ["http://a.test/3", "http://a.test/2"])], now=NOW)
    [(_, host)] = store.hosts()
    assert (host.name, host.waiting) == ("192.0.2.1", 3)
    assert store.clocks.claim("http://a.test/4", now=NOW) == pytest.approx(1.0)
    assert store.check.run(repair=False, now=NOW).findings == []
