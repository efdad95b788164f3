"""Tells the store what this worker has done: pages that are complete, and requests that come from no page."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import partial

import redis
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import call_later

from nutchlike.blocking_calls import BlockingCalls
from nutchlike.checked_settings import get_float
from nutchlike.completion import Completion
from nutchlike.crawl_store import CrawlStore
from nutchlike.fetch_schedules.fetch_schedule import Outcome
from nutchlike.outage import RETRY_SECONDS, is_server_trouble
from nutchlike.page import Page
from nutchlike.solo_task import SoloTask
from nutchlike.store.duplicates import Decision
from nutchlike.store.lease import PageDone
from nutchlike.store.stored_url import StoredURL

logger = logging.getLogger(__name__)
PAGES = 64  # at most so many in one call
REQUESTS = 256  # likewise


class Acknowledger:
    """Sends one call at a time; what becomes ready meanwhile goes with the next one.

    ``done`` is called after a call with the cash of the best URL that waits (0.0 = not known), ``failed`` with the
    error when the store is in trouble; then it tries again by itself.
    """

    def __init__(
        self,
        crawler: Crawler,
        *,
        completion: Completion,
        calls: BlockingCalls,
        done: Callable[[float], None],
        failed: Callable[[redis.RedisError], None],
    ) -> None:
        self._stats = crawler.stats
        self._completion = completion
        self._calls = calls
        self._done = done
        self._failed = failed
        self._start_cash = get_float(crawler.settings, "NUTCH_DB_SCORE_INJECTED")
        self._store: CrawlStore | None = None
        self._requests: list[StoredURL] = []
        self._afterwards: list[Callable[[], object]] = []  # calls that follow from acknowledgements
        self._flush = SoloTask(self._flush_and_plan)
        self._is_planned = False
        self._is_finishing = False

    @property
    def has_requests(self) -> bool:
        """Whether a request that comes from no page is not stored yet."""
        return bool(self._requests)

    def open(self, store: CrawlStore) -> None:
        """Begin to send; what came before goes first."""
        self._store = store
        self.flush_soon()

    def add(self, url: StoredURL) -> None:
        """Store a request that comes from no page, soon."""
        self._requests.append(url)
        self.flush_soon()

    def flush_soon(self) -> None:
        """Send in the next turn: what is done together goes in one round trip, and feeds were written before."""
        self._plan(0)

    async def finish(self) -> None:
        """Send all that is ready; RedisError when the store is in trouble."""
        self._is_finishing = True
        await self._flush.finished()
        while self._has_work:
            await self._send()

    @property
    def _has_work(self) -> bool:
        return bool(self._completion.ready or self._requests or self._afterwards)

    def _plan(self, seconds: float) -> None:
        if self._store is not None and not self._is_planned:
            self._is_planned = True
            call_later(seconds, self._begin)

    def _begin(self) -> None:
        self._is_planned = False
        if not self._is_finishing:
            self._flush.start()  # one that runs sees at its end what came meanwhile

    async def _flush_and_plan(self) -> None:
        try:
            best_waiting = await self._send()
        except redis.RedisError as error:
            self._plan(RETRY_SECONDS)
            self._failed(error)
            return
        if self._has_work:
            self.flush_soon()
        self._done(best_waiting)

    async def _send(self) -> float:
        assert self._store is not None
        best_waiting = await self._acknowledge(self._store)
        await self._add(self._store)
        return best_waiting

    async def _acknowledge(self, store: CrawlStore) -> float:
        """Acknowledge pages that are ready; one that cannot be acknowledged becomes a dead letter.

        RedisError, when the store is in trouble, leaves those that were not acknowledged ready for the next call.
        """
        pages, again = self._completion.take_ready(PAGES), []
        best_waiting = 0.0
        trouble: redis.ResponseError | None = None
        try:
            now = time.time()
            done, refused = self._results(pages, int(now))
            if done:
                answer = await self._calls.run(lambda: store.frontier.complete([after for _, after in done], now=now))
                best_waiting = answer.best_waiting
                settled: list[tuple[bytes, bytes]] = []
                for (page, after), new in zip(done, answer.new, strict=True):
                    if not isinstance(new, redis.ResponseError):
                        self._acknowledged(page, after, new, store)
                        if new is not None and after.datum.dedup_key:
                            settled.append((page.lease.key, after.datum.dedup_key))
                    elif is_server_trouble(new):
                        trouble = new
                        again.append(page)
                    else:
                        refused.append((page, new))
                if settled and not store.signatures.knows_owners:  # the others have nothing to note
                    self._afterwards.append(lambda: store.signatures.settle_all(settled))
            for page, error in refused:
                self._bury(page, error, store)
        except redis.RedisError:
            again = pages
            raise
        finally:
            self._completion.sent(again)
        await self._do_afterwards()
        if trouble is not None:
            raise trouble
        return best_waiting

    def _results(self, pages: list[Page], now: int) -> tuple[list[tuple[Page, PageDone]], list[tuple[Page, Exception]]]:
        done: list[tuple[Page, PageDone]] = []
        refused: list[tuple[Page, Exception]] = []
        for page in pages:
            try:
                done.append((page, self._completion.conclusions.of(page, now)))
            except ValueError as error:
                refused.append((page, error))
        return done, refused

    def _acknowledged(self, page: Page, after: PageDone, discovered: int | None, store: CrawlStore) -> None:
        """Count what came of a page, and free the contents that it has no more."""
        assert page.outcome is not None
        if discovered is None:
            self._stats.inc_value("nutch/completion/stale")
            return
        self._stats.inc_value(f"nutch/completion/{page.outcome.name.lower()}")
        self._stats.inc_value("nutch/outlinks/stored", len(after.outlinks))
        self._stats.inc_value("nutch/outlinks/new", discovered)
        if page.better_than is not None and after.datum.dedup_key:
            worse = Decision(after.datum.dedup_key, page.lease.key, [page.better_than])
            notes = self._completion.notes_of_worse
            self._afterwards.append(
                lambda: store.duplicates.mark([worse], kind="dedup_key", now=time.time(), notes=notes)
            )
        before, kept = page.lease.datum.dedup_key, after.datum.dedup_key
        for key in {key for key in (page.key, before) if key is not None} - {kept}:
            self._afterwards.append(partial(store.contents.free, page.lease.key, key))
        is_lost = before not in (None, kept) and (page.sketch is None or page.outcome is not Outcome.SUCCESS)
        if is_lost or (page.sketch is not None and kept is None):
            self._afterwards.append(partial(store.contents.forget_sketch, page.lease.key))

    def _bury(self, page: Page, error: Exception, store: CrawlStore) -> None:
        logger.error("Dead letter: %s cannot be acknowledged: %s", page.url, error)
        self._stats.inc_value("nutch/scheduler/dead_letters")
        self._afterwards.append(lambda: store.frontier.bury(page.lease.key, str(error), now=time.time()))

    async def _do_afterwards(self) -> None:
        works = list(self._afterwards)  # each may be done twice, no harm
        if works:
            await self._calls.run(lambda: [work() for work in works])
            del self._afterwards[: len(works)]

    async def _add(self, store: CrawlStore) -> None:
        urls, cash = self._requests[:REQUESTS], self._start_cash
        if not urls:
            return
        new = await self._calls.run(lambda: store.frontier.add(urls, cash=cash, now=time.time()))
        del self._requests[: len(urls)]
        if new:
            self._stats.inc_value("scheduler/enqueued/redis", new)
        if new < len(urls):
            self._stats.inc_value("nutch/scheduler/seen", len(urls) - new)
