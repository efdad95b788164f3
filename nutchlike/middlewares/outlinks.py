"""Takes a page's links out of its callback's output: normalize, filter, and keep them until the page is done."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from nutchlike.canonical_urls import CanonicalUrls
from nutchlike.checked_settings import get_bool, get_int, kept_anchor_length
from nutchlike.items import PageItem
from nutchlike.page import Page, page_of
from nutchlike.parsing.content import media_type
from nutchlike.repeats import Repeats
from nutchlike.store.stored_url import StoredURL
from nutchlike.wiring import scheduler_of


class OutlinksMiddleware:
    """Stands next to the engine, so that it sees what all other spider middlewares let through.

    Links travel in ``PageItem.outlinks`` (no Request is made for them) or as Requests of any spider; both are stored in
    the one call that acknowledges the page, never before.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._keep_outlinks = get_bool(crawler.settings, "NUTCH_STORE_OUTLINKS")
        self._depth_limit = get_int(crawler.settings, "DEPTH_LIMIT")
        self._most = get_int(crawler.settings, "NUTCH_DB_MAX_OUTLINKS_PER_PAGE")
        self._repeats = Repeats(crawler)
        self._canonical = CanonicalUrls(crawler.settings)
        self._anchor_length = kept_anchor_length(crawler.settings)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> OutlinksMiddleware:
        return cls(crawler)

    def process_spider_input(self, response: Response) -> None:
        """Keep the body while the page is in progress: pipelines sign it. Schedules may ask for its type."""
        page = page_of(response)
        if page is not None:
            page.content = response.body
            page.content_type = media_type((response.headers.get("Content-Type") or b"").decode("latin-1"))

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Yield the items; keep the links of a leased page. Requests that belong to no page go to the scheduler."""
        scheduler = scheduler_of(self._crawler)
        page = page_of(response)
        async for output in result:
            if page is None or page.done or output is None:
                yield output  # of no leased page, or of an error handler after its page has failed
            elif isinstance(output, Request):
                if not self._repeats.allows(output, asked=response.request):
                    continue
                stored = scheduler.requests.to_store(output, source=page.url)
                page.add_outlinks([stored] if stored else [])
                # a LinkExtractor's rule has left the text of the link there
                if stored and (text := str(output.meta.get("link_text", ""))[: self._anchor_length]):
                    page.anchors.setdefault(stored.id, text)
                await scheduler.store.locate([stored.url] if stored else [])
            else:
                if isinstance(output, PageItem):
                    self._take_outlinks(page, output)
                    await scheduler.store.locate(outlink.url for outlink in page.outlinks.values())
                scheduler.completion.begin_item(page, output)
                yield output
        if page is not None:
            scheduler.completion.exhaust(page)

    def _take_outlinks(self, page: Page, item: PageItem) -> None:
        if item.canonical is not None:
            normalized = scheduler_of(self._crawler).requests.normalized(item.canonical)
            page.canonical = self._canonical.other(page.url, normalized)
            if page.canonical and self._canonical.follows and item.canonical not in item.outlinks:
                item.outlinks.insert(0, item.canonical)
        else:
            page.canonical = ""
        scheduler_of(self._crawler).completion.conclusions.scores.describe(page, item, all_count=len(item.outlinks))
        if self._depth_limit and page.lease.datum.depth >= self._depth_limit:
            self._crawler.stats.inc_value("nutch/outlinks/too_deep", len(item.outlinks))
            taken = []
        else:
            taken = list(self._stored(item.outlinks, page))
        if 0 <= self._most < len(taken):
            self._crawler.stats.inc_value("nutch/outlinks/too_many", len(taken) - self._most)
            taken = taken[: self._most]
        page.add_outlinks(taken)
        page.links = ()
        item.outlinks = [url.url for url in taken] if self._keep_outlinks else []

    def _stored(self, links: Iterable[str], page: Page) -> Iterable[StoredURL]:
        """Yield the links that the rules accept, and note their texts."""
        requests = scheduler_of(self._crawler).requests
        texts = {link.url: link.anchor for link in page.links} if self._anchor_length else {}
        for link in links:
            url = requests.accept(link, source=page.url)
            if url is not None:
                stored = requests.plain(url)
                if text := texts.get(link):
                    page.anchors.setdefault(stored.id, text)
                yield stored
