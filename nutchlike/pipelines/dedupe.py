"""Drops an item whose content another page owns."""

from __future__ import annotations

from functools import partial
from typing import Any

import redis
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from nutchlike.checked_settings import get_bool
from nutchlike.completion import DuplicatePage
from nutchlike.items import PageItem
from nutchlike.page import Page
from nutchlike.solo_task import SoloTask
from nutchlike.wiring import scheduler_of

CLAIMS = 64  # at most so many in one call


class DedupePipeline:
    """Keeps each content once: the first page that claims it owns it, later ones are dropped.

    A page never is a duplicate of itself; its links are followed whether it is dropped or not. One call to the store is
    under way at a time; claims that come meanwhile go together with the next one.
    """

    def __init__(self, crawler: Crawler) -> None:
        if not get_bool(crawler.settings, "NUTCH_DEDUP_ENABLED"):
            raise NotConfigured("NUTCH_DEDUP_ENABLED is off")
        self._crawler = crawler
        self._waiting: list[tuple[Page, Deferred[bytes]]] = []
        self._claiming = SoloTask(self._claim_all)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> DedupePipeline:
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        scheduler = scheduler_of(self._crawler)
        page = scheduler.completion.page_of_item(item) if isinstance(item, PageItem) else None
        if page is None or page.key is None:
            return item
        try:
            owner = await self._claim(page)
            if owner == page.lease.key:
                return item
            self._crawler.stats.inc_value("nutch/dedup/dropped")
            kept = await scheduler.outage.patiently(
                lambda: scheduler.store.crawldb.url_of(owner), calls=scheduler.claim_calls
            )
        except redis.RedisError:
            scheduler.completion.withhold(page)  # nobody knows whether its item is to be kept: it comes again
            raise
        raise DuplicatePage(f"duplicate of {kept or owner.hex()}", log_level="DEBUG")

    async def _claim(self, page: Page) -> bytes:
        """Return the record key of the page that owns the content of ``page``."""
        answer: Deferred[bytes] = Deferred()
        self._waiting.append((page, answer))
        self._claiming.start()
        return await maybe_deferred_to_future(answer)

    async def _claim_all(self) -> None:
        scheduler = scheduler_of(self._crawler)
        while self._waiting:
            batch, self._waiting = self._waiting[:CLAIMS], self._waiting[CLAIMS:]
            claims = [(page.lease.key, page.key or b"", page.lease.datum.dedup_key) for page, _ in batch]
            claim_all = partial(scheduler.store.signatures.claim_all, claims)
            try:
                owners = await scheduler.outage.patiently(claim_all, calls=scheduler.claim_calls)
            except redis.RedisError as error:
                for _, answer in batch:
                    answer.errback(error)
            else:
                for (_, answer), owner in zip(batch, owners, strict=True):
                    answer.callback(owner)
