"""What a real crawl writes into the web graph."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from due_pages import make_all_due
from stores import open_store
from web import Answer, Project, Web, html, serve

from nutchlike.store.embedded import EmbeddedServer
from nutchlike.store.webgraph import Outlink, WebGraph, decode_anchors


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path, {"NUTCH_WEBGRAPH_ENABLED": True})


@contextmanager
def graph_of(project: Project) -> Iterator[WebGraph]:
    with EmbeddedServer.attach(project.folder / "store") as server, server.client() as client:
        yield open_store(client).webgraph


def page(*links: tuple[str, str]) -> Answer:
    anchors = "".join(f'<a href="{link}">{text}</a> ' for link, text in links)
    return Answer(f"<html><body>{len(links)} links: {anchors}</body></html>".encode())


def crawl(project: Project, web: Web, **settings: object) -> None:
    assert project.crawl(f"url={web.url}/", **settings).code == 0


def test_links_are_those_that_were_taken_with_their_first_text_cut(project: Project) -> None:
    links = [("/a", "to the first page"), ("/a#x", "again"), ("/", "itself"), ("/pic.gif", "no"), ("/b", "zwei \u00e9")]
    with serve({"/": page(*links), "/a": page(), "/b": Answer(b"gone", 404)}) as web:
        crawl(project, web, NUTCH_DB_MAX_ANCHOR_LENGTH=12)
        with graph_of(project) as graph:
            assert graph.outlinks(f"{web.url}/") == [
                Outlink(f"{web.url}/a", "to the first"),
                Outlink(f"{web.url}/b", "zwei \u00e9"),
            ]
            assert graph.pages_with_links() == 1


def test_no_texts_are_stored_with_length_0_and_no_graph_when_it_is_off(project: Project) -> None:
    with serve({"/": page(("/a", "text")), "/a": page()}) as web:
        crawl(project, web, NUTCH_CRAWL_ID="off", NUTCH_WEBGRAPH_ENABLED=False)
        crawl(project, web, NUTCH_DB_MAX_ANCHOR_LENGTH=0)
        with graph_of(project) as graph:
            assert graph.outlinks(f"{web.url}/") == [Outlink(f"{web.url}/a", "")]
        with EmbeddedServer.attach(project.folder / "store") as server, server.client() as client:
            assert sum(1 for name in client.scan_iter("*:links")) == 1
            assert sum(1 for name in client.scan_iter("*:anchors")) == 0


def test_a_304_keeps_the_list_and_a_404_drops_it(project: Project) -> None:
    pages = {"/": page(("/a", "a"), ("/b", "b")), "/a": page(("/b", "b from a")), "/b": Answer(html("b", []))}
    with serve(pages) as web:  # type: ignore[arg-type]  # a dict of Answers will do
        crawl(project, web)
        web.pages |= {"/": Answer(b"", 304), "/a": Answer(b"", 404)}
        before = web.count()
        make_all_due(project)
        crawl(project, web)
        assert web.count() - before, "nothing was fetched again"
        with graph_of(project) as graph:
            assert len(graph.outlinks(f"{web.url}/") or []) == 2
            assert graph.outlinks(f"{web.url}/a") is None


def test_a_redirect_is_a_link_to_its_target(project: Project) -> None:
    pages = {"/": Answer(b"", 301, {"Location": "/a"}), "/a": page()}
    with serve(pages) as web:  # type: ignore[arg-type]  # a dict of Answers will do
        crawl(project, web)
        with graph_of(project) as graph:
            assert graph.outlinks(f"{web.url}/") == [Outlink(f"{web.url}/a", "")]


def test_links_of_a_crawl_spider_have_their_texts_too(project: Project) -> None:
    # a start request is forgotten when it was made, and its links with it: the second page is looked at
    with serve({"/": page(("/a", "a")), "/a": page(("/b", "by a rule")), "/b": page()}) as web:
        command = [*"crawl links -a".split(), f"url={web.url}/", "-s", "SPIDER_MODULES=link_spider"]
        assert project.command(*command, "-s", "DOWNLOAD_DELAY=0")[0] == 0
        with EmbeddedServer.attach(project.folder / "store") as server, server.client() as client:
            [name] = client.scan_iter("*:anchors")
            assert [decode_anchors(texts) for texts in client.hvals(name)] == [["by a rule"]]
