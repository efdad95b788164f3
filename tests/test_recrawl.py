"""Recrawl: what a fetch schedule is told of a fetch, and what is kept for its next one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings
from stores import NOW as STORE_NOW
from stores import Store, seed
from web import Answer, Project, html, serve

from nutchlike import default_settings
from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.delivered import is_delivered
from nutchlike.fetch_failure import COPY_ONCE
from nutchlike.fetch_schedules import Outcome
from nutchlike.page import Page
from nutchlike.recrawl import Recrawl, changed_metadata
from nutchlike.store.lease import Lease, PageDone

NOW = 1_700_000_000
HOUR = 3600
SCHEDULES = "nutchlike.fetch_schedules."


def recrawl(name: str, **settings: Any) -> Recrawl:
    return Recrawl(Settings(vars(default_settings) | {"NUTCH_FETCH_SCHEDULE_CLASS": SCHEDULES + name} | settings))


def page(datum: CrawlDatum, outcome: Outcome, **changes: Any) -> Page:
    return Page(Lease(b"k", datum), started=NOW, outcome=outcome, key=changes.pop("key", b"key"), **changes)


NEW = CrawlDatum("http://a.test/", fetch_interval=HOUR)
OLD = replace(NEW, db_status=DbStatus.DB_FETCHED, modified_time=NOW - 60, signature=b"s", dedup_key=b"old")


@pytest.mark.parametrize(
    ("datum", "key", "interval"),
    [
        (NEW, b"key", HOUR),  # the first fetch: nothing to compare with
        (OLD, b"key", HOUR * 0.8),
        (OLD, None, HOUR),  # its content is not signed
        (replace(OLD, signature=None), b"key", HOUR * 0.8),  # it was gone and is back
    ],
)
def test_a_page_has_changed_when_there_was_something_to_compare_it_with(
    datum: CrawlDatum, key: bytes | None, interval: float
) -> None:
    found = recrawl("AdaptiveFetchSchedule").after(page(datum, Outcome.SUCCESS, key=key), now=NOW)
    assert (found.fetch_interval, found.modified_time, found.db_status) == (interval, NOW, DbStatus.DB_FETCHED)


def test_an_interval_begins_with_the_default_and_adapts_from_the_second_fetch_on() -> None:
    schedule = recrawl("AdaptiveFetchSchedule", NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_SYNC_DELTA=False)
    datum, now, intervals = NEW, NOW, []
    outcomes = [Outcome.SUCCESS, *[Outcome.NOTMODIFIED] * 3, *[Outcome.SUCCESS] * 3]
    for number, outcome in enumerate(outcomes):
        datum = schedule.after(page(datum, outcome), now=now)
        datum = replace(datum, signature=b"%d" % number, dedup_key=b"key")
        intervals.append(datum.fetch_interval)
        now = datum.fetch_time
    assert intervals[0] == HOUR
    assert HOUR < intervals[1] < intervals[2] < intervals[3]
    assert intervals[3] > intervals[4] > intervals[5] > intervals[6] >= 60


@pytest.mark.parametrize(("outcome", "bound"), [(Outcome.NOTMODIFIED, 5000), (Outcome.SUCCESS, 3000)])
def test_an_interval_stays_within_its_bounds_however_often_a_page_changes(outcome: Outcome, bound: int) -> None:
    bounds = {
        "NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_MIN_INTERVAL": 3000,
        "NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_MAX_INTERVAL": 5000,
        "NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_SYNC_DELTA": False,
    }
    datum, now = OLD, NOW
    for _ in range(10):
        datum = schedule_after(datum, outcome, now, bounds)
        now = datum.fetch_time
    assert datum.fetch_interval == bound


def schedule_after(datum: CrawlDatum, outcome: Outcome, now: int, bounds: dict[str, Any]) -> CrawlDatum:
    return recrawl("AdaptiveFetchSchedule", **bounds).after(page(datum, outcome), now=now)


MIME_RULES = {"NUTCH_DB_FETCH_SCHEDULE_MIME_RULES": "text/html\t1.0\t0.5\n"}


def test_a_schedule_that_asks_for_it_is_told_the_type_of_the_page() -> None:
    schedule = recrawl("MimeAdaptiveFetchSchedule", **MIME_RULES)
    found = schedule.after(page(OLD, Outcome.SUCCESS, content_type="text/html"), now=NOW)
    assert found.fetch_interval == HOUR * 0.5
    assert changed_metadata(OLD, found) == {"Content-Type": "text/html"}
    unchanged = schedule.after(page(replace(found, modified_time=NOW), Outcome.NOTMODIFIED), now=NOW)  # a 304 has none
    assert unchanged.fetch_interval == HOUR
    assert changed_metadata(found, unchanged) == {}


def test_the_type_of_an_error_page_is_not_that_of_the_page() -> None:
    schedule = recrawl("MimeAdaptiveFetchSchedule", **MIME_RULES)
    found = schedule.after(page(OLD, Outcome.GONE, content_type="text/html"), now=NOW)
    assert found.metadata == {}


def test_no_other_schedule_has_a_type_stored() -> None:
    found = recrawl("AdaptiveFetchSchedule").after(page(OLD, Outcome.SUCCESS, content_type="text/html"), now=NOW)
    assert found.metadata == {}


def test_what_a_schedule_remembers_passes_neither_to_items_nor_to_where_a_page_redirects() -> None:
    datum = replace(OLD, metadata={"lang": "en", "_changes_": "1 2"})
    assert page(datum, Outcome.REDIR_PERM).metadata == {"lang": "en"}


def test_what_a_schedule_remembers_is_added_to_what_a_seed_says_meanwhile(store: Store) -> None:
    store.inject(seed("http://a.test/", metadata={"lang": "en", "kind": "news"}))
    [lease] = store.lease()
    store.inject(seed("http://a.test/", metadata={"lang": "fr"}), merge="update")
    store.frontier.complete([PageDone(lease.key, lease.datum, metadata={"_changes_": 'é"/'})], now=STORE_NOW)
    datum = store.crawldb.get("http://a.test/")
    assert datum is not None
    assert datum.metadata == {"lang": "fr", "kind": "news", "_changes_": 'é"/'}


def test_a_page_without_metadata_gets_what_a_schedule_remembers(store: Store) -> None:
    store.inject(seed("http://a.test/"))
    [lease] = store.lease()
    store.frontier.complete([PageDone(lease.key, lease.datum, metadata={"_changes_": "1"})], now=STORE_NOW)
    [again] = store.lease(now=STORE_NOW + 1)
    assert again.datum.metadata == {"_changes_": "1"}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path, {"NUTCH_DB_FETCH_INTERVAL_DEFAULT": 1})


def test_a_crawl_adapts_the_interval_by_the_type_of_the_page(project: Project, tmp_path: Path) -> None:
    rates = tmp_path / "rates.txt"
    rates.write_text("text/html\t99\t0.5\n")
    project.settings |= {
        "NUTCH_FETCH_SCHEDULE_CLASS": SCHEDULES + "MimeAdaptiveFetchSchedule",
        "NUTCH_DB_FETCH_SCHEDULE_MIME_FILE": rates,
        "NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_MIN_INTERVAL": 1,
    }
    with serve({"/": Answer(html("home", []))}) as web:
        url = f"{web.url}/"
        project.crawl(f"url={url}")
        first = record(project, url)
        assert (first["db_status"], first["fetch_interval"]) == ("db_fetched", 1)
        assert first["metadata"] == {"Content-Type": "text/html"}
        for _ in range(10):  # it is due a second later
            if web.count()["/"] < 2:
                project.crawl()
    second = record(project, url)
    assert (second["db_status"], second["fetch_interval"]) == ("db_notmodified", 100)


def test_what_is_known_of_a_pages_changes_is_kept_from_fetch_to_fetch(project: Project) -> None:
    project.settings["NUTCH_FETCH_SCHEDULE_CLASS"] = SCHEDULES + "EstimatedFetchSchedule"
    project.settings["NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_MIN_INTERVAL"] = 1
    with serve({"/": Answer(html("home", []))}) as web:
        url = f"{web.url}/"
        project.crawl(f"url={url}")
        assert record(project, url)["metadata"] == {}
        spans = []
        for fetches in (2, 3):
            for _ in range(20):  # it is due some seconds later
                if web.count()["/"] < fetches:
                    project.crawl()
            spans.append(float(record(project, url)["metadata"]["_changes_"].split()[1]))
    assert spans[0] < spans[1]
    assert all(item["metadata"] == {} for item in project.items())


def record(project: Project, url: str) -> dict[str, Any]:
    _, out, _ = project.command("readdb", url)
    return dict(json.loads(out))


def test_a_page_that_repeated_another_has_no_content_when_it_cannot_be_had() -> None:
    """It never was its own: else it would be told of as gone, and be unchanged when its owner has lost it."""
    copy = replace(OLD, db_status=DbStatus.DB_DUPLICATE)
    after = recrawl("DefaultFetchSchedule").after(page(copy, Outcome.RETRY, failure="500"), now=NOW)
    assert (after.signature, after.dedup_key, is_delivered(after)) == (None, None, False)
    once = replace(copy, metadata={"_pst_": COPY_ONCE})
    after = recrawl("DefaultFetchSchedule").after(page(once, Outcome.RETRY, failure="500"), now=NOW)
    assert (after.signature, after.dedup_key, is_delivered(after)) == (b"s", b"old", True)


def test_a_page_without_content_stays_one_that_came_out_while_it_cannot_be_had() -> None:
    datum = replace(OLD, signature=None, dedup_key=None)
    for _ in range(2):
        datum = recrawl("DefaultFetchSchedule").after(page(datum, Outcome.RETRY, failure="500", key=None), now=NOW)
        assert is_delivered(datum)
    gone = recrawl("DefaultFetchSchedule").after(page(datum, Outcome.GONE, failure="404", key=None), now=NOW)
    assert not is_delivered(gone)
    never = replace(NEW, metadata={"_pst_": "500"}, retries=1)
    assert not is_delivered(recrawl("DefaultFetchSchedule").after(page(never, Outcome.RETRY, key=None), now=NOW))
