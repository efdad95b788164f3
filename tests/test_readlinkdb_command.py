"""``scrapy readlinkdb``: the links of a crawl, both ways."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from web import Answer, Project, Web, serve


def page(*links: tuple[str, str]) -> Answer:
    return Answer(f"<html><body>{' '.join(f'<a href={url}>{text}</a>' for url, text in links)}</body></html>".encode())


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Project, Web]]:
    project = Project(tmp_path_factory.mktemp("links"), {"NUTCH_WEBGRAPH_ENABLED": True, "NUTCH_DEDUP_ENABLED": False})
    pages = {
        "/": page(("/b", "to\n b"), ("/a", "to a"), ("/gone", "")),
        "/a": page(("/b", "a says"), ("/", "home")),
        "/b": page(),
    }
    with serve(pages) as web:  # type: ignore[arg-type]  # a dict of Answers will do
        assert project.crawl(f"url={web.url}/").code == 0
        yield project, web


def test_inlinks_are_lines_of_page_and_text(crawled: tuple[Project, Web]) -> None:
    project, web = crawled
    code, out, _ = project.command("readlinkdb", f"{web.url}/x/../b#top")
    assert (code, out) == (0, f"{web.url}/\tto b\n{web.url}/a\ta says\n")


def test_outlinks_are_in_the_order_of_the_page(crawled: tuple[Project, Web]) -> None:
    project, web = crawled
    code, out, _ = project.command("readlinkdb", "--outlinks", f"{web.url}/", f"{web.url}/a")
    lines = [("/b", "to b"), ("/a", "to a"), ("/gone", ""), ("/b", "a says"), ("/", "home")]
    assert (code, out) == (0, "".join(f"{web.url}{path}\t{text}\n" for path, text in lines))


def test_a_page_without_links_is_said_with_code_1(crawled: tuple[Project, Web]) -> None:
    project, web = crawled
    assert project.command("readlinkdb", f"{web.url}/nowhere")[0] == 1
    code, out, err = project.command("readlinkdb", "--outlinks", f"{web.url}/b", f"{web.url}/a")
    assert (code, len(out.splitlines())) == (1, 2)  # what another has is shown all the same
    assert f"{web.url}/b: no outlinks known\n" in err


def test_a_crawl_that_kept_no_graph_says_what_to_set(tmp_path_factory: pytest.TempPathFactory) -> None:
    code, out, err = Project(tmp_path_factory.mktemp("off")).command("readlinkdb", "http://a.test/")
    assert (code, out) == (1, "")
    assert "http://a.test/: no inlinks known; the web graph is empty: NUTCH_WEBGRAPH_ENABLED=True" in err


def test_no_url_is_bad_usage(crawled: tuple[Project, Web]) -> None:
    code, _, err = crawled[0].command("readlinkdb")
    assert code == 2
    assert "give URLs" in err
