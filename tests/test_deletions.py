"""NUTCH_INDEXER_DELETE: a page that came out before, and does so no more, is told once."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from due_pages import crawl_again
from store_users import eventually
from web import Answer, Project, Web, html, serve

TEXT = "one text that several pages have in common " * 20


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path, {"NUTCH_INDEXER_DELETE": True})


def crawl_until(project: Project, web: Web, path: str, times: int) -> None:
    """Crawl again and again until ``path`` was asked for so often."""
    while web.count()[path] < times:
        before = web.count()[path]
        assert crawl_again(project).code == 0
        assert web.count()[path] == before + 1


def deleted(project: Project, feed: str = "pages.jsonl") -> list[tuple[str, str, int | None]]:
    return [(i["url"], i["deleted"], i["http_status"]) for i in project.items(feed) if "deleted" in i]


def record(project: Project, url: str) -> dict[str, Any]:
    return dict(json.loads(project.command("readdb", url)[1]))


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (Answer(status=404), ("gone", 404)),
        (Answer(status=410), ("gone", 410)),
        (Answer(status=301, headers={"Location": "/"}), ("redirect", 301)),
        (Answer(status=302, headers={"Location": "/"}), ("redirect", 302)),
    ],
)
def test_a_page_that_is_gone_or_redirects_is_told_once(project: Project, answer: Answer, told: tuple[str, int]) -> None:
    with serve({"/": Answer(html("home", ["/page"])), "/page": Answer(html("page", []))}) as web:
        project.crawl(f"url={web.url}/")
        assert deleted(project) == []
        web.pages["/page"] = answer
        crawl_until(project, web, "/page", 2)
        assert deleted(project) == [(f"{web.url}/page", *told)]
        crawl_until(project, web, "/page", 3)
        assert deleted(project) == [(f"{web.url}/page", *told)]
        web.pages["/page"] = Answer(html("page", []))
        crawl_until(project, web, "/page", 4)
        assert record(project, f"{web.url}/page")["db_status"] == "db_fetched"
        assert [item.get("title") for item in project.items() if item["url"] == f"{web.url}/page"] == [
            "page", None, "page",
        ]  # fmt: skip
    assert project.command("fsck")[0] == 0


def test_nothing_is_told_of_pages_that_never_came_out_or_unless_it_is_asked_for(project: Project) -> None:
    with serve({"/": Answer(html("home", ["/page", "/never"])), "/page": Answer(html("page", []))}) as web:
        project.crawl(f"url={web.url}/", NUTCH_INDEXER_DELETE=False)
        web.pages["/page"] = Answer(status=404)
        crawl_again(project, NUTCH_INDEXER_DELETE=False)
        crawl_until(project, web, "/never", 3)
    assert deleted(project) == []


def test_a_page_that_fails_for_good_is_told_at_its_last_try(project: Project) -> None:
    with serve({"/": Answer(html("home", [])), "/page": Answer(html("page", []))}) as web:
        project.crawl(f"url={web.url}/page")
        web.pages["/page"] = Answer(status=500)
        crawl_again(project, NUTCH_DB_FETCH_RETRY_MAX=1, RETRY_ENABLED=False)
    assert deleted(project) == [(f"{web.url}/page", "gone", 500)]


def test_a_page_that_repeats_another_is_told_when_it_does_so_for_the_second_time(project: Project) -> None:
    """One login page for all URLs, for an hour, must not empty an index."""
    pages: dict[str, Any] = {"/": Answer(html("home", ["/a", "/b"])), "/a": Answer(html("copy", [], text=TEXT))}
    with serve(pages | {"/b": Answer(html("b", []))}) as web:
        project.crawl(f"url={web.url}/")
        web.pages["/b"] = Answer(html("copy", [], text=TEXT))
        crawl_until(project, web, "/b", 2)
        assert record(project, f"{web.url}/b")["db_status"] == "db_duplicate"
        assert deleted(project) == []
        crawl_until(project, web, "/b", 3)
        assert deleted(project) == [(f"{web.url}/b", "duplicate", None)]
        crawl_until(project, web, "/b", 4)
        assert deleted(project) == [(f"{web.url}/b", "duplicate", None)]
    assert project.command("fsck")[0] == 0


def test_a_page_that_asks_not_to_be_indexed_any_more_is_told_once(project: Project) -> None:
    noindex = Answer(html("page", []), headers={"X-Robots-Tag": "noindex"})
    with serve({"/": Answer(html("home", ["/page", "/never"])), "/page": Answer(html("page", []))}) as web:
        web.pages["/never"] = noindex
        url = f"{web.url}/page"
        project.crawl(f"url={web.url}/")
        web.pages["/page"] = noindex
        crawl_until(project, web, "/page", 3)
        assert deleted(project) == [(url, "noindex", None)]
        assert record(project, url)["db_status"] == "db_fetched"
        web.pages["/page"] = Answer(status=404)
        crawl_until(project, web, "/page", 4)
        assert len(deleted(project)) == 1
        web.pages["/page"] = Answer(html("page", []))
        crawl_until(project, web, "/page", 5)
        assert project.items()[-1].get("title") == "page"
        assert record(project, url)["metadata"] == {}
    assert project.command("fsck")[0] == 0


def test_a_page_that_is_fetched_anew_on_demand_and_is_gone_is_told(project: Project) -> None:
    with serve({"/": Answer(html("home", ["/page"])), "/page": Answer(html("page", []))}) as web:
        project.crawl(f"url={web.url}/")
        web.pages["/page"] = Answer(status=500)
        project.crawl("refetch=/page$", RETRY_ENABLED=False)
        web.pages["/page"] = Answer(status=404)
        project.crawl("refetch=/page$")
    assert deleted(project) == [(f"{web.url}/page", "gone", 404)]


def test_an_orphan_is_told_behind_its_item(project: Project) -> None:
    project.settings |= {
        "NUTCH_SCORING_FILTERS": "nutchlike.scoring.opic.PaperOPIC,nutchlike.scoring.orphan.OrphanScoringFilter",
        "NUTCH_SCORING_ORPHAN_MARK_GONE_AFTER": 0,
        "NUTCH_SCORING_ORPHAN_MARK_ORPHAN_AFTER": 0,
    }
    with serve({"/": Answer(html("home", ["/page"])), "/page": Answer(html("page", []))}) as web:
        project.crawl(f"url={web.url}/")
        web.pages["/"] = Answer(html("home", []))
        crawl_until(project, web, "/page", 2)
        url = f"{web.url}/page"
        assert record(project, url)["db_status"] == "db_orphan"
        assert record(project, url)["signature"] is None
    last = [item for item in project.items() if item["url"] == url][-1]
    assert last["deleted"] == "orphan"
    assert project.command("fsck")[0] == 0


def test_a_kill_in_a_pipeline_costs_no_deletion(project: Project, tmp_path: Path) -> None:
    with serve({"/": Answer(html("home", ["/page"])), "/page": Answer(html("page", []))}) as web:
        project.crawl(f"url={web.url}/")
        web.pages["/page"] = Answer(status=404)
        killed = tmp_path / "killed"
        settings = {"KILL_AT": "/page", "KILLED": killed}
        settings["ITEM_PIPELINES"] = json.dumps({"killing_pipeline.KillOnce": 300})
        crawl_again(project, **settings)
        assert killed.exists()
        assert deleted(project) == []
        assert record(project, f"{web.url}/page")["db_status"] == "db_fetched"
        crawl_until(project, web, "/page", 3)
        assert deleted(project) == [(f"{web.url}/page", "gone", 404)]
    assert project.command("fsck")[0] == 0


def test_a_pipeline_that_fails_makes_the_page_wait_for_another_try(project: Project) -> None:
    with serve({"/": Answer(html("home", ["/page"])), "/page": Answer(html("page", []))}) as web:
        project.crawl(f"url={web.url}/")
        web.pages["/page"] = Answer(status=404)
        settings = {"ITEM_PIPELINES": json.dumps({"failing_pipeline.FailOnDeleted": 300})}
        crawl_again(project, **settings)
        found = record(project, f"{web.url}/page")
    assert (found["db_status"], found["retries"]) == ("db_unfetched", 1)
    assert found["failure"]["reason"] == "an item pipeline failed"


def test_the_end_of_a_crawl_waits_for_deletions_that_are_slow(project: Project) -> None:
    with serve({"/": Answer(html("home", ["/page"])), "/page": Answer(html("page", []))}) as web:
        project.crawl(f"url={web.url}/")
        web.pages["/page"] = Answer(status=404)
        settings = {"ITEM_PIPELINES": json.dumps({"failing_pipeline.Slow": 300})}
        crawl_again(project, **settings)
    assert deleted(project) == [(f"{web.url}/page", "gone", 404)]
    assert eventually(lambda: record(project, f"{web.url}/page")["db_status"] == "db_gone", seconds=1)


def test_the_end_of_a_crawl_that_is_told_to_stop_waits_for_deletions_and_comes(project: Project) -> None:
    paths = [f"/{i}" for i in range(5)]
    with serve({"/": Answer(html("home", paths))} | {path: Answer(html(path, [])) for path in paths}) as web:
        project.crawl(f"url={web.url}/")
        web.pages |= dict.fromkeys(paths, Answer(status=404))
        settings = {"ITEM_PIPELINES": json.dumps({"failing_pipeline.Slow": 300})}
        crawl = project.start("refetch=/[0-9]$", **settings)
        web.wait_for(lambda count: all(count[path] == 2 for path in paths))
        crawl.send_signal(signal.SIGTERM)
        try:
            crawl.communicate(timeout=30)
        finally:
            crawl.kill()
        gone = [path for path in paths if record(project, web.url + path)["db_status"] == "db_gone"]
    assert crawl.returncode == 0
    assert gone
    assert sorted(deleted(project)) == [(web.url + path, "gone", 404) for path in gone]
    assert project.command("fsck")[0] == 0


def test_a_page_without_any_content_is_told_though_its_fetches_failed_in_between(project: Project) -> None:
    noindex = Answer(b"", headers={"X-Robots-Tag": "noindex"})
    pages: dict[str, Any] = {"/": Answer(html("home", ["/page", "/never"])), "/page": Answer(b""), "/never": noindex}
    settings = {"RETRY_ENABLED": False}
    with serve(pages) as web:
        project.crawl(f"url={web.url}/", **settings)
        for status in (500, 404, 404):
            web.pages |= dict.fromkeys(("/page", "/never"), Answer(status=status))
            project.crawl("refetch=/(page|never)$", **settings)
    assert deleted(project) == [(f"{web.url}/page", "gone", 404)]
    assert record(project, f"{web.url}/page")["metadata"] == {"_pst_": "404"}


def test_a_deletion_on_which_a_pipeline_failed_until_the_page_was_given_up_is_told_later(project: Project) -> None:
    with serve({"/": Answer(html("home", ["/page"])), "/page": Answer(html("page", []))}) as web:
        project.crawl(f"url={web.url}/")
        web.pages["/page"] = Answer(status=404)
        settings = {"ITEM_PIPELINES": json.dumps({"failing_pipeline.FailOnDeleted": 300})}
        crawl_again(project, NUTCH_DB_FETCH_RETRY_MAX=1, **settings)
        found = record(project, f"{web.url}/page")
        assert (found["db_status"], found["failure"]["reason"]) == ("db_gone", "an item pipeline failed")
        assert deleted(project) == []
        crawl_until(project, web, "/page", 4)
    assert deleted(project) == [(f"{web.url}/page", "gone", 404)]


def test_a_page_whose_content_its_canonical_page_took_is_told_at_its_next_fetch(project: Project) -> None:
    copy = Answer(html("copy", [], text=TEXT, head='<link rel="canonical" href="/best">'))
    with serve({"/": copy, "/best": copy}) as web:
        project.crawl(f"url={web.url}/")
        assert [item["url"] for item in project.items()] == [f"{web.url}/", f"{web.url}/best"]
        assert record(project, f"{web.url}/")["db_status"] == "db_duplicate"
        crawl_until(project, web, "/", 3)
    assert deleted(project) == [(f"{web.url}/", "duplicate", None)]
    assert project.command("fsck")[0] == 0


def test_a_page_that_the_dedup_command_marked_is_told_at_its_next_fetch(project: Project) -> None:
    copy = Answer(html("copy", [], text=TEXT))
    with serve({"/": Answer(html("home", ["/a", "/b"])), "/a": copy, "/b": copy}) as web:
        project.crawl(f"url={web.url}/", NUTCH_DEDUP_ENABLED=False)
        assert project.command("dedup")[0] == 0
        [marked] = [path for path in ("/a", "/b") if record(project, web.url + path)["db_status"] == "db_duplicate"]
        for _ in range(2):
            project.crawl("refetch=/[ab]$")
    assert deleted(project) == [(web.url + marked, "duplicate", None)]


def test_a_feed_may_hold_one_class_of_items_only(project: Project) -> None:
    feeds = {
        str(project.folder / f"{name}.csv"): {"format": "csv", "item_classes": [f"nutchlike.items.{name}"]}
        for name in ("PageItem", "DeletedItem")
    }
    with serve({"/": Answer(html("home", ["/page"])), "/page": Answer(html("page", []))}) as web:
        project.crawl(f"url={web.url}/")
        web.pages |= {"/": Answer(html("new", ["/page"])), "/page": Answer(status=404)}
        project.crawl("refetch=127.0.0.1", FEEDS=json.dumps(feeds))
    pages, deletions = (
        (project.folder / f"{name}.csv").read_text().splitlines() for name in ("PageItem", "DeletedItem")
    )
    assert pages[1].startswith(f"{web.url}/,new,")
    assert [deletions[0], deletions[1].rsplit(",", 1)[0]] == [
        "url,deleted,http_status,time",
        f"{web.url}/page,gone,404",
    ]
