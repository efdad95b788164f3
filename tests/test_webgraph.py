"""The web graph in the store: lists of links that follow their pages, read both ways."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from stores import NOW, Store, fetched, open_store, seed

from nutchlike.crawldatum import DbStatus
from nutchlike.store.lease import Lease, PageDone
from nutchlike.store.stored_url import StoredURL
from nutchlike.store.webgraph import LISTS, Outlink, decode_anchors, encode_anchors
from nutchlike.urls.identity import url_id

HOME = "http://a.test/"
LINKS = ["http://a.test/1", "http://b.test/2", "http://c.test/3?x=\u00e9"]


def linked(lease: Lease, links: list[str], texts: list[str] | None = None, **changes: object) -> PageDone:
    """Return a fetched page that brings its list of links."""
    return replace(fetched(lease, links), relinked=True, anchors=encode_anchors(texts or []), **changes)


def fetch(store: Store, url: str, links: list[str], texts: list[str] | None = None) -> None:
    """Inject a page and fetch it, whatever else waits."""
    store.inject(seed(url))
    lease = take(store, url)
    store.frontier.complete([linked(lease, links, texts)], now=NOW)
    store.frontier.deliver(now=NOW + 60)


def take(store: Store, url: str, now: float = NOW) -> Lease:
    """Lease one URL, and no other."""
    leases = {lease.datum.url: lease for lease in store.lease(100, now=now)}
    lease = leases.pop(url)
    store.frontier.give_back([other.key for other in leases.values()], now=now)
    return lease


def test_a_page_has_its_links_and_their_texts_in_order(store: Store) -> None:
    fetch(store, HOME, LINKS, ["one", "", "drei \u00e9"])
    assert store.webgraph.outlinks(HOME) == [
        Outlink(LINKS[0], "one"),
        Outlink(LINKS[1], ""),
        Outlink(LINKS[2], "drei \u00e9"),
    ]


def test_without_texts_none_are_stored(store: Store) -> None:
    fetch(store, HOME, LINKS)
    assert store.webgraph.outlinks(HOME) == [Outlink(url, "") for url in LINKS]
    assert not any(store.client.exists(name) for name in store.each("anchors"))


def test_a_page_that_is_not_relinked_leaves_no_trace_in_the_graph(store: Store) -> None:
    store.inject(seed(HOME))
    [lease] = store.lease()
    store.frontier.complete([fetched(lease, LINKS)], now=NOW)
    assert store.webgraph.outlinks(HOME) is None
    assert store.webgraph.pages_with_links() == 0


def test_inlinks_are_found_over_all_partitions_with_their_texts(store: Store) -> None:
    target = "http://target.test/"
    for i in range(9):
        fetch(store, f"http://h{i}.test/", [f"http://h{i}.test/x", target], ["", f"text {i}"])
    found = {link.source.url: (link.anchor, link.outlinks) for link in store.webgraph.inlinks(target)}
    assert found == {f"http://h{i}.test/": (f"text {i}", 2) for i in range(9)}


def test_an_inlink_tells_what_its_page_has_spent(store: Store) -> None:
    fetch(store, HOME, LINKS)
    [inlink] = store.webgraph.inlinks(LINKS[1])
    assert inlink.source.history == 1.0


def test_inlinks_of_an_unknown_url_are_known(store: Store) -> None:
    fetch(store, HOME, LINKS)
    assert store.crawldb.move(LINKS[0], None, now=NOW)
    assert [link.source.url for link in store.webgraph.inlinks(LINKS[0])] == [HOME]
    assert store.webgraph.outlinks(HOME) == [Outlink(None, ""), Outlink(LINKS[1], ""), Outlink(LINKS[2], "")]


def test_bytes_that_only_straddle_two_ids_are_no_link(store: Store) -> None:
    store.inject(seed(HOME))
    [lease] = store.lease()
    first, second = StoredURL("http://a.test/1", b"abcdefgh"), StoredURL("http://a.test/2", b"ijklmnop")
    page = replace(linked(lease, []), outlinks=[first, second], shares=[0.0, 0.0])
    store.frontier.complete([page], now=NOW)
    partition = store.keys.partition_of(HOME)
    find = store.webgraph._scripts.run
    assert len(find(partition, "find_inlinks", "0", 10, b"ijklmnop")) == 7
    assert find(partition, "find_inlinks", "0", 10, b"efghijkl") == [b"0"]


def test_an_id_that_stands_aligned_behind_its_own_shifted_copy_is_found(store: Store) -> None:
    store.inject(seed(HOME))
    [lease] = store.lease()
    ids = [b"xaaaaaaa", b"abbbbbbb", b"aaaaaaab"]  # the third begins inside the first two as well
    urls = [StoredURL(f"http://a.test/{i}", id_) for i, id_ in enumerate(ids)]
    store.frontier.complete([replace(linked(lease, []), outlinks=urls, shares=[0.0] * 3)], now=NOW)
    _, _, _, _, links, place, _ = store.webgraph._scripts.run(
        store.keys.partition_of(HOME), "find_inlinks", "0", 10, b"aaaaaaab"
    )
    assert (links, place) == (3, 2)


def test_a_page_that_is_fetched_again_replaces_its_list(store: Store) -> None:
    fetch(store, HOME, LINKS, ["one", "two", "three"])
    later = NOW + 40 * 86_400
    store.frontier.complete([linked(take(store, HOME, later), LINKS[1:2])], now=later)
    assert store.webgraph.outlinks(HOME) == [Outlink(LINKS[1], "")]
    assert list(store.webgraph.inlinks(LINKS[0])) == []


def test_a_page_that_goes_drops_its_list(store: Store) -> None:
    fetch(store, HOME, LINKS, ["one", "two", "three"])
    later = NOW + 40 * 86_400
    lease = take(store, HOME, later)
    gone = replace(lease.datum, db_status=DbStatus.DB_GONE, fetch_time=int(later) + 60)
    store.frontier.complete([PageDone(lease.key, gone, relinked=True)], now=later)
    assert store.webgraph.outlinks(HOME) is None
    assert not any(store.client.exists(name) for key in ("links", "anchors") for name in store.each(key))


def test_a_page_that_fails_keeps_its_list(store: Store) -> None:
    fetch(store, HOME, LINKS)
    later = NOW + 40 * 86_400
    lease = take(store, HOME, later)
    store.frontier.complete([PageDone(lease.key, replace(lease.datum, retries=1), failed=True)], now=later)
    assert len(store.webgraph.outlinks(HOME) or []) == 3


def test_a_forgotten_page_takes_its_list_along_and_a_renamed_one_keeps_it(store: Store) -> None:
    fetch(store, "http://a.test/old", LINKS[:1], ["one"])
    assert store.crawldb.move("http://a.test/old", "http://a.test/new", now=NOW)
    assert store.webgraph.outlinks("http://a.test/new") == [Outlink(LINKS[0], "one")]
    assert store.crawldb.move("http://a.test/new", None, now=NOW)
    assert store.webgraph.pages_with_links() == 0
    assert store.check.run(repair=False, now=NOW).findings == []


def test_a_request_that_is_made_once_leaves_no_list(store: Store) -> None:
    store.inject(seed("http://a.test/other", 0.0))
    store.frontier.add([StoredURL(HOME, b"12345678", request=b"{}", once=True)], cash=1.0, now=NOW)
    [lease] = store.lease(1)
    store.frontier.complete([linked(lease, LINKS, ["a", "b", "c"], due=False)], now=NOW)
    assert store.webgraph.pages_with_links() == 0
    assert not any(store.client.exists(name) for name in store.each("anchors"))


def test_a_page_whose_lease_was_lost_changes_nothing(store: Store) -> None:
    store.inject(seed(HOME))
    [lease] = store.lease()
    store.frontier.give_back([lease.key], now=NOW)
    assert store.frontier.complete([linked(lease, LINKS)], now=NOW).new == [None]
    assert store.webgraph.pages_with_links() == 0


def test_edges_and_pages_are_read_in_steps_and_completely(store: Store) -> None:
    count = LISTS + 200
    store.inject(*(seed(f"http://h{i % 5}.test/{i}", 1.0) for i in range(count)))
    leases = store.other("w1", per_host=count).lease(count)
    store.frontier.complete([linked(lease, ["http://h0.test/", "http://h1.test/"]) for lease in leases], now=NOW)
    store.frontier.deliver(now=NOW + 60)
    two = url_id("http://h0.test/") + url_id("http://h1.test/")
    edges = dict(store.webgraph.edges())
    assert edges == {lease.id: two for lease in leases}
    pages = dict(store.webgraph.pages())
    assert len(pages) == count + 2
    assert all(pages[lease.key] == lease.datum.url for lease in leases)
    assert len(list(store.webgraph.inlinks("http://h1.test/"))) == count


def test_a_list_of_no_record_is_found_and_removed(store: Store) -> None:
    for key in ("links", "anchors", "origins"):
        store.client.hset(store.each(key)[0], b"\0\0\0\1strayurl", b"12345678")
    found = {finding.problem: finding.count for finding in store.check.run(repair=True, now=NOW).findings}
    assert found == {f"{key} of no record": 1 for key in ("links", "anchors", "origins")}
    assert store.check.run(repair=False, now=NOW).findings == []


def test_clearing_the_crawl_clears_the_graph(store: Store) -> None:
    fetch(store, HOME, LINKS, ["one", "two", "three"])
    store.crawldb.clear()
    assert open_store(store.client, keys=store.keys).webgraph.pages_with_links() == 0


@given(st.lists(st.text()))
def test_texts_come_back_as_they_were(texts: list[str]) -> None:
    kept = [text.encode(errors="replace").decode() for text in texts]
    assert decode_anchors(encode_anchors(texts)) == (kept if any(texts) else [])
