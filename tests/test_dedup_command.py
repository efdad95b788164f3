"""``scrapy dedup`` over the store of a real crawl."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from stores import begin_store
from web import Answer, Project, Web, html, serve

from nutchlike.store.embedded import EmbeddedServer

TEXT = "one text that several pages have in common " * 20


@pytest.fixture
def crawled(tmp_path: Path) -> Iterator[tuple[Project, Web]]:
    """A crawl that kept all copies: /info, /info/ and /info/index.html are one page, /x and /x/ are two."""
    project = Project(tmp_path, {"NUTCH_DEDUP_ENABLED": False})
    paths = ["/info", "/info/", "/info/index.html", "/x", "/x/"]
    pages: dict[str, Any] = {path: Answer(html("copy", [], text=TEXT)) for path in paths[:3]}
    pages |= {path: Answer(html(path, [], text=f"{TEXT}{path}")) for path in paths[3:]}
    with serve(pages | {"/": Answer(html("home", paths))}) as web:
        assert len(project.crawl(f"url={web.url}/").items) == 6
        with EmbeddedServer.attach(project.folder / "store") as server:
            crawldb = begin_store(server.client()).crawldb
            # what the pages got as cash says nothing here
            keys = [crawldb.key_of(web.url + path) for path in ["/", *paths]]
            crawldb.set_scores([(key, 1.0) for key in keys if key], now=0.0)
        yield project, web


def record(project: Project, url: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(project.command("readdb", url)[1])
    return found


def explain(project: Project, url: str) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(project.command("explain", "--json", url)[1])
    return facts


ORDER = "urlLength,score,fetchTime"  # pages may be fetched within one second, or not


def test_variants_of_one_page_leave_one_and_each_says_which(crawled: tuple[Project, Web]) -> None:
    """Case 125."""
    project, web = crawled
    info, slash, index = (f"{web.url}/info{end}" for end in ("", "/", "/index.html"))
    code, out, err = project.command("dedup", "--dry-run", "-compareOrder", ORDER)
    assert (code, sorted(out.splitlines())) == (0, sorted([f"{slash}\t{info}", f"{index}\t{info}"]))
    assert "Would mark 2 pages" in err
    assert record(project, slash)["db_status"] == "db_fetched"
    assert project.command("dedup", "--compare-order", ORDER)[:2] == (
        0,
        "2 of 6 pages marked as duplicates, 4 kept\n",
    )
    for url in (slash, index):
        assert record(project, url)["db_status"] == "db_duplicate"
        assert explain(project, url)["duplicate_of"] == info
        assert f"a duplicate of {info}" in project.command("explain", url)[1]
    assert explain(project, info)["duplicate_of"] is None
    for path in ("/info", "/x", "/x/"):
        assert record(project, web.url + path)["db_status"] == "db_fetched"
    assert project.command("fsck")[:2] == (0, "6 records: clean, counters and cash add up\n")
    assert project.command("dedup", "-group", "host")[1] == "0 of 4 pages marked as duplicates, 4 kept\n"


def test_the_next_crawl_drops_what_repeats_the_kept_page(crawled: tuple[Project, Web]) -> None:
    project, web = crawled
    project.command("dedup", "--compare-order", ORDER)
    web.pages["/new"] = Answer(html("copy", [], text=TEXT))
    crawl = project.crawl(f"url={web.url}/new", NUTCH_DEDUP_ENABLED=True)
    assert (crawl.code, len(crawl.items)) == (0, 6)
    assert explain(project, f"{web.url}/new")["duplicate_of"] == f"{web.url}/info"
    assert project.command("fsck")[0] == 0


def test_nutch_s_signature_takes_pages_for_one_that_differ_in_rare_words(crawled: tuple[Project, Web]) -> None:
    project, web = crawled
    for options in (["--by-signature"], ["-s", "NUTCH_STRICT=True"]):
        out = project.command("dedup", "--dry-run", "--compare-order", ORDER, *options)[1]
        assert f"{web.url}/x/\t" in out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["x"], 2, "no arguments are taken"),
        (["--group", "page"], 2, "invalid choice: 'page'"),
        (["--spider", "other"], 2, "no spider 'other'"),
        (["-compareOrder", "score,urlLength"], 1, "must contain score, fetchTime, urlLength, got 'score,urlLength'"),
        (["--compare-order", "score,fetchTime,urlLength,bogus"], 1, "got 'bogus'"),
        (["-s", "NUTCH_DEDUPLICATION_COMPARE_ORDER=x"], 2, "NUTCH_DEDUPLICATION_COMPARE_ORDER must contain"),
        (["-s", "NUTCH_DEDUPLICATION_GROUP_MODE=x"], 2, "must be one of none, host, domain, got 'x'"),
    ],
)
def test_bad_usage_is_named(tmp_path: Path, arguments: list[str], code: int, message: str) -> None:
    done, out, err = Project(tmp_path).command("dedup", *arguments)
    assert (done, out) == (code, "")
    assert message in err
    assert not (tmp_path / "store").exists()


def test_a_crawl_that_is_not_there_has_no_duplicates(tmp_path: Path) -> None:
    assert Project(tmp_path).command("dedup")[:2] == (0, "0 of 0 pages marked as duplicates, 0 kept\n")
