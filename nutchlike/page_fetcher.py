"""Single pages for commands that look at them: fetched beside the crawl, or read from a file."""

from __future__ import annotations

import mimetypes
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcessBase
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from nutchlike.seed_sources import STDIN


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A page as it came: its last address, its body unpacked, its Content-Type ("" for none) and its X-Robots-Tags.

    ``link_headers`` are the values of its Link headers. ``http_status`` is ``None`` for a file.
    """

    url: str
    body: bytes
    content_type: str
    http_status: int | None = None
    robots_tags: tuple[str, ...] = ()
    link_headers: tuple[bytes, ...] = ()


def read_page(name: str) -> FetchedPage:
    """Return what is in a file, or comes from standard input for ``-``; its name says of what type it is.

    Raises OSError when it cannot be read.
    """
    body = sys.stdin.buffer.read() if name == STDIN else Path(name).read_bytes()
    url = "file:///dev/stdin" if name == STDIN else Path(name).absolute().as_uri()
    return FetchedPage(url, body, mimetypes.guess_type(name)[0] or "")


def fetch_pages(
    process: CrawlerProcessBase, urls: Sequence[str], *, spider: str
) -> tuple[dict[str, FetchedPage], dict[str, str]]:
    """Return the pages of ``urls`` by these, and why the others cannot be had; nothing of it belongs to the crawl.

    The settings are those of ``spider``. A process can do it once: its reactor runs until all is fetched.
    """
    pages: dict[str, FetchedPage] = {}
    failures: dict[str, str] = {}
    if urls:
        PageFetcher.custom_settings = process.spider_loader.load(spider).custom_settings
        process.crawl(PageFetcher, urls=urls, pages=pages, failures=failures)
        process.start()
    return pages, {url: failures.get(url, "the crawl ended before") for url in urls if url not in pages}


class PageFetcher(Spider):
    """Fetches ``urls``, and puts what came into ``pages``, or why nothing did into ``failures``, by these."""

    name = "page_fetcher"
    urls: Sequence[str]
    pages: dict[str, FetchedPage]
    failures: dict[str, str]

    async def start(self) -> AsyncIterator[Any]:
        for url in dict.fromkeys(self.urls):
            yield Request(url, errback=self.fail, cb_kwargs={"given": url}, dont_filter=True)

    def parse(self, response: Response, given: str) -> None:
        self.pages[given] = FetchedPage(
            response.url,
            response.body,
            (response.headers.get("Content-Type") or b"").decode("latin-1"),
            response.status,
            tuple(value.decode("latin-1") for value in response.headers.getlist("X-Robots-Tag")),
            tuple(response.headers.getlist("Link")),
        )

    def fail(self, failure: Failure) -> None:
        error = failure.value
        given = failure.request.cb_kwargs["given"]  # type: ignore[attr-defined]  # Scrapy's addition
        if isinstance(error, HttpError):
            self.failures[given] = f"HTTP status {error.response.status}"
        else:
            self.failures[given] = str(error) or type(error).__name__
