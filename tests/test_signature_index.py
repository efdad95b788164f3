"""Who owns a content: one page, until it changes."""

from __future__ import annotations

from threading import Barrier, Thread

import pytest
import redis
from stores import KEYS, scripts_of

from nutchlike.store.signature_index import SignatureIndex

A, B = b"page-a--", b"page-b--"


@pytest.fixture
def index(redis_client: redis.Redis) -> SignatureIndex:
    return SignatureIndex(KEYS, scripts_of(redis_client, KEYS))


def test_the_first_page_owns_the_content(index: SignatureIndex) -> None:
    assert index.claim(A, b"same", previous=None) == A
    assert index.claim(B, b"same", previous=None) == A


def test_a_page_is_never_a_duplicate_of_itself(index: SignatureIndex) -> None:
    index.claim(A, b"same", previous=None)
    assert index.claim(A, b"same", previous=b"same") == A


def test_a_page_that_changes_keeps_its_content_until_it_gives_it_up(index: SignatureIndex) -> None:
    index.claim(A, b"same", previous=None)
    assert index.claim(A, b"new", previous=b"same") == A
    assert index.claim(B, b"same", previous=b"same") == A
    index.free(A, b"same")
    assert index.claim(B, b"same", previous=b"same") == B


def test_a_content_goes_from_its_owner_to_another_page_and_from_nobody_else(index: SignatureIndex) -> None:
    index.claim(A, b"same", previous=None)
    assert not index.hand_over(b"same", owner=B, to=B)
    assert index.claim(B, b"same", previous=None) == A
    assert index.hand_over(b"same", owner=A, to=B)
    assert index.claim(A, b"same", previous=None) == B
    assert not index.hand_over(b"unknown", owner=A, to=B)


def test_only_the_owner_frees_a_content(index: SignatureIndex) -> None:
    index.claim(A, b"same", previous=None)
    index.free(B, b"same")
    assert index.claim(B, b"same", previous=None) == A
    index.free(A, b"same")
    assert index.claim(B, b"same", previous=None) == B


def test_claims_that_go_together_are_answered_in_their_order(index: SignatureIndex) -> None:
    index.claim(A, b"before", previous=None)
    claims = [(A, b"same", None), (B, b"same", None), (B, b"other", None), (A, b"now", b"before"), (B, b"before", None)]
    assert index.claim_all(claims) == [A, A, B, A, A]
    assert index.claim_all([]) == []


def test_a_server_that_has_lost_its_scripts_is_given_them_again(
    index: SignatureIndex, redis_client: redis.Redis
) -> None:
    index.claim(A, b"same", previous=None)
    redis_client.script_flush()
    assert index.claim_all([(A, b"same", None), (B, b"same", None), (B, b"new", None)]) == [A, A, B]


def test_of_two_simultaneous_copies_exactly_one_is_kept(redis_server: object, redis_client: redis.Redis) -> None:
    pairs = 1000
    kept: dict[bytes, list[int]] = {A: [], B: []}
    start = Barrier(2)

    def work(page: bytes) -> None:
        mine = SignatureIndex(KEYS, scripts_of(redis_client, KEYS))
        start.wait()
        for i in range(pairs):
            if mine.claim(page + bytes([i % 256, i // 256]), b"%d" % i, previous=None).startswith(page):
                kept[page].append(i)

    threads = [Thread(target=work, args=(page,)) for page in (A, B)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(kept[A] + kept[B]) == list(range(pairs))
