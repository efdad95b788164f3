"""SCHEDULER: hands the engine the best URLs, a batch at a time."""

from __future__ import annotations

import atexit
import logging
import time
from contextlib import suppress

import redis
from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.utils.asyncio import call_later, create_looping_call
from scrapy.utils.defer import deferred_from_coro
from scrapy_redis.scheduler import Scheduler as RedisScheduler
from twisted.internet.defer import Deferred

from nutchlike.acknowledger import Acknowledger
from nutchlike.blocking_calls import HANGING_SECONDS, BlockingCalls
from nutchlike.checked_settings import get_bool, get_float, get_int
from nutchlike.completion import Completion
from nutchlike.crawl_store import CrawlStore, open_store
from nutchlike.held_requests import HeldRequests
from nutchlike.host_clock import HostClock
from nutchlike.lease_buffer import POLL_SECONDS, LeaseBuffer
from nutchlike.outage import RETRY_SECONDS, Outage
from nutchlike.page import Page
from nutchlike.redirects import Redirects
from nutchlike.request_meta import PAGE
from nutchlike.solo_task import SoloTask
from nutchlike.store.errors import StoreUnavailable
from nutchlike.stored_requests import StoredRequests

logger = logging.getLogger(__name__)


class Scheduler(RedisScheduler):  # type: ignore[misc]  # scrapy-redis has no types
    """scrapy-redis's scheduler with leases in place of pops: what a killed worker held is fetched by another.

    scrapy-redis's settings keep their meaning: SCHEDULER_PERSIST (here True unless set), SCHEDULER_FLUSH_ON_START,
    SCHEDULER_IDLE_BEFORE_CLOSE (seconds).
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        super().__init__(
            server=None,
            persist=get_bool(settings, "SCHEDULER_PERSIST"),
            flush_on_start=get_bool(settings, "SCHEDULER_FLUSH_ON_START"),
            idle_before_close=get_int(settings, "SCHEDULER_IDLE_BEFORE_CLOSE"),
        )
        self._crawler = crawler
        self.stats = crawler.stats
        self.requests = StoredRequests(crawler)
        self.calls = BlockingCalls(is_ending=self._is_ending)
        # pages wait for their claims, which no lease or acknowledgement depends on: they need not queue behind those
        self.claim_calls = BlockingCalls(is_ending=self._is_ending)
        self.outage = Outage(crawler, calls=self.calls, wait_max=get_float(settings, "NUTCH_STORE_WAIT_MAX"))
        self.completion = Completion(crawler, changed=self._flush_soon)
        self._acknowledger = Acknowledger(
            crawler, completion=self.completion, calls=self.calls, done=self._told, failed=self._store_failed
        )
        self._leases = LeaseBuffer(crawler, calls=self.calls, outage=self.outage, wake_up_in=self._wake_up_in)
        self.clock = HostClock(crawler, calls=self.calls, outage=self.outage, store=lambda: self.store)
        # retries, and pages whose turn was taken by robots.txt or put off
        self._again = HeldRequests(clock=self.clock, wake_up=self.wake_up, give_up=self._put_off)
        self.redirects = Redirects(
            crawler,
            requests=self.requests,
            completion=self.completion,
            outage=self.outage,
            again=self._again.add,
            store=lambda: self.store,
        )
        self._lease_seconds = get_float(settings, "NUTCH_LEASE_SECONDS")
        self._is_endless = get_bool(settings, "NUTCH_CRAWL_FOREVER")
        self._age_max = get_float(settings, "NUTCH_LEASE_AGE_MAX")
        self._store: CrawlStore | None = None
        self._idle_since: float | None = None
        self._looks_at = 0.0  # monotonic seconds: when an idle worker looks for work again
        self._renewal = SoloTask(self._renew)
        self._heartbeat = create_looping_call(self._renewal.start)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Scheduler:
        return cls(crawler)

    @property
    def store(self) -> CrawlStore:
        """The store of this crawl; RuntimeError before the spider was opened."""
        if self._store is None:
            raise RuntimeError("the scheduler is not open yet")
        return self._store

    def open(self, spider: Spider) -> None:
        """Connect to the store, take over what killed workers of this machine held, mend the queues."""
        try:
            settings = self._crawler.settings
            self._store = store = open_store(settings, crawl_id=spider.name, flush=self.flush_on_start)
            now = time.time()
            lost = store.frontier.release_dead_workers(now=now)
            counts = store.crawldb.counts()
            store.frontier.lease(0, now=now)  # tells the store the limits of this run
            if mended := store.check.mend_queues(now=now):
                logger.warning("Queues did not match the CrawlDb: %d URLs put back", mended)
        except (StoreUnavailable, ValueError, redis.RedisError) as error:
            logger.critical("%s", error, extra={"spider": spider})
            # Scrapy ends cleanly only when all its parts are open: ask for the end at the signal that says so
            self._crawler.signals.connect(self._end_before_it_begins, signals.spider_opened)
            return
        self._leases.open(store)
        self._acknowledger.open(store)
        if counts.known:
            logger.info("Resuming the crawl: %d URLs known, %d taken over from killed workers", counts.known, lost)
        self._heartbeat.start(self._lease_seconds / 3, now=False)
        atexit.register(self._give_back_at_exit)  # a second Ctrl-C ends the process without close()

    def _end_before_it_begins(self) -> None:
        raise CloseSpider("store_unavailable")

    def close(self, reason: str) -> Deferred[None]:
        """Acknowledge what is done, give back what is not."""
        return deferred_from_coro(self._close())

    async def _close(self) -> None:
        if self._heartbeat.running:
            self._heartbeat.stop()
        self._again.drop()
        if self._store is None:
            return
        store = self.store
        try:
            await self._acknowledger.finish()
            await self._give_back()
            if not self.persist and not (await self.calls.run(store.crawldb.counts)).leased:
                await self.calls.run(store.clear)
        except redis.RedisError as error:
            logger.error("The store did not answer at the end, leases end by themselves: %s", error)
        finally:
            atexit.unregister(self._give_back_at_exit)  # what failed now would fail, or hang, again

    def leave(self) -> None:
        """End the threads that call the store, and the connection to it."""
        self.calls.close()
        self.claim_calls.close()
        self.store.close()

    async def _give_back(self) -> None:
        """Return every lease that this worker still has; those pages wait again as before."""
        keys = await self._leases.drop() + [page.lease.key for page in self.completion.unfinished]
        frontier = self.store.frontier
        await self.calls.run(lambda: frontier.give_back(keys, now=time.time()))

    def _give_back_at_exit(self) -> None:
        """Give back when nothing runs any more that could be awaited."""
        if self.calls.close(patience=HANGING_SECONDS):  # what it does still changes what is leased
            with suppress(redis.RedisError):  # the server may be gone by now
                self.store.frontier.give_back(self._held, now=time.time())

    @property
    def _held(self) -> list[bytes]:
        """The record keys of all leases that this worker has."""
        return [page.lease.key for page in self.completion.unfinished] + self._leases.keys

    def enqueue_request(self, request: Request) -> bool:
        """Take a request from the engine: a retry or redirect of a leased page, or one that comes from no page."""
        page: Page | None = request.meta.get(PAGE)
        if page is not None and not page.done:
            return self._continue(page, request)
        url = self.requests.to_store(request, source=None)
        if url is not None:
            self._acknowledger.add(url)
        return url is not None

    def next_request(self) -> Request | None:
        """Return the best request that may be sent now, or ``None``."""
        request = self._again.take() or self._next_leased()
        if request is not None:
            self._idle_since = None
            self.stats.inc_value("scheduler/dequeued/redis")
        return request

    def has_pending_requests(self) -> bool:
        """Return whether any worker of this crawl still has work, or this one should wait for some."""
        if self._leases.has_work or self._again or self._acknowledger.has_requests or self.completion.unfinished:
            self._idle_since = None
            return True
        if self._is_endless:
            return True
        if self._idle_since is None:
            self._idle_since = time.time()
        return bool(time.time() - self._idle_since < self.idle_before_close)

    def __len__(self) -> int:
        return self.store.crawldb.counts().waiting

    def flush(self) -> None:
        """Forget the whole crawl."""
        self.store.clear()

    def _continue(self, page: Page, request: Request) -> bool:
        """Take what a downloader middleware made of a leased page's request: once more, or somewhere else."""
        if request.meta.get("redirect_times", 0) <= page.redirect_times:
            self._again.add(request)
            return True
        return self.redirects.follow(page, request)

    def _put_off(self, page: Page) -> None:
        """A page whose host is held for long does not keep its lease."""
        self.stats.inc_value("nutch/hosts/put_off")
        if page.sent:  # it failed, and is tried again as any that fails; else it waits in the frontier as before
            self.completion.fail(page, None)
            return
        self.completion.put_back(page)
        deferred_from_coro(self._return_lease(page))

    async def _return_lease(self, page: Page) -> None:
        frontier = self.store.frontier
        try:
            await self.calls.run(lambda: frontier.give_back([page.lease.key], now=time.time()))
        except redis.RedisError as error:  # the lease ends by itself
            self._store_failed(error)
        self.look_again()

    def _next_leased(self) -> Request | None:
        while (lease := self._leases.take()) is not None:
            try:
                request = self.requests.from_lease(lease)
            except ValueError as error:
                self._leases.bury(lease, str(error))
                continue
            request.meta["depth"] = lease.datum.depth
            self.completion.begin(lease, request)
            return request
        now = time.monotonic()
        if (self.idle_before_close or self._is_endless) and now >= self._looks_at:  # else each look plans two more
            self._looks_at = now + POLL_SECONDS
            self._wake_up_in(POLL_SECONDS)
        return None

    def _flush_soon(self) -> None:
        self._acknowledger.flush_soon()

    def _told(self, best_waiting: float) -> None:
        self._leases.look_again(best_waiting=best_waiting)

    def look_again(self) -> None:
        """The frontier has changed: ask it at once, and believe nothing that was known about it."""
        self._leases.look_again()

    def _wake_up_in(self, seconds: float) -> None:
        if seconds > 0:
            call_later(seconds, self.wake_up)
        else:
            self.wake_up()

    def wake_up(self) -> None:
        """Have the engine ask for requests, or see that there are none any more, in the next turn."""
        # The engine asks by itself only every five seconds, and has no public call to be asked earlier.
        slot = self._crawler.engine._slot
        if slot is not None and slot.closing is None:
            slot.nextcall.schedule()

    def _is_ending(self) -> bool:
        # The engine has no public answer to this, either.
        slot = self._crawler.engine._slot
        return slot is None or slot.closing is not None

    async def _renew(self) -> None:
        """Keep the leases of pages in progress; give up on pages that never end."""
        now = time.time()
        self.completion.fail_forsaken(self._requests_in_progress())
        for page in self.completion.give_up(older_than=now - self._age_max):
            logger.error("Gave up %s: not done after %d s", page.url, self._age_max)
            self.stats.inc_value("nutch/scheduler/given_up")
        keys, frontier = self._held, self.store.frontier
        try:
            await self.calls.run(lambda: frontier.release_dead_workers(now=now))
            await self.calls.run(lambda: frontier.deliver(now=now))
            lost = await self.calls.run(lambda: frontier.renew(keys, now=time.time()))
        except redis.RedisError as error:
            self._store_failed(error)
            return
        if lost:
            self.stats.inc_value("nutch/scheduler/leases_lost", len(lost))

    def _requests_in_progress(self) -> list[Request]:
        # The engine has no public list of what it works on; a page stays in it until its items left the pipelines.
        slot = self._crawler.engine._slot
        return [*self._again, *(slot.inprogress if slot is not None else ())]

    def _store_failed(self, error: redis.RedisError) -> None:
        self.outage.begin(error)
        self._leases.look_again(after=RETRY_SECONDS)
