"""Keeps pages that have not changed from the pipelines behind (Nutch: indexer.skip.notmodified)."""

from __future__ import annotations

from typing import Any

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem, NotConfigured

from nutchlike.checked_settings import skips_notmodified
from nutchlike.items import PageItem
from nutchlike.wiring import scheduler_of


class UnchangedPage(DropItem):
    """The item has the content that its page had the last time."""


class NotModifiedPipeline:
    """Stands behind the deduplication: a page that repeats another is that first, and one that owns its content again,
    because the other has lost it, goes out though it has not changed.
    """

    def __init__(self, crawler: Crawler) -> None:
        if not skips_notmodified(crawler.settings):
            raise NotConfigured("NUTCH_INDEXER_SKIP_NOTMODIFIED is off")
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> NotModifiedPipeline:
        return cls(crawler)

    def process_item(self, item: Any) -> Any:
        completion = scheduler_of(self._crawler).completion
        page = completion.page_of_item(item) if isinstance(item, PageItem) else None
        if page is not None and page.has_own_content and completion.is_unchanged(page):
            self._crawler.stats.inc_value("nutch/notmodified/skipped")
            raise UnchangedPage(f"unchanged: {page.url}", log_level="DEBUG")
        return item
