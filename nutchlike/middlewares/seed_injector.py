"""Injects seeds into the CrawlDb before the spider's own start requests (Nutch: Injector)."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Iterator
from itertools import islice
from typing import Any

from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from nutchlike.checked_settings import get_bool, get_float, get_int
from nutchlike.crawldatum import SCORE_MAX
from nutchlike.seed_sources import open_seed_sources
from nutchlike.seeds import SeedRecord, SeedReject, iter_seed_lines
from nutchlike.store.crawldb import Merge, Seed
from nutchlike.wiring import scheduler_of

logger = logging.getLogger(__name__)
BATCH = 200  # seeds in one call to the store
SHOWN = 20  # rejected seeds that the log names; the rest is counted


class SeedInjectorMiddleware(BaseSpiderMiddleware):
    """Takes ``-a seeds=`` (files and folders, comma separated) of any spider, ``-a url=`` (one URL) of ``site``.

    A crawl that was given seeds but could use none of them ends with reason ``no_seeds``.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = crawler.settings
        self._score = get_float(settings, "NUTCH_DB_SCORE_INJECTED")
        self._interval = get_int(settings, "NUTCH_DB_FETCH_INTERVAL_DEFAULT")
        self._strict = get_bool(settings, "NUTCH_STRICT")
        overwrite = get_bool(settings, "NUTCH_DB_INJECTOR_OVERWRITE")
        update = get_bool(settings, "NUTCH_DB_INJECTOR_UPDATE")
        self._merge: Merge = "overwrite" if overwrite else "update" if update else "keep"

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Inject, then pass on what the spider starts with."""
        spider = self.crawler.spider
        needs_seeds = getattr(spider, "needs_seeds", False)
        seeds = getattr(spider, "seeds", None)
        # other spiders use these names for their own ends
        seeds = seeds if isinstance(seeds, str) else None
        url = getattr(spider, "url", None) if needs_seeds else None
        if seeds or url:
            await self._inject(self._read(seeds, url))
        elif needs_seeds:
            self._resume_or_end()
        async for request_or_item in start:
            yield request_or_item

    async def _inject(self, lines: Iterator[SeedRecord | SeedReject]) -> None:
        rejected: list[str] = []
        counts = {"injected": 0, "rejected": 0, "known": 0}
        usable = self._usable(lines, rejected, counts)
        while True:
            batch = []
            try:
                batch = list(islice(usable, BATCH))
            except ValueError as error:
                logger.error("%s", error)
                raise CloseSpider("no_seeds") from error
            if not batch:
                break
            created, changed = scheduler_of(self.crawler).store.crawldb.inject(
                batch, merge=self._merge, now=time.time()
            )
            scheduler_of(self.crawler).look_again()
            counts["injected"] += created
            counts["known"] += len(batch) - created
            self.crawler.stats.inc_value("nutch/injector/updated", changed)
            await asyncio.sleep(0)  # the engine fetches meanwhile
        for what, n in counts.items():
            self.crawler.stats.inc_value(f"nutch/injector/{what}", n)
        usable_seeds = counts["injected"] + counts["known"]
        if not usable_seeds:
            reasons = "".join(f"\n  {reason}" for reason in rejected) or "\n  there was no seed at all"
            logger.error("%d of %d seeds rejected:%s", counts["rejected"], counts["rejected"], reasons)
            raise CloseSpider("no_seeds")
        logger.info(
            "Injected %d new seeds, %d were known, %d rejected", counts["injected"], counts["known"], counts["rejected"]
        )

    def _read(self, seeds: str | None, url: str | None) -> Iterator[SeedRecord | SeedReject]:
        options: dict[str, Any] = {
            "default_score": self._score,
            "default_interval": self._interval,
            "strict": self._strict,
        }
        if seeds:
            for source in open_seed_sources(seeds):
                try:
                    yield from iter_seed_lines(source.lines(), source=source.name, **options)
                except ValueError as error:  # a broken archive, say: the other lists are still good
                    yield SeedReject(source.name, 0, "", str(error))
        if url:
            yield from iter_seed_lines([url], source="-a url", **options)

    def _usable(
        self, lines: Iterator[SeedRecord | SeedReject], rejected: list[str], counts: dict[str, int]
    ) -> Iterator[Seed]:
        """Yield the seeds that rules accept; count the others, and name the first of them."""
        requests = scheduler_of(self.crawler).requests
        for line in lines:
            if isinstance(line, SeedReject):
                self._reject(str(line), rejected, counts)
                continue
            for warning in line.warnings:
                logger.warning("Seed: %s", warning)
            url = requests.accept(line.url, source=None)
            if url is None:
                reason = f"{line.source}:{line.line}: {line.url[:200]}: {requests.why_rejected(line.url)}"
                self._reject(reason, rejected, counts)
                continue
            score = line.score
            if not 0 <= score <= SCORE_MAX:  # Nutch's own reading lets these through
                logger.warning("Seed: %s:%d: score %r is not used", line.source, line.line, score)
                score = self._score
            yield Seed(
                url,
                score=score,
                fetch_interval=line.fetch_interval,
                metadata=line.metadata,
                score_given=line.score_given,
                interval_given=line.interval_given,
            )

    @staticmethod
    def _reject(reason: str, rejected: list[str], counts: dict[str, int]) -> None:
        counts["rejected"] += 1
        if len(rejected) < SHOWN:
            rejected.append(reason)
            logger.warning("Seed rejected: %s", reason)

    def _resume_or_end(self) -> None:
        if not scheduler_of(self.crawler).store.crawldb.counts().known:
            logger.error("No seeds: give -a seeds=FILE_OR_FOLDER or -a url=URL")
            raise CloseSpider("no_seeds")
