"""rel=canonical: a link, and what decides which of two copies is kept; never more than the contents say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from web import Answer, Crawl, Project, html, serve, text_of

from nutchlike.store.embedded import EmbeddedServer


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    yield Project(tmp_path)
    EmbeddedServer.attach(tmp_path / "store").detach()


def copy(canonical: str | None, *, text: str = "same", links: tuple[str, ...] = (), **headers: str) -> Answer:
    """Return a page of a text that others have, too; its links have no text of their own."""
    head = f'<link rel="canonical" href="{canonical}">' if canonical else ""
    anchors = "".join(f'<a href="{link}"></a>' for link in links).encode()
    body = html("copy", [], text=text_of(text), head=head).replace(b"</body>", anchors + b"</body>")
    return Answer(body, headers={"Content-Type": "text/html"} | headers)


def crawled(project: Project, site: dict[str, Any], **settings: Any) -> tuple[Crawl, dict[str, str], list[str]]:
    """Crawl ``site`` from /1 on; return the crawl, the statuses by path, and the paths of the items."""
    with serve(site) as web:
        crawl = project.crawl(f"url={web.url}/1", **settings)
        found = [json.loads(line) for line in project.command("readdb", "--dump")[1].splitlines()]
        statuses = {record["url"].removeprefix(web.url): record["db_status"] for record in found}
        paths = [url.removeprefix(web.url) for url in crawl.urls]
    assert crawl.code == 0, crawl.log
    assert project.command("fsck")[0] == 0
    return crawl, statuses, paths


def test_the_canonical_url_is_followed_and_the_copy_that_it_names_is_kept_even_if_it_comes_later(
    project: Project,
) -> None:
    crawl, statuses, paths = crawled(project, {"/1": copy("/2#top"), "/2": copy("/2")})
    assert paths == ["/1", "/2"]  # what the feed has of the first cannot be taken back
    assert statuses == {"/1": "db_duplicate", "/2": "db_fetched"}
    assert "'nutch/dedup/taken_over': 1" in crawl.log


def test_a_copy_that_names_the_page_which_came_first_is_dropped_whatever_else_speaks_for_it(project: Project) -> None:
    site = {"/1": copy(None, links=("/2",)), "/2": copy("/1")}
    _, statuses, paths = crawled(project, site, NUTCH_DEDUP_TAKE_OVER="fetchTime")
    assert paths == ["/1"]
    assert statuses == {"/1": "db_fetched", "/2": "db_duplicate"}


def test_pages_with_other_texts_are_never_taken_for_one(project: Project) -> None:
    site = {"/1": copy("/2", text="one"), "/2": copy("/1", text="two")}
    _, statuses, paths = crawled(project, site)
    assert paths == ["/1", "/2"]
    assert set(statuses.values()) == {"db_fetched"}


def test_of_two_copies_that_name_each_other_the_first_is_kept(project: Project) -> None:
    _, statuses, paths = crawled(project, {"/1": copy("/2"), "/2": copy("/1")})
    assert paths == ["/1"]
    assert statuses == {"/1": "db_fetched", "/2": "db_duplicate"}


def test_of_a_chain_of_copies_the_last_is_kept(project: Project) -> None:
    _, statuses, paths = crawled(project, {"/1": copy("/2"), "/2": copy("/3"), "/3": copy(None)})
    assert paths == ["/1", "/3"]
    assert statuses == {"/1": "db_duplicate", "/2": "db_duplicate", "/3": "db_fetched"}


def test_a_canonical_page_that_is_not_there_takes_nothing_away(project: Project) -> None:
    _, statuses, paths = crawled(project, {"/1": copy("/2")})
    assert paths == ["/1"]
    assert statuses == {"/1": "db_fetched", "/2": "db_gone"}


def test_a_header_names_the_canonical_page_where_the_page_does_not(project: Project) -> None:
    pdf = Answer(b"%PDF-1.4 same", headers={"Content-Type": "application/pdf", "Link": '</3>; rel="canonical"'})
    site = {"/1": copy(None, links=("/2",)), "/2": pdf, "/3": Answer(b"%PDF-1.4 same", headers={})}
    crawl, statuses, paths = crawled(project, site)
    assert paths == ["/1", "/2", "/3"]
    assert statuses == {"/1": "db_fetched", "/2": "db_duplicate", "/3": "db_fetched"}
    assert crawl.items[1]["canonical"].endswith("/3")


@pytest.mark.parametrize(
    ("settings", "known", "kept"),
    [
        ({"NUTCH_CANONICAL_OBEY": "keep"}, {"/1", "/3", "/2"}, {"/2"}),
        ({"NUTCH_CANONICAL_OBEY": "follow"}, {"/1", "/3", "/2"}, {"/1"}),
        ({"NUTCH_CANONICAL_OBEY": ""}, {"/1", "/3", "/2"}, {"/1"}),
    ],
)
def test_each_part_can_be_switched_off(
    project: Project, settings: dict[str, Any], known: set[str], kept: set[str]
) -> None:
    site = {"/1": copy("/2", links=("/3",)), "/2": copy(None), "/3": Answer(html("other", ["/2"]))}
    _, statuses, _ = crawled(project, site, **settings)
    assert set(statuses) == known
    assert {path for path, status in statuses.items() if status == "db_fetched"} == kept | {"/3"}


def test_without_follow_the_canonical_url_is_no_link(project: Project) -> None:
    _, statuses, _ = crawled(project, {"/1": copy("/2"), "/2": copy(None)}, NUTCH_CANONICAL_OBEY="keep")
    assert set(statuses) == {"/1"}


@pytest.mark.parametrize("others", [False, True])
def test_a_canonical_page_of_another_site_counts_only_when_that_is_asked_for(project: Project, others: bool) -> None:
    with serve({"/2": copy(None)}) as other:
        away = other.url.replace("127.0.0.1", "localhost") + "/2"
        settings = {"NUTCH_DB_IGNORE_EXTERNAL_LINKS": False, "NUTCH_CANONICAL_OTHER_SITES": others}
        _, statuses, paths = crawled(project, {"/1": copy(away)}, **settings)
    assert paths == (["/1", away] if others else ["/1"])
    assert statuses == ({"/1": "db_duplicate", away: "db_fetched"} if others else {"/1": "db_fetched"})


def test_a_canonical_url_that_a_rule_rejects_is_not_followed_and_explained(project: Project) -> None:
    with serve({"/1": copy("/style.css"), "/style.css": copy(None)}) as web:
        project.crawl(f"url={web.url}/1")
        told = project.command("explain", f"{web.url}/1")[1]
        assert web.count() == {"/1": 1}
    assert f"canonical: {web.url}/style.css\n" in told
