"""The whole dedup job over a store: Nutch's recorded jobs, and which pages ours takes for copies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import redis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scrapy.settings import Settings
from stores import NOW, Store, fetched, open_store, seed
from vectors import vector_rows

import nutchlike.dedup_job
from nutchlike import default_settings
from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.dedup_job import DedupJob, Deduplication

LABELS = {status.label: status for status in DbStatus}


def settings_of(**changes: object) -> Settings:
    defaults = {name: value for name, value in vars(default_settings).items() if name.startswith("NUTCH_")}
    return Settings(defaults | changes)


def put(store: Store, pages: list[CrawlDatum]) -> None:
    """Make the store hold these records; their scores are what they are once all are there."""
    for page in pages:
        store.inject(seed(page.url, 1.0))
        [lease] = store.lease(1)
        datum = replace(page, fetch_interval=lease.datum.fetch_interval)
        store.frontier.complete([replace(fetched(lease, []), datum=datum)], now=NOW)
        if page.dedup_key:
            store.signatures.claim_all([(lease.key, page.dedup_key, None)])
    keys = [store.crawldb.key_of(page.url) for page in pages]
    store.crawldb.set_scores([(key, page.score) for key, page in zip(keys, pages, strict=True) if key], now=NOW)


def page(url: str, content: bytes | None = b"same-key", **fields: Any) -> CrawlDatum:
    return CrawlDatum(
        url,
        **{"db_status": DbStatus.DB_FETCHED, "fetch_time": 2_000_000, "signature": b"S" * 16, "dedup_key": content}
        | fields,
    )


def dedup(store: Store, *, by_signature: bool = False, **changes: object) -> Deduplication:
    job = DedupJob.from_settings(settings_of(**changes), tell=[].append, by_signature=by_signature)
    return job.run(store.duplicates, now=NOW)


def statuses(store: Store) -> dict[str, str]:
    return {record.url: record.db_status.label for record in store.crawldb.records() if isinstance(record, CrawlDatum)}


def duplicates(store: Store) -> list[str]:
    return sorted(url for url, status in statuses(store).items() if status == "db_duplicate")


def arguments(row: dict[str, Any]) -> dict[str, str]:
    """Return the settings that a row's command line means."""
    names = {"-group": "NUTCH_DEDUPLICATION_GROUP_MODE", "-compareOrder": "NUTCH_DEDUPLICATION_COMPARE_ORDER"}
    return {names[option]: value for option, value in zip(row["args"][::2], row["args"][1::2], strict=True)}


@pytest.mark.parametrize("row", vector_rows("dedup_jobs.jsonl"), ids=lambda row: " ".join([row["id"], *row["args"]]))
def test_a_job_leaves_the_crawldb_that_nutch_leaves(row: dict[str, Any], redis_client: redis.Redis) -> None:
    store = open_store(redis_client)
    put(
        store,
        [
            page(
                url,
                None,
                db_status=LABELS[datum["status"]],
                score=datum["score"],
                fetch_time=datum["fetch_time"] // 1000,  # Nutch's are milliseconds
                signature=bytes.fromhex(datum["signature"]),
            )
            for url, datum in row["crawldb"].items()
        ],
    )
    if row["expected_rc"]:
        with pytest.raises(ValueError, match="must contain score, fetchTime, urlLength"):
            dedup(store, NUTCH_STRICT=True, **arguments(row))
        return
    before = {record.url: record for record in store.crawldb.records() if isinstance(record, CrawlDatum)}
    dedup(store, NUTCH_STRICT=True, **arguments(row))
    assert statuses(store) == {url: datum["status"] for url, datum in row["expected_crawldb"].items()}
    for record in store.crawldb.records():
        assert isinstance(record, CrawlDatum)
        assert record == replace(before[record.url], db_status=record.db_status)
        assert record.score == pytest.approx(row["expected_crawldb"][record.url]["score"])
    assert store.check.run(repair=False, now=NOW).findings == []


def test_copies_in_all_partitions_are_found(store: Store) -> None:
    put(store, [page(f"http://h{i}.test/", score=float(i)) for i in range(12)])
    put(store, [page("http://alone.test/", b"other-key")])
    done = dedup(store)
    assert str(done) == "11 of 13 pages marked as duplicates, 2 kept"
    assert duplicates(store) == sorted(f"http://h{i}.test/" for i in range(11))
    assert dedup(store) == Deduplication(pages=2, duplicates=0, marked=0)
    assert store.check.run(repair=False, now=NOW).findings == []


@pytest.mark.parametrize(("mode", "marked"), [("none", 3), ("domain", 2), ("host", 1)])
def test_copies_are_compared_within_the_group_that_the_setting_names(store: Store, mode: str, marked: int) -> None:
    urls = ["http://a.com/", "http://a.com/2", "http://www.a.com/", "http://b.com/"]
    put(store, [page(url) for url in urls])
    assert dedup(store, NUTCH_DEDUPLICATION_GROUP_MODE=mode).marked == marked


def test_pages_that_only_share_a_signature_are_copies_for_nutch_alone(store: Store) -> None:
    """Cases 103, 104 and 110: TextProfile takes short pages, and those that differ in numbers, for one."""
    put(store, [page("http://a.test/kettle", b"kettle--"), page("http://a.test/chess", b"chess---")])
    assert dedup(store).duplicates == 0
    assert dedup(store, by_signature=True).marked == 1


def test_nutch_keeps_two_copies_that_nothing_tells_apart(store: Store) -> None:
    put(store, [page("http://a.test/x"), page("http://a.test/y")])
    assert dedup(store, NUTCH_STRICT=True).duplicates == 0
    dedup(store)
    assert duplicates(store) == ["http://a.test/y"]


def test_copies_on_http_https_and_www_leave_one_and_other_texts_stay(store: Store) -> None:
    """Case 124."""
    put(store, [page(f"{start}a.test/") for start in ("http://", "https://", "http://www.")])
    put(store, [page("http://b.test/", b"one-text"), page("https://b.test/", b"two-text")])
    dedup(store, NUTCH_DEDUPLICATION_COMPARE_ORDER="score,fetchTime,httpsOverHttp,urlLength")
    assert duplicates(store) == ["http://a.test/", "http://www.a.test/"]


def test_slash_and_index_variants_leave_one_and_other_texts_stay(store: Store) -> None:
    """Case 125."""
    put(store, [page(f"http://a.test/info{end}") for end in ("", "/", "/index.html")])
    put(store, [page("http://a.test/x", b"one-text"), page("http://a.test/x/", b"two-text")])
    dedup(store)
    assert duplicates(store) == ["http://a.test/info/", "http://a.test/info/index.html"]


def test_bad_escapes_and_redirects_are_no_trouble(store: Store) -> None:
    """Case 128."""
    put(store, [page("http://a.test/50%-off"), page("http://a.test/50%25-off")])
    put(store, [page("http://a.test/moved", db_status=DbStatus.DB_REDIR_PERM)])
    assert dedup(store).marked == 1
    assert duplicates(store) == ["http://a.test/50%25-off"]


def test_what_is_being_fetched_is_left_and_said(store: Store) -> None:
    put(store, [page("http://a.test/x"), page("http://a.test/y")])
    store.lease(2, now=3_000_000.0)
    assert str(dedup(store)).endswith("1 left, for they or the pages to keep are being fetched: run it again")


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), max_size=25), st.integers(1, 9))
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_crawl_that_is_looked_at_in_parts_gives_the_same(
    redis_client: redis.Redis, contents: list[tuple[int, int]], at_once: int
) -> None:
    redis_client.flushall()
    store = open_store(redis_client)
    put(store, [page(f"http://a.test/{i}", b"content%d" % c, score=float(s)) for i, (c, s) in enumerate(contents)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nutchlike.dedup_job, "COPIES_AT_ONCE", at_once)
        dedup(store)
    assert duplicates(store) == sorted(_expected(contents))


def _expected(contents: list[tuple[int, int]]) -> Iterator[str]:
    for content in {content for content, _ in contents}:
        pages = [(-score, len(str(i)), str(i)) for i, (c, score) in enumerate(contents) if c == content]
        yield from (f"http://a.test/{path}" for _, _, path in sorted(pages)[1:])
