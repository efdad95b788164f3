"""Drops the item of a page that asks not to be indexed (meta robots, X-Robots-Tag)."""

from __future__ import annotations

from typing import Any

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem

from nutchlike.items import PageItem
from nutchlike.wiring import scheduler_of


class NoindexPage(DropItem):
    """The item's page asks not to be indexed; it has been fetched all the same, and its links count."""


class NoindexPipeline:
    """Stands before all others: what is dropped here is not signed, and owns no content that another page may have."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> NoindexPipeline:
        return cls(crawler)

    def process_item(self, item: Any) -> Any:
        page = scheduler_of(self._crawler).completion.page_of_item(item) if isinstance(item, PageItem) else None
        if page is None or not page.is_noindex:
            return item
        page.is_unsigned = True
        self._crawler.stats.inc_value("nutch/directives/noindex")
        raise NoindexPage(f"noindex: {page.url} asks not to be indexed", log_level="DEBUG")
