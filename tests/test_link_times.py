"""When a link to a page was last seen: noted by the store for the orphan filter, which then judges the page."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from stores import MONTH, NOW, Store, fetched, seed
from web import Answer, Project, html, serve

from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.store.codec import decode_record, url_of
from nutchlike.store.embedded import EmbeddedServer

HOME, PAGE, FAR = "http://a.test/", "http://a.test/page", "http://b.test/page"


def link(worker: Store, now: float) -> None:
    """Fetch HOME, which links to both others, at ``now``."""
    worker.inject(seed(HOME), merge="overwrite", now=now)
    leases = [lease for lease in worker.lease(10, now=now) if lease.datum.url == HOME]
    worker.frontier.complete([fetched(lease, [PAGE, FAR], now=now) for lease in leases], now=now)
    worker.frontier.deliver(now=now)


def records(worker: Store) -> list[CrawlDatum]:
    found = [worker.crawldb.get(url) for url in (HOME, PAGE, FAR)]
    return [datum for datum in found if datum is not None]


def test_the_last_link_to_a_page_is_noted_and_nothing_else_of_it_changes(store: Store) -> None:
    worker = store.other(keeps_link_times=True)
    link(worker, NOW)
    assert [datum.linked_at for datum in records(worker)] == [0, NOW, NOW]
    for lease in worker.lease(10, now=NOW + 1):
        done = fetched(lease, [], now=NOW + 1)
        signed = replace(done.datum, signature=b"s" * 16, dedup_key=lease.id)
        worker.frontier.complete([replace(done, datum=signed)], now=NOW + 1)
    before = records(worker)[1:]
    link(worker, NOW + 100)
    for old, new in zip(before, records(worker)[1:], strict=True):
        assert new.linked_at == NOW + 100
        assert new.score > old.score
        assert replace(new, linked_at=old.linked_at, score=old.score) == old


def test_a_crawl_without_the_filter_notes_no_times(store: Store) -> None:
    link(store, NOW)
    assert [datum.linked_at for datum in records(store)] == [0, 0, 0]


def test_a_page_of_before_gets_a_time_with_its_next_link(store: Store) -> None:
    link(store, NOW)
    link(store.other(keeps_link_times=True), NOW + 100)
    assert [datum.linked_at for datum in records(store)] == [0, NOW + 100, NOW + 100]
    assert [datum.url for datum in records(store)] == [HOME, PAGE, FAR]


def test_a_record_with_every_field_tells_its_url(store: Store) -> None:
    worker = store.other(keeps_link_times=True, history_window=4.0)
    link(worker, NOW)
    link(worker, NOW + 100)
    for url in (HOME, PAGE, FAR):
        raw = store.client.hget(*store.where(url))
        site = url.removesuffix("/page").rstrip("/")
        assert url_of(raw, site) == decode_record(raw, key=url, site=site).url == url


@pytest.mark.parametrize(
    ("gone", "orphan", "status"), [(0, 0, DbStatus.DB_ORPHAN), (0, MONTH, DbStatus.DB_GONE), (MONTH, MONTH, None)]
)
def test_a_page_that_is_fetched_again_after_its_last_link_is_gone_or_an_orphan(
    tmp_path: Path, gone: int, orphan: int, status: DbStatus | None
) -> None:
    settings = {
        "NUTCH_SCORING_FILTERS": "nutchlike.scoring.opic.PaperOPIC,nutchlike.scoring.orphan.OrphanScoringFilter",
        "NUTCH_SCORING_ORPHAN_MARK_GONE_AFTER": gone,
        "NUTCH_SCORING_ORPHAN_MARK_ORPHAN_AFTER": orphan,
        "NUTCH_DB_FETCH_INTERVAL_DEFAULT": 1,
    }
    project = Project(tmp_path, settings)
    pages = {"/": Answer(html("home", ["/page"])), "/page": Answer(html("page", []))}
    with serve({**pages}) as web:
        project.crawl(f"url={web.url}/")
        web.pages["/"] = Answer(html("home", []))
        for _ in range(50):
            project.crawl()
            if web.count()["/page"] > 1:
                break
        assert web.count()["/page"] > 1
    _, out, _ = project.command("readdb", f"{web.url}/page", f"{web.url}/")
    page, home = (json.loads(line)["db_status"] for line in out.splitlines())
    assert home == "db_fetched"
    assert page == (status or DbStatus.DB_NOTMODIFIED).label
    EmbeddedServer.attach(tmp_path / "store").detach()
