"""The three schedules of Nutch beside what its classes did, call by call."""

from __future__ import annotations

import math
from typing import Any

import pytest
from scrapy.settings import Settings
from vectors import vector_rows

from nutchlike import fetch_schedules
from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.fetch_schedules import Outcome
from nutchlike.fetch_schedules.abstract_schedule import AbstractFetchSchedule
from nutchlike.nutch_conf import setting_name

STATES = {"modified": Outcome.SUCCESS, "notmodified": Outcome.NOTMODIFIED, "unknown": Outcome.UNKNOWN}
FETCH_OUTCOMES = {
    "fetch_success": Outcome.SUCCESS,
    "fetch_notmodified": Outcome.NOTMODIFIED,
    "fetch_redir_temp": Outcome.REDIR_TEMP,
    "fetch_redir_perm": Outcome.REDIR_PERM,
    "fetch_gone": Outcome.GONE,
    "fetch_retry": Outcome.RETRY,
    "parse_failed": Outcome.GONE,
}
DB_STATUSES = {status.label: status for status in DbStatus}
ROWS = {"DefaultFetchSchedule": 83, "AdaptiveFetchSchedule": 257, "MimeAdaptiveFetchSchedule": 12}


def schedule_of(row: dict[str, Any], name: str, **settings: Any) -> AbstractFetchSchedule:
    conf = {setting_name(key): value for key, value in row["conf"].items() if key != "db.fetch.schedule.class"}
    rules = {
        "NUTCH_DB_FETCH_SCHEDULE_ADAPTIVE_HOST_INTERVALS_RULES": row.get("host_intervals", ""),
        "NUTCH_DB_FETCH_SCHEDULE_MIME_RULES": row.get("mime_rates", ""),
    }
    schedule = getattr(fetch_schedules, name).from_settings(Settings(conf | rules | settings | {"NUTCH_STRICT": True}))
    assert isinstance(schedule, AbstractFetchSchedule)
    return schedule


def datum_of(url: str, value: dict[str, Any]) -> CrawlDatum:
    """Return Nutch's datum with its times (ms) in seconds; parts of a second stay, so that nothing is rounded away."""
    metadata = value.get("metadata") or {}
    signature = value.get("signature")
    return CrawlDatum(
        url,
        DB_STATUSES.get(value["status"], DbStatus.DB_UNFETCHED),
        fetch_time=value.get("fetch_time", 0) / 1000,
        modified_time=value.get("modified_time", 0) / 1000,
        fetch_interval=value.get("fetch_interval", 0),
        retries=value.get("retries", 0),
        signature=bytes.fromhex(signature) if signature else None,
        metadata={key: str(text["float"]) if isinstance(text, dict) else text for key, text in metadata.items()},
    )


def fields(datum: CrawlDatum) -> dict[str, Any]:
    """Return what a schedule sets, in whole seconds: those that have passed, as the store has them."""
    return {
        "fetch_time": math.floor(datum.fetch_time),
        "modified_time": math.floor(datum.modified_time),
        "fetch_interval": datum.fetch_interval,
        "retries": datum.retries,
    }


def called(schedule: AbstractFetchSchedule, datum: CrawlDatum, step: dict[str, Any]) -> tuple[CrawlDatum, Any]:
    """Return the datum after one call of Nutch's schedule, and what the call returned besides."""
    now: Any = step.get("fetch_time", step.get("cur_time", 0)) / 1000
    if step["call"] == "shouldFetch":
        is_due, datum = schedule.should_fetch(datum, now=now)
        return datum, is_due
    if step["call"] == "forceRefetch":
        return schedule.force_refetch(datum), None
    if step["call"] == "calculateLastFetchTime":
        return datum, schedule.last_fetch_time(datum) * 1000
    if step["call"] == "setFetchSchedule":
        return schedule.schedule(datum, outcome=STATES[step["state"]], now=now), None
    return schedule.schedule(datum, outcome=Outcome[step["call"][7:-8].upper()], now=now), None


@pytest.mark.parametrize("name", ROWS)
def test_each_call_of_nutchs_schedules_does_the_same(name: str) -> None:
    failures, checked = [], 0
    for row in vector_rows("fetch_schedule.jsonl"):
        if row["schedule"] != name:
            continue
        # a retry that makes a page gone is two calls in Nutch; retry_max keeps the first one apart
        schedule = schedule_of(row, name, NUTCH_DB_FETCH_RETRY_MAX=1000)
        before = row["datum"]
        for step, expected in zip(row["steps"], row["expected"], strict=True):
            if "modified_time" in step:
                before = before | {"modified_time": step["modified_time"]}
            found, returned = called(schedule, datum_of(row["url"], before), step)
            wanted = datum_of(row["url"], expected["datum"])
            got = (fields(found), returned, found.signature if step["call"] == "forceRefetch" else None)
            if got != (fields(wanted), expected.get("returns"), None):
                failures.append((row["id"], step, fields(wanted), got))
            before = expected["datum"]
        checked += 1
    assert failures == []
    assert checked == ROWS[name]


def test_updatedb_gives_the_same_record() -> None:
    failures, checked = [], 0
    for row in vector_rows("crawldb_update.jsonl"):
        fetch = next((value for value in row["values"] if value["status"] in FETCH_OUTCOMES), None)
        if fetch is None or row["expected"] is None:
            continue  # nothing was fetched, or nothing is written
        name = row["conf"].get("db.fetch.schedule.class", "DefaultFetchSchedule").rpartition(".")[2]
        schedule = schedule_of(row, name)
        wanted = row["expected"]
        old = next((value for value in row["values"] if value["status"].startswith("db_")), None)
        outcome = FETCH_OUTCOMES[fetch["status"]]
        if outcome is Outcome.SUCCESS and wanted["status"] == "db_notmodified":
            outcome = Outcome.NOTMODIFIED  # whoever compares the signatures says so
        # a fetch brings the time that the server gave, unless the page is the same or did not come
        kept = outcome in (Outcome.GONE, Outcome.RETRY, Outcome.NOTMODIFIED) and name == "DefaultFetchSchedule"
        value = (old or fetch) | {
            "retries": fetch.get("retries", 0),
            "fetch_interval": fetch["fetch_interval"],
            "modified_time": ((old if kept else fetch) or {}).get("modified_time", 0),
        }
        found = schedule.schedule(datum_of(row["url"], value), outcome=outcome, now=fetch["fetch_time"] // 1000)
        if found.fetch_interval > schedule.max_interval and outcome not in (Outcome.GONE, Outcome.RETRY):
            found = schedule.force_refetch(found)
        got = fields(found) | {"status": found.db_status.label}
        expected = fields(datum_of(row["url"], wanted)) | {"status": wanted["status"].replace("parse_failed", "gone")}
        if name != "DefaultFetchSchedule":
            del got["modified_time"], expected["modified_time"]  # updatedb puts the old one back
        if got != expected:
            failures.append((row["id"], expected, got))
        checked += 1
    assert failures == []
    assert checked == 71
