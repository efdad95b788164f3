"""The frontier on a real server: order, leases, politeness, and what a kill leaves behind."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from threading import Thread

import pytest
from stores import NOW, Store, fetched, seed

from nutchlike.crawldatum import DbStatus
from nutchlike.store.lease import PageDone
from nutchlike.store.stored_url import StoredURL
from nutchlike.store.worker import is_dead_here, worker_name


def test_the_url_with_most_cash_is_handed_out_first(store: Store) -> None:
    store.inject(seed("http://a.test/", 1.0), seed("http://b.test/", 10.0), seed("http://c.test/", 5.0))
    assert store.lease_urls() == ["http://b.test/", "http://c.test/", "http://a.test/"]


def test_order_follows_the_float_not_its_integer_part(store: Store) -> None:
    scores = [0.37, 0.38, 1e-7, 2e-7, 0.0, 3e9]
    store.inject(*(seed(f"http://a.test/{score!r}", score) for score in scores))
    assert store.lease_urls() == [f"http://a.test/{score!r}" for score in sorted(scores, reverse=True)]


def test_a_seed_that_arrives_during_a_fetch_takes_its_place_by_score(store: Store) -> None:
    store.inject(seed("http://a.test/", 1.0), seed("http://b.test/", 10.0))
    assert store.lease_urls(1) == ["http://b.test/"]
    store.inject(seed("http://c.test/", 5.0))
    assert store.lease_urls() == ["http://c.test/", "http://a.test/"]


def test_an_inlink_moves_a_waiting_url_up(store: Store) -> None:
    store.inject(seed("http://a.test/", 9.0), seed("http://a.test/low", 1.0), seed("http://a.test/mid", 2.0))
    [page] = store.lease(1)
    store.frontier.complete([fetched(page, ["http://a.test/low"])], now=NOW)
    assert store.lease_urls(1) == ["http://a.test/low"]


def test_a_link_of_great_cash_is_fetched_before_waiting_seeds(store: Store) -> None:
    store.inject(seed("http://a.test/", 9.0), *(seed(f"http://a.test/{i}", 0.1) for i in range(1000)))
    [page] = store.lease(1)
    store.frontier.complete([fetched(page, ["http://a.test/hot"])], now=NOW)
    assert store.lease_urls(1) == ["http://a.test/hot"]


def test_a_leased_url_is_not_handed_out_twice(store: Store) -> None:
    store.inject(seed("http://a.test/"))
    assert store.lease_urls() == ["http://a.test/"]
    assert store.lease_urls() == []


def test_two_workers_never_get_the_same_url(store: Store) -> None:
    store.inject(*(seed(f"http://h{i % 7}.test/{i}") for i in range(500)))
    got: list[list[str]] = [[], []]

    def work(mine: list[str]) -> None:
        other = store.other(f"w{id(mine)}").frontier
        while batch := other.lease(3, now=NOW).leases:
            mine.extend(lease.datum.url for lease in batch)

    threads = [Thread(target=work, args=(mine,)) for mine in got]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got[0] + got[1]) == len(set(got[0] + got[1])) == 500


def test_an_expired_lease_is_handed_out_again(store: Store) -> None:
    store.inject(seed("http://a.test/"))
    store.lease()
    assert store.lease_urls(now=NOW + 59) == []
    assert store.lease_urls(now=NOW + 61) == ["http://a.test/"]


def test_a_renewed_lease_does_not_expire(store: Store) -> None:
    store.inject(seed("http://a.test/"))
    [lease] = store.lease()
    assert store.frontier.renew([lease.key], now=NOW + 50) == []
    assert store.lease_urls(now=NOW + 100) == []


def test_renewing_tells_which_leases_were_lost(store: Store) -> None:
    store.inject(seed("http://a.test/"))
    [lease] = store.lease()
    store.other("w2").frontier.lease(1, now=NOW + 61)
    assert store.frontier.renew([lease.key], now=NOW + 62) == [lease.key]


def test_a_completion_after_the_lease_was_lost_changes_nothing(store: Store) -> None:
    store.inject(seed("http://a.test/"))
    [late] = store.lease()
    [again] = store.other("w2").frontier.lease(1, now=NOW + 61).leases
    assert store.frontier.complete([fetched(late, ["http://a.test/x"])], now=NOW + 62).new == [None]
    assert store.crawldb.get("http://a.test/x") is None
    assert store.other("w2").frontier.complete([fetched(again, ["http://a.test/x"])], now=NOW + 63).new == [1]


def test_completing_twice_counts_once(store: Store) -> None:
    store.inject(seed("http://a.test/"))
    [page] = store.lease()
    done = fetched(page, ["http://a.test/x"])
    assert store.frontier.complete([done, done], now=NOW).new == [1, None]
    assert store.check.audit_cash().error < 1e-12


def test_a_url_that_loses_its_lease_too_often_becomes_a_dead_letter(store: Store) -> None:
    store.inject(seed("http://a.test/"))
    for attempt in range(3):
        assert store.lease_urls(now=NOW + 61 * attempt) == ["http://a.test/"]
    assert store.lease_urls(now=NOW + 61 * 3) == []
    counts = store.crawldb.counts()
    assert (counts.waiting, counts.leased, counts.dead) == (0, 0, 1)
    assert [reason for _, reason in store.crawldb.dead_letters()] == ["lost 3 leases"]


def test_giving_back_does_not_count_as_a_lost_lease(store: Store) -> None:
    store.inject(seed("http://a.test/"))
    for _ in range(10):
        [lease] = store.lease()
        assert store.frontier.give_back([lease.key], now=NOW) == 1
    assert store.lease_urls() == ["http://a.test/"]


def test_nobody_gives_back_a_lease_of_another_worker(store: Store) -> None:
    store.inject(seed("http://a.test/"))
    [lease] = store.lease()
    assert store.other("w2").frontier.give_back([lease.key], now=NOW) == 0


def test_what_a_killed_process_held_is_free_at_once(store: Store) -> None:
    code = "from nutchlike.store.worker import worker_name; print(worker_name())"
    killed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    store.inject(seed("http://a.test/"), seed("http://b.test/", 2.0))
    store.other(killed).frontier.lease(1, now=NOW)
    store.other("elsewhere/1/2").frontier.lease(1, now=NOW)
    assert store.frontier.release_dead_workers(now=NOW + 1) == 1
    assert store.lease_urls(now=NOW + 1) == ["http://b.test/"]


def test_a_living_process_is_not_taken_for_dead() -> None:
    assert not is_dead_here(worker_name())


@pytest.mark.parametrize("worker", ["", "x", "elsewhere/1/2", "/", "a/b/c/d/e"])
def test_a_worker_of_another_machine_cannot_be_judged(worker: str) -> None:
    assert not is_dead_here(worker)


def test_one_host_is_asked_once_per_delay_by_all_workers(store: Store) -> None:
    one, two = store.other("w1", delay=1.0), store.other("w2", delay=1.0)
    one.inject(*(seed(f"http://a.test/{i}") for i in range(50)))
    times = []
    for tenth in range(100):
        now = NOW + tenth / 10
        for worker in (one, two):
            times += [now] * len(worker.lease(8, now=now))
    assert len(times) == 10
    assert all(later - earlier >= 1.0 for earlier, later in pairwise(times))


def test_a_host_that_must_wait_does_not_hold_up_others(store: Store) -> None:
    store = store.other("w1", delay=1.0)
    store.inject(seed("http://a.test/1", 9.0), seed("http://a.test/2", 8.0), seed("http://b.test/", 1.0))
    assert store.lease_urls() == ["http://a.test/1", "http://b.test/"]
    assert store.frontier.lease(9, now=NOW).ask_again_at == NOW + 1.0


def test_a_host_never_has_more_leases_than_it_may(store: Store) -> None:
    store = store.other("w1", per_host=2)
    store.inject(*(seed(f"http://a.test/{i}") for i in range(5)))
    first, second = store.lease(9)
    assert store.lease_urls() == []
    store.frontier.complete([fetched(first, [])], now=NOW)
    assert len(store.lease(9)) == 1
    store.frontier.give_back([second.key], now=NOW)
    assert len(store.lease(9)) == 1


def test_a_retry_waits_for_the_clock_of_its_host(store: Store) -> None:
    store = store.other("w1", delay=2.0)
    store.inject(seed("http://a.test/1"), seed("http://a.test/2"))
    store.lease()
    assert store.clocks.claim("http://a.test/1", now=NOW + 0.5) == pytest.approx(1.5)
    assert store.clocks.claim("http://a.test/1", now=NOW + 2.0) == 0.0
    assert store.lease_urls(now=NOW + 3.0) == []
    assert len(store.lease(now=NOW + 4.0)) == 1


def test_a_page_is_fetched_again_when_it_is_due_and_not_before(store: Store) -> None:
    store.inject(seed("http://a.test/"))
    [page] = store.lease()
    store.frontier.complete([fetched(page, [])], now=NOW)
    _, due_at = store.frontier.due_later()
    assert due_at is not None
    assert store.lease_urls(now=due_at - 1) == []
    assert store.lease_urls(now=due_at + 1) == ["http://a.test/"]


def test_a_completion_says_what_the_best_url_that_waits_is_worth(store: Store) -> None:
    store.inject(seed("http://a.test/", 8.0), seed("http://b.test/", 3.0))
    [page] = store.lease()
    answer = store.frontier.complete([fetched(page, ["http://a.test/1"])], now=NOW)
    assert answer.best_waiting == pytest.approx(4.0, rel=0.5)  # and what the virtual page gives
    best = store.lease()[0].datum
    assert best.url == "http://a.test/1"
    assert best.score >= answer.best_waiting * 0.999999  # with what the virtual page gave since
    [last] = store.lease()
    assert store.frontier.complete([fetched(last, [])], now=NOW).best_waiting == 0.0


def test_a_known_url_is_not_queued_again_by_a_link(store: Store) -> None:
    store.inject(seed("http://a.test/"))
    [page] = store.lease()
    assert store.frontier.complete([fetched(page, ["http://a.test/1"])], now=NOW).new == [1]
    [second] = store.lease()
    assert store.frontier.complete([fetched(second, ["http://a.test/"])], now=NOW).new == [0]
    assert store.lease_urls() == []
    assert store.crawldb.counts().by_status == {DbStatus.DB_FETCHED: 2}


def test_a_request_with_priority_goes_first(store: Store) -> None:
    urls = [
        StoredURL("http://a.test/1", b"11111111", request=b"{}", priority=0),
        StoredURL("http://a.test/2", b"22222222", request=b"{}", priority=100),
        StoredURL("http://a.test/3", b"33333333", request=b"{}", priority=-3),
    ]
    assert store.frontier.add(urls, cash=1.0, now=NOW) == 3
    assert store.lease_urls() == ["http://a.test/2", "http://a.test/1", "http://a.test/3"]


def test_equal_requests_that_must_not_be_filtered_do_not_collapse(store: Store) -> None:
    urls = [StoredURL("http://a.test/same", bytes([i] * 8), request=b"{}", once=True) for i in range(5)]
    assert store.frontier.add(urls, cash=1.0, now=NOW) == 5
    assert store.lease_urls() == ["http://a.test/same"] * 5


def test_a_request_that_is_done_once_is_forgotten_and_its_cash_stays(store: Store) -> None:
    store.inject(seed("http://a.test/"))
    store.frontier.add([StoredURL("http://b.test/", b"12345678", request=b"{}", once=True)], cash=2.0, now=NOW)
    lease = next(lease for lease in store.lease(2) if lease.request)
    store.frontier.complete([replace(fetched(lease, ["http://b.test/x"]), due=False)], now=NOW)
    assert store.crawldb.counts().known == 2
    assert store.check.audit_cash().error < 1e-12


def test_a_queue_entry_without_a_record_hides_nothing(store: Store) -> None:
    store.inject(seed("http://a.test/"))
    [(keys, host)] = store.hosts()
    store.client.zadd(f"{keys.name('q:')}{host.number}", {"77": 99.0})
    assert store.lease_urls() == ["http://a.test/"]


def test_a_record_that_cannot_be_read_becomes_a_dead_letter_and_the_rest_goes_on(store: Store) -> None:
    store.inject(seed("http://a.test/bad", 9.0), seed("http://a.test/1"), seed("http://a.test/2"))
    store.client.hset(*store.where("http://a.test/bad"), bytes.fromhex("8004676172"))
    assert sorted(store.lease_urls()) == ["http://a.test/1", "http://a.test/2"]
    assert [reason for _, reason in store.crawldb.dead_letters()] == ["unreadable record"]


def test_a_seed_from_another_program_is_had_at_once_by_the_limit_of_the_crawl(store: Store) -> None:
    store = store.other("w1", per_host=8)
    store.inject(seed("http://a.test/1"))
    assert store.lease_urls() == ["http://a.test/1"]
    store.other().crawldb.inject([seed("http://a.test/2")], merge="keep", now=NOW)
    assert store.lease_urls() == ["http://a.test/2"]


def test_a_dead_letter_that_is_put_back_may_lose_leases_as_often_as_a_new_url(store: Store) -> None:
    store.inject(seed("http://a.test/"))

    def lose_lease(now: float) -> int:
        assert store.lease(now=now)
        return store.frontier.lease(0, now=now + 100).buried

    assert [lose_lease(NOW + 1000 * i) for i in range(3)] == [0, 0, 1]
    assert store.crawldb.requeue(None, now=NOW) == 1
    assert [lose_lease(NOW + 9000 + 1000 * i) for i in range(3)] == [0, 0, 1]


def test_requests_keep_their_priority_among_those_that_are_handed_out_together(store: Store) -> None:
    rich = StoredURL("http://a.test/1", b"11111111", request=b"{}", priority=0)
    urgent = StoredURL("http://a.test/2", b"22222222", request=b"{}", priority=100)
    store.frontier.add([rich], cash=9.0, now=NOW)
    store.frontier.add([urgent], cash=1.0, now=NOW)
    assert store.lease_urls() == ["http://a.test/2", "http://a.test/1"]


def test_times_that_no_record_can_hold_become_the_last_that_it_can(store: Store) -> None:
    store.inject(seed("http://a.test/", fetch_interval=10**10))
    [lease] = store.lease()
    datum = replace(lease.datum, fetch_time=int(NOW) + 10**10, modified_time=-86_400)
    store.frontier.complete([PageDone(lease.key, datum, spent=1.0, rest=1.0)], now=NOW)
    kept = store.crawldb.get("http://a.test/")
    assert kept is not None
    assert (kept.fetch_interval, kept.fetch_time, kept.modified_time) == (2**32 - 1, 2**32 - 1, 0)
    assert store.lease_urls(now=NOW + 10) == []
    assert store.check.run(repair=False, now=NOW).findings == []
