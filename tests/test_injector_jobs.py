"""Whole injections as Nutch's Injector does them: recorded lines and jobs, and what a job without an example does."""

from __future__ import annotations

import base64
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import redis
from rule_vectors import rules_of
from scrapy.settings import Settings
from stores import MONTH, NOW, Store, open_store, seed
from vectors import vector_rows

from nutchlike.addon import NutchlikeAddon
from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.injector import Injector, batches, build_injector
from nutchlike.purge_job import PurgeJob, Selection
from nutchlike.scoring.chain import ScoringChain
from nutchlike.seed_sources import find_seed_sources
from nutchlike.store.crawldb import Merge
from nutchlike.store.lease import PageDone

# Rows with values that no frontier can work with: the default is used, with a warning.
UNUSABLE = {
    "inject-0031": {"score": 1.0},  # NaN
    "inject-0032": {"score": 1.0},  # Infinity
    "inject-0038": {"score": 1.0},  # 3.4e39, infinite as float32
    "inject-0055": {"fetch_interval": MONTH},  # -5
}


@pytest.fixture
def store(redis_client: redis.Redis) -> Store:
    return open_store(redis_client)


def settings_of(conf: dict[str, str] | None = None, **more: Any) -> Settings:
    """Return the settings of a crawl with the Nutch properties of ``conf``."""
    settings = Settings()
    NutchlikeAddon.update_pre_crawler_settings(settings)
    for name, value in (conf or {}).items():
        settings.set(f"NUTCH_{name.upper().replace('.', '_').replace('-', '_')}", value, priority="cmdline")
    settings.setdict(more, priority="cmdline")
    return settings


def as_nutch(conf: dict[str, str] | None = None, **options: Any) -> Injector:
    """Return an injector in strict mode with the rules that come with Nutch."""
    settings = settings_of(
        conf,
        NUTCH_STRICT=True,
        NUTCH_URLFILTER_REGEX_RULES=rules_of("filter")["regex-default"]["rules"],
        NUTCH_URLNORMALIZER_REGEX_RULES=rules_of("normalizer")["regex-default"]["rules"],
    )
    return build_injector(settings, **options)


def inject(injector: Injector, store: Store, *paths: Path, now: float = NOW) -> None:
    for batch in batches(injector.read(find_seed_sources(map(str, paths)))):
        injector.put(injector.judge(batch), store.crawldb, now=now)


def put(store: Store, records: dict[str, dict[str, Any]]) -> None:
    """Make the CrawlDb hold records as a vector describes them."""
    for url, record in records.items():
        new = seed(
            url, record["score"], fetch_interval=record.get("fetch_interval", 0), metadata=record.get("metadata", {})
        )
        store.inject(new, now=record["fetch_time"] / 1000)
    for lease in store.lease(100, now=1e10):
        record = records[lease.datum.url]
        if record["status"] == "db_unfetched":
            store.frontier.give_back([lease.key], now=NOW)
            continue
        datum = replace(
            lease.datum,
            db_status=DbStatus[record["status"].upper()],
            fetch_time=record["fetch_time"] // 1000,
            modified_time=record.get("modified_time", 0) // 1000,
            retries=record.get("retries", 0),
            signature=bytes.fromhex(record["signature"]) if record.get("signature") else None,
        )
        store.frontier.complete([PageDone(lease.key, datum)], now=NOW)


def as_vector(datum: CrawlDatum) -> dict[str, Any]:
    return {
        "status": datum.db_status.label,
        "fetch_time": "<now>" if datum.fetch_time == int(NOW) else datum.fetch_time * 1000,
        "modified_time": datum.modified_time * 1000,
        "retries": datum.retries,
        "fetch_interval": datum.fetch_interval,
        "score": pytest.approx(datum.score, rel=1e-6),
        "signature": datum.signature.hex() if datum.signature else None,
        "metadata": dict(datum.metadata),
    }


@pytest.mark.parametrize("files", [1, 100])
@pytest.mark.parametrize("row", vector_rows("injector_jobs.jsonl"), ids=lambda row: row["id"])
def test_a_job_leaves_the_crawldb_as_nutch_does(store: Store, tmp_path: Path, row: dict[str, Any], files: int) -> None:
    put(store, row["existing_crawldb"])
    lines = row["seed_text"].splitlines(keepends=True)
    for number in range(files):
        text = "".join(lines[number * len(lines) // files : (number + 1) * len(lines) // files])
        (tmp_path / f"{number:03}.txt").write_text(text, encoding="utf-8")
    merge: Merge | None = next((name for name in ("overwrite", "update") if row["flags"].get(name)), None)
    injector = as_nutch(row["conf"], merge=merge)
    purge_gone = row["conf"].get("db.update.purge.404") == "true"
    if purge_gone:
        PurgeJob(Selection({DbStatus.DB_GONE}), ScoringChain(()), keeps_cash=True).run(store.gone, now=NOW)
    if row["flags"].get("filter_normalize_all", False):
        injector.rejudge(store.crawldb, now=NOW)
    inject(injector, store, tmp_path)
    assert store.check.audit_cash().error < 1e-12
    assert store.check.run(repair=False, now=NOW).findings == []
    records = [record for record in store.crawldb.records() if isinstance(record, CrawlDatum)]
    assert {record.url: as_vector(record) for record in records} == row["expected_crawldb"]


@pytest.mark.parametrize("row", vector_rows("injector_lines.jsonl"), ids=lambda row: row["id"])
def test_a_line_becomes_the_record_that_nutch_makes_of_it(store: Store, tmp_path: Path, row: dict[str, Any]) -> None:
    (tmp_path / "seeds").write_bytes(base64.b64decode(row["seed_b64"]))
    raw = not row["normalize_and_filter"]
    inject(as_nutch(row["conf"], normalizing=not raw, filtering=not raw), store, tmp_path / "seeds")
    got = {record.url: as_vector(record) for record in store.crawldb.records() if isinstance(record, CrawlDatum)}
    expected = {one["url"]: one["datum"] for one in row["expected"]}
    for datum in expected.values():
        datum.update(status="db_unfetched", fetch_time="<now>", **UNUSABLE.get(row["id"], {}))
    assert got == expected


@pytest.mark.parametrize("entry", ["nutch.score=NaN", "nutch.score=-Infinity", "nutch.fetchInterval=-5"])
def test_what_no_frontier_can_work_with_is_told_of_and_the_default_is_used(
    store: Store, tmp_path: Path, entry: str
) -> None:
    (tmp_path / "a.txt").write_text(f"http://a.test/\t{entry}\n", encoding="utf-8")
    told: list[str] = []
    inject(as_nutch(tell=told.append), store, tmp_path / "a.txt")
    [message] = told
    assert message.endswith("is not used")
    datum = store.crawldb.get("http://a.test/")
    assert datum is not None
    assert (datum.score, datum.fetch_interval) == (1.0, MONTH)


def test_of_two_lists_a_broken_one_is_reported_and_the_other_is_used(store: Store, tmp_path: Path) -> None:
    (tmp_path / "a.txt.gz").write_bytes(b"no gzip")
    (tmp_path / "b.txt").write_text("http://b.test/\n", encoding="utf-8")
    told: list[str] = []
    injector = build_injector(settings_of(), tell=told.append)
    inject(injector, store, tmp_path / "a.txt.gz", tmp_path / "b.txt")
    assert (injector.counts.injected, injector.counts.rejected) == (1, 1)
    [message] = told
    assert "a.txt.gz cannot be read" in message


def test_a_flood_of_bad_seeds_is_told_of_once_and_then_counted(store: Store, tmp_path: Path) -> None:
    lines = [f"ftp://{n}.test/\nhttp://{n}.test/\tnoequals\n" for n in range(50)]
    (tmp_path / "a.txt").write_text("".join(lines), encoding="utf-8")
    told: list[str] = []
    injector = build_injector(settings_of(), tell=told.append, shown=3)
    inject(injector, store, tmp_path / "a.txt")
    assert (injector.counts.injected, injector.counts.rejected) == (50, 50)
    assert len(told) == 6


def test_progress_is_reported_every_hundred_thousand_lines(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nutchlike.injector.PROGRESS", 1000)
    (tmp_path / "a.txt").write_text("".join(f"http://a.test/{n}\nx\n" for n in range(1250)), encoding="utf-8")
    with caplog.at_level(logging.INFO, logger="nutchlike.injector"):
        inject(build_injector(settings_of()), store, tmp_path / "a.txt")
    assert [message.split(",")[0] for message in caplog.messages if not message.startswith("Seed rejected")] == [
        "Injecting: 500 new seeds",
        "Injecting: 1000 new seeds",
    ]


def test_a_url_that_nothing_normalizes_and_no_host_can_be_found_in_is_rejected(store: Store, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("http://a.test\nhttp://B.test//x\n", encoding="utf-8")
    told: list[str] = []
    inject(build_injector(settings_of(), normalizing=False, tell=told.append), store, tmp_path / "a.txt")
    [message] = told
    assert "a.txt:1: http://a.test: no normalized URL" in message
    assert store.lease_urls() == ["http://B.test//x"]
