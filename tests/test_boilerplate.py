"""What is known of a host's template, and how much memory that takes."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nutchlike.signatures.boilerplate import Boilerplate
from nutchlike.signatures.shingles import Hashes, mixed


def features(*numbers: int) -> Hashes:
    return mixed(np.array(numbers, np.uint64))


def test_a_feature_counts_once_for_each_page_of_its_host() -> None:
    known = Boilerplate(memory=1_000_000)
    known.learn("a.test", features(1, 2))
    known.learn("a.test", features(1, 3))
    known.learn("b.test", features(1, 4))
    assert known.counts("a.test", features(1, 2, 9)).tolist() == [2, 1, 0]
    assert known.pages("a.test") == 2


# A page that is fetched again must not make its own words a template.
def test_the_same_page_again_is_not_counted() -> None:
    known = Boilerplate(memory=1_000_000)
    for _ in range(20):
        known.learn("a.test", features(1, 2, 3))
    assert known.counts("a.test", features(1)).tolist() == [1]
    assert known.pages("a.test") == 1


def test_a_template_is_still_known_when_single_pages_are_forgotten() -> None:
    known = Boilerplate(memory=1_000_000)
    for page in range(1000):
        start = 1000 * (page + 1)
        known.learn("a.test", features(1, 2, *range(start, start + 300)))
    assert min(known.counts("a.test", features(1, 2))) >= 50
    assert np.mean(known.counts("a.test", features(*range(1_000_000, 1_000_300)))) < 2
    assert np.mean(known.counts("a.test", features(*range(9_000_000, 9_001_000)))) < 1


def test_the_host_longest_out_of_use_is_forgotten_first() -> None:
    known = Boilerplate(memory=3 * 8192)
    for host in ("a.test", "b.test", "c.test"):
        known.learn(host, features(1))
    known.learn("a.test", features(2))
    known.learn("d.test", features(1))
    assert [known.pages(host) for host in ("a.test", "b.test", "c.test", "d.test")] == [2, 0, 1, 1]


@given(st.lists(st.lists(st.integers(0, 30), max_size=8, unique=True), max_size=30))
def test_a_count_is_never_below_the_number_of_different_pages(pages: list[list[int]]) -> None:
    known = Boilerplate(memory=1_000_000)
    for page in pages:
        known.learn("a.test", features(*page))
    different = {tuple(sorted(page)) for page in pages}
    expected = [sum(number in page for page in different) for number in range(31)]
    assert all(known.counts("a.test", features(*range(31))) >= expected)
