"""Pages that are fetched again: servers are asked whether they have changed, and only those that have come out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from due_pages import crawl_again
from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.settings import Settings
from scrapy.statscollectors import MemoryStatsCollector
from web import Answer, Project, Web, html, serve, text_of

from nutchlike.addon import NutchlikeAddon
from nutchlike.completion import Completion
from nutchlike.content_signer import signing_word
from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.fetch_errors import NotModified
from nutchlike.fetch_failure import COPY_ONCE, FAILURE_METADATA
from nutchlike.fetch_schedules import Outcome
from nutchlike.middlewares.conditional_get import ConditionalGetMiddleware
from nutchlike.page import Page
from nutchlike.pipelines.notmodified import NotModifiedPipeline
from nutchlike.store.lease import Lease
from nutchlike.validators import kept_validators

DATE = "Thu, 02 Feb 2017 08:00:42 GMT"
TYPE = {"Content-Type": "text/html; charset=utf-8"}
KEY = b"\0" * 6 + b"12345678"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def recrawl(project: Project, web: Web, path: str, fetches: int, **settings: Any) -> str:
    """Crawl once more, with all pages due; then a page was asked for so often. Return the log."""
    log = crawl_again(project, **settings).log
    assert web.count()[path] == fetches
    return log


def record(project: Project, url: str) -> dict[str, Any]:
    return dict(json.loads(project.command("readdb", url)[1]))


class Site:
    """A page that knows its validators; ``asked`` has the conditions of each request, robots.txt among them."""

    def __init__(self, *, etag: str = 'W/"one"', body: bytes | None = None) -> None:
        self.etag = etag
        self.body = body or html("home", ["/about"])
        self.asked: list[tuple[str, str | None, str | None]] = []

    def __call__(self, request: Any) -> Answer:
        condition = request.headers["If-None-Match"]
        self.asked.append((request.path, condition, request.headers["If-Modified-Since"]))
        headers = TYPE | {"ETag": self.etag, "Last-Modified": DATE}
        return Answer(b"", 304, headers) if condition == self.etag else Answer(self.body, headers=headers)

    @property
    def pages(self) -> dict[str, Answer | Callable[[Any], Answer]]:
        return {"/": self, "/robots.txt": self, "/about": Answer(html("about", []))}


def test_a_server_is_asked_with_its_own_validators_and_a_304_is_not_modified(project: Project) -> None:
    site = Site()
    with serve(site.pages) as web:
        url = f"{web.url}/"
        project.crawl(f"url={url}")
        first = record(project, url)
        log = recrawl(project, web, "/", 2, NUTCH_ROBOTS_CACHE_SECONDS=1)
    assert [asked for asked in site.asked if asked[0] == "/"] == [("/", None, None), ("/", 'W/"one"', DATE)]
    assert {asked[1:] for asked in site.asked if asked[0] == "/robots.txt"} == {(None, None)}
    second = record(project, url)
    assert (first["db_status"], second["db_status"]) == ("db_fetched", "db_notmodified")
    assert second["signature"] == first["signature"] is not None
    assert (first["etag"], first["last_modified"]) == (second["etag"], second["last_modified"]) == ('W/"one"', DATE)
    assert first["metadata"] == second["metadata"] == {}
    assert len([item for item in project.items() if item["url"] == url]) == 1
    assert "Ignoring" not in log
    assert "'nutch/conditional/notmodified': 1" in log
    assert project.command("fsck")[0] == 0
    assert all(item["metadata"] == {} for item in project.items())


def test_a_page_that_has_changed_comes_out_and_is_asked_for_by_its_new_validators(project: Project) -> None:
    site = Site()
    with serve(site.pages) as web:
        project.crawl(f"url={web.url}/")
        site.etag, site.body = '"two"', html("news", ["/about"])
        recrawl(project, web, "/", 2)
        recrawl(project, web, "/", 3)
        assert record(project, f"{web.url}/")["db_status"] == "db_notmodified"
    assert [asked[1] for asked in site.asked if asked[0] == "/"] == [None, 'W/"one"', '"two"']
    assert [item["title"] for item in project.items() if item["title"] != "about"] == ["home", "news"]


def test_a_304_that_nobody_asked_for_is_not_modified_too(project: Project) -> None:
    body = html("home", [])
    with serve({"/": Answer(body)}) as web:
        project.crawl(f"url={web.url}/")
        first = record(project, f"{web.url}/")
        web.pages["/"] = Answer(b"", 304)
        recrawl(project, web, "/", 2)
        second = record(project, f"{web.url}/")
    assert (second["db_status"], second["signature"]) == ("db_notmodified", first["signature"])
    assert project.command("fsck")[0] == 0


def test_a_page_whose_signature_is_made_otherwise_now_is_fetched_in_full(project: Project) -> None:
    site = Site()
    with serve(site.pages) as web:
        project.crawl(f"url={web.url}/")
        project.settings["NUTCH_SIGNATURE_CLASS"] = "nutchlike.signatures.text_md5.TextMD5Signature"
        recrawl(project, web, "/", 2)
    assert [asked[1] for asked in site.asked if asked[0] == "/"] == [None, None]


def test_unchanged_pages_come_out_again_when_asked_for_and_are_fetched_in_full_for_that(project: Project) -> None:
    site = Site()
    with serve(site.pages) as web:
        project.crawl(f"url={web.url}/")
        recrawl(project, web, "/", 2, NUTCH_INDEXER_SKIP_NOTMODIFIED=False)
        assert record(project, f"{web.url}/")["db_status"] == "db_notmodified"
    assert [item["title"] for item in project.items()].count("home") == 2


class Clocked:
    """A page with a clock that is another at each fetch."""

    def __init__(self, template: str) -> None:
        self.template = template
        self.fetches = 0
        self.main = text_of("/", 60)

    def __call__(self, request: Any) -> Answer:
        self.fetches += 1
        clock = f"10:{self.fetches:02}:{self.fetches + 7:02} visitor number {self.fetches} {'tick ' * self.fetches}"
        body = self.template.format(main=self.main, clock=clock)
        return Answer(f"<html><title>Clock</title><body>{body}</body></html>".encode())


@pytest.mark.parametrize(
    "template",
    [
        "<p>{main}</p><footer>It is {clock}</footer>",
        "<nav><a href=/>Home</a> {clock}</nav><main>{main}</main>",
        "<h1>Title</h1><p>{main} <time>{clock}</time></p>",
        "<p>{main}</p><p><time datetime=2026-01-02>{clock} ago</time></p>",
    ],
)
def test_a_clock_in_the_footer_is_no_change_and_another_main_text_is(project: Project, template: str) -> None:
    page = Clocked(template)
    with serve({"/": page}) as web:
        url = f"{web.url}/"
        project.crawl(f"url={url}")
        log = recrawl(project, web, "/", 2)
        assert record(project, url)["db_status"] == "db_notmodified"
        assert "'nutch/notmodified/skipped': 1" in log
        assert len(project.items()) == 1
        page.main = page.main.replace(page.main.split()[7], "corrected")
        recrawl(project, web, "/", 3)
        assert record(project, url)["db_status"] == "db_fetched"
    assert ["corrected" in item["text"] for item in project.items()] == [False, True]


def test_an_unchanged_page_keeps_its_content_and_its_links_are_still_paid(project: Project) -> None:
    pages: dict[str, Any] = {"/": Answer(html("home", ["/a"])), "/a": Answer(html("a", []))}
    with serve(pages) as web:
        project.crawl(f"url={web.url}/")
        pages["/a"] = web.pages["/a"] = Answer(html("home", ["/a"]))  # the content that home owns
        log = recrawl(project, web, "/", 2)
        assert record(project, f"{web.url}/a")["db_status"] == "db_duplicate"
        assert record(project, f"{web.url}/")["db_status"] == "db_notmodified"
        assert re.search(r"'nutch/outlinks/stored': [12]\b", log)
    assert project.command("fsck")[0] == 0


def crawler_with(**settings: Any) -> Crawler:
    all_settings = Settings(settings)
    NutchlikeAddon.update_pre_crawler_settings(all_settings)
    crawler = Crawler(Spider, all_settings)
    crawler.stats = MemoryStatsCollector(crawler)
    return crawler


def kept(word: str) -> bytes:
    return kept_validators(b'"x"', None, signed_as=word, now=1_000_000)


WORD = signing_word(crawler_with().settings)
FETCHED = CrawlDatum(
    "http://a.test/",
    db_status=DbStatus.DB_FETCHED,
    signature=b"s" * 16,
    dedup_key=b"k" * 8,
    validators=kept(WORD),
)


def leased(datum: CrawlDatum, request: Request) -> tuple[Completion, Page]:
    completion = Completion(crawler_with(), changed=lambda: None)
    return completion, completion.begin(Lease(KEY, datum), request)


def headers_of(datum: CrawlDatum, request: Request) -> set[bytes]:
    leased(datum, request)
    ConditionalGetMiddleware(crawler_with()).process_request(request)
    return set(request.headers)


def test_only_a_page_that_has_its_own_content_in_the_record_is_asked_for_with_a_condition() -> None:
    assert headers_of(FETCHED, Request(FETCHED.url)) == {b"If-None-Match"}
    assert headers_of(replace(FETCHED, db_status=DbStatus.DB_NOTMODIFIED), Request(FETCHED.url)) == {b"If-None-Match"}
    for status in set(DbStatus) - {DbStatus.DB_FETCHED, DbStatus.DB_NOTMODIFIED}:
        assert headers_of(replace(FETCHED, db_status=status), Request(FETCHED.url)) == set()
    assert headers_of(replace(FETCHED, signature=None), Request(FETCHED.url)) == set()
    assert headers_of(replace(FETCHED, validators=b""), Request(FETCHED.url)) == set()


@pytest.mark.parametrize("name", ["If-None-Match", "If-Modified-Since", "Range"])
def test_a_condition_of_the_users_own_is_left_alone(name: str) -> None:
    request = Request(FETCHED.url, headers={name: "own"})
    assert headers_of(FETCHED, request) == {name.encode()}
    assert request.headers[name] == b"own"


def test_requests_that_belong_to_no_page_are_left_alone() -> None:
    middleware, request = ConditionalGetMiddleware(crawler_with()), Request("http://a.test/robots.txt")
    middleware.process_request(request)
    response = Response(request.url, status=304)
    assert (dict(request.headers), middleware.process_response(request, response)) == ({}, response)


def test_a_304_that_nobody_asked_for_goes_on_to_the_spider() -> None:
    request = Request(FETCHED.url)
    leased(FETCHED, request)
    response = Response(request.url, status=304)
    assert ConditionalGetMiddleware(crawler_with()).process_response(request, response) is response


def test_a_304_leaves_the_signature_though_an_older_one_was_another() -> None:
    crawler = crawler_with(NUTCH_FETCH_SCHEDULE_CLASS="nutchlike.fetch_schedules.AdaptiveFetchSchedule")
    completion, request = Completion(crawler, changed=lambda: None), Request(FETCHED.url)
    # it was fetched, changed, and is not modified since: the signature before the last one is no matter
    datum = replace(FETCHED, fetch_interval=100_000, modified_time=1_000_000, fetch_time=1_100_000)
    page = completion.begin(Lease(KEY, datum), request)
    middleware = ConditionalGetMiddleware(crawler)
    middleware.process_request(request)
    with pytest.raises(NotModified) as raised:
        middleware.process_response(request, Response(request.url, status=304))
    completion.fail(page, raised.value)
    done = completion.conclusions.of(page, 1_100_000)
    assert page.outcome is Outcome.NOTMODIFIED
    assert done.datum.db_status is DbStatus.DB_NOTMODIFIED
    assert done.datum.fetch_interval > datum.fetch_interval
    assert (done.datum.signature, done.datum.dedup_key) == (datum.signature, datum.dedup_key)
    assert (done.metadata, done.relinked) == ({}, False)


def test_what_a_gone_page_was_asked_for_by_is_forgotten_with_its_content() -> None:
    completion, page = leased(FETCHED, Request(FETCHED.url))
    page.outcome = Outcome.GONE
    page.done = True
    assert FETCHED.validators
    assert completion.conclusions.of(page, 1_100_000).datum.validators == b""


def test_a_content_that_another_page_has_leaves_what_the_page_was_asked_for_by() -> None:
    completion, page = leased(FETCHED, Request(FETCHED.url))
    page.signature, page.key, page.outcome, page.validators = b"o" * 16, b"other123", Outcome.DUPLICATE, b"login"
    done = completion.conclusions.of(page, 1_100_000)
    assert (done.datum.signature, done.datum.validators) == (FETCHED.signature, FETCHED.validators)
    assert done.metadata == {FAILURE_METADATA: COPY_ONCE}


@pytest.mark.parametrize(
    "settings",
    [
        {"NUTCH_HTTP_ENABLE_IF_MODIFIED_SINCE_HEADER": False},
        {"NUTCH_INDEXER_SKIP_NOTMODIFIED": False},
        {
            "NUTCH_SCORING_FILTERS": [
                "nutchlike.scoring.opic.PaperOPIC",
                "nutchlike.scoring.orphan.OrphanScoringFilter",
            ]
        },
    ],
)
def test_no_server_is_asked_where_all_pages_are_needed_in_full(settings: dict[str, Any]) -> None:
    with pytest.raises(NotConfigured):
        ConditionalGetMiddleware(crawler_with(**settings))


def test_strict_asks_servers_and_lets_unchanged_pages_out_as_nutch_does() -> None:
    crawler, request = crawler_with(NUTCH_STRICT=True), Request(FETCHED.url)
    leased(replace(FETCHED, validators=kept(signing_word(crawler.settings))), request)
    ConditionalGetMiddleware(crawler).process_request(request)
    assert request.headers["If-None-Match"] == b'"x"'
    with pytest.raises(NotConfigured, match="NUTCH_INDEXER_SKIP_NOTMODIFIED"):
        NotModifiedPipeline(crawler)


@pytest.mark.parametrize("strict", [False, True])
def test_strict_judges_a_change_by_nutchs_signature(strict: bool) -> None:
    completion = Completion(crawler_with(NUTCH_STRICT=strict), changed=lambda: None)
    page = completion.begin(Lease(KEY, FETCHED), Request(FETCHED.url))
    page.signature, page.key = FETCHED.signature, b"another1"
    assert completion.is_unchanged(page) is strict
