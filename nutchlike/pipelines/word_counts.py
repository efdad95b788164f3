"""Counts in how many pages each word stands, so that the semantic fingerprint can learn from a crawl what is rare."""

from __future__ import annotations

import logging
from typing import Any

import redis
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from nutchlike.checked_settings import get_bool
from nutchlike.items import PageItem
from nutchlike.signatures.idf import DocumentCounts
from nutchlike.solo_task import SoloTask
from nutchlike.wiring import scheduler_of

logger = logging.getLogger(__name__)
PAGES = 500  # counted here before the store is told


class WordCountsPipeline:
    """Counts the words of the pages that are kept; ``scrapy idf`` writes the table that the next crawl weighs by."""

    def __init__(self, crawler: Crawler) -> None:
        if not get_bool(crawler.settings, "NUTCH_SIGNATURE_SEMANTIC_LEARN"):
            raise NotConfigured("NUTCH_SIGNATURE_SEMANTIC_LEARN is off")
        from nutchlike.signatures.semantic import SemanticFingerprint  # loads a dictionary of Chinese

        self._crawler = crawler
        self._words = SemanticFingerprint.from_settings(crawler.settings).words
        self._counts = DocumentCounts()
        self._telling = SoloTask(self._tell)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> WordCountsPipeline:
        return cls(crawler)

    def process_item(self, item: Any) -> Any:
        if isinstance(item, PageItem) and item.text:
            self._counts.add(self._words(item.text))
            if self._counts.documents >= PAGES:
                self._telling.start()
        return item

    async def close_spider(self) -> None:
        """Tell the store of the rest."""
        await self._telling.finished()
        self._telling.start()
        await self._telling.finished()

    async def _tell(self) -> None:
        scheduler = scheduler_of(self._crawler)
        counts, self._counts = self._counts, DocumentCounts()
        try:
            await scheduler.claim_calls.run(lambda: scheduler.store.words.add(counts))
        except redis.RedisError as error:
            logger.error("The words of %d pages were not counted, the store failed: %s", counts.documents, error)
