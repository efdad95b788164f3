"""Drops an item whose content another page owns."""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from functools import partial
from typing import Any

import redis
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from nutchlike.canonical_urls import CanonicalUrls
from nutchlike.checked_settings import get_bool, get_int, get_words
from nutchlike.completion import DuplicatePage
from nutchlike.copy_counter import CopyCounter
from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.deduplication import Keeper
from nutchlike.items import PageItem
from nutchlike.page import Page
from nutchlike.solo_task import SoloTask
from nutchlike.store.content_index import NOBODY_KNOWS
from nutchlike.store.content_owners import Owner, PageClaim
from nutchlike.urls.identity import host_key
from nutchlike.wiring import scheduler_of

logger = logging.getLogger(__name__)
CLAIMS = 64  # at most so many in one call


class DedupePipeline:
    """Keeps each content once: the first page that claims it owns it, later ones are dropped.

    A page that the owner names as its canonical one, and with NUTCH_DEDUP_TAKE_OVER a better copy, takes the content
    over when it comes later: its item goes out, too, and the page that had it becomes db_duplicate. A page never is a
    duplicate of itself. One call to the store is under way at a time; claims that come meanwhile go together with the
    next one.
    """

    def __init__(self, crawler: Crawler) -> None:
        if not get_bool(crawler.settings, "NUTCH_DEDUP_ENABLED"):
            raise NotConfigured("NUTCH_DEDUP_ENABLED is off")
        self._crawler = crawler
        names = get_words(crawler.settings, "NUTCH_DEDUP_TAKE_OVER")
        self._keeper = Keeper(names, ties=False) if names else None
        self._canonical = CanonicalUrls(crawler.settings)
        self._copies = CopyCounter(warn_at=get_int(crawler.settings, "NUTCH_DEDUP_COPIES_WARNED_OF"))
        self._waiting: list[tuple[Page, Deferred[Owner]]] = []
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
            page.key = owner.content
            if owner.key == page.lease.key:
                return item
            kept = await self._kept_instead_of(page, owner)
        except redis.RedisError:
            scheduler.completion.withhold(page)  # nobody knows whether its item is to be kept: it comes again
            raise
        if kept is None:
            return item
        self._count(page, owner, kept)
        raise DuplicatePage(f"{'near duplicate' if owner.is_near else 'duplicate'} of {kept}", log_level="DEBUG")

    async def _kept_instead_of(self, page: Page, owner: Owner) -> str | None:
        """Return how people know the page that owns a content; ``None`` when ``page`` took it over, as better copy."""
        if owner.key == NOBODY_KNOWS:
            return "a page that a Bloom filter does not know"
        scheduler = scheduler_of(self._crawler)
        named = next((page.canonical for page in scheduler.completion.unfinished if page.lease.key == owner.key), None)

        def decide() -> str | None:
            url = scheduler.store.crawldb.url_of(owner.key)
            return None if self._takes_over(page, owner, url, named=named) else url or owner.key.hex()

        kept = await scheduler.outage.patiently(decide, calls=scheduler.claim_calls)
        if kept is None:
            page.better_than = owner.key
            self._crawler.stats.inc_value("nutch/dedup/taken_over")
        return kept

    def _takes_over(self, page: Page, owner: Owner, url: str | None, *, named: str | None) -> bool:
        """Return whether ``page`` is the better copy, and the owner by now.

        ``url`` is the owner's, ``named`` the canonical URL that it names when that is not stored yet.
        """
        if owner.is_near or not (self._keeper or self._canonical.keeps):
            return False
        store = scheduler_of(self._crawler).store
        former = store.crawldb.get(url) if url is not None else None
        if former is None:
            is_better = self._keeper is not None
        elif decision := self._canonical.better(page, former, store.crawldb, named=named):
            is_better = decision > 0
        else:
            is_better = self._keeper is not None and self._keeper.better(_worth(former), _worth(page.lease.datum)) < 0
        return is_better and store.contents.take_over(_claim_of(page, time.time()), owner)

    def _count(self, page: Page, owner: Owner, kept: str) -> None:
        self._crawler.stats.inc_value("nutch/dedup/dropped")
        if owner.key == NOBODY_KNOWS:
            self._crawler.stats.inc_value("nutch/dedup/unconfirmed")
        if owner.is_near:
            self._crawler.stats.inc_value("nutch/dedup/near")
        host = host_key(page.url)
        if copies := self._copies.add(host, owner.content):
            self._crawler.stats.inc_value("nutch/dedup/mass_warnings")
            logger.warning(
                "%d URLs on %s share one content, that of %s: is it a login page, or an error page with status 200?",
                copies,
                host,
                kept,
            )

    async def _claim(self, page: Page) -> Owner:
        """Return who owns the content of ``page``."""
        answer: Deferred[Owner] = Deferred()
        self._waiting.append((page, answer))
        self._claiming.start()
        return await maybe_deferred_to_future(answer)

    async def _claim_all(self) -> None:
        scheduler = scheduler_of(self._crawler)
        while self._waiting:
            batch, self._waiting = self._waiting[:CLAIMS], self._waiting[CLAIMS:]
            claims = [_claim_of(page, time.time()) for page, _ in batch]
            claim_all = partial(scheduler.store.contents.claim_all, claims)
            try:
                owners = await scheduler.outage.patiently(claim_all, calls=scheduler.claim_calls)
            except redis.RedisError as error:
                for _, answer in batch:
                    answer.errback(error)
            else:
                for (_, answer), owner in zip(batch, owners, strict=True):
                    answer.callback(owner)


def _worth(datum: CrawlDatum) -> CrawlDatum:
    """Return a record with all the cash that the page ever got as its score: a page that was fetched has spent its."""
    return replace(datum, score=datum.score + datum.history)


def _claim_of(page: Page, now: float) -> PageClaim:
    before = page.lease.datum
    own = before.dedup_key if before.db_status is not DbStatus.DB_DUPLICATE else None  # a duplicate's is another's
    return PageClaim(page.lease.key, page.key or b"", own, page.sketch, now)
