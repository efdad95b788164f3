"""The Bloom filter: its error, how it grows, and what it cannot know."""

from __future__ import annotations

from pathlib import Path

import pytest
from content_indexes import batches, build_index, numbered
from hypothesis import given
from hypothesis import strategies as st
from stores import Store, open_store, scripts_of, seed

from nutchlike.store.bloom_index import BloomContentIndex
from nutchlike.store.content_index import NOBODY_KNOWS

A, B = b"page-a--page-a", b"page-b--page-b"
SAME = b"same----"


def bloom(store: Store, *, capacity: int = 1000, error: float = 1e-6, confirm: bool = False) -> BloomContentIndex:
    scripts = scripts_of(store.client, store.keys)
    return BloomContentIndex(store.keys, scripts, capacity=capacity, error=error, confirm=confirm)


def fill(index: BloomContentIndex, count: int) -> int:
    """Claim and settle different contents; return how many the filter took for known ones."""
    taken = 0
    for some in batches(list(numbered(count)), 500):
        taken += sum(owner != A for owner in index.claim_all([(A, content, None) for content in some]))
        index.settle_all([(A, content) for content in some])
    return taken


@pytest.mark.parametrize("error", [0.01, 0.001])
def test_a_filter_that_has_grown_stays_within_its_error(store: Store, error: float) -> None:
    count, strangers = 4000, 20_000
    index = bloom(store, capacity=count // 8, error=error)
    assert fill(index, count) <= count * error * 3  # of few, chance decides
    assert index.stats()["parts"] > 2
    wrong = 0
    for some in batches(list(numbered(strangers, first=count)), 500):
        wrong += sum(owner != B for owner in index.claim_all([(B, content, None) for content in some]))
    assert wrong <= strangers * error * 1.5
    # a filter that answers "never seen" to everything would pass, too
    assert wrong > 0 or error < 0.01


def test_a_filter_forgets_nothing_however_often_it_grows(store: Store) -> None:
    index = bloom(store, capacity=10)
    fill(index, 2000)
    assert index.claim_all([(B, content, None) for content in numbered(2000)]) == [NOBODY_KNOWS] * 2000


@given(contents=st.lists(st.binary(min_size=1, max_size=20), unique=True, min_size=1))
def test_contents_of_any_length_are_found_again(redis_server: object, contents: list[bytes]) -> None:
    store = open_store(redis_server.client())  # type: ignore[attr-defined]  # the fixture's server
    store.client.flushdb()
    index = bloom(store)
    index.claim_all([(A, content, None) for content in contents])
    index.settle_all([(A, content) for content in contents])
    assert index.owners_of(contents) == [NOBODY_KNOWS] * len(contents)


def test_with_confirm_no_hit_of_the_filter_makes_a_page_a_duplicate(store: Store) -> None:
    index = bloom(store, capacity=100, error=0.5, confirm=True)
    assert fill(index, 2000) == 0
    assert index.claim_all([(B, content, None) for content in numbered(2000)]) == [A] * 2000


def test_a_claim_takes_memory_for_its_owner_only_until_it_is_settled(store: Store) -> None:
    index = bloom(store)
    index.claim_all([(A, content, None) for content in numbered(100)])
    assert (index.stats()["pending"], index.stats()["entries"]) == (100, 0)
    index.settle_all([(A, content) for content in numbered(100)])
    assert (index.stats()["pending"], index.stats()["entries"]) == (0, 100)
    assert not any(map(store.client.exists, store.each("pending") + store.each("signatures")))


def test_a_page_whose_worker_was_killed_between_acknowledgement_and_settling_is_the_owner(store: Store) -> None:
    index = bloom(store)
    index.claim_all([(A, SAME, None)])
    assert index.claim_all([(A, SAME, SAME), (B, SAME, None)]) == [A, A]


def test_what_a_settled_page_gives_up_stays_taken_also_for_itself(store: Store) -> None:
    index = bloom(store)
    index.claim_all([(A, SAME, None)])
    index.settle_all([(A, SAME)])
    assert index.claim_all([(A, b"other---", SAME)]) == [A]
    assert index.claim_all([(B, SAME, None), (A, SAME, b"other---")]) == [NOBODY_KNOWS, NOBODY_KNOWS]


def test_capacity_and_error_are_those_that_the_crawl_was_begun_with(store: Store) -> None:
    fill(bloom(store, capacity=4000, error=0.001), 100)
    later = bloom(store, capacity=10, error=0.1)
    assert later.claim_all([(B, content, None) for content in numbered(100)]) == [NOBODY_KNOWS] * 100
    assert later.stats()["error"] == 0.001
    assert later.stats()["parts"] == 1


def test_a_filter_is_as_small_as_its_error_allows(store: Store) -> None:
    index = bloom(store, capacity=20_000, error=1e-6)
    for content in numbered(2000):
        index.claim_all([(A, content, None)])
        index.settle_all([(A, content)])
    # 1.44 * log2(2e6) = 30.2 bits; a partition's string ends with its last bit that is set
    assert 29.0 * 20_000 / 8 < index.stats()["bytes"] < 30.5 * 20_000 / 8


@pytest.mark.parametrize("error", [0.0, 1.0, 3.5])
def test_an_error_that_is_no_probability_is_refused_by_name(store: Store, tmp_path: Path, error: float) -> None:
    with pytest.raises(ValueError, match=f"NUTCH_SIGNATURE_BLOOM_ERROR must be above 0 and below 1, got {error}"):
        build_index("Bloom", store.client, tmp_path, keys=store.keys, NUTCH_SIGNATURE_BLOOM_ERROR=error)


def test_a_forgotten_crawl_leaves_nothing_of_its_filter(store: Store) -> None:
    store.inject(seed("http://a.test/"))
    index = bloom(store, capacity=10)
    fill(index, 100)
    index.claim_all([(A, SAME, None)])
    store.crawldb.clear()
    assert list(store.client.scan_iter()) == []
    assert index.claim_all([(B, SAME, None)]) == [B]
