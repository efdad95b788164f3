"""Injects seeds into the CrawlDb before the spider's own start requests (Nutch: Injector)."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Iterator
from itertools import chain
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from nutchlike.blocking_calls import BlockingCalls
from nutchlike.checked_settings import get_bool, get_int
from nutchlike.injector import Injector, Line, batches, build_injector
from nutchlike.seed_sources import open_seed_sources
from nutchlike.wiring import scheduler_of

logger = logging.getLogger(__name__)


class SeedInjectorMiddleware(BaseSpiderMiddleware):
    """Takes ``-a seeds=`` (files, folders, http URLs, ``-``; comma separated) of any spider, ``-a url=`` of ``site``.

    A crawl that was given seeds but could use none of them ends with reason ``no_seeds``.
    """

    def __init__(self, crawler: Crawler, *, injector: Injector, waits_for_seeds: bool) -> None:
        super().__init__(crawler)
        self._injector = injector
        self._waits_for_seeds = waits_for_seeds
        # a thread of its own: a pipe or a server may give nothing for long, and the store is asked meanwhile
        self._reading = BlockingCalls(is_ending=lambda: False)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SeedInjectorMiddleware:
        return cls(
            crawler,
            injector=build_injector(crawler.settings, tell=logger.warning),
            waits_for_seeds=get_int(crawler.settings, "SCHEDULER_IDLE_BEFORE_CLOSE") > 0
            or get_bool(crawler.settings, "NUTCH_CRAWL_FOREVER"),
        )

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Inject, then pass on what the spider starts with."""
        spider = self.crawler.spider
        needs_seeds = getattr(spider, "needs_seeds", False)
        seeds = getattr(spider, "seeds", None)
        # other spiders use these names for their own ends
        seeds = seeds if isinstance(seeds, str) else None
        url = getattr(spider, "url", None) if needs_seeds else None
        if seeds or url:
            await self._inject(seeds, url)
        elif needs_seeds:
            await self._resume_or_end()
        async for request_or_item in start:
            if isinstance(request_or_item, Request):
                await scheduler_of(self.crawler).store.locate([request_or_item.url])
            yield request_or_item

    async def _inject(self, seeds: str | None, url: str | None) -> None:
        injector, scheduler = self._injector, scheduler_of(self.crawler)
        try:
            left = batches(self._lines(seeds, url))
        except ValueError as error:
            logger.error("%s", error)
            raise CloseSpider("no_seeds") from error
        while batch := await self._reading.run(lambda: next(left, None)):
            usable = injector.judge(batch)
            await scheduler.store.locate(seed.url for seed in usable)
            await scheduler.outage.patiently(
                lambda usable=usable: injector.put(usable, scheduler.store.crawldb, now=time.time())  # type: ignore[misc]  # mypy cannot infer a lambda with a default
            )
            scheduler.look_again()
        self._reading.close()
        counts = injector.counts
        for what in ("injected", "known", "updated", "rejected"):
            self.crawler.stats.inc_value(f"nutch/injector/{what}", getattr(counts, what))
        if not counts.usable:
            reasons = "".join(f"\n  {reason}" for reason in injector.first_rejects) or "\n  there was no seed at all"
            logger.error("%d of %d seeds rejected:%s", counts.rejected, counts.rejected, reasons)
            raise CloseSpider("no_seeds")
        logger.info("Injected %s", str(counts))

    def _lines(self, seeds: str | None, url: str | None) -> Iterator[Line]:
        listed = self._injector.read(open_seed_sources(seeds)) if seeds else ()
        given = self._injector.parse([url], source="-a url") if url else ()
        return chain(listed, given)

    async def _resume_or_end(self) -> None:
        scheduler = scheduler_of(self.crawler)
        if (await scheduler.outage.patiently(scheduler.store.crawldb.counts)).known:
            return
        if self._waits_for_seeds:
            logger.info("No seeds yet; waiting for some (SCHEDULER_IDLE_BEFORE_CLOSE, NUTCH_CRAWL_FOREVER)")
            return
        logger.error("No seeds: give -a seeds=FILE_OR_FOLDER or -a url=URL")
        raise CloseSpider("no_seeds")
