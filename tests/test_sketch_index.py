"""Which pages are nearly the same: pages that share a band are compared, of two of a kind one is the owner."""

from __future__ import annotations

from hashlib import sha1
from itertools import pairwise
from multiprocessing.pool import ThreadPool

import pytest
from stores import NOW, Store, scripts_of, seed

from nutchlike.store.keys import CrawlKeys
from nutchlike.store.sketch_index import PAGES, Sketched, SketchIndex


def bands(sketch: bytes) -> list[bytes]:
    """Return a band for every two neighbours, with its position."""
    return [bytes([at, *pair]).rjust(8, b"b") for at, pair in enumerate(pairwise(sketch))]


def is_near(one: bytes, other: bytes) -> bool:
    return sum(a == b for a, b in zip(one, other, strict=True)) >= 6


@pytest.fixture
def index(store: Store) -> SketchIndex:
    return index_of(store)


def index_of(store: Store) -> SketchIndex:
    return SketchIndex(store.keys, scripts_of(store.client, store.keys), bands=bands, is_near=is_near)


def page(number: int, sketch: bytes, *, since: float = NOW) -> Sketched:
    key = (0).to_bytes(2, "big") + (1).to_bytes(4, "big") + number.to_bytes(8, "big")
    return Sketched(key, b"content%d" % (number % 10), sketch, since)


def test_a_page_that_is_nearly_another_is_told_so_and_is_not_found_itself(index: SketchIndex) -> None:
    first, near, third = page(1, b"abcdefgh"), page(2, b"abcdefXX", since=NOW + 1), page(3, b"abcdXXXX", since=NOW + 2)
    assert index.claim_all([first]) == [None]
    assert index.claim_all([near]) == [first]
    assert index.claim_all([third]) == [None]  # near the second, which is not kept, and not near the first
    assert index.claim_all([page(4, b"abcdefgh", since=NOW + 3)]) == [first]


def test_a_page_that_shares_a_band_and_is_not_near_is_kept(index: SketchIndex) -> None:
    assert index.claim_all([page(1, b"abcdefgh")]) == [None]
    assert index.claim_all([page(2, b"abcdWXYZ", since=NOW + 1)]) == [None]


def test_pages_that_come_together_are_compared_in_their_order(index: SketchIndex) -> None:
    sketches = [b"abcdefgh", b"abcdefgX", b"ABCDEFGH", b"abcdefXX"]
    pages = [page(number, sketch, since=NOW + number) for number, sketch in enumerate(sketches)]
    assert index.claim_all(pages) == [None, pages[0], None, pages[0]]
    assert index.claim_all([]) == []


def test_a_page_is_never_nearly_itself_and_a_new_sketch_takes_the_place_of_its_old_one(index: SketchIndex) -> None:
    assert index.claim_all([page(1, b"abcdefgh")]) == [None]
    assert index.claim_all([page(1, b"abcdefgh")]) == [None]
    assert index.claim_all([page(1, b"ABCDEFGH", since=NOW + 1)]) == [None]
    assert index.claim_all([page(2, b"abcdefgh", since=NOW + 2)]) == [None]


def test_a_page_that_is_forgotten_leaves_nothing_behind(index: SketchIndex, store: Store) -> None:
    index.claim_all([page(1, b"abcdefgh")])
    index.forget(page(1, b"").key)
    index.forget(page(1, b"").key)
    left = [name for name in store.client.scan_iter() if b"bands" in name or b"sketches" in name]
    assert left == []


def test_a_band_that_many_share_holds_the_newest_only(index: SketchIndex, store: Store) -> None:
    numbers = range(3 * PAGES)
    for number in numbers:  # the first two letters are those of all, the rest is of each
        sketch = b"ab" + bytes(range(6 * number % 240, 6 * number % 240 + 6))
        index.claim_all([page(number, sketch, since=NOW + number)])
    sizes = [
        len(value)
        for name in store.client.scan_iter()
        if b"bands" in name
        for value in store.client.hgetall(name).values()
    ]
    assert max(sizes) == PAGES * 14


def test_of_near_copies_that_workers_claim_at_once_at_least_one_is_kept_and_exactly_one_in_one_partition(
    store: Store,
) -> None:
    def work(worker: int) -> list[bool]:
        mine = index_of(store)
        sketches = [sha1(b"%d" % number).digest()[:7] + bytes([worker]) for number in range(200)]
        pages = [page(1000 * worker + number, sketch) for number, sketch in enumerate(sketches)]
        return [mine.claim_all([one])[0] is None for one in pages]

    with ThreadPool(2) as pool:
        kept = [sum(pair) for pair in zip(*pool.map(work, [1, 2]), strict=True)]
    assert set(kept) <= ({1} if len(store.keys) == 1 else {1, 2})


def test_a_record_that_is_forgotten_takes_its_sketch_with_it(store: Store) -> None:
    store.inject(seed("http://a.test/1"))
    key = store.crawldb.key_of("http://a.test/1")
    assert key is not None
    index_of(store).claim_all([Sketched(key, b"contents", b"abcdefgh", NOW)])
    store.crawldb.move("http://a.test/1", None, now=NOW)
    assert index_of(store).claim_all([page(9, b"abcdefgh")]) == [None]
    assert CrawlKeys("site", len(store.keys)).partition_of("http://a.test/1") == int.from_bytes(key[:2], "big")
