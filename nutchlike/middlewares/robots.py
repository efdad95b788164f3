"""Obeys robots.txt, which one worker asks for and all share, under the clock of its host (Nutch: RobotRulesParser)."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

import redis
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import RobotParser
from scrapy.utils.asyncio import sleep
from scrapy.utils.datatypes import LocalCache
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.misc import build_from_crawler
from twisted.internet.defer import Deferred

from nutchlike.checked_settings import get_bool, get_float, get_int
from nutchlike.crawl_store import host_delay
from nutchlike.fetch_errors import RobotsDenied
from nutchlike.fetch_failure import CRAWL_DELAY, ROBOTS
from nutchlike.host_clock import HostHeld
from nutchlike.outage import RETRY_SECONDS
from nutchlike.page import page_of, put_off
from nutchlike.parsing.robots_text import as_utf8, listed_sitemaps, part_that_counts
from nutchlike.redirect_targets import REDIRECTS
from nutchlike.request_meta import GRANTED
from nutchlike.store.robots_cache import BODY_MAX, StoredRobots
from nutchlike.wiring import scheduler_of

logger = logging.getLogger(__name__)
HOPS = 5  # redirects of robots.txt that are followed (RFC 9309, 2.3.1.2)
SITES = 5_000  # sites whose parsed rules a worker keeps
POLL_SECONDS = 0.2  # between two looks whether another worker has fetched a robots.txt
ASK_SECONDS = 120.0  # beside the time that downloads may take: a worker that is silent for longer was killed


class RobotsUnreachable(Exception):
    """The robots.txt could not be had for so often that the page counts as failed."""


@dataclass(frozen=True, slots=True)
class SiteRules:
    """What a site allows; ``parser`` is ``None`` when it allows all.

    ``good_until`` and ``held_until`` are epoch seconds: no page is fetched before ``held_until``. ``is_given_up``: nor
    does the page that asks wait for that. ``crawl_delay``: seconds that the site asks for, ``None`` when it does not.
    """

    parser: RobotParser | None
    good_until: float
    held_until: float = 0.0
    is_given_up: bool = False
    crawl_delay: float | None = None


class SharedRobotsTxtMiddleware(RobotsTxtMiddleware):
    """Scrapy's own with the answer shared by all workers; its settings, signal and stats keep their meaning.

    2xx is parsed, also when it is not UTF-8; other answers below 500 allow all. 5xx, 429 and no answer hold the host
    (http.robots.503.defer.visits), and its pages go back to the frontier. After so many times in a row as
    http.robots.503.defer.visits.retries says, the page that asked fails, and the host is held for as long as a
    robots.txt is kept. One that has failed for 30 days allows all (RFC 9309, 2.3.1.4). A Crawl-delay becomes the
    host's delay.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = crawler.settings
        self._defers = get_bool(settings, "NUTCH_HTTP_ROBOTS_503_DEFER_VISITS")
        self._defer_seconds = get_int(settings, "NUTCH_HTTP_ROBOTS_503_DEFER_VISITS_DELAY") / 1000
        self._defer_retries = get_int(settings, "NUTCH_HTTP_ROBOTS_503_DEFER_VISITS_RETRIES")
        self._unreachable_max = get_float(settings, "NUTCH_ROBOTS_UNREACHABLE_MAX")
        self._keep_seconds = get_float(settings, "NUTCH_ROBOTS_CACHE_SECONDS")
        shortest = settings.get("NUTCH_FETCHER_MIN_CRAWL_DELAY")
        self._delay_min = (
            host_delay(settings) if shortest is None else get_float(settings, "NUTCH_FETCHER_MIN_CRAWL_DELAY")
        )
        self._delay_max = get_float(settings, "NUTCH_FETCHER_MAX_CRAWL_DELAY")
        self._ask_seconds = ASK_SECONDS + settings.getfloat("DOWNLOAD_TIMEOUT")
        self._rules: LocalCache[str, SiteRules] = LocalCache(SITES)
        self._asking: dict[str, list[Deferred[SiteRules]]] = {}  # who waits for the one that asks

    async def process_request(self, request: Request) -> Request | None:  # type: ignore[override]  # Scrapy's returns nothing
        """Pass a request that its site allows; send back a page whose host is held.

        Raises RobotsDenied for what is forbidden, or asks for too long a delay.
        """
        parts = urlsplit(request.url)
        if request.meta.get("dont_obey_robotstxt") or parts.scheme not in {"http", "https"}:
            return None
        page, clock = page_of(request), scheduler_of(self.crawler).clock
        site = f"{parts.scheme}://{parts.netloc}"
        if page is not None and not self._knows(site):
            # robots.txt needs the leave that the page has: it must be good
            seconds = await clock.claim(page.url, granted=page.granted)
            if seconds:
                return put_off(page, request, until=time.time() + seconds)
            page.granted = time.time()
        try:
            rules = await self._rules_of(site, request)
        except (HostHeld, redis.RedisError):  # the crawl ends, or the store fails: no fault of the page
            if page is None:
                raise
            return put_off(page, request, until=time.time() + RETRY_SECONDS)
        if rules.held_until > time.time():
            self._stats.inc_value("nutch/robots/deferred")
            if page is None:
                raise HostHeld(f"{request.url}: robots.txt of its site cannot be had")
            if rules.is_given_up:
                raise RobotsUnreachable("robots.txt cannot be had")
            return put_off(page, request, until=rules.held_until)
        if self._is_too_slow(rules):
            self._stats.inc_value("nutch/robots/delay_too_long")
            raise RobotsDenied(CRAWL_DELAY, "Crawl-delay of robots.txt is above NUTCH_FETCHER_MAX_CRAWL_DELAY")
        try:
            self.process_request_2(rules.parser, request)
        except IgnoreRequest as error:
            raise RobotsDenied(ROBOTS, str(error)) from None
        return None

    async def robot_parser(self, request: Request) -> RobotParser | None:
        """Return the parser of the site's robots.txt, ``None`` when it allows all."""
        parts = urlsplit(request.url)
        return (await self._rules_of(f"{parts.scheme}://{parts.netloc}", request)).parser

    async def sitemaps_of(self, site: str) -> list[str]:
        """Return what the robots.txt of ``site`` names, which is asked for when no worker has it; [] while it fails."""
        scheduler = scheduler_of(self.crawler)
        try:
            await self._rules_of(site, Request(f"{site}/"))
        except HostHeld:
            return []
        robots = await scheduler.outage.patiently(lambda: scheduler.store.robots.get(site, now=time.time()))
        if robots is None or robots.failures or not 200 <= robots.http_status < 300:
            return []
        return listed_sitemaps(robots.body, url=f"{site}/robots.txt")

    def _knows(self, site: str) -> bool:
        rules = self._rules.get(site)
        return rules is not None and rules.good_until > time.time()

    async def _rules_of(self, site: str, request: Request) -> SiteRules:
        if self._knows(site):
            return self._rules[site]
        others = self._asking.get(site)
        if others is not None:
            answer: Deferred[SiteRules] = Deferred()
            others.append(answer)
            return await maybe_deferred_to_future(answer)
        self._asking[site] = []
        try:
            rules = await self._learn(site, request)
        except BaseException as error:
            for answer in self._asking.pop(site):
                answer.errback(error)
            raise
        for answer in self._asking.pop(site):
            answer.callback(rules)
        return rules

    async def _learn(self, site: str, request: Request) -> SiteRules:
        """Take what another worker has fetched, or fetch it for all."""
        scheduler = scheduler_of(self.crawler)
        patiently, cache = scheduler.outage.patiently, scheduler.store.robots
        robots = await patiently(lambda: cache.get(site, now=time.time()))
        while robots is None or self._good_until(robots) <= time.time():
            if await patiently(lambda: cache.ask(site, now=time.time(), seconds=self._ask_seconds)):
                return await self._learn_for_all(site, request, before=robots)
            await sleep(POLL_SECONDS)
            if not self.crawler.engine.running:
                raise HostHeld(f"{site}: the crawl ends")
            robots = await patiently(lambda: cache.get(site, now=time.time()))
        self._stats.inc_value("nutch/robots/shared")
        rules = self._rules[site] = await self._rules_from(robots, request)
        return rules

    async def _learn_for_all(self, site: str, request: Request, *, before: StoredRobots | None) -> SiteRules:
        robots = await self._fetch(site, request, before=before)
        rules = self._rules[site] = await self._rules_from(robots, request)
        await self._tell_all(site, robots, rules)
        return rules

    async def _fetch(self, site: str, request: Request, *, before: StoredRobots | None) -> StoredRobots:
        """Ask for robots.txt in the place of the page that needs it; the page has to wait for its own turn."""
        page = page_of(request)
        granted = None
        if page is not None:
            granted, page.granted = page.granted, None
        stat = self._stats.inc_value
        stat("robotstxt/request_count")
        try:
            response = await self._download(f"{site}/robots.txt", granted)
        except HostHeld:  # it was not asked at all
            raise
        except IgnoreRequest:  # a middleware refuses it: as good as not there
            return StoredRobots(time.time(), 404)
        except Exception as error:  # noqa: BLE001  # whatever it is, there is no robots.txt
            stat(f"robotstxt/exception_count/{type(error)}")
            logger.info("No answer for %s/robots.txt: %s", site, error)
            return _failed(before, http_status=0)
        stat("robotstxt/response_count")
        stat(f"robotstxt/response_status_count/{response.status}")
        if response.status >= 500 or response.status == 429:
            return _failed(before, http_status=response.status)
        return StoredRobots(time.time(), response.status, part_that_counts(response.body, most=BODY_MAX))

    async def _download(self, url: str, granted: float | None) -> Response:
        """Return what ``url`` answers, through HOPS redirects; one more, or one to nowhere, is left as it is."""
        for hops in range(HOPS, -1, -1):
            meta = {
                "dont_obey_robotstxt": True,
                "dont_retry": True,
                "dont_redirect": True,
                "allow_offsite": True,
                GRANTED: granted,
            }
            request = Request(url, priority=self.DOWNLOAD_PRIORITY, meta=meta, callback=NO_CALLBACK)
            response = await self.crawler.engine.download_async(request)
            target = _target(response)
            if not hops or target is None:
                break
            url, granted = target, None
        return response

    async def _rules_from(self, robots: StoredRobots, request: Request) -> SiteRules:
        good_until = self._good_until(robots)
        if robots.failures and robots.fetched_at - robots.failing_since >= self._unreachable_max:
            self._stats.inc_value("nutch/robots/unreachable_allowed")
            return SiteRules(None, good_until)
        if robots.failures:
            given_up = self._defers and robots.failures > self._defer_retries
            return SiteRules(None, good_until, held_until=good_until if self._defers else 0.0, is_given_up=given_up)
        if not 200 <= robots.http_status < 300:
            return SiteRules(None, good_until)
        parser = build_from_crawler(self._parserimpl, self.crawler, as_utf8(robots.body))
        await self.crawler.signals.send_catch_log_async(
            signal=signals.robots_parsed, robotparser=parser, request=request
        )
        agent = self._robotstxt_useragent or request.headers.get("User-Agent") or self._default_useragent
        return SiteRules(parser, good_until, crawl_delay=parser.crawl_delay(agent))

    def _good_until(self, robots: StoredRobots) -> float:
        is_deferred = robots.failures and not (self._defers and robots.failures > self._defer_retries)
        return robots.fetched_at + (self._defer_seconds if is_deferred else self._keep_seconds)

    async def _tell_all(self, site: str, robots: StoredRobots, rules: SiteRules) -> None:
        """Share what was fetched."""
        scheduler, url, now = scheduler_of(self.crawler), f"{site}/", time.time()
        store, patiently = scheduler.store, scheduler.outage.patiently
        if rules.held_until > now:
            reason = f"HTTP {robots.http_status}" if robots.http_status else "no answer"
            await scheduler.clock.hold(url, seconds=rules.held_until - now, reason=f"robots.txt: {reason}")
        elif not robots.failures:
            delay = rules.crawl_delay
            if delay is not None:
                delay = None if self._is_too_slow(rules) else max(delay, self._delay_min)
            await patiently(lambda: store.clocks.set_crawl_delay(url, delay, now=now))
        await patiently(lambda: store.robots.put(site, robots))

    def _is_too_slow(self, rules: SiteRules) -> bool:
        return rules.crawl_delay is not None and 0 <= self._delay_max < rules.crawl_delay


def _failed(before: StoredRobots | None, *, http_status: int) -> StoredRobots:
    """Return that a robots.txt could not be had, once more when it could not ``before``."""
    now = time.time()
    if before is None or not before.failures:
        return StoredRobots(now, http_status, failures=1, failing_since=now)
    return StoredRobots(now, http_status, failures=before.failures + 1, failing_since=before.failing_since)


def _target(response: Response) -> str | None:
    """Return where a response redirects to, ``None`` for nowhere that can be asked."""
    location = response.headers.get("Location")
    if response.status not in REDIRECTS or location is None:
        return None
    try:
        target = response.urljoin(location.decode("latin-1"))
        return target if urlsplit(target).scheme in {"http", "https"} else None
    except ValueError:
        return None
