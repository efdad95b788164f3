"""Ends a leased page that redirects: its target is stored in its place, or it is asked for once more."""

from __future__ import annotations

import logging
from collections.abc import Callable

import redis
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.utils.defer import deferred_from_coro

from nutchlike.checked_settings import get_bool, get_int
from nutchlike.completion import Completion
from nutchlike.crawl_store import CrawlStore
from nutchlike.crawldatum import REDIRECT_METADATA
from nutchlike.fetch_failure import CIRCLE
from nutchlike.fetch_schedules.fetch_schedule import Outcome
from nutchlike.outage import Outage
from nutchlike.page import Page
from nutchlike.redirect_targets import redirect_outcome, redirected
from nutchlike.store.stored_url import StoredURL
from nutchlike.store.trail import leads_to
from nutchlike.stored_requests import StoredRequests

logger = logging.getLogger(__name__)


class Redirects:
    """Takes what a redirect middleware made of a page's request.

    The target is a page of its own, as in Nutch, leased when it is its turn. ``again`` takes a request that is to be
    sent under the lease that the page has; ``store`` gives the store once it is open.
    """

    def __init__(
        self,
        crawler: Crawler,
        *,
        requests: StoredRequests,
        completion: Completion,
        outage: Outage,
        again: Callable[[Request], None],
        store: Callable[[], CrawlStore],
    ) -> None:
        self._stats = crawler.stats
        self._requests = requests
        self._completion = completion
        self._outage = outage
        self._again = again
        self._store = store
        self._uses_cookies = get_bool(crawler.settings, "COOKIES_ENABLED")
        self._hops_max = get_int(crawler.settings, "REDIRECT_MAX_TIMES")

    def sends_cookies(self, request: Request) -> bool:
        """Return whether a cookie that ``request`` was given will be sent back."""
        return self._uses_cookies and not request.meta.get("dont_merge_cookies")

    def normalized(self, url: str) -> str:
        """Return the normalized form of where a page redirects, or as it is when it is no URL."""
        return self._requests.normalized(url) or url

    def leads_to_itself(self, page: Page, request: Request) -> bool:
        """Return whether ``request`` is for the URL of ``page``."""
        return self._requests.normalized(request.url) == page.url

    def follow(self, page: Page, request: Request) -> bool:
        """Go on with ``page`` by ``request``, to where it redirects; False when nothing is fetched for that."""
        was_led_here = page.redirect_times > 0 or bool(page.lease.datum.metadata.get(REDIRECT_METADATA))
        page.redirect_times = request.meta["redirect_times"]
        reason = request.meta["redirect_reasons"][-1]
        page.http_status = reason if isinstance(reason, int) else 0
        outcome = redirect_outcome(reason)
        if self.leads_to_itself(page, request):
            if self._may_answer_otherwise(request):  # a page that sets a cookie and sends us back to itself
                self._again(request)
                return True
            self._lead_back(page, page.url)
            return False
        url = self._requests.accept(request.url, source=page.url)
        if url is None:
            to = self.normalized(request.url)
            self._stats.inc_value("nutch/redirects/refused")
            if page.lease.datum.depth == 0:
                logger.warning("Seed %s redirects to %s, which no rule accepts or is another host", page.url, to)
            self._completion.redirect(page, outcome, to=to, target=None)
            return False
        target = self._requests.to_store(redirected(page, request, url=url), source=page.url)
        if was_led_here and target is not None:
            deferred_from_coro(self._follow_unless_circle(page, outcome, target))
        else:
            self._completion.redirect(page, outcome, to=url, target=target)
        return target is not None

    def _may_answer_otherwise(self, request: Request) -> bool:
        """Return whether a request for a URL that redirects to itself can bring more than the last one did.

        Its URL may be spelt in another way, or there is a cookie.
        """
        return self.sends_cookies(request) or _sent(request.url) not in map(_sent, request.meta["redirect_urls"])

    async def _follow_unless_circle(self, page: Page, outcome: Outcome, target: StoredURL) -> None:
        """End a page that was reached by a redirect, or was one before, and may close a circle."""
        crawldb = self._store().crawldb
        try:
            is_circle = await self._outage.patiently(
                lambda: leads_to(crawldb, target.url, by=REDIRECT_METADATA, to=page.url, steps_max=self._hops_max)
            )
        except redis.RedisError:
            self._completion.withhold(page)  # the store is lost, and the crawl ends: the page comes again
            return
        if is_circle:
            self._lead_back(page, target.url)
        else:
            self._completion.redirect(page, outcome, to=target.url, target=target)

    def _lead_back(self, page: Page, to: str) -> None:
        """End a page that no redirect ever leads away from: it is gone, and asked for less and less often."""
        self._stats.inc_value("nutch/redirects/circles")
        page.failure = CIRCLE
        self._completion.redirect(page, Outcome.GONE, to=to, target=None)


def _sent(url: str) -> str:
    """Return what of ``url`` a server sees."""
    return url.partition("#")[0]
