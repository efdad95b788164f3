"""What every index of contents promises: the same checks for all of them, wherever they keep their owners."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from content_indexes import KINDS, Worker, build_index, connection_of, needs_package

from nutchlike.store.content_index import NOBODY_KNOWS, ContentIndex
from nutchlike.store.keys import CrawlKeys
from nutchlike.store.nodes import Client

A, B, C = b"page-a--page-a", b"page-b--page-b", b"page-c--page-c"
SAME, OTHER, THIRD = b"same----", b"other---", b"third---"
PLACES = {"one partition": 1, "four partitions": 4, "cluster": 4}
# what lies in a file is the same wherever Redis is
CASES = [
    pytest.param((kind, place), id=f"{kind}, {place}", marks=needs_package(kind))
    for kind in KINDS
    for place in (PLACES if kind in {"Redis set", "Bloom", "Bloom alone"} else ["one partition"])
]
Starts = Callable[[str], Worker]


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> tuple[str, Client, CrawlKeys]:
    kind, place = request.param
    client: Client = request.getfixturevalue("cluster_client" if place == "cluster" else "redis_client")
    return kind, client, CrawlKeys("site", PLACES[place])


@pytest.fixture
def index(case: tuple[str, Client, CrawlKeys], tmp_path: Path) -> Iterator[ContentIndex]:
    kind, client, keys = case
    built = build_index(kind, client, tmp_path, keys=keys)
    yield built
    built.close()


@pytest.fixture
def start(case: tuple[str, Client, CrawlKeys], tmp_path: Path) -> Iterator[Starts]:
    """Starts another process that has the index; killed at the end."""
    kind, client, keys = case
    arguments = json.dumps([kind, connection_of(client), len(keys), str(tmp_path)])
    started: list[Worker] = []

    def begin(code: str) -> Worker:
        started.append(Worker(code, arguments))
        return started[-1]

    yield begin
    for worker in started:
        worker.kill()


def claim(index: ContentIndex, key: bytes, content: bytes, previous: bytes | None = None) -> bytes:
    [owner] = index.claim_all([(key, content, previous)])
    return owner


def test_the_first_page_owns_the_content(index: ContentIndex) -> None:
    assert claim(index, A, SAME) == A
    assert claim(index, B, SAME) == A
    assert index.owners_of([SAME]) == [A]
    assert index.owners_of([OTHER]) == [None]


def test_a_page_that_claims_again_is_the_owner_still(index: ContentIndex) -> None:
    """Its worker was killed before its item was out: the page comes again and knows no content from before."""
    claim(index, A, SAME)
    assert claim(index, A, SAME) == A


def test_a_settled_content_is_its_page_s_own_and_nobody_else_s(index: ContentIndex) -> None:
    claim(index, A, SAME)
    index.settle_all([(A, SAME)])
    assert claim(index, A, SAME, previous=SAME) == A
    assert claim(index, B, SAME) == (A if index.knows_owners else NOBODY_KNOWS)
    assert index.owners_of([SAME]) == [(A if index.knows_owners else NOBODY_KNOWS)]


def test_to_settle_twice_or_what_another_page_owns_changes_nothing(index: ContentIndex) -> None:
    claim(index, A, SAME)
    index.settle_all([(B, SAME), (C, OTHER)])
    assert claim(index, A, SAME) == A
    index.settle_all([(A, SAME)])
    index.settle_all([(A, SAME)])
    assert claim(index, B, SAME) in {A, NOBODY_KNOWS}
    assert claim(index, B, OTHER) == B


def test_a_page_that_changes_keeps_the_content_it_had_until_it_gives_it_up(index: ContentIndex) -> None:
    claim(index, A, SAME)
    assert claim(index, A, OTHER, previous=SAME) == A
    assert claim(index, B, SAME) == A
    assert index.hand_over_all([(SAME, A, None), (SAME, A, None)]) == [True, False]
    assert claim(index, B, SAME) == B
    assert claim(index, B, OTHER) == A


def test_a_content_goes_from_its_owner_to_another_page_and_from_nobody_else(index: ContentIndex) -> None:
    claim(index, A, SAME)
    assert index.hand_over_all([(SAME, B, C), (OTHER, A, C)]) == [False, False]
    assert claim(index, B, SAME) == A
    assert index.hand_over_all([(SAME, A, C), (SAME, A, B)]) == [True, False]
    assert claim(index, A, SAME) == C
    assert index.hand_over_all([]) == []


def test_a_content_of_nobody_is_given_where_owners_are_known(index: ContentIndex) -> None:
    claim(index, A, SAME)
    assert index.hand_over_all([(SAME, None, B), (OTHER, None, B)]) == [False, index.knows_owners]
    assert index.owners_of([SAME, OTHER]) == [A, B if index.knows_owners else None]


def test_a_freed_content_goes_to_the_next_page_that_claims_it(index: ContentIndex) -> None:
    claim(index, A, SAME)
    index.hand_over_all([(SAME, A, None)])
    assert index.owners_of([SAME]) == [None]
    assert claim(index, B, SAME) == B


def test_only_the_owner_frees_a_content(index: ContentIndex) -> None:
    claim(index, A, SAME)
    index.hand_over_all([(SAME, B, None)])
    assert claim(index, B, SAME) == A


def test_a_settled_content_is_freed_where_its_owner_is_known_and_else_stays_taken(index: ContentIndex) -> None:
    claim(index, A, SAME)
    index.settle_all([(A, SAME)])
    index.hand_over_all([(SAME, A, None)])
    assert claim(index, B, SAME) == (B if index.knows_owners else NOBODY_KNOWS)


def test_claims_that_go_together_are_answered_in_their_order(index: ContentIndex) -> None:
    claim(index, A, b"before--")
    claims = [(A, SAME, None), (B, SAME, None), (B, OTHER, None), (A, THIRD, b"before--"), (B, b"before--", None)]
    assert index.claim_all(claims) == [A, A, B, A, A]
    assert index.claim_all([]) == []


def test_all_owners_are_told_and_counted(index: ContentIndex) -> None:
    contents = [number.to_bytes(8, "big") for number in range(1200)]
    index.claim_all([(A, content, None) for content in contents])
    assert dict(index.owners()) == dict.fromkeys(contents, A)
    index.settle_all([(A, content) for content in contents])
    assert index.stats()["entries"] == len(contents)


def test_a_cleared_index_is_empty_and_can_be_used_again(index: ContentIndex) -> None:
    claim(index, A, SAME)
    index.settle_all([(A, SAME)])
    claim(index, A, OTHER)
    index.clear()
    assert index.owners_of([SAME]) == [None]
    assert index.stats()["entries"] == 0
    assert index.claim_all([(B, SAME, None), (B, OTHER, None)]) == [B, B]


def test_of_two_processes_that_claim_a_thousand_contents_exactly_one_owns_each(start: Starts) -> None:
    code = """
contents = [number.to_bytes(8, "big") for number in range(1000)]
for at in range(0, 1000, 8):
    claims = [({page!r} + content[-4:], content, None) for content in contents[at:at + 8]]
    for content, owner in zip(contents[at:at + 8], index.claim_all(claims)):
        print(int.from_bytes(content, "big"), int(owner.startswith({page!r})), owner[-4:] == content[-4:])
    index.settle_all([(key, content) for (key, content, _), at in zip(claims, range(4))])
index.close()
"""
    workers = [start(code.format(page=page[:10])) for page in (A, B)]
    for worker in workers:
        worker.go()
    answers = [[line.split() for line in worker.rest()] for worker in workers]
    assert [len(lines) for lines in answers] == [1000, 1000]
    for number, (first, second) in enumerate(zip(*answers, strict=True)):
        assert int(first[0]) == int(second[0]) == number
        assert int(first[1]) + int(second[1]) == 1, f"content {number} has {first} and {second}"


def test_a_claim_that_is_not_settled_survives_the_kill_of_its_worker(start: Starts, index: ContentIndex) -> None:
    worker = start(
        f"""
print(index.claim_all([({A!r}, {SAME!r}, None)])[0] == {A!r}, flush=True)
sys.stdin.readline()
"""
    )
    worker.go()
    assert worker.read_line() == "True"
    worker.kill()
    assert claim(index, B, SAME) == A
    assert claim(index, A, SAME) == A


def test_workers_that_are_killed_in_the_midst_of_claims_leave_an_index_that_works(
    start: Starts, index: ContentIndex
) -> None:
    code = """
from itertools import count
for number in count():
    owners = index.claim_all([({page!r}, (number * 8 + at).to_bytes(8, "big"), None) for at in range(8)])
    print(number * 8, sum(owner == {page!r} for owner in owners), flush=True)
"""
    answered: dict[bytes, int] = {}
    for page in (A, B):
        worker = start(code.format(page=page))
        worker.go()
        for _ in range(30):
            at, own = map(int, worker.read_line().split())
            assert own in {0, 8}
        worker.kill()
        answered[page] = at
    everything = [number.to_bytes(8, "big") for number in range(answered[A] + 8)]
    assert index.claim_all([(C, content, None) for content in everything]) == [A] * len(everything)
    assert claim(index, C, b"\xff" * 8) == C
