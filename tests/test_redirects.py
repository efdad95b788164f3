"""Redirects and meta refreshes: what becomes of the page, of its target, and of chains and circles."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from web import Answer, Project, html, serve

from nutchlike.crawldatum import DbStatus
from nutchlike.store.embedded import EmbeddedServer


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    yield Project(tmp_path)
    EmbeddedServer.attach(tmp_path / "store").detach()


def moved(to: str | None, status: int = 302, **headers: str) -> Answer:
    return Answer(b"", status, headers=headers | ({} if to is None else {"Location": to}))


def refreshing(content: str, *, around: str = "{}", status: int = 200, name: str = "refresh", **headers: str) -> Answer:
    head = around.format(f'<meta http-equiv="refresh" content="{content}">')
    return Answer(html(name, [], head=head), status, headers={"Content-Type": "text/html"} | headers)


def records(project: Project, *urls: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in project.command("readdb", *urls)[1].splitlines()]


def explained(project: Project, url: str) -> str:
    return project.command("explain", url)[1]


TARGETS = {
    # path: (answer, db_status, where it redirects; "" = nowhere)
    "/301": (moved("/to301", 301), "db_redir_perm", "/to301"),
    "/308": (moved("/to308", 308), "db_redir_perm", "/to308"),
    "/302": (moved("/to302", 302), "db_redir_temp", "/to302"),
    "/303": (moved("/to303", 303), "db_redir_temp", "/to303"),
    "/307": (moved("/to307", 307), "db_redir_temp", "/to307"),
    # How a target can be written
    "/folder/relative": (moved("next"), "db_redir_temp", "/folder/next"),
    "/fragment": (moved("/part#two"), "db_redir_temp", "/part"),
    "/blanks": (moved("/a  b"), "db_redir_temp", "/a%20%20b"),
    "/letters": (moved("/café".encode().decode("latin-1")), "db_redir_temp", "/caf%C3%A9"),
    "/dots": (moved("/x/../%7Ey"), "db_redir_temp", "/~y"),
    "/known": (moved("/"), "db_redir_temp", "/"),
    "/forbidden": (moved("/private"), "db_redir_temp", "/private"),
    # Nothing that can be fetched
    "/without": (moved(None), "db_redir_temp", ""),
    "/without301": (moved(None, 301), "db_redir_perm", ""),
    "/script": (moved("javascript:void(0)"), "db_redir_temp", ""),
    "/ftp": (moved("ftp://127.0.0.1/x"), "db_redir_temp", ""),
    "/bad": (moved("http://[bad/"), "db_redir_temp", ""),
    # A redirect that is none of the five
    "/300": (moved("/to300", 300), "db_gone", ""),
    # Back to the page: nothing will ever change
    "/empty": (moved(""), "db_gone", "/empty"),
    "/itself": (moved("/itself#again"), "db_gone", "/itself"),
    # No rule accepts the target
    "/refused": (moved("/style.css"), "db_redir_temp", "/style.css"),
    # Meta refresh
    "/meta": (refreshing("0; url=/tometa"), "db_redir_temp", "/tometa"),
    "/late": (refreshing("30; url=/tolate", name="late"), "db_fetched", ""),
    "/noscript": (refreshing("0; url=/never", around="<noscript>{}</noscript>", name="n"), "db_fetched", ""),
    "/script-refresh": (refreshing("0; url=javascript:x()", name="s"), "db_fetched", ""),
    "/live": (refreshing("5; url=/live", name="live"), "db_fetched", ""),
    "/lost": (refreshing("0; url=/", status=404), "db_gone", ""),
}
REACHED = {"/to301", "/to308", "/to302", "/to303", "/to307", "/folder/next", "/part", "/a%20%20b", "/caf%C3%A9", "/~y"}
REACHED |= {"/tometa", "/tolate"}


def test_each_redirect_leaves_its_page_in_its_state_and_its_target_fetched(project: Project) -> None:
    site: dict[str, Any] = {path: answer for path, (answer, _, _) in TARGETS.items()}
    site |= {path: Answer(html(path, [])) for path in REACHED}
    site["/"] = Answer(html("home", list(TARGETS)))
    site["/robots.txt"] = Answer(b"User-agent: *\nDisallow: /private\n", headers={"Content-Type": "text/plain"})
    with serve(site) as web:
        crawl = project.crawl(f"url={web.url}/")
        assert crawl.code == 0, crawl.log
        found = records(project, *(web.url + path for path in TARGETS))
        fetched = records(project, *(web.url + path for path in REACHED))
        asked = web.count()
        [private] = records(project, f"{web.url}/private")
        told = explained(project, f"{web.url}/refused")
    expected = {path: (status, web.url + to if to else None) for path, (_, status, to) in TARGETS.items()}
    assert {path: (r["db_status"], r["redirects_to"]) for path, r in zip(TARGETS, found, strict=True)} == expected
    assert {record["url"] for record in fetched if record["db_status"] != "db_fetched"} == set()
    assert {record["depth"] for record in fetched if not record["url"].endswith("/tolate")} == {1}
    assert private["db_status"] == "db_gone"
    assert "/private" not in asked
    assert asked.most_common(1)[0][1] == 1, asked
    assert f"redirects temporarily to {web.url}/style.css, which is not followed: a rule rejects it: " in told
    for stat, count in (("refused", 1), ("nowhere", 5), ("circles", 2), ("too_many", None)):
        assert (f"'nutch/redirects/{stat}': {count}" in crawl.log) is (count is not None), stat
    assert "Traceback" not in crawl.log


# DF 077
def test_the_target_of_a_found_link_that_redirects_is_a_page_of_its_own(project: Project) -> None:
    site = {"/": Answer(html("home", ["/a"])), "/a": moved("/b", 301), "/b": Answer(html("b", ["/c"]))}
    site["/c"] = Answer(html("c", []))
    with serve({**site}) as web:
        crawl = project.crawl(f"url={web.url}/", DEPTH_LIMIT=2)
        source, target = records(project, f"{web.url}/a", f"{web.url}/b")
        told = explained(project, f"{web.url}/a")
    assert sorted(crawl.urls) == [f"{web.url}/", f"{web.url}/b", f"{web.url}/c"]  # a redirect is no link
    assert (source["db_status"], source["redirects_to"], source["signature"]) == ("db_redir_perm", target["url"], None)
    assert (target["db_status"], target["depth"]) == ("db_fetched", 1)
    assert len(target["signature"]) == 32
    assert f"redirects permanently to {web.url}/b\n" in told


# DF 076
@pytest.mark.parametrize("kind", ["location", "refresh"])
def test_a_page_that_sends_itself_back_with_a_cookie_is_fetched_when_cookies_are_kept(
    project: Project, kind: str
) -> None:
    def start(request: Any) -> Answer:
        if "seen=1" in request.headers.get("Cookie", ""):
            return Answer(html("start", []))
        cookie = {"Set-Cookie": "seen=1"}
        return moved("/start", **cookie) if kind == "location" else refreshing("0; url=/start", name="wait", **cookie)

    with serve({"/start": start}) as web:
        crawl = project.crawl(f"url={web.url}/start", COOKIES_ENABLED=True)
        assert [(item["url"], item["title"]) for item in crawl.items] == [(f"{web.url}/start", "start")]
        assert web.count() == {"/start": 2}
        assert records(project, f"{web.url}/start")[0]["db_status"] == "db_fetched"


@pytest.mark.parametrize(("cookies", "asked"), [(False, 1), (True, 4)])
def test_a_page_that_always_sends_itself_back_is_gone(project: Project, cookies: bool, asked: int) -> None:
    with serve({"/start": moved("/start", **{"Set-Cookie": "seen=1"})}) as web:
        crawl = project.crawl(f"url={web.url}/start", COOKIES_ENABLED=cookies, REDIRECT_MAX_TIMES=3)
        assert web.count() == {"/start": asked}
        assert records(project, f"{web.url}/start")[0]["db_status"] == "db_gone"
    assert f"'nutch/redirects/{'too_many' if cookies else 'circles'}': 1" in crawl.log


# DF 076
def test_a_page_that_redirects_to_another_spelling_of_its_url_is_fetched_as_spelt(project: Project) -> None:
    normalizers = "nutchlike.urls.normalizers.BasicURLNormalizer,nutchlike.urls.normalizers.QuerystringURLNormalizer"
    site = {"/?a=2&b=1": moved("/?b=1&a=2"), "/?b=1&a=2": Answer(html("sorted", []))}
    with serve({**site}) as web:
        project.settings |= {"NUTCH_URL_NORMALIZERS": normalizers, "NUTCH_URL_FILTERS": ""}
        crawl = project.crawl(f"url={web.url}/?b=1&a=2")
        assert crawl.urls == [f"{web.url}/?a=2&b=1"]
        assert web.count() == {"/?a=2&b=1": 1, "/?b=1&a=2": 1}


# DF 083
def test_both_ends_of_a_circle_are_gone_and_asked_for_less_and_less_often(project: Project) -> None:
    project.settings |= {"NUTCH_DB_FETCH_INTERVAL_DEFAULT": 1, "NUTCH_DB_FETCH_INTERVAL_MAX": 1000}
    with serve({"/1": moved("/2"), "/2": moved("/1", 301)}) as web:
        urls = f"{web.url}/1", f"{web.url}/2"
        assert project.crawl(f"url={urls[0]}").code == 0
        first = records(project, *urls)
        assert [record["redirects_to"] for record in first] == [urls[1], urls[0]]
        assert first[1]["db_status"] == "db_gone"
        assert f"redirects for ever, by way of {urls[0]}\n" in explained(project, urls[1])
        process = project.start(NUTCH_CRAWL_FOREVER=True)
        try:
            web.wait_for(lambda asked: asked["/1"] > 3 and asked["/2"] > 3)
        finally:
            process.terminate()
            process.communicate()
        last = records(project, *urls)
    assert [record["db_status"] for record in last] == ["db_gone", "db_gone"]
    assert all(now["fetch_interval"] > then["fetch_interval"] for now, then in zip(last, first, strict=True))
    assert project.command("fsck")[0] == 0


# DF 083
@pytest.mark.parametrize(
    "setting", [{"REDIRECT_MAX_TIMES": 2}, {"NUTCH_HTTP_REDIRECT_MAX": 2}, {"NUTCH_HTTP_REDIRECT_MAX": 0}]
)
def test_a_chain_of_the_longest_length_is_followed_and_a_longer_one_is_not(
    project: Project, setting: dict[str, int]
) -> None:
    site = {f"/{i}": moved(f"/{i + 1}") for i in (0, 1, 3, 4, 5)}
    site |= {"/2": Answer(html("two hops", [])), "/6": Answer(html("three hops", []))}
    site["/"] = Answer(html("home", ["/0", "/3"]))
    with serve({**site}) as web:
        crawl = project.crawl(f"url={web.url}/", **setting)
        states = [record["db_status"] for record in records(project, *(f"{web.url}/{i}" for i in range(6)))]
    assert f"{web.url}/2" in crawl.urls
    if 0 in setting.values():  # in Nutch's words: followed later, as every redirect is here
        assert f"{web.url}/6" in crawl.urls
    else:
        assert states == [*["db_redir_temp"] * 2, "db_fetched", *["db_redir_temp"] * 2, "db_gone"]
        assert "'nutch/redirects/too_many': 1" in crawl.log


def test_the_url_that_people_know_comes_with_the_item(project: Project) -> None:
    site = {
        "/": moved("/start/index", 302),
        "/start/index": Answer(html("start", ["/short", "/old"])),
        "/short": moved("/a/rather/long/path"),
        "/a/rather/long/path": Answer(html("long", [])),
        "/old": moved("/new", 301),
        "/new": Answer(html("new", [])),
    }
    with serve({**site}) as web:
        seeds = project.folder / "seeds.txt"
        seeds.write_text(f"{web.url}/\tlang=en\n", encoding="utf-8")
        crawl = project.crawl(f"seeds={seeds}")
        told = explained(project, f"{web.url}/start/index")
    known_as = {item["url"].removeprefix(web.url): item["repr_url"] for item in crawl.items}
    assert known_as == {
        "/start/index": f"{web.url}/",
        "/a/rather/long/path": f"{web.url}/short",
        "/new": None,
    }
    start = next(item for item in crawl.items if item["title"] == "start")
    assert (start["depth"], start["metadata"]) == (0, {"lang": "en"})
    assert f"known as: {web.url}/, which redirects here\n" in told


def test_a_page_that_redirects_no_more_says_so_no_more(project: Project) -> None:
    project.settings["NUTCH_DB_FETCH_INTERVAL_DEFAULT"] = 1
    site: dict[str, Any] = {"/a": moved("/b"), "/b": Answer(html("b", []))}
    with serve(site) as web:
        project.crawl(f"url={web.url}/a")
        assert records(project, f"{web.url}/a")[0]["redirects_to"] == f"{web.url}/b"
        site["/a"] = web.pages["/a"] = Answer(html("a", []))
        process = project.start(NUTCH_CRAWL_FOREVER=True)
        try:
            web.wait_for(lambda asked: asked["/a"] > 2)
        finally:
            process.terminate()
            process.communicate()
        [record] = records(project, f"{web.url}/a")
    assert DbStatus[record["db_status"].upper()] in {DbStatus.DB_FETCHED, DbStatus.DB_NOTMODIFIED}
    assert record["redirects_to"] is None
    assert all("_redirect_" not in item["metadata"] for item in project.items())


def test_a_seed_that_leaves_its_site_is_named_with_the_reason(project: Project) -> None:
    with serve({"/": Answer(html("away", []))}) as other:
        away = other.url.replace("127.0.0.1", "localhost")
        with serve({"/": moved(f"{away}/", 301)}) as web:
            crawl = project.crawl(f"url={web.url}/")
            told = explained(project, f"{web.url}/")
        assert other.requests == []
    assert f"Seed {web.url}/ redirects to {away}/, which no rule accepts or is another host" in crawl.log
    reason = "it is an external link: NUTCH_DB_IGNORE_EXTERNAL_LINKS"
    assert f"redirects permanently to {away}/, which is not followed: {reason}\n" in told


def test_a_redirect_to_another_host_waits_for_the_clock_of_that_host(project: Project) -> None:
    with serve({f"/{i}": Answer(html(f"away {i}", [])) for i in range(3)}) as other:
        away = other.url.replace("127.0.0.1", "localhost")
        site = {f"/{i}": moved(f"{away}/{i}") for i in range(3)}
        site["/"] = Answer(html("home", list(site)))
        with serve({**site}) as web:
            project.crawl(
                f"url={web.url}/",
                NUTCH_DB_IGNORE_EXTERNAL_LINKS=False,
                DOWNLOAD_DELAY=0.3,
                CONCURRENT_REQUESTS_PER_DOMAIN=1,
            )
        times = [when for when, _ in other.requests]
    assert len(times) == 4  # robots.txt, too
    assert all(later - sooner > 0.25 for sooner, later in pairwise(times))


@pytest.mark.parametrize("spider", ["site", "links"])
def test_where_a_redirect_leads_is_told_the_referer(project: Project, spider: str) -> None:
    seen = []

    def target(request: Any) -> Answer:
        seen.append(request.headers["Referer"])
        return Answer(html("b", []))

    with serve({"/a": moved("/b"), "/b": target}) as web:
        crawl = project.crawl(f"url={web.url}/a", spider=spider, SPIDER_MODULES="nutchlike.spiders,link_spider")
        assert seen == [f"{web.url}/a"]
    assert "found no scrapy.spidermiddlewares.referer" not in crawl.log
