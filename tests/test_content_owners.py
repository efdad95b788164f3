"""Whose content a page repeats: exactly, when no sketch denies it, or nearly."""

from __future__ import annotations

import pytest
from stores import NOW, Store, scripts_of

from nutchlike.store.content_index import NOBODY_KNOWS
from nutchlike.store.content_owners import ContentOwners, Owner, PageClaim
from nutchlike.store.signature_index import SignatureIndex
from nutchlike.store.sketch_index import SketchIndex

SAME, OTHER = b"same----", b"other---"


@pytest.fixture
def owners(store: Store) -> ContentOwners:
    scripts = scripts_of(store.client, store.keys)
    sketches = SketchIndex(
        store.keys, scripts, bands=lambda sketch: [sketch[:2]], is_near=lambda one, other: one[:4] == other[:4]
    )
    return ContentOwners(SignatureIndex(store.keys, scripts), sketches)


def claim(number: int, content: bytes, sketch: bytes | None, *, previous: bytes | None = None) -> PageClaim:
    """Return the claim of a page; a sketch is 4 letters and those of its text."""
    return PageClaim(number.to_bytes(14, "big"), content, previous, sketch, NOW + number)


def test_a_page_that_is_nearly_another_is_its_duplicate_and_owns_nothing(owners: ContentOwners) -> None:
    first, near = claim(1, SAME, b"aaaaTEXT"), claim(2, OTHER, b"aaaatext")
    assert owners.claim_all([first, near]) == [Owner(first.key, SAME), Owner(first.key, SAME, is_near=True)]
    third = claim(3, OTHER, None)
    assert owners.claim_all([third]) == [Owner(third.key, OTHER)]


def test_a_page_with_the_key_of_another_and_a_sketch_that_denies_it_is_kept_by_its_text(owners: ContentOwners) -> None:
    first, other = claim(1, SAME, b"aaaaTEXT"), claim(2, SAME, b"bbbbtext")
    one, two = owners.claim_all([first, other])
    assert one == Owner(first.key, SAME)
    assert two.key == other.key
    assert two.content != SAME
    # a copy of its text is its duplicate, and it stays what it is when it is fetched again
    copy, again = claim(3, SAME, b"bbbbtext"), claim(2, SAME, b"bbbbtext", previous=two.content)
    assert owners.claim_all([copy, again]) == [Owner(other.key, two.content), two]


def test_without_both_sketches_the_key_decides(owners: ContentOwners) -> None:
    first, second, third = claim(1, SAME, None), claim(2, SAME, b"bbbbtext"), claim(3, SAME, b"ccccTEXT")
    assert owners.claim_all([first, second, third]) == [Owner(first.key, SAME)] * 3


def test_a_page_that_has_what_it_had_is_compared_with_no_other(owners: ContentOwners) -> None:
    first, late = claim(1, SAME, b"aaaaTEXT"), claim(2, OTHER, b"aaaatext", previous=OTHER)
    assert owners.claim_all([first, late]) == [Owner(first.key, SAME), Owner(late.key, OTHER)]


def test_what_a_page_gives_up_has_no_near_duplicates_any_more(owners: ContentOwners) -> None:
    first, near = claim(1, SAME, b"aaaaTEXT"), claim(2, OTHER, b"aaaatext")
    owners.claim_all([first])
    owners.free(first.key, SAME)
    owners.forget_sketch(first.key)
    assert owners.claim_all([near]) == [Owner(near.key, OTHER)]


def test_a_better_copy_takes_over_and_is_what_near_duplicates_meet(owners: ContentOwners) -> None:
    first, better, near = claim(1, SAME, b"aaaaTEXT"), claim(2, SAME, b"aaaaTEXT"), claim(3, OTHER, b"aaaatext")
    [_, owner] = owners.claim_all([first, better])
    assert owners.take_over(better, owner)
    assert not owners.take_over(better, owner)
    assert owners.claim_all([near]) == [Owner(better.key, SAME, is_near=True)]


def test_an_owner_whom_nobody_knows_is_believed() -> None:
    class Filter:
        def claim_all(self, claims: object) -> list[bytes]:
            return [NOBODY_KNOWS]

    owners = ContentOwners(Filter(), None)  # type: ignore[arg-type]  # only what is called
    assert owners.claim_all([claim(1, SAME, None)]) == [Owner(NOBODY_KNOWS, SAME)]
