"""What becomes of pages that repeat another's content: their items, links, and what they had before."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from web import Answer, Project, html, serve, text_of

from nutchlike.store.embedded import EmbeddedServer


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    yield Project(tmp_path)
    EmbeddedServer.attach(tmp_path / "store").detach()


def records(project: Project) -> dict[str, dict[str, Any]]:
    """Return all records by their paths."""
    lines = project.command("readdb", "--dump")[1].splitlines()
    return {"/" + datum["url"].split("/", 3)[3]: datum for datum in map(json.loads, lines)}


def crawl_until_due(project: Project, fetched: Any, at_least: int, **settings: Any) -> str:
    """Crawl again and again until ``fetched`` has been asked for ``at_least`` times; return all logs."""
    logs = ""
    for _ in range(50):
        logs += project.crawl(**settings).log
        if fetched() >= at_least:
            return logs
    raise AssertionError(f"only asked for {fetched()} times")


# DUP 119: a site that answers every URL with one text and a new link
@pytest.mark.parametrize(("followed", "deepest"), [(0, 1), (2, 3)])
def test_links_of_copies_are_followed_a_few_times_in_a_row(project: Project, followed: int, deepest: int) -> None:
    error = Answer(
        html("Sorry, not found", [], text=text_of("sorry")).replace(b"</body>", b'<a href="x/">x</a></body>')
    )

    class Everything(dict[str, Any]):
        def get(self, path: str, default: Any = None) -> Any:
            return super().get(path, default if path == "/robots.txt" else error)

    pages = Everything({"/": Answer(html("home", [f"/bad{i}/" for i in range(20)]))})
    with serve(pages) as web:
        crawl = project.crawl(f"url={web.url}/", NUTCH_URL_FILTERS="", NUTCH_DEDUP_COPIES_FOLLOWED=followed)
        depths = [path.count("/") - 1 for path in web.count() if path != "/"]
    kept = [item for item in crawl.items if item["title"] != "home"]
    assert len(kept) == 1
    assert all(item["metadata"] == {} for item in crawl.items)
    # the page that owns the text is no copy: its link is one more
    assert max(depths) in {deepest, deepest + 1}
    assert crawl.code == 0


# DUP 121: a session that ends
def test_a_login_page_in_place_of_all_pages_takes_nothing_away_and_is_warned_of(project: Project) -> None:
    project.settings |= {"NUTCH_DB_FETCH_INTERVAL_DEFAULT": 1, "NUTCH_DEDUP_COPIES_WARNED_OF": 10}
    good = {f"/{i}": Answer(html(f"page {i}", [], text=text_of(f"page {i}"))) for i in range(11)}
    good["/"] = Answer(html("home", sorted(good)))
    login = Answer(html("log in", [], text=text_of("log in")))
    with serve({**good}) as web:

        def least() -> int:
            return min(web.count()[path] for path in good)

        project.crawl(f"url={web.url}/")
        before = records(project)
        web.pages.update(dict.fromkeys(good, login))
        log = crawl_until_due(project, least, 2)
        during = records(project)
        web.pages.update(good)
        crawl_until_due(project, least, max(web.count().values()) + 1)
        after = records(project)
    assert "10 URLs on 127.0.0.1 share one content" in log
    hidden = [path for path in good if during[path]["db_status"] == "db_duplicate"]
    assert len(hidden) >= len(good) - 1  # one took the login page for its own
    kept = [path for path in hidden if during[path]["dedup_key"] == before[path]["dedup_key"]]
    assert kept
    for path in kept:
        assert during[path]["signature"] == before[path]["signature"]
        assert after[path]["db_status"] == "db_notmodified"


# DUP 116: the owner changes
def test_a_copy_is_kept_once_its_owner_has_another_content(project: Project) -> None:
    project.settings |= {"NUTCH_DB_FETCH_INTERVAL_DEFAULT": 1}
    same, other = (Answer(html("one", [], text=text_of(name))) for name in ("same", "other"))
    with serve({"/a": same, "/b": same}) as web:
        seeds = project.folder / "seeds.txt"
        seeds.write_text(f"{web.url}/a\tnutch.score=5\n{web.url}/b\n", encoding="utf-8")
        project.crawl(f"seeds={seeds}", CONCURRENT_REQUESTS_PER_DOMAIN=1)
        assert records(project)["/b"]["db_status"] == "db_duplicate"
        web.pages["/a"] = other
        crawl_until_due(project, lambda: web.count()["/a"], 2, CONCURRENT_REQUESTS_PER_DOMAIN=1)
        crawl_until_due(project, lambda: web.count()["/b"], web.count()["/b"] + 1)
        status = {path: datum["db_status"] for path, datum in records(project).items()}
    assert status["/a"] in {"db_fetched", "db_notmodified"}
    assert status["/b"] in {"db_fetched", "db_notmodified"}
    assert [item["url"][-1] for item in project.items()].count("b") >= 1


# DUP 116: a page has a content of its own, then that of another page, for good
def test_a_page_that_repeats_another_twice_gives_its_old_content_up(project: Project) -> None:
    project.settings |= {"NUTCH_DB_FETCH_INTERVAL_DEFAULT": 1}
    same, own = (Answer(html("one", [], text=text_of(name))) for name in ("same", "own"))
    with serve({"/a": same, "/b": own}) as web:
        seeds = project.folder / "seeds.txt"
        seeds.write_text(f"{web.url}/a\n{web.url}/b\n", encoding="utf-8")
        project.crawl(f"seeds={seeds}")
        before = records(project)
        web.pages["/b"] = same
        crawl_until_due(project, lambda: web.count()["/b"], 2)
        once = records(project)["/b"]
        crawl_until_due(project, lambda: web.count()["/b"], web.count()["/b"] + 1)
        twice = records(project)["/b"]
        if web.count()["/b"] == 3:
            assert (once["db_status"], once["dedup_key"]) == ("db_duplicate", before["/b"]["dedup_key"])
        assert (twice["db_status"], twice["dedup_key"]) == ("db_duplicate", before["/a"]["dedup_key"])
        project.command("fsck")


def test_a_kill_between_the_claim_and_the_item_loses_no_content(project: Project) -> None:
    project.settings |= {
        "ITEM_PIPELINES": json.dumps({"killing_pipeline.KillOnce": 300}),  # behind the dropper
        "KILLED": project.folder / "killed",
        "NUTCH_LEASE_SECONDS": 3,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "NUTCH_LEASE_BATCH": 1,
    }
    same = Answer(html("one", [], text=text_of("same")))
    with serve({"/a": same, "/b": same}) as web:
        seeds = project.folder / "seeds.txt"
        seeds.write_text(f"{web.url}/a\tnutch.score=5\n{web.url}/b\n", encoding="utf-8")
        killed = project.crawl(f"seeds={seeds}", KILL_AT="/a")
        assert (killed.code, killed.items) == (-9, [])
        items = project.crawl(KILL_AT="/a").items
        status = {path: datum["db_status"] for path, datum in records(project).items()}
    assert len(items) == 1
    assert sorted(status.values()) == ["db_duplicate", "db_fetched"]
    assert status["/" + items[0]["url"][-1]] == "db_fetched"


# DUP 124: the better copy comes later
@pytest.mark.parametrize(
    ("names", "kept"), [("", "/long-name"), ("urlLength", "/b"), ("score,urlLength", "/long-name")]
)
def test_a_better_copy_takes_the_content_over_when_it_may(project: Project, names: str, kept: str) -> None:
    same = Answer(html("one", [], text=text_of("same")))
    with serve({"/long-name": same, "/b": same}) as web:
        seeds = project.folder / "seeds.txt"
        seeds.write_text(f"{web.url}/long-name\tnutch.score=5\n{web.url}/b\n", encoding="utf-8")
        crawl = project.crawl(f"seeds={seeds}", NUTCH_DEDUP_TAKE_OVER=names, CONCURRENT_REQUESTS_PER_DOMAIN=1)
        status = {path: datum["db_status"] for path, datum in records(project).items()}
        [facts] = [json.loads(line) for line in project.command("explain", "--json", f"{web.url}/b")[1].splitlines()]
    assert [path for path in status if status[path] == "db_fetched"] == [kept]
    assert [path for path in status if status[path] == "db_duplicate"] == [({*status} - {kept}).pop()]
    assert [item["url"].removeprefix(web.url) for item in crawl.items] == ["/long-name", "/b"][: 1 + (kept == "/b")]
    assert facts["content_owner"] == web.url + kept
    assert project.command("fsck")[0] == 0


@pytest.mark.parametrize(("mode", "kept"), [("none", 1), ("host", 2)])
def test_copies_are_compared_within_their_group(project: Project, mode: str, kept: int) -> None:
    same = Answer(html("one", [], text=text_of("same")))
    with serve({"/": same}) as web:
        seeds = project.folder / "seeds.txt"
        seeds.write_text(f"{web.url}/\n{web.url.replace('127.0.0.1', 'localhost')}/\n", encoding="utf-8")
        crawl = project.crawl(f"seeds={seeds}", NUTCH_DEDUPLICATION_GROUP_MODE=mode)
    assert len(crawl.items) == kept
