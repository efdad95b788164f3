"""Drops an item whose content another page owns."""

from __future__ import annotations

from typing import Any

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from nutchlike.checked_settings import get_bool
from nutchlike.completion import DuplicatePage
from nutchlike.items import PageItem
from nutchlike.wiring import scheduler_of


class DedupePipeline:
    """Keeps each content once: the first page that claims it owns it, later ones are dropped.

    A page never is a duplicate of itself; its links are followed whether it is dropped or not.
    """

    def __init__(self, crawler: Crawler) -> None:
        if not get_bool(crawler.settings, "NUTCH_DEDUP_ENABLED"):
            raise NotConfigured("NUTCH_DEDUP_ENABLED is off")
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> DedupePipeline:
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        scheduler = scheduler_of(self._crawler)
        page = scheduler.completion.page_of_item(item) if isinstance(item, PageItem) else None
        if page is None or page.key is None:
            return item
        key, store = page.key, scheduler.store
        previous = page.lease.datum.dedup_key
        owner = await scheduler.outage.patiently(lambda: store.signatures.claim(page.lease.key, key, previous=previous))
        if owner == page.lease.key:
            return item
        self._crawler.stats.inc_value("nutch/dedup/dropped")
        kept = await scheduler.outage.patiently(lambda: store.crawldb.url_of(owner))
        raise DuplicatePage(f"duplicate of {kept or owner.hex()}", log_level="DEBUG")
