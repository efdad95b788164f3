"""The CrawlDb on a real server: injection and merging, counts, cash, and the repair of its queues."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stores import MONTH, NOW, Store, fetched, seed
from vectors import vector_rows

from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.store.check import CashAudit
from nutchlike.store.codec import UnreadableRecord
from nutchlike.store.lease import PageDone


def fetch_seven(store: Store) -> None:
    """Put one page with score 7, interval 600 and a signature into the CrawlDb, fetched."""
    store.inject(seed("http://a.test/", 7.0, fetch_interval=600, metadata={"old": "1"}))
    [lease] = store.lease()
    datum = replace(lease.datum, db_status=DbStatus.DB_FETCHED, fetch_time=int(NOW) + 600, signature=b"S" * 16)
    store.frontier.complete([PageDone(lease.key, datum)], now=NOW)


def test_a_known_url_is_kept_as_it_is(store: Store) -> None:
    fetch_seven(store)
    before = store.crawldb.get("http://a.test/")
    assert store.inject(seed("http://a.test/", 1.0, metadata={"x": "1"}, score_given=True)) == (0, 0)
    assert store.crawldb.get("http://a.test/") == before


def test_overwriting_makes_a_new_unfetched_record(store: Store) -> None:
    fetch_seven(store)
    assert store.inject(seed("http://a.test/", 1.0, metadata={"x": "1"}), merge="overwrite") == (0, 1)
    datum = store.crawldb.get("http://a.test/")
    assert datum is not None
    assert (datum.db_status, datum.score, datum.fetch_interval) == (DbStatus.DB_UNFETCHED, 1.0, MONTH)
    assert (datum.signature, dict(datum.metadata)) == (None, {"x": "1"})
    assert store.lease_urls() == ["http://a.test/"]


def test_updating_keeps_status_and_signature_and_merges_metadata(store: Store) -> None:
    fetch_seven(store)
    changed = seed("http://a.test/", 1.0, fetch_interval=60, metadata={"x": "1"}, score_given=True, interval_given=True)
    assert store.inject(changed, merge="update") == (0, 1)
    datum = store.crawldb.get("http://a.test/")
    assert datum is not None
    assert (datum.db_status, datum.score, datum.fetch_interval) == (DbStatus.DB_FETCHED, 1.0, 60)
    assert (datum.signature, dict(datum.metadata)) == (b"S" * 16, {"old": "1", "x": "1"})
    assert store.lease_urls() == []


@given(
    validators=st.binary(max_size=255),
    signature=st.sampled_from([None, b"S" * 16, b"short"]),
    key=st.sampled_from([None, b"k" * 8]),
    path=st.text("ab/", max_size=5),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50)
def test_a_record_keeps_what_its_server_is_asked_by_as_long_as_its_content(
    store: Store, validators: bytes, signature: bytes | None, key: bytes | None, path: str
) -> None:
    url, other = f"http://a.test/{path}", "http://a.test/other"
    store.crawldb.clear()
    store.inject(seed(url), seed(other))
    leases = {lease.datum.url: lease for lease in store.lease(2)}
    datum = replace(
        leases[url].datum,
        db_status=DbStatus.DB_FETCHED,
        fetch_time=int(NOW) + 600,
        signature=signature,
        dedup_key=key,
        validators=validators,
    )
    store.frontier.complete([PageDone(leases[url].key, datum)], now=NOW)
    # cash for a known page: its path is behind all else in the record
    store.frontier.complete([fetched(leases[other], [url])], now=NOW)
    found = store.crawldb.get(url)
    assert found is not None
    assert found.url == url
    assert found.score > datum.score
    assert (found.signature, found.dedup_key) == (signature, key)
    assert found.validators == (validators if signature or key else b"")
    assert {record.url for record in store.crawldb.records() if isinstance(record, CrawlDatum)} == {url, other}
    assert store.crawldb.counts().known == 2


@pytest.mark.parametrize("merge", ["keep", "update"])
def test_a_page_that_has_changed_since_its_last_fetch_is_due_at_once(store: Store, merge: str) -> None:
    fetch_seven(store)
    before = store.crawldb.get("http://a.test/")
    assert before is not None
    assert store.inject(seed("http://a.test/", changed_at=int(NOW)), merge=merge, now=NOW + 9)[1] == (merge == "update")
    assert store.lease_urls() == []
    assert store.inject(seed("http://a.test/", changed_at=int(NOW) + 1), merge=merge, now=NOW + 9) == (0, 1)
    assert store.crawldb.get("http://a.test/") == replace(before, fetch_time=int(NOW) + 9)
    # it waits by now: it is not due twice
    assert store.inject(seed("http://a.test/", changed_at=int(NOW) + 5), now=NOW + 9) == (0, 0)
    assert store.lease_urls() == ["http://a.test/"]


def test_a_page_that_failed_waits_for_its_next_try_though_it_has_changed(store: Store) -> None:
    store.inject(seed("http://a.test/"))
    [lease] = store.lease()
    datum = replace(lease.datum, retries=1, fetch_time=int(NOW) + 86_400)
    store.frontier.complete([PageDone(lease.key, datum, keep_request=True, failed=True)], now=NOW)
    assert store.inject(seed("http://a.test/", changed_at=int(NOW) + 5), now=NOW + 9) == (0, 0)
    assert store.lease_urls() == []


def test_updating_moves_a_waiting_url_in_its_queue(store: Store) -> None:
    store.inject(seed("http://a.test/1", 5.0), seed("http://a.test/2", 1.0))
    store.inject(seed("http://a.test/2", 9.0, score_given=True), merge="update")
    assert store.lease_urls() == ["http://a.test/2", "http://a.test/1"]


def test_a_seed_is_known_by_the_first_line_that_names_it(store: Store) -> None:
    store.inject(seed("http://a.test/", origin="a.txt:1"), seed("http://b.test/"))
    store.inject(seed("http://a.test/", origin="b.txt:7"), seed("http://b.test/", origin="b.txt:8"))
    keys = [store.crawldb.key_of(url) for url in ("http://a.test/", "http://b.test/")]
    assert [store.crawldb.origin_of(key or b"") for key in keys] == ["a.txt:1", "b.txt:8"]


def test_an_overwritten_seed_is_known_by_the_line_that_overwrote_it(store: Store) -> None:
    store.inject(seed("http://a.test/", origin="a.txt:1"))
    store.inject(seed("http://a.test/", origin="b.txt:7"), merge="overwrite")
    assert store.crawldb.origin_of(store.crawldb.key_of("http://a.test/") or b"") == "b.txt:7"


def test_a_renamed_seed_keeps_its_origin_and_a_forgotten_one_does_not(store: Store) -> None:
    store.inject(seed("http://a.test/", origin="a.txt:1"))
    for url in ("http://a.test/new", "http://other.test/"):  # the second one may be in another partition
        known = next(iter(store.webgraph.pages()))[1]
        assert store.crawldb.move(known, url, now=NOW)
        assert store.crawldb.origin_of(store.crawldb.key_of(url) or b"") == "a.txt:1"
    store.crawldb.move("http://other.test/", None, now=NOW)
    assert not any(store.client.exists(name) for name in store.each("origins"))


def test_injection_that_was_cut_short_is_completed_by_a_second_run(store: Store) -> None:
    seeds = [seed(f"http://a.test/{i}") for i in range(1000)]
    store.inject(*seeds[:500])
    assert store.inject(*seeds) == (500, 0)
    counts = store.crawldb.counts()
    assert (counts.known, counts.waiting) == (1000, 1000)
    assert store.check.audit_cash().injected == 1000.0


@pytest.mark.parametrize("row", vector_rows("injector_merge.jsonl"), ids=lambda row: row["id"])
def test_merging_gives_what_nutch_gives(store: Store, row: dict[str, Any]) -> None:
    conf = {"db.score.injected": 1.0, "db.fetch.interval.default": MONTH} | row["conf"]
    merge = next((m for m in ("overwrite", "update") if conf.get(f"db.injector.{m}") == "true"), "keep")
    for old in [value for value in row["values"] if value["status"] != "injected"][-1:]:
        put(store, old)
    for new in [value for value in row["values"] if value["status"] == "injected"][-1:]:  # of several the last one wins
        injected = seed(
            "http://a.test/",
            new["score"],
            fetch_interval=new["fetch_interval"],
            metadata=new.get("metadata", {}),
            # Nutch cannot tell a value that was given from none: it compares with the defaults
            score_given=new["score"] != float(conf["db.score.injected"]),
            interval_given=new["fetch_interval"] != int(conf["db.fetch.interval.default"]),
        )
        store.inject(injected, merge=merge, now=new["fetch_time"] / 1000)
    datum = store.crawldb.get("http://a.test/")
    assert datum is not None
    assert {
        "status": datum.db_status.label,
        "fetch_time": datum.fetch_time * 1000,
        "modified_time": datum.modified_time * 1000,
        "retries": datum.retries,
        "fetch_interval": datum.fetch_interval,
        "score": pytest.approx(datum.score, rel=1e-6),
        "signature": datum.signature.hex() if datum.signature else None,
        "metadata": dict(datum.metadata),
    } == row["expected"]


def put(store: Store, value: dict[str, Any]) -> None:
    """Make the CrawlDb hold a record as a vector describes it."""
    store.inject(
        seed(
            "http://a.test/",
            value["score"],
            fetch_interval=value.get("fetch_interval", 0),
            metadata=value.get("metadata", {}),
        )
    )
    [lease] = store.lease()
    status = DbStatus[value["status"].upper()]
    datum = replace(
        lease.datum,
        db_status=status,
        fetch_time=value["fetch_time"] // 1000,
        modified_time=value.get("modified_time", 0) // 1000,
        retries=value.get("retries", 0),
        signature=bytes.fromhex(value["signature"]) if value.get("signature") else None,
    )
    store.frontier.complete([PageDone(lease.key, datum)], now=NOW)


def test_the_states_always_add_up_to_what_is_known(store: Store) -> None:
    store.inject(*(seed(f"http://a.test/{i}") for i in range(3)))
    assert_sums(store, waiting=3, leased=0, due=0)
    leases = store.lease(3)
    assert_sums(store, waiting=0, leased=3, due=0)
    store.frontier.complete([fetched(lease, []) for lease in leases], now=NOW)
    assert_sums(store, waiting=0, leased=0, due=3)


def assert_sums(store: Store, **expected: int) -> None:
    counts = store.crawldb.counts()
    assert {name: getattr(counts, name) for name in expected} == expected
    assert counts.known == counts.waiting + counts.leased + counts.due + counts.dead + counts.done == 3


def test_a_page_without_outlinks_gives_its_cash_to_all_pages(store: Store) -> None:
    store.inject(seed("http://a.test/", 3.0), seed("http://b.test/", 1.0))
    [page] = store.lease()
    store.frontier.complete([fetched(page, [])], now=NOW)
    a, b = store.crawldb.get("http://a.test/"), store.crawldb.get("http://b.test/")
    assert a is not None
    assert b is not None
    assert (a.score, b.score, a.history) == pytest.approx((1.5, 2.5, 3.0))


def test_cash_that_arrives_during_a_fetch_stays(store: Store) -> None:
    store.inject(seed("http://a.test/", 4.0), seed("http://b.test/", 2.0))
    a, b = store.lease(2)
    store.frontier.complete([fetched(b, ["http://a.test/"])], now=NOW)
    store.frontier.complete([fetched(a, ["http://b.test/"])], now=NOW)
    store.frontier.deliver(now=NOW + 60)
    datum = store.crawldb.get("http://a.test/")
    assert datum is not None
    # b gave 1 to a, 1 to the virtual page (0.5 each); a spent 4: 2 to b, 2 to the virtual page (1 each)
    assert datum.score == pytest.approx(1 + 0.5 + 1)
    assert store.check.audit_cash().error < 1e-12


links = st.lists(st.integers(0, 30), max_size=8, unique=True)


@given(fetches=st.lists(st.tuples(links, st.sampled_from(["done", "lost", "returned"])), max_size=40))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_cash_is_conserved_and_no_url_is_nowhere(store: Store, fetches: list[tuple[list[int], str]]) -> None:
    store.crawldb.clear()
    store = store.other("w1", attempts_max=2)
    store.inject(seed("http://h0.test/0", 2.5), seed("http://h1.test/1", 0.5))
    now = NOW
    for targets, fate in fetches:
        now += 100  # every lease that was not returned or completed has expired
        for lease in store.lease(1, now=now):
            if fate == "done":
                urls = [f"http://h{i % 3}.test/{i}" for i in targets if f"http://h{i % 3}.test/{i}" != lease.datum.url]
                store.frontier.complete([fetched(lease, urls, now=now)], now=now)
            elif fate == "returned":
                store.frontier.give_back([lease.key], now=now)
    counts = store.crawldb.counts()
    assert store.check.audit_cash().error < 1e-9
    assert counts.done == 0
    report = store.check.run(repair=False, now=NOW)
    assert report.findings == []
    assert sum(counts.by_status.values()) == counts.known == sum(1 for _ in store.crawldb.records())


def test_a_lost_queue_is_rebuilt_from_the_records(store: Store) -> None:
    store.inject(*(seed(f"http://a.test/{i}") for i in range(3)), seed("http://b.test/"))
    [lost] = [(keys, host) for keys, host in store.hosts() if host.name == "a.test"]
    store.client.delete(f"{lost[0].name('q:')}{lost[1].number}")
    store.client.delete(lost[0].name("ready"))
    assert store.check.mend_queues(now=NOW) == 3
    assert store.check.mend_queues(now=NOW) == 0
    assert len(store.lease_urls()) == 4


def test_two_urls_with_one_id_are_both_kept(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nutchlike.store.stored_url.url_id", lambda url: b"collides")
    monkeypatch.setattr("nutchlike.store.crawldb.url_id", lambda url: b"collides")
    urls = [f"http://a.test/{i}" for i in range(4)]
    assert store.inject(*(seed(url, 1.0 + i) for i, url in enumerate(urls))) == (4, 0)
    assert store.inject(*(seed(url) for url in urls)) == (0, 0)
    assert [datum.score for url in urls if (datum := store.crawldb.get(url))] == [1.0, 2.0, 3.0, 4.0]
    assert sorted(store.lease_urls()) == urls


def test_a_record_that_cannot_be_read_is_named_by_its_key(store: Store) -> None:
    store.inject(seed("http://a.test/"))
    bucket, url_id = store.where("http://a.test/")
    store.client.hset(bucket, url_id, b"\x99" + b"x" * 60)
    with pytest.raises(UnreadableRecord, match=rf"{url_id.hex()} of nutch:site:"):
        store.crawldb.get("http://a.test/")


def test_metadata_of_any_text_comes_back_as_it_was(store: Store) -> None:
    metadata = {"a": "ü\u2028=/\\\"'", "": "empty name", "n": "1.0", "big": "x" * 10_000}
    store.inject(seed("http://a.test/", metadata=metadata))
    [lease] = store.lease()
    assert dict(lease.datum.metadata) == metadata
    store.inject(seed("http://a.test/", metadata={"more": "€"}), merge="update")
    datum = store.crawldb.get("http://a.test/")
    assert datum is not None
    assert dict(datum.metadata) == metadata | {"more": "€"}


def test_clearing_forgets_one_crawl_and_leaves_others(store: Store) -> None:
    store.client.set("nutch:other:{0}:totals", "x")
    store.inject(seed("http://a.test/"))
    store.crawldb.clear()
    assert list(store.client.scan_iter("*")) == [b"nutch:other:{0}:totals"]


def test_no_key_outside_the_table_is_ever_written(store: Store) -> None:
    store.inject(seed("http://a.test/", metadata={"k": "v"}))
    [lease] = store.lease()
    store.frontier.complete([fetched(lease, ["http://b.test/", "http://a.test/2"])], now=NOW)
    allowed = tuple(name.encode() for keys in store.keys.partitions for name in keys.all())
    families = tuple(name for name in allowed if name.endswith(b":"))
    strange = [key for key in store.client.scan_iter("*") if key not in allowed and not key.startswith(families)]
    assert strange == []


def test_nothing_in_the_store_is_a_pickle(store: Store) -> None:
    store.inject(seed("http://a.test/", metadata={"k": "v"}))
    [stored] = [value for name in store.each("metadata") for value in store.client.hvals(name)]
    assert json.loads(stored) == {"k": "v"}


def test_cash_is_conserved_when_few_pages_know_of_many(store: Store) -> None:
    # V is large when only two pages are known, and each page's cash small against it in the end
    store.inject(seed("http://a.test/"))
    [home] = store.lease()
    store.frontier.complete([fetched(home, ["http://a.test/hub"])], now=NOW)
    [hub] = store.lease()
    store.frontier.complete([fetched(hub, [f"http://a.test/{i}" for i in range(5000)])], now=NOW)
    while leases := store.lease(100):
        store.frontier.complete([fetched(lease, []) for lease in leases], now=NOW)
    assert store.check.audit_cash().error < 1e-12


def test_cash_that_is_no_number_is_repaired_and_counted(store: Store) -> None:
    store.inject(seed("http://a.test/"), seed("http://b.test/"))
    bucket, url_id = store.where("http://a.test/")
    raw = bytearray(store.client.hget(bucket, url_id) or b"")
    raw[7:15] = bytes.fromhex("7ff8000000000000")  # NaN in place of its cash
    store.client.hset(bucket, url_id, bytes(raw))
    assert sorted(store.lease_urls()) == ["http://a.test/", "http://b.test/"]
    assert store.crawldb.counts().repaired == 1


@pytest.mark.parametrize("score", [-1.0, float("nan"), float("inf"), 1.7e308])
def test_a_score_that_would_spoil_the_sums_is_refused(store: Store, score: float) -> None:
    with pytest.raises(ValueError, match="score"):
        store.inject(seed("http://a.test/", score))


def test_a_signature_and_a_dedup_key_come_back_as_they_were(store: Store) -> None:
    store.inject(seed("http://a.test/"))
    [lease] = store.lease()
    datum = replace(lease.datum, db_status=DbStatus.DB_FETCHED, signature=b"S" * 16, dedup_key=b"p" + b"K" * 16)
    store.frontier.complete([PageDone(lease.key, datum)], now=NOW)
    kept = store.crawldb.get("http://a.test/")
    assert kept is not None
    assert (kept.signature, kept.dedup_key) == (b"S" * 16, b"p" + b"K" * 16)


def test_a_page_that_is_due_tomorrow_stays_so_when_the_queues_are_rebuilt(store: Store) -> None:
    store.inject(seed("http://a.test/"))
    [lease] = store.lease()
    retry = replace(lease.datum, retries=1, fetch_time=int(NOW) + 86_400)
    store.frontier.complete([PageDone(lease.key, retry, keep_request=True)], now=NOW)
    for name in store.each("due"):
        store.client.delete(name)
    assert store.check.mend_queues(now=NOW) == 1
    assert store.lease_urls() == []
    assert store.lease_urls(now=NOW + 86_401) == ["http://a.test/"]


def test_a_forgotten_url_takes_its_cash_with_it(store: Store) -> None:
    store.inject(seed("http://a.test/", 3.0), seed("http://b.test/", 1.0))
    assert store.crawldb.move("http://a.test/", None, now=NOW)
    assert store.crawldb.get("http://a.test/") is None
    kept = store.crawldb.get("http://b.test/")
    assert kept is not None
    assert kept.score == 1.0
    assert store.crawldb.counts().known == 1
    assert store.check.audit_cash() == CashAudit(injected=1.0, found=1.0)
    assert store.lease_urls() == ["http://b.test/"]


def test_a_renamed_url_keeps_its_record_and_its_place(store: Store) -> None:
    store.inject(seed("http://a.test/old", 3.0, metadata={"k": "v"}), seed("http://b.test/", 2.0))
    before = store.crawldb.get("http://a.test/old")
    assert store.crawldb.move("http://a.test/old", "http://c.test/new", now=NOW)
    after = store.crawldb.get("http://c.test/new")
    assert before is not None
    assert after == replace(before, url="http://c.test/new")
    assert store.lease_urls() == ["http://c.test/new", "http://b.test/"]


def test_a_url_that_is_renamed_to_a_known_one_gives_it_its_cash(store: Store) -> None:
    store.inject(seed("http://a.test/old", 3.0), seed("http://a.test/", 1.0))
    assert store.crawldb.move("http://a.test/old", "http://a.test/", now=NOW)
    kept = store.crawldb.get("http://a.test/")
    assert kept is not None
    assert kept.score == 4.0
    assert store.crawldb.counts().known == 1
    assert store.lease_urls() == ["http://a.test/"]


def test_a_leased_url_is_neither_renamed_nor_forgotten(store: Store) -> None:
    store.inject(seed("http://a.test/"))
    store.lease()
    assert not store.crawldb.move("http://a.test/", None, now=NOW)
    assert store.crawldb.get("http://a.test/") is not None


def test_a_url_that_is_renamed_into_another_host_counts_there(store: Store) -> None:
    old, new = "http://old.example.com/", "http://new.example.com/"
    store.inject(seed(old, 3.0), seed("http://old.example.com/2"))
    assert store.crawldb.move(old, new, now=NOW)
    assert {host.name: (host.records, host.waiting) for _, host in store.hosts()} == {
        "old.example.com": (1, 1),
        "new.example.com": (1, 1),
    }
    store.inject(seed(old, 3.0))
    assert store.crawldb.move(old, new, now=NOW)
    assert {host.name: host.waiting for _, host in store.hosts()} == {"old.example.com": 1, "new.example.com": 1}
    assert store.check.run(repair=False, now=NOW).findings == []


def test_a_url_takes_its_place_in_the_budget_with_it_into_another_host(store: Store) -> None:
    old, new = "http://old.example.com/", "http://new.example.com/"
    store.inject(seed(old))
    [lease] = store.lease()
    store.frontier.bury(lease.key, "odd", now=NOW)
    store.crawldb.requeue(None, now=NOW)
    assert store.crawldb.move(old, new, now=NOW)
    assert {host.name: host.taken for _, host in store.hosts()} == {"old.example.com": 0, "new.example.com": 1}
    store.frontier.give_back([lease.key for lease in store.lease()], now=NOW)
    assert {host.name: host.taken for _, host in store.hosts()} == {"old.example.com": 0, "new.example.com": 0}


def test_a_leased_url_is_not_made_known_elsewhere_either(store: Store) -> None:
    store.inject(seed("http://a.test/"))
    store.lease()
    assert not any(store.crawldb.move("http://a.test/", f"http://h{i}.test/", now=NOW) for i in range(4))
    assert store.crawldb.counts().known == 1
    assert store.check.audit_cash().injected == 1.0


def test_a_url_that_is_renamed_to_a_known_one_of_any_partition_gives_it_its_cash(store: Store) -> None:
    store.inject(*(seed(f"http://h{i}.test/", 1.0) for i in range(5)))
    assert all(store.crawldb.move(f"http://h{i}.test/", "http://h4.test/", now=NOW) for i in range(4))
    kept = store.crawldb.get("http://h4.test/")
    assert kept is not None
    assert kept.score == 5.0
    assert store.check.audit_cash() == CashAudit(injected=5.0, found=5.0)
