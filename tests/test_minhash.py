"""The sketch of a set: what two sketches say about two sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nutchlike.signatures.minhash import minhash as minhash_of_size
from nutchlike.signatures.shingles import Hashes, mixed

SIZE = 64
features = st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=50)


def hashes(numbers: list[int]) -> Hashes:
    return mixed(np.array(numbers, np.uint64))


def minhash(features: Hashes, *, power: int = 1) -> bytes:
    return minhash_of_size(features, SIZE, power=power)


def agreement(one: bytes, other: bytes) -> float:
    return sum(map(int.__eq__, one, other)) / SIZE


@given(features, st.randoms(use_true_random=False))
def test_neither_order_nor_repetition_counts(numbers: list[int], rng) -> None:  # type: ignore[no-untyped-def]
    again = numbers * 2
    rng.shuffle(again)
    assert minhash(hashes(numbers)) == minhash(hashes(again))


@given(features, st.integers(1, 80))
def test_a_sketch_has_the_size_asked_for(numbers: list[int], size: int) -> None:
    assert len(minhash_of_size(hashes(numbers), size)) == size


def test_a_sketch_stays_what_it_was_in_another_process_and_release() -> None:
    assert minhash(hashes([1, 2, 3]))[:8].hex() == "0c48f1ab330dfdb6"


# 400 pairs of sets: the mean agreement is J, or J squared, within four standard errors and chance's 1 in 256.
@pytest.mark.parametrize("common", [0, 100, 200, 300])
@pytest.mark.parametrize("power", [1, 2])
def test_two_sketches_agree_in_the_share_of_what_the_sets_have_in_common(common: int, power: int) -> None:
    agreements = []
    for start in range(0, 400_000, 1000):
        one = hashes([*range(start, start + 300)])
        other = hashes([*range(start, start + common), *range(start + 300, start + 600 - common)])
        agreements.append(agreement(minhash(one, power=power), minhash(other, power=power)))
    expected = (common / (600 - common)) ** power
    expected += (1 - expected) / 256
    assert sum(agreements) / len(agreements) == pytest.approx(expected, abs=4 * (0.25 / 64 / 400) ** 0.5 + 1e-9)


def test_a_large_set_is_sketched_in_parts_with_the_same_answer() -> None:
    least = hashes([*range(10_000)])
    assert minhash(least) == minhash(np.flip(least))
