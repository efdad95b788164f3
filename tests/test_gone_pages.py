"""GonePages: what is taken out of the store leaves nothing behind, and loses no cash."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from stores import MONTH, NOW, Store, fetched, seed

from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.items import DeletedItem
from nutchlike.orphan_job import OrphanJob
from nutchlike.purge_job import PurgeJob, Selection
from nutchlike.scoring.chain import ScoringChain
from nutchlike.scoring.orphan import OrphanScoringFilter
from nutchlike.store.record_reader import Found

GONE, FETCHED, DUPLICATE, ORPHAN = DbStatus.DB_GONE, DbStatus.DB_FETCHED, DbStatus.DB_DUPLICATE, DbStatus.DB_ORPHAN
URLS = [f"http://h{i % 3}.test/{i}" for i in range(12)]
LATER = NOW + 40 * 86_400


def complete(store: Store, statuses: dict[str, DbStatus], *, outlinks: tuple[str, ...] = ()) -> None:
    """Fetch all that waits; each page ends with the status that is given, db_fetched where none is."""
    for lease in store.lease(100):
        status = statuses.get(lease.datum.url, FETCHED)
        done = fetched(lease, list(outlinks), status=status)
        signature = None if status is GONE else lease.id * 2
        dedup_key = lease.id if signature else None
        if dedup_key and status is not DUPLICATE:
            store.signatures.claim_all([(lease.key, dedup_key, None)])
        datum = replace(done.datum, signature=signature, dedup_key=dedup_key)
        store.frontier.complete([replace(done, datum=datum)], now=NOW)
    store.frontier.deliver(now=NOW)


def found(store: Store, status: DbStatus) -> list[Found]:
    return list(store.gone.pages({status}))


def is_clean(store: Store) -> bool:
    report = store.check.run(repair=False, now=NOW)
    return report.was_idle and not report.findings and report.cash.error < 1e-9


def cash_of(store: Store) -> dict[str, float]:
    return {record.url: record.score for record in store.crawldb.records() if isinstance(record, CrawlDatum)}


def test_a_purged_page_leaves_nothing_behind_and_its_cash_to_all_that_is_left(store: Store) -> None:
    store.inject(*(seed(url, metadata={"k": "v"}, origin="list:1") for url in URLS))
    complete(store, dict.fromkeys(URLS[:4], GONE) | dict.fromkeys(URLS[4:6], DUPLICATE))
    store.crawldb.set_scores([(page.key, 3.0) for page in found(store, GONE)], now=NOW)
    injected = store.check.audit_cash().injected
    purged = store.gone.purge(found(store, GONE), now=NOW)
    assert sorted(page.datum.url for page in purged) == sorted(URLS[:4])
    store.frontier.deliver(now=LATER)
    assert store.crawldb.counts().known == 8
    assert store.crawldb.counts().by_status == {FETCHED: 6, DUPLICATE: 2}
    assert all(store.crawldb.get(url) is None for url in URLS[:4])
    for name in ("metadata", "origins"):
        assert sum(store.client.hlen(key) for key in store.each(name)) == 8
    assert sum(cash_of(store).values()) == pytest.approx(injected)
    assert store.check.audit_cash().injected == injected
    assert is_clean(store)


def test_cash_that_the_virtual_page_keeps_changes_no_other_score(store: Store) -> None:
    store.inject(*map(seed, URLS))
    complete(store, dict.fromkeys(URLS[:4], GONE))
    store.frontier.deliver(now=LATER)
    store.crawldb.set_scores([(page.key, 3.0) for page in found(store, GONE)], now=NOW)
    before = cash_of(store)
    store.gone.purge(found(store, GONE), keeps_cash=True, now=NOW)
    assert cash_of(store) == {url: before[url] for url in URLS[4:]}
    assert is_clean(store)


def test_the_last_page_of_a_crawl_can_be_purged(store: Store) -> None:
    store.inject(seed(URLS[0]))
    complete(store, {URLS[0]: GONE})
    store.gone.purge(found(store, GONE), now=NOW)
    assert store.crawldb.counts().known == 0
    assert store.lease(now=LATER) == []
    assert is_clean(store)
    store.inject(seed(URLS[1]))
    assert is_clean(store)


def test_an_owner_that_is_purged_frees_its_content(store: Store) -> None:
    store.inject(seed(URLS[0]), seed(URLS[1]))
    complete(store, {})
    [page] = [page for page in found(store, FETCHED) if page.datum.url == URLS[0]]
    store.gone.purge([page], now=NOW)
    assert [content for content, _ in store.signatures.owners()] == [store.crawldb.get(URLS[1]).dedup_key]  # type: ignore[union-attr]  # it is there
    assert is_clean(store)


@pytest.mark.parametrize("state", ["waiting", "due", "dead", "done"])
def test_a_page_is_purged_wherever_it_is(store: Store, state: str) -> None:
    store.inject(*map(seed, URLS))
    for lease in store.lease(100):
        done = fetched(lease, [], status=GONE)
        store.frontier.complete([replace(done, due=state != "done")], now=NOW)
    if state in {"waiting", "dead"}:
        leases = store.lease(100, now=LATER)
        assert len(leases) == len(URLS)
        for lease in leases:
            if state == "dead":
                store.frontier.bury(lease.key, "odd", now=LATER)
        store.frontier.give_back([lease.key for lease in leases], now=LATER)
    assert len(store.gone.purge(found(store, GONE)[:5], now=LATER)) == 5
    counts = store.crawldb.counts()
    assert {"waiting": counts.waiting, "due": counts.due, "dead": counts.dead, "done": counts.done}[state] == 7
    assert counts.known == 7
    assert is_clean(store)
    assert len(store.lease(100, now=LATER)) == (7 if state in {"waiting", "due"} else 0)


def test_a_page_that_is_being_fetched_or_has_changed_since_stays(store: Store) -> None:
    store.inject(*map(seed, URLS[:2]))
    complete(store, dict.fromkeys(URLS[:2], GONE))
    pages = found(store, GONE)
    [lease] = store.lease(1, now=LATER)
    leased = lease.datum.url
    assert [page.datum.url for page in store.gone.purge(pages, now=LATER)] == [u for u in URLS[:2] if u != leased]
    store.frontier.complete([fetched(lease, [], now=LATER, status=GONE)], now=LATER)
    assert store.gone.purge(pages, now=LATER) == []  # it was judged by its fetch before
    assert len(store.gone.purge(found(store, GONE), now=LATER)) == 1
    assert is_clean(store)


def test_a_purged_url_that_is_linked_again_is_a_new_one(store: Store) -> None:
    store.inject(seed(URLS[0]), seed(URLS[1]))
    complete(store, {URLS[0]: GONE})
    store.gone.purge(found(store, GONE), now=NOW)
    [lease] = store.lease(1, now=LATER)
    store.frontier.complete([fetched(lease, [URLS[0]], now=LATER)], now=LATER)
    store.frontier.deliver(now=LATER)
    again = store.crawldb.get(URLS[0])
    assert again is not None
    assert (again.db_status, again.depth, again.signature) == (DbStatus.DB_UNFETCHED, 1, None)
    assert store.lease_urls(now=LATER) == [URLS[0]]


def test_the_links_to_a_purged_page_say_that_it_is_not_known(store: Store) -> None:
    store.inject(seed(URLS[0]))
    [lease] = store.lease(1)
    store.frontier.complete([replace(fetched(lease, URLS[1:3]), relinked=True)], now=NOW)
    store.frontier.deliver(now=NOW)
    complete(store, {URLS[1]: GONE})
    store.gone.purge([*found(store, GONE), *(p for p in found(store, FETCHED) if p.datum.url == URLS[2])], now=NOW)
    links = store.webgraph.outlinks(URLS[0])
    assert links is not None
    assert [link.url for link in links] == [None, None]
    store.gone.purge(found(store, FETCHED), now=NOW)
    assert store.webgraph.pages_with_links() == 0
    assert is_clean(store)


@pytest.mark.parametrize(
    ("selection", "purged"),
    [
        (Selection({GONE}), 4),
        (Selection({GONE, DUPLICATE}), 6),
        (Selection({GONE}, url=re.compile("/[01]$")), 2),
        (Selection({GONE}, host=re.compile(r"^h0\.test$")), 2),
        (Selection({GONE}, age=10 * 86_400), 4),
        (Selection({GONE}, age=50 * 86_400), 0),
    ],
)
def test_status_url_host_and_age_say_what_goes(store: Store, selection: Selection, purged: int) -> None:
    store.inject(*map(seed, URLS))
    complete(store, dict.fromkeys(URLS[:4], GONE) | dict.fromkeys(URLS[4:6], DUPLICATE))
    told: list[DeletedItem] = []
    job = PurgeJob(selection, ScoringChain(()), deleted=told.extend)
    assert job.count(store.gone, now=LATER).pages.total() == purged
    assert told == []
    assert job.run(store.gone, now=LATER).pages.total() == purged
    assert len(told) == purged
    assert {(item.url in URLS[:4], item.deleted) for item in told} <= {(True, "gone"), (False, "duplicate")}
    assert store.crawldb.counts().known == 12 - purged
    assert is_clean(store)


# orphans


def linked(store: Store) -> Store:
    """Let URLS[0], a seed, link to the others, and fetch them all; return a worker that keeps the times of links."""
    worker = store.other("w3", keeps_link_times=True)
    worker.inject(seed(URLS[0]))
    complete(worker, {}, outlinks=tuple(URLS[1:4]))
    complete(worker, {URLS[3]: DUPLICATE})
    return worker


ORPHANS = ScoringChain([OrphanScoringFilter(gone_after=MONTH, orphan_after=MONTH + 86_400)])


def test_pages_without_links_are_marked_and_give_their_contents_up(store: Store) -> None:
    worker = linked(store)
    told: list[DeletedItem] = []
    job = OrphanJob(ORPHANS, deleted=told.extend)
    assert job.count(store.gone, now=NOW + MONTH).pages.total() == 0
    assert job.run(store.gone, now=NOW + MONTH).pages.total() == 0
    assert job.count(store.gone, now=LATER).pages == {ORPHAN: 3}
    assert job.run(store.gone, now=LATER).pages == {ORPHAN: 3}
    assert sorted((item.url, item.deleted) for item in told) == [(URLS[1], "orphan"), (URLS[2], "orphan")]
    orphans = [page.datum for page in found(store, ORPHAN)]
    assert {datum.url for datum in orphans} == set(URLS[1:4])
    assert all(datum.signature is None for datum in orphans)
    assert len(list(store.signatures.owners())) == 1
    assert job.run(store.gone, now=LATER).pages.total() == 0
    assert len(told) == 2
    assert is_clean(worker)


def test_what_a_killed_run_has_marked_is_told_by_the_next(store: Store) -> None:
    linked(store)

    def fails(items: object) -> None:
        raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        OrphanJob(ORPHANS, deleted=fails).run(store.gone, now=LATER)
    assert len(found(store, ORPHAN)) == 3
    told: list[DeletedItem] = []
    OrphanJob(ORPHANS, deleted=told.extend).run(store.gone, now=LATER)
    assert set(URLS[1:3]) <= {item.url for item in told}
    assert all(page.datum.signature is None for page in found(store, ORPHAN))
    assert is_clean(store)


def test_a_page_in_progress_or_never_had_is_no_orphan(store: Store) -> None:
    worker = linked(store)
    [*leases] = worker.lease(2, now=NOW + MONTH)
    worker.frontier.complete([fetched(leases[0], ["http://new.test/"], now=NOW)], now=NOW)
    worker.frontier.deliver(now=NOW)
    marked = OrphanJob(ORPHANS).run(store.gone, now=LATER)
    in_progress = leases[1].datum.url
    assert marked.left == (in_progress != URLS[0])
    for url in (in_progress, "http://new.test/"):
        datum = store.crawldb.get(url)
        assert datum is not None
        assert datum.db_status is not ORPHAN


def test_an_orphan_that_is_linked_again_is_not_purged(store: Store) -> None:
    worker = linked(store)
    OrphanJob(ORPHANS).run(store.gone, now=LATER)
    for lease in worker.lease(10, now=LATER):
        if lease.datum.url == URLS[0]:
            worker.frontier.complete([fetched(lease, [URLS[1]], now=LATER)], now=LATER)
        else:
            worker.frontier.give_back([lease.key], now=LATER)
    worker.frontier.deliver(now=LATER)
    purged = PurgeJob(Selection({ORPHAN}), ORPHANS).run(store.gone, now=LATER)
    assert purged.pages == {ORPHAN: 2}
    assert store.crawldb.get(URLS[1]) is not None
    assert is_clean(store)


def test_without_a_filter_that_judges_links_there_are_no_orphans() -> None:
    with pytest.raises(ValueError, match="NUTCH_SCORING_FILTERS"):
        OrphanJob(ScoringChain(()))
