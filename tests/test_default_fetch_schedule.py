"""DefaultFetchSchedule: what a fetch's outcome does to a record, beside what Nutch does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.settings import Settings
from vectors import vector_rows

from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.fetch_schedules import DefaultFetchSchedule, FetchSchedule, Outcome

NOW = 1_700_000_000
DAY = 86_400
PAGE = CrawlDatum(
    url="http://a.test/",
    db_status=DbStatus.DB_FETCHED,
    fetch_time=NOW - 5,
    modified_time=NOW - 1000,
    fetch_interval=1000,
    retries=2,
    score=0.5,
    history=3.0,
    depth=4,
    signature=b"s",
    metadata={"lang": "en"},
)


@pytest.mark.parametrize(
    ("outcome", "db_status", "modified_time"),
    [
        (Outcome.SUCCESS, DbStatus.DB_FETCHED, NOW),
        (Outcome.NOTMODIFIED, DbStatus.DB_NOTMODIFIED, NOW - 1000),
        (Outcome.REDIR_TEMP, DbStatus.DB_REDIR_TEMP, NOW),
        (Outcome.REDIR_PERM, DbStatus.DB_REDIR_PERM, NOW),
        (Outcome.DUPLICATE, DbStatus.DB_DUPLICATE, NOW),
    ],
)
def test_a_page_that_answered_is_due_after_its_interval(
    outcome: Outcome, db_status: DbStatus, modified_time: int
) -> None:
    assert DefaultFetchSchedule().schedule(PAGE, outcome=outcome, now=NOW) == replace(
        PAGE, db_status=db_status, fetch_time=NOW + 1000, modified_time=modified_time, retries=0
    )


def test_a_page_that_was_never_modified_before_counts_as_modified_now() -> None:
    datum = DefaultFetchSchedule().schedule(replace(PAGE, modified_time=0), outcome=Outcome.NOTMODIFIED, now=NOW)
    assert datum.modified_time == NOW


def test_a_gone_page_is_asked_for_less_often_up_to_nine_tenths_of_the_maximum() -> None:
    schedule = DefaultFetchSchedule(max_interval=3000)
    once = schedule.schedule(PAGE, outcome=Outcome.GONE, now=NOW)
    assert once == replace(PAGE, db_status=DbStatus.DB_GONE, fetch_interval=1500, fetch_time=NOW + 1500)
    twice = schedule.schedule(once, outcome=Outcome.GONE, now=NOW)
    assert twice.fetch_interval == 2250
    thrice = schedule.schedule(twice, outcome=Outcome.GONE, now=NOW)
    assert (thrice.fetch_interval, thrice.fetch_time) == (2700, NOW + 2700)


def test_a_failure_that_may_pass_is_tried_again_a_day_later_until_the_page_is_gone() -> None:
    schedule = DefaultFetchSchedule(retry_max=2)
    datum = replace(PAGE, retries=0)
    first = schedule.schedule(datum, outcome=Outcome.RETRY, now=NOW)
    assert first == replace(datum, db_status=DbStatus.DB_UNFETCHED, retries=1, fetch_time=NOW + DAY)
    second = schedule.schedule(first, outcome=Outcome.RETRY, now=NOW)
    assert (second.db_status, second.retries, second.fetch_interval) == (DbStatus.DB_GONE, 2, 1500)


@pytest.mark.parametrize("interval", [0, -5])
@pytest.mark.parametrize(
    ("outcome", "expected"), [(Outcome.SUCCESS, 60), (Outcome.NOTMODIFIED, 60), (Outcome.GONE, 90), (Outcome.RETRY, 60)]
)
def test_a_page_without_an_interval_gets_the_default(interval: int, outcome: Outcome, expected: int) -> None:
    schedule = DefaultFetchSchedule(default_interval=60)
    datum = schedule.schedule(replace(PAGE, fetch_interval=interval, retries=0), outcome=outcome, now=NOW)
    assert datum.fetch_interval == expected


def test_a_fixed_interval_stays_after_every_outcome() -> None:
    datum = replace(PAGE, fetch_interval=600, metadata={"fixedInterval": "600"})
    for outcome in (Outcome.SUCCESS, Outcome.NOTMODIFIED, Outcome.GONE, Outcome.SUCCESS, Outcome.GONE):
        datum = DefaultFetchSchedule().schedule(datum, outcome=outcome, now=NOW)
        assert (datum.fetch_interval, datum.fetch_time) == (600, NOW + 600)


def test_a_strict_schedule_lengthens_a_fixed_interval_of_a_gone_page_as_nutch_does() -> None:
    datum = replace(PAGE, fetch_interval=600, metadata={"fixedInterval": "600"})
    assert DefaultFetchSchedule(strict=True).schedule(datum, outcome=Outcome.GONE, now=NOW).fetch_interval == 900


@given(st.integers(-(2**31), 2**31 - 1), st.integers(0, 200), st.sampled_from(Outcome))
def test_the_next_fetch_is_never_in_the_past(interval: int, retries: int, outcome: Outcome) -> None:
    datum = replace(PAGE, fetch_interval=interval, retries=retries)
    assert DefaultFetchSchedule().schedule(datum, outcome=outcome, now=NOW).fetch_time > NOW


def test_the_schedule_reads_nutchs_properties() -> None:
    settings = Settings(
        {
            "NUTCH_DB_FETCH_INTERVAL_DEFAULT": "10",
            "NUTCH_DB_FETCH_INTERVAL_MAX": "100",
            "NUTCH_DB_FETCH_RETRY_MAX": "1",
            "NUTCH_STRICT": "True",
        }
    )
    schedule = DefaultFetchSchedule.from_settings(settings)
    found = (schedule.default_interval, schedule.max_interval, schedule.retry_max, schedule.strict)
    assert found == (10, 100, 1, True)


def test_without_settings_the_schedule_has_nutchs_defaults() -> None:
    schedule: FetchSchedule = DefaultFetchSchedule.from_settings(Settings())
    assert vars(schedule) == vars(DefaultFetchSchedule(2_592_000, 7_776_000, 3))


@pytest.mark.parametrize(
    "name", ["NUTCH_DB_FETCH_INTERVAL_DEFAULT", "NUTCH_DB_FETCH_INTERVAL_MAX", "NUTCH_DB_FETCH_RETRY_MAX"]
)
def test_a_setting_out_of_range_is_named(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} must be >= .*, got -1"):
        DefaultFetchSchedule.from_settings(Settings({name: -1}))


# Nutch's STATUS_UNKNOWN (no signature to compare with) leaves the times as "not modified" does.
NUTCH_STATES = {"modified": Outcome.SUCCESS, "notmodified": Outcome.NOTMODIFIED, "unknown": Outcome.NOTMODIFIED}
CHECKED_FIELDS = ("fetch_time", "modified_time", "fetch_interval", "retries")


def seconds(datum: dict[str, Any]) -> dict[str, int | float]:
    """Return Nutch's datum with its times (ms) in seconds; parts of a second stay."""
    times = {name: datum.get(name, 0) / 1000 for name in ("fetch_time", "modified_time")}
    return times | {name: datum.get(name, 0) for name in ("fetch_interval", "retries")}


def test_each_call_of_nutchs_default_schedule_gives_the_same_times() -> None:
    # A retry that makes a page gone is two calls in Nutch; retry_max keeps the first one apart.
    schedule = DefaultFetchSchedule(retry_max=1000, strict=True)
    failures, checked_rows, checked_calls = [], 0, 0
    for row in vector_rows("fetch_schedule.jsonl"):
        if row["schedule"] != "DefaultFetchSchedule":
            continue
        before, calls = row["datum"], 0
        for step, expected in zip(row["steps"], row["expected"], strict=True):
            if step["call"] in ("setFetchSchedule", "setPageGoneSchedule", "setPageRetrySchedule"):
                datum = CrawlDatum(row["url"], **seconds(before | {"modified_time": modified_before(step, before)}))
                outcome = outcome_of(step)
                found = schedule.schedule(datum, outcome=outcome, now=step["fetch_time"] // 1000)
                wanted = seconds(expected["datum"])
                if {name: getattr(found, name) for name in CHECKED_FIELDS} != wanted:
                    failures.append((row["id"], step["call"], wanted, found))
                calls += 1
            before = expected["datum"]
        checked_rows += bool(calls)
        checked_calls += calls
    assert failures == []
    assert checked_rows
    assert checked_calls


def modified_before(step: dict[str, Any], before: dict[str, Any]) -> int:
    return int(step.get("modified_time", before.get("modified_time", 0)))


def outcome_of(step: dict[str, Any]) -> Outcome:
    if step["call"] == "setPageGoneSchedule":
        return Outcome.GONE
    if step["call"] == "setPageRetrySchedule":
        return Outcome.RETRY
    return NUTCH_STATES[step["state"]]


FETCH_OUTCOMES = {
    "fetch_success": Outcome.SUCCESS,
    "fetch_notmodified": Outcome.NOTMODIFIED,
    "fetch_redir_temp": Outcome.REDIR_TEMP,
    "fetch_redir_perm": Outcome.REDIR_PERM,
    "fetch_gone": Outcome.GONE,
    "fetch_retry": Outcome.RETRY,
}
DB_STATUSES = {status.label: status for status in DbStatus}


def test_updatedb_gives_the_same_record() -> None:
    failures, checked = [], 0
    for row in vector_rows("crawldb_update.jsonl"):
        fetch = next((value for value in row["values"] if value["status"] in FETCH_OUTCOMES), None)
        conf = row["conf"]
        # Rows without a fetch, of the adaptive schedule, and past db.fetch.interval.max (a forced refetch, which is
        # the CrawlDb's and not the schedule's) have nothing to say here.
        if fetch is None or "db.fetch.schedule.class" in conf or fetch["fetch_interval"] > 7_776_000:
            continue
        old = row["values"][0]
        outcome = FETCH_OUTCOMES[fetch["status"]]
        if outcome is Outcome.SUCCESS and row["expected"]["status"] == "db_notmodified":
            outcome = Outcome.NOTMODIFIED  # whoever compares the signatures says so
        schedule = DefaultFetchSchedule(retry_max=int(conf.get("db.fetch.retry.max", 3)), strict=True)
        datum = CrawlDatum(
            row["url"],
            DB_STATUSES.get(old["status"], DbStatus.DB_UNFETCHED),
            **seconds(old | {"retries": fetch.get("retries", 0)}),
        )
        found = schedule.schedule(datum, outcome=outcome, now=fetch["fetch_time"] // 1000)
        wanted = seconds(row["expected"]) | {"db_status": row["expected"]["status"]}
        got = {name: getattr(found, name) for name in CHECKED_FIELDS} | {"db_status": found.db_status.label}
        if got != wanted:
            failures.append((row["id"], wanted, got))
        checked += 1
    assert failures == []
    assert checked
