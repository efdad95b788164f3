"""SCHEDULER: hands the engine the best URLs, a batch at a time."""

from __future__ import annotations

import atexit
import logging
import time
from collections import deque
from contextlib import suppress

import redis
from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.utils.asyncio import call_later, create_looping_call
from scrapy_redis.scheduler import Scheduler as RedisScheduler

from nutchlike.checked_settings import get_bool, get_float, get_int
from nutchlike.completion import Completion
from nutchlike.crawl_store import CrawlStore, host_delay, open_store
from nutchlike.lease_buffer import POLL_SECONDS, LeaseBuffer
from nutchlike.outage import RETRY_SECONDS, Outage
from nutchlike.page import Page
from nutchlike.request_meta import PAGE
from nutchlike.store.errors import StoreUnavailable
from nutchlike.store.stored_url import StoredURL
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
        self.completion = Completion(crawler, changed=self._flush_soon)
        self.outage = Outage(crawler, wait_max=get_float(settings, "NUTCH_STORE_WAIT_MAX"))
        self._delay = host_delay(settings)
        self._leases = LeaseBuffer(crawler, outage=self.outage, wake_up_in=self._wake_up_in)
        self._lease_seconds = get_float(settings, "NUTCH_LEASE_SECONDS")
        self._age_max = get_float(settings, "NUTCH_LEASE_AGE_MAX")
        self._start_cash = get_float(settings, "NUTCH_DB_SCORE_INJECTED")
        self._store: CrawlStore | None = None
        self._again: deque[Request] = deque()  # retries of pages that this worker holds
        self._unsaved: list[StoredURL] = []  # requests that came while the store did not answer
        self._idle_since: float | None = None
        self._flush_planned = False
        self._heartbeat = create_looping_call(self._renew)

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
        if counts.known:
            logger.info("Resuming the crawl: %d URLs known, %d taken over from killed workers", counts.known, lost)
        self._heartbeat.start(self._lease_seconds / 3, now=False)
        atexit.register(self._give_back_at_exit)  # a second Ctrl-C ends the process without close()

    def _end_before_it_begins(self) -> None:
        raise CloseSpider("store_unavailable")

    def close(self, reason: str) -> None:
        """Acknowledge what is done, give back what is not, leave the store."""
        if self._heartbeat.running:
            self._heartbeat.stop()
        if self._store is None:
            return
        try:
            self._flush()
            self._give_back()
            if not self.persist and not self.store.crawldb.counts().leased:
                self.store.crawldb.clear()
        except redis.RedisError as error:
            logger.error("The store did not answer at the end, leases end by themselves: %s", error)

    def _give_back(self) -> None:
        """Return every lease that this worker still has; those pages wait again as before."""
        ids = [page.lease.key for page in self.completion.unfinished] + self._leases.drop()
        self.store.frontier.give_back(ids, now=time.time())

    def _give_back_at_exit(self) -> None:
        with suppress(redis.RedisError):  # the server may be gone by now, or all was given back before
            self._give_back()

    def enqueue_request(self, request: Request) -> bool:
        """Take a request from the engine: a retry or redirect of a leased page, or one that comes from no page."""
        page: Page | None = request.meta.get(PAGE)
        if page is not None and not page.done:
            return self._continue(page, request)
        url = self.requests.to_store(request, source=None)
        return url is not None and self._add(url)

    def next_request(self) -> Request | None:
        """Return the best request that may be sent now, or ``None``."""
        request = self._next_again() or self._next_leased()
        if request is not None:
            self._idle_since = None
            self.stats.inc_value("scheduler/dequeued/redis")
        return request

    def has_pending_requests(self) -> bool:
        """Return whether any worker of this crawl still has work, or this one should wait for some."""
        if self._leases.has_work or self._again or self._unsaved or self.completion.unfinished:
            self._idle_since = None
            return True
        if self._idle_since is None:
            self._idle_since = time.time()
        return bool(time.time() - self._idle_since < self.idle_before_close)

    def __len__(self) -> int:
        return self.store.crawldb.counts().waiting

    def flush(self) -> None:
        """Forget the whole crawl."""
        self.store.crawldb.clear()

    def _add(self, url: StoredURL) -> bool:
        try:
            new = self.store.frontier.add([url], cash=self._start_cash, now=time.time())
        except redis.RedisError as error:
            self._unsaved.append(url)
            self._store_failed(error)
            return True
        if not new:
            self.stats.inc_value("nutch/scheduler/seen")
            return False
        self.stats.inc_value("scheduler/enqueued/redis")
        self.look_again()
        return True

    def _continue(self, page: Page, request: Request) -> bool:
        """Take what a downloader middleware made of a leased page's request: once more, or somewhere else."""
        if request.meta.get("redirect_times", 0) <= page.redirect_times:
            self._again.append(request)
            return True
        page.redirect_times = request.meta["redirect_times"]
        url = self.requests.accept(request.url, source=page.url)
        if url == page.url:  # a page that sets a cookie and sends us back to itself
            self._again.append(request)
            return True
        if url is None and page.lease.datum.depth == 0:
            logger.warning("Seed %s redirects to %s, which no rule accepts or is another host", page.url, request.url)
        reason = request.meta["redirect_reasons"][-1]
        # a retry has set dont_filter, and a slot is the name of the host that sent us away
        request.dont_filter = page.dont_filter
        for name in ("download_slot", "download_latency"):
            request.meta.pop(name, None)
        target = self.requests.to_store(request, source=page.url) if url is not None else None
        self.completion.redirect(page, reason, target)
        return target is not None

    def _next_again(self) -> Request | None:
        """Return a request of a page that this worker holds already, when the host's clock allows."""
        for request in list(self._again):
            try:
                wait = self.store.frontier.claim_host(request.url, now=time.time()) if self._delay else 0.0
            except redis.RedisError as error:
                self._store_failed(error)
                return None
            if not wait:
                self._again.remove(request)
                return request
            self._wake_up_in(wait)
        return None

    def _next_leased(self) -> Request | None:
        while (lease := self._leases.take(self.store)) is not None:
            try:
                request = self.requests.from_lease(lease)
            except ValueError as error:
                self._leases.bury(self.store, lease, str(error))
                continue
            request.meta["depth"] = lease.datum.depth
            self.completion.begin(lease, request)
            return request
        if self.idle_before_close:
            self._wake_up_in(POLL_SECONDS)
        return None

    def _flush_soon(self) -> None:
        """Acknowledge in the next turn: pages that are done together go in one round trip, after feeds were written."""
        self._plan_flush(0)

    def _flush_later(self) -> None:
        """Try again when the store may answer."""
        self._plan_flush(RETRY_SECONDS)

    def _plan_flush(self, seconds: float) -> None:
        if not self._flush_planned:
            self._flush_planned = True
            call_later(seconds, self._flush_now)

    def _flush_now(self) -> None:
        self._flush_planned = False
        if self._store is None:
            return
        try:
            self._flush()
        except redis.RedisError as error:
            self._flush_later()
            self._store_failed(error)
            return
        self.look_again()

    def _flush(self) -> None:
        self.completion.flush(self.store)
        while self._unsaved:
            self.store.frontier.add(self._unsaved[:1], cash=self._start_cash, now=time.time())
            del self._unsaved[0]

    def look_again(self) -> None:
        """The frontier has changed: ask it at once, and believe nothing that was known about it."""
        self._leases.look_again()

    def _wake_up_in(self, seconds: float) -> None:
        # The engine asks by itself only every five seconds, and has no public call to be asked earlier.
        slot = self._crawler.engine._slot
        if slot is not None:
            call_later(max(seconds, 0), slot.nextcall.schedule)

    def _renew(self) -> None:
        """Keep the leases of pages in progress; give up on pages that never end."""
        now = time.time()
        self.completion.fail_forsaken(self._requests_in_progress())
        for page in self.completion.give_up(older_than=now - self._age_max):
            logger.error("Gave up %s: not done after %d s", page.url, self._age_max)
            self.stats.inc_value("nutch/scheduler/given_up")
        ids = [page.lease.key for page in self.completion.unfinished] + self._leases.keys
        try:
            self.store.frontier.release_dead_workers(now=now)
            lost = self.store.frontier.renew(ids, now=now)
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
        if self._unsaved:
            self._flush_later()
