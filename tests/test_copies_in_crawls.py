"""Cases of the field: which pages of a site are copies, and what of them is fetched and kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from web import Answer, Project, html, serve, text_of

from nutchlike.store.embedded import EmbeddedServer


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    yield Project(tmp_path)
    EmbeddedServer.attach(tmp_path / "store").detach()


# DUP 122
@pytest.mark.parametrize("near", [False, True])
def test_all_items_of_list_pages_that_look_alike_are_fetched(project: Project, near: bool) -> None:
    items = {f"/item{n}": Answer(html(f"item {n}", [])) for n in range(50)}
    lists = {}
    for n in range(5):
        links = "".join(f'<a href="/item{10 * n + i}">more</a>' for i in range(10))
        body = html("list", [], text="All items " + text_of("menu"))
        lists[f"/list?page={n}"] = Answer(body.replace(b"</p>", links.encode()))
    home = {"/": Answer(html("home", list(lists)))}
    with serve({**home, **lists, **items}) as web:
        project.crawl(f"url={web.url}/", NUTCH_URL_FILTERS="", NUTCH_DEDUP_NEAR=near)
        assert {path for path in web.count() if path.startswith("/item")} == {*items}


# DUP 127
def test_pages_that_name_another_as_canonical_are_kept_when_their_texts_differ(project: Project) -> None:
    head = '<link rel="canonical" href="/1">'
    pages = {f"/{n}": Answer(html(f"page {n}", [], head=head)) for n in (1, 2, 3)}
    pages["/"] = Answer(html("home", ["/1", "/2", "/3"]))
    with serve({**pages}) as web:
        crawl = project.crawl(f"url={web.url}/")
    assert len(crawl.items) == 4
    assert [item["canonical"] for item in crawl.items if item["title"] != "home"] == [f"{web.url}/1"] * 3


# DUP 125
def test_slash_and_index_variants_with_one_text_leave_one_and_those_that_differ_stay(project: Project) -> None:
    same = Answer(html("info", [], text=text_of("info")))
    pages = dict.fromkeys(["/info", "/info/", "/info/index.html"], same)
    pages |= {"/x": Answer(html("x", [])), "/x/": Answer(html("x with a slash", []))}
    pages["/"] = Answer(html("home", sorted(pages)))
    with serve({**pages}) as web:
        crawl = project.crawl(f"url={web.url}/")
        paths = [url.removeprefix(web.url) for url in crawl.urls]
        [kept] = [path for path in paths if path.startswith("/info")]
        assert {"/x", "/x/"} <= {*paths}
        copies = [web.url + path for path in pages if path.startswith("/info") and path != kept]
        lines = project.command("explain", "--json", *copies)[1].splitlines()
    assert [json.loads(line)["duplicate_of"] for line in lines] == [web.url + kept] * 2


# DUP 128
def test_a_url_with_a_bare_percent_sign_and_a_redirect_are_no_trouble(project: Project) -> None:
    same = Answer(html("offer", [], text=text_of("offer")))
    pages = {"/50%25-off": same, "/offer": same, "/away": Answer(b"", 302, headers={"Location": "/offer"})}
    pages["/"] = Answer(html("home", ["/50%-off", "/50%25-off", "/away"]))
    with serve({**pages}) as web:
        crawl = project.crawl(f"url={web.url}/")
        facts = json.loads(project.command("readdb", f"{web.url}/away")[1])
    assert crawl.code == 0
    assert len([item for item in crawl.items if item["title"] == "offer"]) == 1
    assert (facts["db_status"], facts["signature"]) == ("db_redir_temp", None)
    assert project.command("dedup")[0] == 0
    assert project.command("fsck")[0] == 0
