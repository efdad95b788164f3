"""``scrapy purge`` and ``scrapy orphans`` over the stores of real crawls, and why a page is gone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from store_users import eventually
from stores import Store, begin_store, fetched, seed
from web import PROJECT, Answer, Project, Web, html, serve, tree

from nutchlike.crawldatum import DbStatus
from nutchlike.store.embedded import EmbeddedServer
from nutchlike.store.host_records import chunks

CLEAN = ": clean, counters and cash add up\n"


@pytest.fixture
def crawled(tmp_path: Path) -> Iterator[tuple[Project, Web]]:
    """A finished crawl: /404, /410 and /private are gone, /moved redirects, /copy repeats the home page."""
    project = Project(tmp_path, {"NUTCH_WEBGRAPH_ENABLED": True})
    links = ["/404", "/410", "/private", "/moved", "/copy", "/page", "/500"]
    pages: dict[str, Any] = {
        "/": Answer(html("home", links)),
        "/robots.txt": Answer(b"User-agent: *\nDisallow: /private\n"),
        "/410": Answer(status=410),
        "/500": Answer(status=500),
        "/moved": Answer(status=301, headers={"Location": "/page"}),
        "/page": Answer(html("page", [])),
        "/copy": Answer(html("page", [])),
    }
    with serve(pages) as web:
        assert project.crawl(f"url={web.url}/").code == 0
        yield project, web


def facts(project: Project, url: str) -> dict[str, Any]:
    return dict(json.loads(project.command("explain", "--json", url)[1]))


def test_readdb_and_explain_say_why_a_page_is_gone_when_and_after_how_many_tries(
    crawled: tuple[Project, Web],
) -> None:
    project, web = crawled
    for path, reason in [("/404", "HTTP 404"), ("/410", "HTTP 410"), ("/private", "forbidden by robots.txt")]:
        found = facts(project, web.url + path)
        assert found["db_status"] == "db_gone"
        assert found["failure"]["reason"] == reason
        assert found["failure"]["tries"] == 1
        assert found["until"] - found["failure"]["at"] == 30 * 86_400 * 1.5
        record = json.loads(project.command("readdb", web.url + path)[1])
        assert record["failure"] == found["failure"]
        lines = project.command("explain", web.url + path)[1].splitlines()
        assert [line for line in lines if line.startswith(f"gone: {reason}, 2") and line.endswith("UTC, after 1 try")]
    failed = facts(project, f"{web.url}/500")
    assert (failed["db_status"], failed["failure"]["reason"], failed["failure"]["tries"]) == (
        "db_unfetched", "HTTP 500", 1,
    )  # fmt: skip
    for path in ("/", "/page", "/moved"):
        found = facts(project, web.url + path)
        assert found["failure"] is None
        assert "_pst_" not in json.loads(project.command("readdb", web.url + path)[1])["metadata"]


def test_gone_pages_are_purged_and_the_store_is_clean(crawled: tuple[Project, Web]) -> None:
    project, web = crawled
    assert project.command("purge", "--dry-run")[:2] == (0, "Of 8 URLs would be purged 3 URLs: 3 db_gone\n")
    assert project.command("fsck")[1] == f"8 records{CLEAN}"
    code, out, _ = project.command("purge", "-o", "-", "--url", "/4")
    assert code == 0
    lines = [json.loads(line) for line in out.splitlines()]
    assert sorted((line["url"], line["deleted"], line["http_status"]) for line in lines) == [
        (f"{web.url}/404", "gone", 404),
        (f"{web.url}/410", "gone", 410),
    ]
    assert project.command("fsck")[1] == f"6 records{CLEAN}"
    feed = project.folder / "deleted.jsonl"
    code, out, _ = project.command("purge", "--gone", "--redirects", "--duplicates", "--orphans", "-o", str(feed))
    duplicate = json.loads(feed.read_text().splitlines()[-1])
    assert (code, len(feed.read_text().splitlines())) == (0, 3)
    assert set(duplicate) == {"url", "deleted", "http_status", "time"}
    assert out == "Of 6 URLs were purged 3 URLs: 1 db_gone, 1 db_redir_perm, 1 db_duplicate\n"
    assert project.command("fsck")[1] == f"3 records{CLEAN}"
    assert project.command("purge", "--host", r"127\.0\.0\.2")[1] == "Of 3 URLs were purged 0 URLs\n"
    assert project.command("purge", "--days", "1")[1] == "Of 3 URLs were purged 0 URLs\n"
    assert facts(project, f"{web.url}/404")["known"] is False


def test_inject_purges_first_where_the_settings_say_so(crawled: tuple[Project, Web]) -> None:
    project, web = crawled
    (project.folder / "seeds.txt").write_text(f"{web.url}/404\n")
    options = ["-s", "NUTCH_DB_UPDATE_PURGE_404=True", "-s", "NUTCH_DB_UPDATE_PURGE_ORPHANS=True"]
    code, out, _ = project.command("inject", str(project.folder / "seeds.txt"), *options)
    assert (code, out.splitlines()[0]) == (0, "Purged 3 URLs: 3 db_gone")
    assert facts(project, f"{web.url}/404")["db_status"] == "db_unfetched"
    assert project.command("fsck")[1] == f"6 records{CLEAN}"


def test_a_feed_that_cannot_be_written_is_named_and_nothing_is_purged(crawled: tuple[Project, Web]) -> None:
    project, _ = crawled
    code, out, err = project.command("purge", "-o", "/dev/full")
    assert (code, out) == (1, "")
    assert "The output failed: [Errno 28]" in err
    assert "Traceback" not in err
    assert project.command("fsck")[1] == f"8 records{CLEAN}"


def test_a_line_that_was_cut_spoils_no_other(crawled: tuple[Project, Web]) -> None:
    project, web = crawled
    feed = project.folder / "deleted.jsonl"
    feed.write_text('{"url": "http://a.te')
    assert project.command("purge", "--url", "404", "-o", str(feed))[0] == 0
    cut, line = feed.read_text().splitlines()
    assert (cut, json.loads(line)["url"]) == ('{"url": "http://a.te', f"{web.url}/404")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["purge", "x"], "no arguments are taken"),
        (["purge", "--url", "("], "'(' is no regular expression"),
        (["purge", "--days", "-1"], "must be a number of days, 0 or more, got '-1'"),
        (["purge", "-o", "/nowhere/at/all"], "/nowhere/at/all"),
        (["orphans"], "no filter of NUTCH_SCORING_FILTERS says which pages are orphans"),
    ],
)
def test_bad_usage_is_named(tmp_path: Path, arguments: list[str], message: str) -> None:
    code, out, err = Project(tmp_path).command(*arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert not (tmp_path / "store").exists()


def test_a_page_comes_back_after_the_interval_of_a_gone_one_and_is_fetched_again(tmp_path: Path) -> None:
    project = Project(tmp_path, {"NUTCH_DB_FETCH_INTERVAL_DEFAULT": 2, "NUTCH_DB_FETCH_INTERVAL_MAX": 10})
    with serve({"/": Answer(status=404)}) as web:
        url = f"{web.url}/"
        project.crawl(f"url={url}")
        intervals = [json.loads(project.command("readdb", url)[1])["fetch_interval"]]
        for fetches in (2, 3):
            for _ in range(30):
                if web.count()["/"] < fetches:
                    project.crawl()
            intervals.append(json.loads(project.command("readdb", url)[1])["fetch_interval"])
            web.pages["/"] = Answer(html("home", []))
        assert intervals == [3, 5, 5]  # half as long again each time that it is gone, rounded as Nutch does
        record = json.loads(project.command("readdb", url)[1])
        assert (record["db_status"], record["failure"], record["metadata"]) == ("db_fetched", None, {})
    assert len(project.items()) == 1


def test_orphans_are_marked_told_and_purged(tmp_path: Path) -> None:
    project = Project(tmp_path, {})
    project.settings |= {
        "NUTCH_SCORING_FILTERS": "nutchlike.scoring.opic.PaperOPIC,nutchlike.scoring.orphan.OrphanScoringFilter",
    }
    with serve({"/": Answer(html("home", ["/page"])), "/page": Answer(html("page", []))}) as web:
        project.crawl(f"url={web.url}/")
        assert project.command("orphans")[1] == "Marked 0 pages that no link leads to\n"
        project.settings["NUTCH_SCORING_ORPHAN_MARK_GONE_AFTER"] = 0
        project.settings["NUTCH_SCORING_ORPHAN_MARK_ORPHAN_AFTER"] = 0
        expected = "1 pages that no link leads to: 1 db_orphan\n"
        assert eventually(lambda: project.command("orphans", "--dry-run")[1] == f"Would mark {expected}")
        feed = project.folder / "deleted.jsonl"
        assert project.command("orphans", "-o", str(feed))[1] == f"Marked {expected}"
        [line] = feed.read_text().splitlines()
        assert (json.loads(line)["url"], json.loads(line)["deleted"]) == (f"{web.url}/page", "orphan")
        assert "gone: no link to it was seen since 2" in project.command("explain", f"{web.url}/page")[1]
        assert project.command("fsck")[1] == f"2 records{CLEAN}"
        assert project.command("purge", "--orphans")[1] == "Of 2 URLs were purged 1 URLs: 1 db_orphan\n"
        assert project.command("fsck")[1] == f"1 records{CLEAN}"


def test_a_crawl_goes_on_while_gone_pages_are_purged(tmp_path: Path) -> None:
    project = Project(tmp_path)
    pages = tree(300, wait=0.01)
    for i in range(1, 300, 3):
        pages[f"/{i}"] = Answer(status=404)
    with serve(pages) as web:
        crawl = project.start(f"url={web.url}/")
        web.wait_for(lambda count: count.total() > 20)
        purged = 0
        while crawl.poll() is None:
            code, out, err = project.command("purge")
            assert (code, "Traceback" in err) == (0, False)
            purged += int(out.split("purged ")[1].split()[0])
        _, log = crawl.communicate()
        assert crawl.returncode == 0, log
        purged += int(project.command("purge")[1].split("purged ")[1].split()[0])
    assert purged >= sum(path.lstrip("/").isdecimal() and int(path[1:]) % 3 == 1 for path in web.count())
    assert "clean, counters and cash add up" in project.command("fsck")[1]
    assert json.loads("[]") == [line for line in project.command("deadletters")[1].splitlines() if line]


def gone_store(client: Any, pages: int) -> Store:
    """Return a crawl with so many pages, of which all but each third are gone."""
    store = begin_store(client)
    for some in chunks(range(pages), 500):
        store.inject(*(seed(f"http://h{i % 7}.test/{i}", metadata={"k": "v"}) for i in some))
    while leases := store.lease(500):
        done = [
            fetched(lease, [], status=DbStatus.DB_FETCHED if lease.datum.url.endswith("3") else DbStatus.DB_GONE)
            for lease in leases
        ]
        store.frontier.complete(done, now=1_000_000.0)
    return store


@pytest.mark.parametrize("after", [1, 500, 2000])
def test_a_purge_that_is_killed_half_way_leaves_a_clean_store_and_is_gone_on_with(tmp_path: Path, after: int) -> None:
    project = Project(tmp_path)
    pages = 4000
    with EmbeddedServer.attach(tmp_path / "store") as server, server.client() as client:
        store = gone_store(client, pages)
        feed = tmp_path / "deleted.jsonl"
        command = [
            sys.executable,
            "-m",
            "scrapy",
            "purge",
            "-o",
            str(feed),
            "-s",
            f"NUTCH_DATA_DIR={tmp_path / 'store'}",
        ]
        environment = os.environ | {"PYTHONPATH": str(PROJECT)}
        process = subprocess.Popen(command, cwd=PROJECT, env=environment, stdout=subprocess.DEVNULL)
        assert eventually(lambda: store.crawldb.counts().known <= pages - after, seconds=30)
        process.send_signal(signal.SIGKILL)
        process.wait()
        left = store.crawldb.counts().by_status[DbStatus.DB_GONE] if process.returncode < 0 else 0
        assert process.returncode == -signal.SIGKILL
        assert project.command("fsck")[0] == 0
        report = store.check.run(repair=False, now=1_000_000.0)
        assert report.cash.error < 1e-9
        code, out, _ = project.command("purge", "-o", str(feed))
        assert code == 0
        assert f"were purged {left} URLs" in out
        assert store.crawldb.counts().known == pages // 10
        assert "clean" in project.command("fsck")[1]
        told = {json.loads(line)["url"] for line in feed.read_text().splitlines()}
        assert len(told) == pages - pages // 10
