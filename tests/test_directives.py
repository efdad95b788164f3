"""What pages ask of crawlers, and what comes of it in a crawl."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_politeness import stat
from web import Answer, Crawl, Project, Web, html, serve, text_of

from nutchlike.parsing.directives import DIRECTIVES, RobotsDirectives, agent_name

MYBOT = RobotsDirectives(agent="mybot")


def said(*words: str) -> frozenset[str]:
    return frozenset(words)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("noindex", said("noindex")),
        ("NOINDEX,NOFOLLOW", said("noindex", "nofollow")),
        (" NoFollow ;\n noarchive ", said("nofollow", "noarchive")),
        ("noindex nofollow", said("noindex", "nofollow")),
        ("none", said("noindex", "nofollow")),
        ("NONE, noarchive", said("noindex", "nofollow", "noarchive")),
        # nothing that is not so anyway, or that nobody knows
        ("all", said()),
        ("index, follow", said()),
        ("", said()),
        ("nosnippet, max-snippet:-1, noindexing, unavailable_after: 2030-01-01", said()),
        # the stricter one of two holds
        ("index, noindex, all", said("noindex")),
    ],
)
def test_the_content_of_a_meta_says_what_a_page_asks_for(content: str, expected: frozenset[str]) -> None:
    assert MYBOT.read([content], []) == expected
    assert MYBOT.read([], [content]) == expected  # a header reads alike


def test_several_metas_and_headers_count_together() -> None:
    assert MYBOT.read(["noindex", "index"], ["noarchive", "nofollow"]) == DIRECTIVES
    assert MYBOT.meta_names == {"robots", "mybot"}
    assert RobotsDirectives().meta_names == {"robots"}


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("otherbot: noindex", said()),
        ("mybot: noindex", said("noindex")),
        ("MyBot : NOINDEX , nofollow", said("noindex", "nofollow")),
        ("*: noindex", said("noindex")),
        # a name holds until the next one
        ("noarchive, otherbot: noindex, nofollow", said("noarchive")),
        ("otherbot: none, mybot: nofollow", said("nofollow")),
        # values of directives are no names, nor are times
        ("unavailable_after: 25 Jun 2030 15:00:00 PST, noindex", said("noindex")),
        ("unavailable_after: Friday, 25-Jun-30 15:00:00 UTC, noindex", said("noindex")),
        ("max-snippet: 20, noindex", said("noindex")),
        (": noindex", said("noindex")),
    ],
)
def test_a_header_may_speak_to_one_agent_alone(header: str, expected: frozenset[str]) -> None:
    assert MYBOT.read([], [header]) == expected


def test_what_is_not_obeyed_is_not_said() -> None:
    assert RobotsDirectives(obeyed=said("nofollow")).read(["none, noarchive"], ["noindex"]) == {"nofollow"}
    assert RobotsDirectives(obeyed=said()).read(["none"], []) == said()


def test_strictly_as_nutch_only_meta_robots_counts_and_words_are_found_in_others() -> None:
    strict = RobotsDirectives(agent="mybot", strict=True)
    assert strict.meta_names == {"robots"}
    assert strict.read(["x-noindex"], ["nofollow"]) == {"noindex"}
    assert strict.read(["NONE"], []) == {"noindex", "nofollow"}


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        ("Nutchlike/0.1 (+https://example.org/)", "nutchlike"),
        ("My-Bot", "my-bot"),
        (" mybot (x)", "mybot"),
        ("", ""),
    ],
)
def test_pages_speak_to_an_agent_by_the_first_name_of_its_user_agent(user_agent: str, name: str) -> None:
    assert agent_name(user_agent) == name


@given(st.lists(st.text()), st.lists(st.text()))
def test_any_text_is_read(metas: list[str], headers: list[str]) -> None:
    assert MYBOT.read(metas, headers) <= DIRECTIVES


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path, {"USER_AGENT": "MyBot/1.0 (+http://mybot.test/)"})


def page(path: str, *, meta: str = "", links: list[str] | None = None, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(html(path, links or [], head=meta), headers={"Content-Type": "text/html", **named})


ROBOTS = '<meta name="{}" content="{}">'
SITE = {
    "/": page("/", links=["/plain", "/none", "/noindex", "/HEADER", "/agent", "/other", "/noarchive", "/doc"]),
    "/plain": page("/plain"),
    "/none": page("/none", meta=ROBOTS.format("ROBOTS", " NONE "), links=["/of-none"]),
    "/noindex": page("/noindex", meta=ROBOTS.format("robots", "noindex"), links=["/of-noindex"]),
    "/HEADER": page("/HEADER", X_Robots_Tag="NoIndex, nofollow", links=["/of-header"]),
    "/agent": page("/agent", meta=ROBOTS.format("mybot", "noindex"), links=["/of-agent"]),
    "/other": page(
        "/other", meta=ROBOTS.format("otherbot", "none"), X_Robots_Tag="otherbot: none", links=["/of-other"]
    ),
    "/noarchive": page("/noarchive", X_Robots_Tag="mybot: noarchive"),
    "/doc": Answer(b"%PDF-1.4 x", headers={"Content-Type": "application/pdf", "X-Robots-Tag": "noindex"}),
    **{path: page(path) for path in ("/of-none", "/of-noindex", "/of-header", "/of-agent", "/of-other")},
}
NOT_INDEXED = {"/none", "/noindex", "/HEADER", "/agent", "/doc"}
NOT_FOLLOWED = {"/of-none", "/of-header"}


def paths(crawl: Crawl, web: Web) -> set[str]:
    return {url.removeprefix(web.url) for url in crawl.urls}


def record(project: Project, url: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(project.command("readdb", url)[1])
    return found


def test_a_page_that_asks_not_to_be_indexed_is_fetched_and_gives_its_links_but_no_item(project: Project) -> None:
    with serve(SITE) as web:
        crawl = project.crawl(f"url={web.url}/")
        assert set(web.count()) == set(SITE) - NOT_FOLLOWED
        assert paths(crawl, web) == set(SITE) - NOT_FOLLOWED - NOT_INDEXED
        assert [item["url"] for item in crawl.items if item["noarchive"]] == [f"{web.url}/noarchive"]
        kept = record(project, f"{web.url}/noindex")
    assert (kept["db_status"], kept["signature"], kept["dedup_key"]) == ("db_fetched", None, None)
    assert stat(crawl, "directives/noindex") == len(NOT_INDEXED)
    assert stat(crawl, "directives/nofollow") == 2
    assert stat(crawl, "directives/noarchive") == 1
    assert project.command("fsck")[0] == 0


def test_directives_that_the_settings_do_not_name_have_no_effect(project: Project) -> None:
    with serve(SITE) as web:
        crawl = project.crawl(f"url={web.url}/", NUTCH_META_ROBOTS_OBEY="")
        assert paths(crawl, web) == set(web.count()) == set(SITE)
        assert not any(item["noarchive"] for item in crawl.items)


def test_strictly_as_nutch_such_a_page_comes_out_without_title_and_text(project: Project) -> None:
    with serve(SITE) as web:
        crawl = project.crawl(f"url={web.url}/", NUTCH_STRICT=True)
        assert paths(crawl, web) == set(web.count()) == set(SITE) - {"/of-none"}
        without_text = {item["url"].removeprefix(web.url) for item in crawl.items if not item["text"]}
    assert without_text == {"/none", "/noindex", "/doc"}


def test_a_content_that_must_not_be_indexed_here_may_be_there(project: Project) -> None:
    text = text_of("the same on both")
    seeds = project.folder / "seeds.txt"
    with serve(
        {
            "/hidden": Answer(html("x", [], text=text, head=ROBOTS.format("robots", "noindex"))),
            "/shown": Answer(html("x", [], text=text)),
        }
    ) as web:
        seeds.write_text(f"{web.url}/hidden\tnutch.score=9\n{web.url}/shown\n", encoding="utf-8")
        crawl = project.crawl(f"seeds={seeds}", CONCURRENT_REQUESTS_PER_DOMAIN=1)
        assert list(web.count()) == ["/hidden", "/shown"]
        assert crawl.urls == [f"{web.url}/shown"]
        assert '"db_status": "db_fetched"' in project.command("readdb", f"{web.url}/shown")[1]
        code, out, _ = project.command("dedup")
        assert (code, re.match(r"(\d+) of", out)[1]) == (0, "0")  # type: ignore[index]  # a line that does not fit fails


def test_a_page_that_asks_for_it_later_gives_its_content_to_its_copy(project: Project) -> None:
    text = text_of("the same on both")
    seeds = project.folder / "seeds.txt"
    pages: dict[str, Any] = {path: Answer(html("x", [], text=text)) for path in ("/first", "/copy")}
    again = {"CONCURRENT_REQUESTS_PER_DOMAIN": 1, "NUTCH_DB_INJECTOR_OVERWRITE": True}
    with serve(pages) as web:
        seeds.write_text(f"{web.url}/first\tnutch.score=9\n{web.url}/copy\n", encoding="utf-8")
        assert project.crawl(f"seeds={seeds}", **again).urls == [f"{web.url}/first"]
        web.pages["/first"] = Answer(html("x", [], text=text, head=ROBOTS.format("robots", "noindex")))
        assert project.crawl(f"seeds={seeds}", **again).urls == [f"{web.url}/first", f"{web.url}/copy"]
        assert record(project, f"{web.url}/first")["signature"] is None
        assert project.command("fsck")[0] == 0
