"""Injects seeds into the CrawlDb before the spider's own start requests (Nutch: Injector)."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict, astuple
from itertools import chain
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from nutchlike.blocking_calls import BlockingCalls
from nutchlike.checked_settings import get_bool, get_int
from nutchlike.host_turns import HostTurns
from nutchlike.injector import Injector, Line, batches, build_injector
from nutchlike.middlewares.robots import SharedRobotsTxtMiddleware
from nutchlike.seed_sources import open_seed_sources
from nutchlike.urls.identity import host_key
from nutchlike.wiring import scheduler_of

logger = logging.getLogger(__name__)


AUTO = "auto"


class SeedInjectorMiddleware(BaseSpiderMiddleware):
    """Takes ``-a seeds=`` and ``-a sitemaps=``, both comma separated, of any spider, ``-a url=`` of ``site``.

    Seeds are files, folders, http URLs, ``sitemap:URL`` and ``-``, sitemaps are URLs and ``auto``: those that the
    robots.txt of the seeds' hosts name. A crawl that was given seeds but could use none of them ends with reason
    ``no_seeds``.
    """

    def __init__(self, crawler: Crawler, *, injector: Injector, waits_for_seeds: bool) -> None:
        super().__init__(crawler)
        self._injector = injector
        self._waits_for_seeds = waits_for_seeds
        self._turns = HostTurns(crawler.settings, clocks=lambda: scheduler_of(crawler).store.clocks)
        self._is_auto = False  # then the sites of all seeds and start requests are noted
        self._sites: dict[str, None] = {}
        self._sites_max = get_int(crawler.settings, "NUTCH_SITEMAP_SITES_MAX")
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
        """Inject, then pass on what the spider starts with, then look for sitemaps."""
        needs_seeds = getattr(self.crawler.spider, "needs_seeds", False)
        seeds, url = self._argument("seeds"), self._argument("url") if needs_seeds else None
        sitemaps = [name.strip() for name in (self._argument("sitemaps") or "").split(",") if name.strip()]
        self._is_auto = AUTO in sitemaps
        seeds = ",".join(filter(None, [seeds, *(f"sitemap:{name}" for name in sitemaps if name != AUTO)]))
        if seeds or url:
            await self._inject(seeds, url)
        elif needs_seeds:
            await self._resume_or_end()
        async for request_or_item in start:
            if isinstance(request_or_item, Request):
                self._note_site(request_or_item.url)
                await scheduler_of(self.crawler).store.locate([request_or_item.url])
            yield request_or_item
        if self._is_auto:
            await self._inject_listed_sitemaps()
        self._reading.close()

    def _argument(self, name: str) -> str | None:
        """Return an argument of the spider; other spiders may use such a name for their own ends."""
        value = getattr(self.crawler.spider, name, None)
        return value if isinstance(value, str) and value.strip() else None

    async def _inject(self, seeds: str, url: str | None) -> None:
        try:
            lines = self._lines(seeds, url)
        except ValueError as error:
            logger.error("%s", error)
            raise CloseSpider("no_seeds") from error
        await self._put(lines)
        counts = self._injector.counts
        if not counts.usable:
            reasons = "".join(f"\n  {reason}" for reason in self._injector.first_rejects)
            logger.error(
                "%d of %d seeds rejected:%s",
                counts.rejected,
                counts.rejected,
                reasons or "\n  there was no seed at all",
            )
            raise CloseSpider("no_seeds")
        logger.info("Injected %s", str(counts))

    async def _put(self, lines: Iterator[Line]) -> None:
        injector, scheduler = self._injector, scheduler_of(self.crawler)
        left = batches(lines)
        while batch := await self._reading.run(lambda: next(left, None)):
            usable = injector.judge(batch)
            for seed in usable:
                self._note_site(seed.url)
            await scheduler.store.locate(seed.url for seed in usable)
            await scheduler.outage.patiently(
                lambda usable=usable: injector.put(usable, scheduler.store.crawldb, now=time.time())  # type: ignore[misc]  # mypy cannot infer a lambda with a default
            )
            scheduler.look_again()
            self._count()
        self._count()

    async def _inject_listed_sitemaps(self) -> None:
        """Inject what the robots.txt of the seeds' sites lead to; a sitemap may speak for the hosts that name it."""
        robots = self.crawler.get_downloader_middleware(SharedRobotsTxtMiddleware)
        if robots is None or not self._sites:
            missing = "ROBOTSTXT_OBEY=True" if robots is None else "seeds, whose robots.txt name sitemaps"
            logger.error("No sitemaps: -a sitemaps=auto needs %s", missing)
            return
        named: dict[str, set[str]] = {}
        for site in list(self._sites):
            for url in await robots.sitemaps_of(site):
                named.setdefault(url, set()).add(host_key(site))
        for url, hosts in named.items():
            line = self._injector.parse([f"sitemap:{url}"], source="robots.txt")
            await self._put(self._injector.expanded(line, hosts=hosts, turns=self._turns))
        logger.info("Injected with %d sitemaps that robots.txt names: %s", len(named), str(self._injector.counts))

    def _note_site(self, url: str) -> None:
        parts = urlsplit(url)
        site = f"{parts.scheme}://{parts.netloc}"
        if not self._is_auto or parts.scheme not in {"http", "https"} or site in self._sites:
            return
        if len(self._sites) < self._sites_max:
            self._sites[site] = None
        elif self._sites_max:
            logger.warning(
                "-a sitemaps=auto looks at the first %d sites only: NUTCH_SITEMAP_SITES_MAX", self._sites_max
            )
            self._sites_max = 0

    def _count(self) -> None:
        injector, set_value = self._injector, self.crawler.stats.set_value
        for what, number in asdict(injector.counts).items():
            set_value(f"nutch/injector/{what}", number)
        if injector.sitemaps is not None and any(astuple(injector.sitemaps.counts)):
            for what, number in asdict(injector.sitemaps.counts).items():
                set_value(f"nutch/sitemaps/{what}", number)

    def _lines(self, seeds: str, url: str | None) -> Iterator[Line]:
        injector, turns = self._injector, self._turns
        listed = injector.read(open_seed_sources(seeds), turns=turns) if seeds else ()
        given = injector.expanded(injector.parse([url], source="-a url"), turns=turns) if url else ()
        return chain(listed, given)

    async def _resume_or_end(self) -> None:
        scheduler = scheduler_of(self.crawler)
        if (await scheduler.outage.patiently(scheduler.store.crawldb.counts)).known:
            return
        if self._waits_for_seeds:
            logger.info("No seeds yet; waiting for some (SCHEDULER_IDLE_BEFORE_CLOSE, NUTCH_CRAWL_FOREVER)")
            return
        logger.error("No seeds: give -a seeds=FILE_OR_FOLDER, -a sitemaps=URL or -a url=URL")
        raise CloseSpider("no_seeds")
