"""What the store says of a URL: its place in the queues, what it waits for, who paid for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from stores import NOW, Store, fetched, scripts_of, seed

from nutchlike.crawldatum import DbStatus
from nutchlike.store.codec import RecordState
from nutchlike.store.explain import Explanation, Wait
from nutchlike.store.lease import Lease
from nutchlike.store.queue_places import Place
from nutchlike.store.signature_index import SignatureIndex
from nutchlike.store.webgraph import encode_anchors

URL = "http://a.test/page"


def explain(store: Store, url: str = URL, *, now: float = NOW, **options: Any) -> Explanation:
    found = store.explainer.explain(url, **{"all_max": -1, "exact": False, "now": now} | options)
    assert found is not None
    return found


def take(store: Store, url: str, now: float = NOW) -> Lease:
    """Lease one URL, and no other."""
    leases = {lease.datum.url: lease for lease in store.lease(100, now=now)}
    lease = leases.pop(url)
    store.frontier.give_back([other.key for other in leases.values()], now=now)
    return lease


def test_an_unknown_url_has_no_explanation(store: Store) -> None:
    assert store.explainer.explain(URL, all_max=-1, exact=False, now=NOW) is None


def test_places_are_counted_in_the_host_and_in_the_crawl(store: Store) -> None:
    hosts = [f"http://h{i}.test/" for i in range(8)]
    store.inject(seed(URL, 5.0), *(seed(f"http://a.test/{i}", float(i)) for i in range(10)))
    store.inject(*(seed(f"{host}{n}", 3.0 + i) for i, host in enumerate(hosts) for n in range(2)))
    found = explain(store, exact=True)
    # 6, 7, 8, 9 of its own host; hosts 3 to 7 with 6.0 to 10.0, two URLs each
    assert found.place == Place(host_ahead=4, host_waiting=11, hosts_ahead=5, all_ahead=14)
    assert explain(store).place == Place(host_ahead=4, host_waiting=11, hosts_ahead=5, all_ahead=None)


def test_the_place_is_the_order_in_which_urls_are_handed_out(store: Store) -> None:
    urls = [f"http://h{i % 5}.test/{i}" for i in range(30)]
    store.inject(*(seed(url, 1.0 + i * 7 % 31) for i, url in enumerate(urls)))
    places = {url: place.all_ahead for url in urls if (place := explain(store, url, exact=True).place)}
    assert store.lease_urls() == sorted(urls, key=lambda url: places[url] or 0)


def test_cash_that_every_page_got_from_the_virtual_page_counts_alike(store: Store) -> None:
    store.inject(seed("http://b.test/", 100.0), seed(URL, 2.0), seed("http://c.test/", 1.0))
    store.frontier.complete([fetched(take(store, "http://b.test/"), [])], now=NOW)
    store.frontier.deliver(now=NOW + 60)
    found = explain(store, "http://c.test/", exact=True)
    assert found.place == Place(host_ahead=0, host_waiting=1, hosts_ahead=1, all_ahead=1)


def test_pages_that_are_tried_again_have_a_queue_of_their_own(store: Store) -> None:
    store.inject(seed(URL, 1.0))
    lease = take(store, URL)
    again = replace(lease.datum, retries=1, fetch_time=int(NOW) + 60)
    store.frontier.complete([replace(fetched(lease, []), datum=again, spent=0.0, rest=0.0)], now=NOW)
    store.inject(seed("http://a.test/new", 9.0))
    store.frontier.lease(0, now=NOW + 61)  # finds it due
    assert explain(store, now=NOW + 61).place == Place(host_ahead=0, host_waiting=2, hosts_ahead=0, all_ahead=None)


def test_a_leased_url_names_worker_and_deadline(store: Store) -> None:
    store.inject(seed(URL))
    store.lease()
    found = explain(store)
    assert (found.state, found.place) == (RecordState.LEASED, None)
    assert found.wait == Wait("the fetch by worker w1, whose lease ends", NOW + 60)
    assert explain(store, now=NOW + 61).wait.reason.startswith("the next crawl: worker w1 was ended with it")


def test_a_fetched_page_is_due_again_and_has_spent_its_cash(store: Store) -> None:
    store.inject(seed(URL, 3.0))
    page = fetched(take(store, URL), ["http://a.test/x"])
    store.frontier.complete([page], now=NOW)
    found = explain(store)
    assert (found.state, found.wait) == (RecordState.DUE_LATER, Wait("its next fetch, due", page.datum.fetch_time))
    assert (found.datum.history, found.importance) == (3.0, 1.0)
    due = explain(store, now=page.datum.fetch_time + 1.0).wait
    assert due == Wait("its next fetch, by the next crawl: it has been due since", page.datum.fetch_time)


def test_importances_add_up_to_one(store: Store) -> None:
    store.inject(seed(URL, 3.0))
    store.frontier.complete([fetched(take(store, URL), ["http://a.test/x", "http://b.test/y"])], now=NOW)
    store.frontier.deliver(now=NOW)
    store.frontier.complete([fetched(lease, []) for lease in store.lease(10)], now=NOW)
    pages = [URL, "http://a.test/x", "http://b.test/y"]
    assert sum(explain(store, url).importance for url in pages) == pytest.approx(1.0)


def test_a_dead_letter_names_its_reason(store: Store) -> None:
    store.inject(seed(URL))
    store.frontier.bury(take(store, URL).key, "a Selector in meta", now=NOW)
    assert "a Selector in meta" in explain(store).wait.reason


def wait_of(store: Store, url: str = URL, **options: Any) -> str:
    return explain(store, url, **options).wait.reason


def test_a_host_with_all_its_leases_is_named(store: Store) -> None:
    one = store.other("w1", per_host=1)
    one.inject(seed("http://a.test/first", 9.0), seed(URL))
    one.lease()
    assert wait_of(store) == "the end of another fetch: 1 pages of a.test are leased, 1 may be"


def test_a_host_that_rests_between_two_requests_says_why_and_until_when(store: Store) -> None:
    polite = store.other("w1", delay=7.0)
    polite.inject(seed("http://a.test/first", 9.0), seed(URL))
    polite.lease(1)
    found = explain(store)
    assert found.wait == Wait(
        "a.test, which may not be asked: the delay between two requests is not over; it may again", NOW + 7
    )
    store.clocks.set_crawl_delay(URL, 20.0, now=NOW)
    assert "its robots.txt asks for 20 s between two requests" in wait_of(store)
    store.clocks.hold(URL, now=NOW, seconds=300.0, jitter=1.0)
    assert explain(store).wait.until == NOW + 300
    assert "it failed (1 in a row)" in wait_of(store)


def test_spent_budgets_are_named(store: Store) -> None:
    store.inject(seed("http://a.test/first", 9.0), seed(URL))
    page = fetched(store.other("w1", host_max=1).lease(1)[0], [])
    store.frontier.complete([page], now=NOW)
    store.other("w1", host_max=1).lease(0)
    assert wait_of(store) == "a larger NUTCH_GENERATE_MAX_COUNT: 1 URLs of a.test were taken up"
    assert wait_of(store, all_max=1) == "a larger NUTCH_GENERATE_TOP_N: 1 URLs were taken up, 1 may be"


def test_turns_are_explained_by_who_comes_before(store: Store) -> None:
    store.inject(seed(URL), seed("http://b.test/", 5.0))
    assert wait_of(store) == "its turn: it is the best of its host, 1 other hosts may have a better URL"
    assert wait_of(store, "http://b.test/") == "nothing: it is the next one"
    store.inject(seed("http://a.test/better", 2.0))
    assert wait_of(store) == "its turn: 1 URLs of its host rank higher"


def test_a_url_whose_queue_was_lost_needs_a_repair(store: Store) -> None:
    store.inject(seed(URL))
    for keys, host in store.hosts():
        store.client.delete(f"{keys.name('q:')}{host.number}")
    assert wait_of(store) == "scrapy fsck --repair: it is in no queue"


def test_contributors_are_the_pages_that_paid_most_and_redirects_pay_all(store: Store) -> None:
    store.inject(seed(URL, 0.0), *(seed(f"http://h{i}.test/", 10.0 + i) for i in range(12)))
    for i in range(12):
        page = fetched(take(store, f"http://h{i}.test/"), [URL, f"http://h{i}.test/x"])
        store.frontier.complete([replace(page, relinked=True, anchors=encode_anchors(["", f"to {i}"]))], now=NOW)
        store.frontier.deliver(now=NOW)
    store.inject(seed("http://moved.test/", 30.0))
    lease = take(store, "http://moved.test/")
    moved = fetched(lease, [URL], status=DbStatus.DB_REDIR_PERM)
    store.frontier.complete([replace(moved, shares=[moved.spent], rest=0.0, relinked=True)], now=NOW)
    found = explain(store)
    assert found.inlinks == 13
    assert found.contributors is not None
    assert len(found.contributors) == 10
    best, second = found.contributors[:2]
    assert (best.url, second.url) == ("http://moved.test/", "http://h11.test/")
    assert best.paid == pytest.approx(lease.datum.score)
    assert second.paid == pytest.approx(store.crawldb.get("http://h11.test/").history / 3)  # type: ignore[union-attr]


def test_without_a_graph_nobody_is_known_to_have_paid(store: Store) -> None:
    store.inject(seed(URL))
    found = explain(store)
    assert (found.inlinks, found.contributors) == (None, None)


def test_a_duplicate_names_the_owner_of_its_content(store: Store) -> None:
    owner = "http://owner.test/"
    store.inject(seed(URL, 2.0), seed(owner, 1.0))
    index = SignatureIndex(store.keys, scripts_of(store.client, store.keys))
    for url, status in ((owner, DbStatus.DB_FETCHED), (URL, DbStatus.DB_DUPLICATE)):
        lease = take(store, url)
        index.claim_all([(lease.key, b"contents", None)])
        page = fetched(lease, [], status=status)
        datum = replace(page.datum, signature=b"S" * 16, dedup_key=b"contents")
        store.frontier.complete([replace(page, datum=datum)], now=NOW)
    assert explain(store).content_owner == owner
    assert explain(store, owner).content_owner == owner


def test_a_seed_names_its_line_and_a_link_does_not(store: Store) -> None:
    store.inject(seed(URL, origin="seeds/urls.txt:3"))
    store.frontier.complete([fetched(take(store, URL), ["http://a.test/x"])], now=NOW)
    assert explain(store).origin == "seeds/urls.txt:3"
    assert explain(store, "http://a.test/x").origin == ""
