"""Takes a page's links out of its callback's output: normalize, filter, and keep them until the page is done."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from nutchlike.completion import Page, page_of
from nutchlike.items import PageItem
from nutchlike.store.stored_url import StoredURL
from nutchlike.wiring import scheduler_of


class OutlinksMiddleware:
    """Stands next to the engine, so that it sees what all other spider middlewares let through.

    Links travel in ``PageItem.outlinks`` (no Request is made for them) or as Requests of any spider; both are stored in
    the one call that acknowledges the page, never before.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._keep_outlinks = crawler.settings.getbool("NUTCH_STORE_OUTLINKS")
        self._most = crawler.settings.getint("NUTCH_DB_MAX_OUTLINKS_PER_PAGE")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> OutlinksMiddleware:
        return cls(crawler)

    def process_spider_input(self, response: Response) -> None:
        """Keep the body while the page is in progress: pipelines sign it."""
        page = page_of(response)
        if page is not None:
            page.content = response.body

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Yield the items; keep the links of a leased page. Requests that belong to no page go to the scheduler."""
        scheduler = scheduler_of(self._crawler)
        page = page_of(response)
        async for output in result:
            if page is None or output is None:
                yield output
            elif isinstance(output, Request):
                stored = scheduler.requests.to_store(output, source=page.url)
                page.add_outlinks([stored] if stored else [])
            else:
                if isinstance(output, PageItem):
                    self._take_outlinks(page, output)
                scheduler.completion.begin_item(page)
                yield output
        if page is not None:
            scheduler.completion.exhaust(page)

    def _take_outlinks(self, page: Page, item: PageItem) -> None:
        links = item.outlinks if self._most < 0 else item.outlinks[: self._most]
        taken = list(self._stored(links, page.url))
        page.add_outlinks(taken)
        item.outlinks = [url.url for url in taken] if self._keep_outlinks else []

    def _stored(self, links: Iterable[str], source: str) -> Iterable[StoredURL]:
        accept = scheduler_of(self._crawler).requests.accept
        for link in links:
            url = accept(link, source=source)
            if url is not None:
                yield StoredURL.plain(url)
