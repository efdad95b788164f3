"""Cases of the field: what was seen once can be fetched again."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from stores import Store, open_store
from web import Answer, Project, html, serve, tree

from nutchlike.store.compact import keep_hashes_compact
from nutchlike.store.embedded import EmbeddedServer
from nutchlike.store.host_records import chunks
from nutchlike.store.keys import CrawlKeys
from nutchlike.store.stored_url import StoredURL

DAY = 86_400


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    yield Project(tmp_path)
    EmbeddedServer.attach(tmp_path / "store").detach()


def record(project: Project, url: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(project.command("readdb", url)[1])
    return found


# DF 079
def test_a_page_that_failed_is_handed_out_again_a_day_later_and_not_before(project: Project) -> None:
    tries = iter(range(10))
    site = {"/": Answer(html("home", ["/f"]))}
    with serve({**site, "/f": lambda _: Answer(b"", 500 if next(tries) < 2 else 200)}) as web:
        began = time.time()
        project.crawl(f"url={web.url}/", RETRY_TIMES=1)
        project.crawl(RETRY_TIMES=1)
        assert web.count()["/f"] == 2
        failed = record(project, f"{web.url}/f")
    assert (failed["db_status"], failed["retries"]) == ("db_unfetched", 1)
    assert began + DAY - 1 <= failed["fetch_time"] <= time.time() + DAY
    with EmbeddedServer.attach(project.folder / "store") as server:
        store = open_store(server.client(), keys=CrawlKeys("site"))
        assert store.lease_urls(now=failed["fetch_time"] - 1) == []
        assert store.lease_urls(now=failed["fetch_time"] + 1) == [failed["url"]]


# DF 079
@pytest.mark.parametrize(("wrong", "asked"), [(2, 3), (99, 5)])
def test_a_callback_may_ask_for_its_page_again_but_not_for_ever(tmp_path: Path, wrong: int, asked: int) -> None:
    project = Project(tmp_path, {"SPIDER_MODULES": "general_spiders", "NUTCH_REQUEST_REPEATS_MAX": 4})
    answers = iter(range(1000))
    pages = {"/wrong": lambda _: Answer(b"wrong" if next(answers) < wrong else b"right"), "/other": Answer(b"other")}
    with serve(pages) as web:
        crawl = project.crawl(f"site={web.url}", spider="asks", timeout=60)
        assert crawl.code == 0, crawl.log
        assert web.count() == {"/wrong": asked, "/other": 1}
    right = [{"right": f"{web.url}/wrong"}] if wrong == 2 else []
    assert [item for item in crawl.items if "right" in item] == right
    assert {"other": "none"} in crawl.items
    assert ("'nutch/outlinks/repeats': 1" in crawl.log) == (wrong == 99)


# DF 080
def test_pages_that_are_due_again_are_fetched_once_more_and_nothing_grows(project: Project) -> None:
    project.settings["NUTCH_DB_FETCH_INTERVAL_DEFAULT"] = 12
    with serve(tree(8)) as web:
        project.crawl(f"url={web.url}/")
        before = project.command("readdb", "--stats")[1]
        due = max(record(project, web.url + path)["fetch_time"] for path in web.pages)
        web.requests.clear()
        process = project.start(NUTCH_CRAWL_FOREVER=True)
        try:
            web.wait_for(lambda asked: len(asked) == 8, seconds=60)
        finally:
            process.terminate()
            process.communicate()
        assert time.time() >= due
        assert web.count() == dict.fromkeys(web.pages, 1)
        after = project.command("readdb", "--stats")[1]
    assert "known\t8\n" in before
    assert "known\t8\n" in after


# DF 082; of the Bloom filter for contents: test_bloom_index.py
def test_a_million_urls_are_all_known_none_is_dropped_and_each_takes_a_hundred_bytes(project: Project) -> None:
    with EmbeddedServer.attach(project.folder / "store") as server:
        client = server.client()
        keep_hashes_compact(client)
        store = open_store(client, keys=CrawlKeys("site"))
        empty = client.info("memory")["used_memory"]
        assert added(store, range(1_000_000)) == 1_000_000
        assert client.info("memory")["used_memory"] - empty < 110 * 1_000_000
        assert added(store, range(0, 1_000_000, 37)) == 0
        assert added(store, range(1_000_000, 1_100_000)) == 100_000
        assert store.crawldb.counts().known == 1_100_000


def added(store: Store, numbers: range) -> int:
    """Make a URL of 74 characters known for each number, and return how many were new."""
    urls = (
        f"https://www.host{n % 1000:04}.example/articles/{n * 0x9E3779B97F4A7C15 % 2**64:016x}/{n:014}.html"
        for n in numbers
    )
    return sum(store.frontier.add(some, cash=1.0, now=time.time()) for some in chunks(map(StoredURL.plain, urls), 1000))
