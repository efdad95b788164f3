"""What the store is told of a page that is done."""

from __future__ import annotations

import pytest
from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.settings import Settings
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.statscollectors import MemoryStatsCollector
from stores import NOW

from nutchlike.addon import NutchlikeAddon
from nutchlike.completion import Completion
from nutchlike.crawldatum import CrawlDatum
from nutchlike.page import Page
from nutchlike.store.lease import Lease

URL = "http://a.test/"


@pytest.fixture
def completion() -> Completion:
    settings = Settings({"NUTCH_WEBGRAPH_ENABLED": True})
    NutchlikeAddon.update_pre_crawler_settings(settings)
    crawler = Crawler(Spider, settings)
    crawler.stats = MemoryStatsCollector(crawler)
    return Completion(crawler, changed=lambda: None)


def begin(completion: Completion) -> Page:
    return completion.begin(Lease(b"\0" * 6 + b"12345678", CrawlDatum(URL, score=1.0)), Request(URL))


@pytest.mark.parametrize("http_status", [304, 500])
def test_an_answer_without_a_page_keeps_the_list_of_links_though_scrapy_asks_for_its_output(
    completion: Completion, http_status: int
) -> None:
    page = begin(completion)
    completion.fail(page, HttpError(Response(URL, status=http_status)))
    completion.exhaust(page)  # HttpErrorMiddleware puts an empty output in the place of the error
    done = completion.conclusions.of(page, int(NOW))
    assert not done.relinked
    # nobody knows to whom its cash would go
    assert (done.spent, done.rest, done.balance, list(done.shares)) == (0.0, 0.0, 0.0, [])


def test_a_page_without_links_and_one_that_is_gone_have_an_empty_list(completion: Completion) -> None:
    empty, gone = begin(completion), begin(completion)
    completion.exhaust(empty)
    completion.fail(gone, HttpError(Response(URL, status=404)))
    for page in (empty, gone):
        done = completion.conclusions.of(page, int(NOW))
        assert (done.relinked, list(done.outlinks)) == (True, [])


def test_a_page_that_waits_for_the_store_holds_neither_its_body_nor_its_text(completion: Completion) -> None:
    page = begin(completion)
    page.content, page.text, page.main_text = b"<p>text", "text", lambda: "text"
    completion.exhaust(page)
    assert (page.content, page.text, page.main_text) == (b"", "", None)
