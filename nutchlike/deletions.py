"""Tells what keeps a crawl's pages, a search index above all, of those that it must lose (Nutch: indexer.delete)."""

from __future__ import annotations

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from nutchlike.checked_settings import get_bool
from nutchlike.crawldatum import CrawlDatum
from nutchlike.delivered import deletion, is_delivered
from nutchlike.fetch_failure import COPY_ONCE, FAILURE_METADATA, NOINDEX
from nutchlike.fetch_schedules.fetch_schedule import Outcome
from nutchlike.items import DeletedItem
from nutchlike.page import Page
from nutchlike.request_meta import PAGE

_DELIVERED = {Outcome.SUCCESS, Outcome.NOTMODIFIED}


class Deletions:
    """Sends a DeletedItem through the item pipelines when a page that came out before does so no more.

    Such a page mostly has no answer that a spider could make an item of. It is acknowledged when the item has left the
    pipelines, as pages are: after a kill the deletion may come twice, and is never missing. ``are_told``: whether the
    settings ask for it.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self.are_told = get_bool(crawler.settings, "NUTCH_INDEXER_DELETE")

    def item_of(self, page: Page, after: CrawlDatum, *, has_items: bool, now: int) -> DeletedItem | None:
        """Return the deletion of a page whose record will be ``after``; ``None`` when there is none to tell.

        ``has_items``: this fetch brought items, too, as that of an orphan does.
        """
        reason = after.metadata.get(FAILURE_METADATA)
        came_out = has_items and page.outcome in _DELIVERED and reason != NOINDEX
        if reason == COPY_ONCE or not (came_out or is_delivered(page.lease.datum)):
            return None
        http_status = int(page.failure) if page.failure.isdecimal() else page.http_status
        return deletion(after, http_status=http_status or None, now=now)

    async def send(self, page: Page, item: DeletedItem) -> None:
        """Return when ``item`` has left the pipelines; a pipeline that fails makes the page fail."""
        page.open_items += 1
        response = Response(page.url, status=item.http_status or 200, request=Request(page.url, meta={PAGE: page}))
        await self._crawler.engine.scraper.start_itemproc_async(item, response=response)
        self._crawler.stats.inc_value(f"nutch/deletions/{item.deleted}")

    def let_close(self) -> None:
        """Let the crawl end, if it waits for items in the pipelines: Scrapy looks only when a response is done."""
        slot, spider = self._crawler.engine.scraper.slot, self._crawler.spider
        if spider is None or slot is None or slot.closing is None:
            return
        if slot.is_idle() and not slot.closing.called:
            slot.closing.callback(spider)
