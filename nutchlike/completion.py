"""Knows when a leased page is done, and tells the store once.

A page is done when its callback's output is exhausted and each of its items has left the pipelines, or when it failed.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem, IgnoreRequest
from scrapy.http import Request, Response
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from nutchlike.crawl_store import CrawlStore
from nutchlike.crawldatum import DbStatus
from nutchlike.fetch_schedules.fetch_schedule import FetchSchedule, Outcome
from nutchlike.plugins import build_plugin, build_plugins
from nutchlike.request_meta import PAGE, LeasedErrback
from nutchlike.scoring.scoring_filter import ScoringFilter
from nutchlike.store.codec import encode_metadata
from nutchlike.store.frontier import Lease, PageDone
from nutchlike.store.stored_url import StoredURL
from nutchlike.urls.identity import url_id

logger = logging.getLogger(__name__)
RETRY_STATUSES = {408, 425, 429}


class DuplicatePage(DropItem):
    """The item's content belongs to another page."""


@dataclass(slots=True, eq=False)
class Page:
    """A leased page between its lease and its completion.

    ``started`` is the epoch second of the lease; ``is_recrawled`` tells whether the page is fetched again when it is
    due (a request with a callback or a body of its own is not); ``content`` is the response body, for pipelines that
    sign it; ``key`` the dedup key, ``None`` until a pipeline set it.
    """

    lease: Lease
    started: float
    is_recrawled: bool = True
    redirect_times: int = 0
    content: bytes = b""
    key: bytes | None = None
    outlinks: dict[bytes, StoredURL] = field(default_factory=dict)
    open_items: int = 0
    exhausted: bool = False
    outcome: Outcome | None = None
    done: bool = False

    @property
    def url(self) -> str:
        return self.lease.datum.url

    def add_outlinks(self, urls: Iterable[StoredURL]) -> None:
        """Note outlinks; a link to the page itself and a repeated one do not count."""
        for url in urls:
            if url.id != self.lease.id:
                self.outlinks.setdefault(url.id, url)


def page_of(response: Any) -> Page | None:
    """Return the page that a response, a failure or a request belongs to, or ``None``."""
    request = response if isinstance(response, Request) else getattr(response, "request", None)
    return request.meta.get(PAGE) if isinstance(request, Request) else None


class Completion:
    """The pages that this worker has leased and not yet acknowledged."""

    def __init__(self, crawler: Crawler, *, changed: Callable[[], None]) -> None:
        """``changed`` is called when a page is ready to be acknowledged with ``flush``."""
        self._crawler = crawler
        self._schedule: FetchSchedule = build_plugin(crawler.settings, "NUTCH_FETCH_SCHEDULE_CLASS")
        scoring: list[ScoringFilter] = build_plugins(crawler.settings, "NUTCH_SCORING_FILTERS")
        if len(scoring) != 1:
            raise ValueError(f"NUTCH_SCORING_FILTERS must name one scoring filter, got {len(scoring)}")
        self._scoring = scoring[0]
        self._changed = changed
        self._pages: dict[bytes, Page] = {}
        self._ready: list[Page] = []
        connect = crawler.signals.connect
        connect(self._item_scraped, signals.item_scraped)
        connect(self._item_dropped, signals.item_dropped)
        connect(self._item_error, signals.item_error)
        connect(self._spider_error, signals.spider_error)

    def begin(self, lease: Lease, request: Request) -> Page:
        """Follow a leased page: from now on ``request`` and its copies carry it."""
        page = Page(
            lease,
            started=time.time(),
            is_recrawled=not lease.request or _fetches_a_page(request),
            redirect_times=request.meta.get("redirect_times", 0),
        )
        self._pages[lease.id] = page
        request.meta[PAGE] = page
        request.errback = LeasedErrback(lambda error: self.fail(page, error), request.errback)
        return page

    def page_at(self, url: str) -> Page | None:
        """Return the page in progress whose URL is ``url``, or ``None``."""
        return self._pages.get(url_id(url))

    def begin_item(self, page: Page) -> None:
        """An item of ``page`` goes to the pipelines."""
        page.open_items += 1

    def exhaust(self, page: Page) -> None:
        """The callback of ``page`` has given all its output."""
        page.exhausted = True
        self._settle(page)

    def fail(self, page: Page, error: BaseException | None) -> None:
        """``page`` could not be fetched or parsed."""
        self._finish(page, outcome_of(error))

    def redirect(self, page: Page, http_status: Any, target: StoredURL | None) -> None:
        """``page`` redirects; all its cash and metadata go to ``target``, ``None`` when that was rejected."""
        page.outlinks = {}
        page.add_outlinks([target] if target else [])
        self._finish(page, Outcome.REDIR_PERM if http_status in {301, 308} else Outcome.REDIR_TEMP)

    @property
    def unfinished(self) -> list[Page]:
        """The pages that are not acknowledged yet."""
        return [*self._pages.values(), *self._ready]

    def give_up(self, *, older_than: float) -> list[Page]:
        """Forget the pages in progress that were leased before ``older_than`` (epoch seconds); return them."""
        old = [page for page in self._pages.values() if page.started < older_than]
        for page in old:
            page.done = True
            self._forget(page)
        return old

    def flush(self, store: CrawlStore) -> None:
        """Acknowledge the pages that are ready. RedisError leaves them ready for the next call."""
        pages = self._ready[:]
        if not pages:
            return
        now = time.time()
        done = [self._done(page, int(now)) for page in pages]
        results = store.frontier.complete(done, now=now)
        del self._ready[: len(pages)]
        for page, after in zip(pages, done, strict=True):
            if page.lease.datum.signature and after.datum.signature is None:
                store.signatures.free(page.lease.id, page.lease.datum.signature)
        stats = self._crawler.stats
        for page, discovered in zip(pages, results, strict=True):
            assert page.outcome is not None
            if discovered is None:
                stats.inc_value("nutch/completion/stale")
            else:
                stats.inc_value(f"nutch/completion/{page.outcome.name.lower()}")
                stats.inc_value("nutch/outlinks/stored", len(page.outlinks))
                stats.inc_value("nutch/outlinks/new", discovered)

    def _done(self, page: Page, now: int) -> PageDone:
        """Turn a page that is ready into its new state and the division of its cash."""
        lease, outcome = page.lease, page.outcome
        assert outcome is not None
        datum = self._schedule.schedule(lease.datum, outcome=outcome, now=now)
        retry = outcome is Outcome.RETRY and datum.db_status is not DbStatus.DB_GONE
        fetched = outcome in {Outcome.SUCCESS, Outcome.NOTMODIFIED, Outcome.DUPLICATE}
        redirected = outcome in {Outcome.REDIR_PERM, Outcome.REDIR_TEMP}
        outlinks = list(page.outlinks.values()) if fetched or redirected else []
        cash = lease.datum.score
        if redirected and outlinks:
            metadata = encode_metadata(lease.datum.metadata)
            outlinks = [StoredURL(o.url, o.id, metadata, o.request, o.priority, o.once) for o in outlinks]
            spent, each, rest = cash, cash, 0.0
        elif retry:
            spent = each = rest = 0.0
        else:
            shares = self._scoring.shares(cash, len(outlinks))
            spent, each, rest = shares.spent, shares.each, shares.virtual
        signature = page.key if fetched and page.key else lease.datum.signature if fetched or retry else None
        return PageDone(
            id=lease.id,
            datum=replace(datum, signature=signature),
            due=retry or page.is_recrawled,
            keep_request=retry,
            spent=spent,
            each=each,
            rest=rest,
            outlinks=outlinks,
        )

    def _item_scraped(self, response: Response | None) -> None:
        self._end_item(response)

    def _item_dropped(self, response: Response | None, exception: BaseException) -> None:
        self._end_item(response, Outcome.DUPLICATE if isinstance(exception, DuplicatePage) else None)

    def _item_error(self, response: Response | None) -> None:
        self._end_item(response, Outcome.RETRY)

    def _spider_error(self, response: Response | Failure, failure: Failure) -> None:
        page = page_of(response)
        if page is not None:
            self.fail(page, failure.value)

    def _end_item(self, response: Response | None, outcome: Outcome | None = None) -> None:
        page = page_of(response)
        if page is None:
            return
        page.open_items -= 1
        if outcome is not None and page.outcome is not Outcome.RETRY:
            page.outcome = outcome
        self._settle(page)

    def _settle(self, page: Page) -> None:
        if page.exhausted and page.open_items <= 0:
            self._finish(page, page.outcome or Outcome.SUCCESS)

    def _finish(self, page: Page, outcome: Outcome) -> None:
        if page.done:
            return
        page.done = True
        page.content = b""
        same = page.key is not None and page.key == page.lease.datum.signature
        page.outcome = Outcome.NOTMODIFIED if outcome is Outcome.SUCCESS and same else outcome
        self._forget(page)
        self._ready.append(page)
        self._changed()

    def _forget(self, page: Page) -> None:
        if self._pages.get(page.lease.id) is page:
            del self._pages[page.lease.id]


def _fetches_a_page(request: Request) -> bool:
    """Return whether a stored request is a GET of a page like any other (a redirect target, say)."""
    own = request.callback or request.body or request.cb_kwargs or request.dont_filter
    return request.method == "GET" and not own


def outcome_of(error: BaseException | None) -> Outcome:
    """Return what a failure means for the CrawlDb, as Nutch's protocol-http has it.

    4xx: gone, but "later" answers (408, 425, 429) are tried again, as are 5xx, network errors and exceptions in a
    callback. A request that a rule refused (robots.txt, too many redirects) is gone.
    """
    if isinstance(error, HttpError):
        status = error.response.status
        if status == 304:
            return Outcome.NOTMODIFIED
        return Outcome.RETRY if status >= 500 or status in RETRY_STATUSES else Outcome.GONE
    return Outcome.GONE if isinstance(error, IgnoreRequest) else Outcome.RETRY
