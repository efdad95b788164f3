"""LinkRankExtension: ranks the pages by their links while the crawl runs, so that it goes by these ranks."""

from __future__ import annotations

import logging
import time

import redis
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from nutchlike.blocking_calls import HANGING_SECONDS, BlockingCalls
from nutchlike.checked_settings import get_int
from nutchlike.crawl_store import CrawlStore
from nutchlike.solo_task import SoloTask
from nutchlike.wiring import scheduler_of

logger = logging.getLogger(__name__)
POLL_SECONDS = 1.0


class _CrawlEnds(Exception):
    """The ranking is left where it is."""


class LinkRankExtension:
    """Runs a LinkRankJob each time that all workers together took up NUTCH_LINKRANK_EVERY pages, in one of them.

    It has a thread of its own, and the store's calls are short: the crawl goes on.
    """

    def __init__(self, crawler: Crawler, *, every: int) -> None:
        from nutchlike import linkrank_job  # loads numpy, which a crawl that ranks nothing need not wait for

        self._crawler = crawler
        self._every = every
        self._nothing_to_rank = linkrank_job.NothingToRank
        self._job = linkrank_job.LinkRankJob.from_settings(crawler.settings, tell=self._stop_at_the_end)
        self._ended_at: float | None = None  # monotonic seconds
        self._calls = BlockingCalls(is_ending=self._is_long_over)
        self._ranking = SoloTask(self._rank)
        self._poll = create_looping_call(self._ranking.start)
        crawler.signals.connect(self._spider_opened, signals.spider_opened)
        crawler.signals.connect(self._spider_closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> LinkRankExtension:
        every = get_int(crawler.settings, "NUTCH_LINKRANK_EVERY")
        if not every:
            raise NotConfigured("NUTCH_LINKRANK_EVERY is 0")
        return cls(crawler, every=every)

    def _spider_opened(self) -> None:
        self._poll.start(POLL_SECONDS, now=False)

    async def _spider_closed(self) -> None:
        self._ended_at = time.monotonic()
        if self._poll.running:
            self._poll.stop()
        await self._ranking.finished()
        self._calls.close()

    async def _rank(self) -> None:
        scheduler = scheduler_of(self._crawler)
        try:
            store = scheduler.store
        except RuntimeError:
            return  # the store was never there, the crawl ends
        try:
            if not await self._calls.run(lambda: store.webgraph.claim_ranking(self._every)):
                return
            await self._calls.run(lambda: self._run(store))
        except _CrawlEnds:
            logger.info("LinkRank: left off, the crawl ends")
        except self._nothing_to_rank as error:
            logger.warning("LinkRank: nothing was ranked: %s", error)
        except redis.RedisError as error:
            if self._ended_at is None:  # a store that is away is the scheduler's affair
                logger.error("LinkRank: left off, the store failed: %s", error)
        else:
            scheduler.look_again()

    def _run(self, store: CrawlStore) -> None:
        begun = time.monotonic()
        ranking = self._job.run(store.webgraph, store.crawldb, now=time.time())
        logger.info("LinkRank: %s, in %.1f s", ranking, time.monotonic() - begun)
        self._crawler.stats.inc_value("nutch/linkrank/runs")
        self._crawler.stats.inc_value("nutch/linkrank/ranked", ranking.written)

    def _stop_at_the_end(self, _: str) -> None:
        if self._ended_at is not None:
            raise _CrawlEnds

    def _is_long_over(self) -> bool:
        return self._ended_at is not None and time.monotonic() - self._ended_at > HANGING_SECONDS
