"""Makes known pages due at once when a crawl begins: ``-a refetch=HOST_OR_PATTERN`` (Nutch: forceRefetch)."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator
from typing import Any

from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from nutchlike.blocking_calls import BlockingCalls
from nutchlike.fetch_schedules import DefaultFetchSchedule
from nutchlike.urls.url_choice import URLChoice
from nutchlike.wiring import scheduler_of

logger = logging.getLogger(__name__)


class RefetchMiddleware(BaseSpiderMiddleware):
    """Takes ``-a refetch=`` of any spider, behind the injection: a host of known URLs, or a regular expression.

    Their next fetch is that of a new page: in full, and its item comes out though nothing has changed. An argument that
    fits no known URL ends the crawl with reason ``nothing_to_refetch``.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._schedule = DefaultFetchSchedule.from_settings(crawler.settings)
        # a thread of its own: all records may have to be read, and leases are renewed meanwhile
        self._calls = BlockingCalls(is_ending=lambda: False)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RefetchMiddleware:
        return cls(crawler)

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Make pages due, then pass on what the spider starts with."""
        text = getattr(self.crawler.spider, "refetch", None)
        if isinstance(text, str) and text.strip():
            await self._refetch(text.strip())
        self._calls.close()
        async for request_or_item in start:
            yield request_or_item

    async def _refetch(self, text: str) -> None:
        try:
            choice = URLChoice(text)
        except ValueError as error:
            logger.error("refetch=%s is neither a host nor a regular expression: %s", text, error)
            raise CloseSpider("nothing_to_refetch") from error
        scheduler, schedule = scheduler_of(self.crawler), self._schedule
        found = await scheduler.outage.patiently(
            lambda: scheduler.store.refetch.run(
                has_site=choice.has_site,
                has_url=choice.has_url,
                interval_max=schedule.max_interval,
                shortened=schedule.nearly_max,
                now=time.time(),
            ),
            calls=self._calls,
        )
        if not found.chosen:
            kind = "a host of" if choice.is_host else "a regular expression that fits"
            logger.error("refetch=%s is not %s any known URL; see scrapy readdb --dump", text, kind)
            raise CloseSpider("nothing_to_refetch")
        self.crawler.stats.inc_value("nutch/refetch/due", found.due)
        logger.info(
            "refetch=%s: %d of %d known URLs made due; %d waited anyway, %d are being fetched now, %d stay as they are "
            "(dead letters, requests that are done)",
            text,
            found.due,
            found.chosen,
            found.waiting,
            found.leased,
            found.chosen - found.due - found.waiting - found.leased,
        )
        scheduler.look_again()
