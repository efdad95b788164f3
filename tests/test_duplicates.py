"""Marking pages as duplicates in the store: what is changed, what is left alone, and that nothing is lost by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from stores import MONTH, NOW, Store, fetched, scripts_of, seed

from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.store.duplicates import Decision, Duplicates, content_of
from nutchlike.store.lease import Lease
from nutchlike.store.signature_index import SignatureIndex

A, B, C = "http://a.test/", "http://b.test/page", "http://c.test/other"
SAME = b"samesame"


def fetch(store: Store, contents: dict[str, bytes], *, now: float = NOW) -> None:
    """Inject the pages that are new, and fetch all that are due, each with its dedup key."""
    store.inject(*(seed(url, 1.0) for url in contents), now=now)
    for lease in store.lease(100, now=now):
        finish(store, lease, contents[lease.datum.url], now=now)


def finish(
    store: Store, lease: Lease, content: bytes, *, now: float = NOW, status: DbStatus = DbStatus.DB_FETCHED
) -> None:
    """Claim a leased page's content, and complete it."""
    store.signatures.claim_all([(lease.key, content, lease.datum.dedup_key)])
    page = fetched(lease, [], now=now, status=status)
    store.frontier.complete([replace(page, datum=replace(page.datum, signature=b"S" * 16, dedup_key=content))], now=now)


def key_of(store: Store, url: str) -> bytes:
    key = store.crawldb.key_of(url)
    assert key is not None
    return key


def get(store: Store, url: str) -> CrawlDatum:
    datum = store.crawldb.get(url)
    assert datum is not None
    return datum


def decide(store: Store, kept: str, *duplicates: str, content: bytes = SAME) -> Decision:
    return Decision(content, key_of(store, kept), [key_of(store, url) for url in duplicates])


def mark(store: Store, kept: str, *duplicates: str) -> int:
    return store.duplicates.mark([decide(store, kept, *duplicates)], kind="dedup_key", now=NOW)


def owner(store: Store, content: bytes = SAME) -> str | None:
    [key] = store.signatures.owners_of([content])
    return store.crawldb.url_of(key) if key else None


def explained(store: Store, url: str) -> str | None:
    found = store.explainer.explain(url, all_max=-1, exact=False, now=NOW)
    assert found is not None
    return found.duplicate_of


def assert_clean(store: Store, *, now: float = NOW) -> None:
    report = store.check.run(repair=False, now=now)
    assert (report.findings, report.was_idle) == ([], True)


def test_a_duplicate_keeps_all_but_its_status_and_names_the_kept_page(store: Store) -> None:
    fetch(store, {A: SAME, B: SAME, C: SAME})
    before = get(store, A)
    assert mark(store, B, A, C) == 2
    assert get(store, A) == replace(before, db_status=DbStatus.DB_DUPLICATE)
    assert get(store, B).db_status is DbStatus.DB_FETCHED
    assert [explained(store, url) for url in (A, B, C)] == [B, None, B]
    assert store.crawldb.counts().by_status == {DbStatus.DB_FETCHED: 1, DbStatus.DB_DUPLICATE: 2}
    assert_clean(store)


def test_the_kept_page_becomes_the_owner_of_the_content(store: Store) -> None:
    fetch(store, {A: SAME, B: SAME})
    other = A if owner(store) == B else B
    mark(store, other, str(owner(store)))
    assert owner(store) == other
    assert_clean(store)


def test_a_content_that_nobody_owns_goes_to_the_kept_page(store: Store) -> None:
    fetch(store, {A: SAME, B: SAME})
    for url in (A, B):
        store.signatures.hand_over_all([(SAME, key_of(store, url), None)])
    mark(store, A, B)
    assert owner(store) == A


def test_a_page_of_another_group_stays_the_owner(store: Store) -> None:
    """Copies are compared within hosts: the owner is kept as well."""
    fetch(store, {A: SAME, B: SAME, C: SAME})
    kept = str(owner(store))
    first, second = (url for url in (A, B, C) if url != kept)
    assert mark(store, first, second) == 1
    assert owner(store) == kept
    assert explained(store, second) == first


def test_a_page_that_is_being_fetched_is_not_marked(store: Store) -> None:
    fetch(store, {A: SAME, B: SAME})
    later = NOW + 2 * MONTH
    leases = {lease.datum.url: lease for lease in store.lease(100, now=later)}
    store.frontier.give_back([leases[A].key], now=later)
    assert mark(store, A, B) == 0
    finish(store, leases[B], b"new-text", now=later)
    assert get(store, B).db_status is DbStatus.DB_FETCHED
    assert_clean(store, now=later)


def test_nothing_is_marked_while_the_kept_page_is_being_fetched(store: Store) -> None:
    fetch(store, {A: SAME, B: SAME})
    before = owner(store)
    later = NOW + 2 * MONTH
    leases = {lease.datum.url: lease for lease in store.lease(100, now=later)}
    store.frontier.give_back([leases[B].key], now=later)
    assert mark(store, A, B) == 0
    assert owner(store) == before
    assert get(store, B).db_status is DbStatus.DB_FETCHED


@pytest.mark.parametrize("changed", [A, B])
def test_nothing_is_marked_when_a_page_has_changed_since_they_were_compared(store: Store, changed: str) -> None:
    fetch(store, {A: SAME, B: SAME})
    decision = decide(store, A, B)
    fetch(store, {A: SAME, B: SAME} | {changed: b"new-text"}, now=NOW + 2 * MONTH)
    assert store.duplicates.mark([decision], kind="dedup_key", now=NOW) == 0
    assert owner(store, b"new-text") == changed
    assert_clean(store, now=NOW + 2 * MONTH)


@pytest.mark.parametrize(
    "status", [DbStatus.DB_REDIR_TEMP, DbStatus.DB_GONE, DbStatus.DB_DUPLICATE, DbStatus.DB_UNFETCHED]
)
def test_only_fetched_pages_take_part(store: Store, status: DbStatus) -> None:
    """Case 128: a redirect is no duplicate."""
    fetch(store, {A: SAME})
    store.inject(seed(B, 1.0))
    [lease] = store.lease(1)
    finish(store, lease, SAME, status=status)
    assert [page.url for _, page in store.duplicates.pages()] == [A]
    assert content_of(get(store, B), "dedup_key") is None
    assert mark(store, A, B) == 0
    assert mark(store, B, A) == 0


def test_a_refetch_ends_it(store: Store) -> None:
    fetch(store, {A: SAME, B: SAME})
    mark(store, A, B)
    fetch(store, {A: SAME, B: b"new-text"}, now=NOW + 2 * MONTH)
    assert get(store, B).db_status is DbStatus.DB_FETCHED
    assert explained(store, B) is None
    assert [store.client.hlen(name) for name in store.each("copies")] == [0] * len(store.keys)
    assert_clean(store, now=NOW + 2 * MONTH)


def test_a_duplicate_that_is_forgotten_leaves_nothing_behind(store: Store) -> None:
    fetch(store, {A: SAME, B: SAME})
    mark(store, A, B)
    assert store.crawldb.move(B, None, now=NOW)
    assert_clean(store)
    assert [store.client.hlen(name) for name in store.each("copies")] == [0] * len(store.keys)


def test_signatures_are_compared_where_that_is_asked_for(store: Store) -> None:
    fetch(store, {A: b"one-text", B: b"two-text"})
    decision = decide(store, A, B, content=b"S" * 16)
    assert store.duplicates.mark([decision], kind="dedup_key", now=NOW) == 0
    assert store.duplicates.mark([decision], kind="signature", now=NOW) == 1
    assert explained(store, B) == A
    assert [owner(store, content) for content in (b"one-text", b"two-text")] == [A, B]
    assert_clean(store)


def test_marking_again_changes_nothing(store: Store) -> None:
    fetch(store, {A: SAME, B: SAME})
    decision = decide(store, A, B)
    assert [store.duplicates.mark([decision], kind="dedup_key", now=NOW) for _ in range(2)] == [1, 0]
    assert_clean(store)


def test_a_due_page_that_waits_is_marked_and_fetched_all_the_same(store: Store) -> None:
    fetch(store, {A: SAME, B: SAME})
    later = NOW + 2 * MONTH
    leases = store.lease(100, now=later)
    store.frontier.give_back([lease.key for lease in leases], now=later)
    assert store.duplicates.mark([decide(store, A, B)], kind="dedup_key", now=later) == 1
    assert_clean(store, now=later)
    assert sorted(store.lease_urls(now=later)) == [A, B]


class FetchBegins(SignatureIndex):
    """Owners of contents; at the moment when one is handed over, the fetch of its new owner begins."""

    store: Store
    url: str
    now: float

    def hand_over_all(self, changes: Sequence[tuple[bytes, bytes | None, bytes | None]]) -> list[bool]:
        if changes:
            leases = self.store.lease(100, now=self.now)
            self.store.frontier.give_back([lease.key for lease in leases if lease.datum.url != self.url], now=self.now)
        return super().hand_over_all(changes)


def test_a_kept_page_whose_fetch_began_meanwhile_gives_the_content_back(store: Store) -> None:
    """Its fetch may have claimed another content before it was given this one, and would own both for ever."""
    fetch(store, {A: SAME, B: SAME})
    before = str(owner(store))
    kept = A if before == B else B
    scripts = scripts_of(store.client, store.keys)
    signatures = FetchBegins(store.keys, scripts)
    signatures.store, signatures.url, signatures.now = store, kept, NOW + 2 * MONTH
    duplicates = Duplicates(store.client, store.keys, scripts, signatures)
    assert duplicates.mark([decide(store, kept, before)], kind="dedup_key", now=NOW) == 0
    assert owner(store) == before
    assert get(store, before).db_status is DbStatus.DB_FETCHED


def test_a_content_is_handed_over_by_its_owner_alone(store: Store) -> None:
    a, b = bytes(14), bytes(13) + b"b"
    assert store.signatures.hand_over_all([(SAME, None, a), (b"other-text", None, a)]) == [True, True]
    assert store.signatures.hand_over_all([(SAME, b, b), (SAME, None, b), (SAME, a, b)]) == [False, False, True]
    assert store.signatures.owners_of([SAME, b"other-text", b"none"]) == [b, a, None]
    assert store.signatures.hand_over_all([(SAME, b, None)]) == [True]
    assert store.signatures.owners_of([SAME]) == [None]


def test_a_record_that_cannot_be_read_takes_no_part(store: Store) -> None:
    fetch(store, {A: SAME, B: SAME})
    decision = decide(store, A, B)
    bucket, url_id = store.where(B)
    store.client.hset(bucket, url_id, b"\xffgarbage")
    assert [page.url for _, page in store.duplicates.pages()] == [A]
    assert store.duplicates.mark([decision], kind="dedup_key", now=NOW) == 0
    assert list(store.duplicates.urls([decision.kept, decision.duplicates[0]])) == [A, decision.duplicates[0].hex()]
