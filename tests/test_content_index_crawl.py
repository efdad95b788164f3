"""Crawls with each index of contents: each content comes out once, and the tools say what the index knows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from content_indexes import KINDS, needs_package
from web import Answer, Project, html, serve

BODY = "one text that two pages have " * 20
each_kind = pytest.mark.parametrize("kind", [pytest.param(kind, marks=needs_package(kind)) for kind in KINDS])


def site() -> dict[str, Any]:
    return {
        "/": Answer(html("home", ["/a", "/b", "/c"])),
        "/a": Answer(html("a", [], text=BODY)),
        "/b": Answer(html("b", [], text=BODY)),
        "/c": Answer(html("c", [], text="another text")),
    }


def stat(log: str, name: str) -> float:
    found = re.search(rf"'nutch/dedup/{name}': ([\d.e+-]+)", log)
    return float(found[1]) if found else 0.0


@each_kind
def test_each_content_comes_out_once_and_again_only_when_it_has_changed(kind: str, tmp_path: Path) -> None:
    project = Project(tmp_path, {**KINDS[kind], "NUTCH_DB_FETCH_INTERVAL_DEFAULT": 1})
    pages = site()
    with serve(pages) as web:
        crawl = project.crawl(f"url={web.url}/")
        assert len({*crawl.urls}) == 3, crawl.log  # a page may have been due again
        assert stat(crawl.log, "dropped") >= 1
        assert stat(crawl.log, "index/entries") == 3
        assert stat(crawl.log, "index/pending") == 0
        _, out, _ = project.command("fsck")
        assert "clean, counters and cash add up" in out
        assert ("in a Bloom filter that knows no owners" in out) == (kind == "Bloom alone")
        owner, copy = sorted(("/a", "/b"), key=lambda path: web.url + path not in crawl.urls)
        _, told, _ = project.command("explain", web.url + copy)
        expected = (
            "a Bloom filter does not know by whom" if kind == "Bloom alone" else f"a duplicate of {web.url}{owner}"
        )
        assert expected in told
        pages["/c"] = Answer(html("c", [], text="a text that is new"))
        again = project.crawl()
        assert again.code == 0
        assert stat(again.log, "dropped") >= 1
    came = [item["url"].removeprefix(web.url) for item in again.items]
    assert came.count(copy) == 0, again.log
    assert {item["text"] for item in again.items if item["url"] == f"{web.url}/c"} >= {
        "another text",
        "a text that is new",
    }


@each_kind
def test_a_crawl_that_is_begun_anew_has_forgotten_all_contents(kind: str, tmp_path: Path) -> None:
    project = Project(tmp_path, KINDS[kind])
    with serve(site()) as web:
        project.crawl(f"url={web.url}/")
        crawl = project.crawl(f"url={web.url}/", SCHEDULER_FLUSH_ON_START=True)
        assert len(crawl.items) == 6, crawl.log
    names = {path.name for path in (tmp_path / "store").glob("contents-*") if not path.name.endswith("-lock")}
    assert len(names) == (kind in {"LMDB", "Berkeley DB"})


@pytest.mark.parametrize("kind", [pytest.param("LMDB", marks=needs_package("LMDB"))])
def test_a_crawl_that_is_not_kept_leaves_no_file_of_contents(kind: str, tmp_path: Path) -> None:
    project = Project(tmp_path, {**KINDS[kind], "SCHEDULER_PERSIST": False})
    with serve(site()) as web:
        assert len(project.crawl(f"url={web.url}/").items) == 3
    assert list((tmp_path / "store").glob("contents-*")) == []


def test_an_index_that_is_none_ends_the_crawl_at_its_start_by_name(tmp_path: Path) -> None:
    crawl = Project(tmp_path, {"NUTCH_SIGNATURE_STORE_CLASS": "nutchlike.store.keys.CrawlKeys"}).crawl()
    assert crawl.code == 2
    assert "NUTCH_SIGNATURE_STORE_CLASS: cannot build 'nutchlike.store.keys.CrawlKeys'" in crawl.log


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("NUTCH_SIGNATURE_BLOOM_ERROR", "0"),
        ("NUTCH_SIGNATURE_BLOOM_CAPACITY", "0"),
        ("NUTCH_SIGNATURE_BLOOM_CONFIRM", "perhaps"),
    ],
)
def test_bad_settings_of_the_filter_are_refused_by_name(tmp_path: Path, name: str, value: str) -> None:
    crawl = Project(tmp_path, {**KINDS["Bloom"], name: value}).crawl()
    assert crawl.code == 2
    assert f"{name} must be" in crawl.log
    assert repr(value) in crawl.log
