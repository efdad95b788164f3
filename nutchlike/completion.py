"""Knows when a leased page is done.

A page is done when its callback's output is exhausted and each of its items has left the pipelines, or when it failed.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.http import Request, Response
from scrapy.utils.defer import deferred_from_coro
from twisted.python.failure import Failure

from nutchlike.checked_settings import get_bool
from nutchlike.conclusions import REDIRECTED, Conclusions
from nutchlike.deletions import Deletions
from nutchlike.delivered import notes_of_duplicates
from nutchlike.fetch_errors import outcome_of, reason_of
from nutchlike.fetch_failure import PIPELINE
from nutchlike.fetch_schedules.fetch_schedule import Outcome
from nutchlike.items import DeletedItem
from nutchlike.page import Page, page_of
from nutchlike.redirect_targets import fetches_a_page
from nutchlike.request_meta import PAGE, LeasedErrback
from nutchlike.store.lease import Lease
from nutchlike.store.stored_url import StoredURL

logger = logging.getLogger(__name__)


class DuplicatePage(DropItem):
    """The item's content belongs to another page."""


class Completion:
    """The pages that this worker has leased and not yet acknowledged."""

    def __init__(self, crawler: Crawler, *, changed: Callable[[], None]) -> None:
        """``changed`` is called when a page is ready to be acknowledged."""
        self._strict = get_bool(crawler.settings, "NUTCH_STRICT")
        self.conclusions = Conclusions(crawler)
        self._deletions = Deletions(crawler)
        self._stats = crawler.stats
        self._changed = changed
        self._pages: dict[bytes, Page] = {}
        self._ready: list[Page] = []
        self._sent: list[Page] = []  # the store is being told of them
        self._acknowledges = True
        self._page_of_item: dict[int, Page] = {}
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
            granted=lease.leased_at,
            is_recrawled=not lease.request or fetches_a_page(request),
            dont_filter=bool(lease.request) and request.dont_filter,
            redirect_times=request.meta.get("redirect_times", 0),
        )
        self._pages[lease.key] = page
        request.meta[PAGE] = page
        request.errback = LeasedErrback(lambda error: self.fail(page, error), request.errback)
        return page

    def page_of_item(self, item: Any) -> Page | None:
        """Return the page in progress that an item came from, or ``None``; a pipeline may have replaced it since."""
        return self._page_of_item.get(id(item))

    def is_unchanged(self, page: Page) -> bool:
        """Return whether the content of ``page`` is what its record has: by its key, or by Nutch's signature if strict.

        TextProfile is the same for short pages of which no word was the same, so it does not decide.
        """
        before = page.lease.datum
        if page.key is None or before.signature is None:
            return False
        return page.signature == before.signature if self._strict else page.key == before.dedup_key

    def begin_item(self, page: Page, item: Any) -> None:
        """An item of ``page`` goes to the pipelines."""
        page.open_items += 1
        page.items.append(item)  # keeps its id from being given to another
        self._page_of_item[id(item)] = page

    def exhaust(self, page: Page) -> None:
        """The callback of ``page`` has given all its output; of a page that has failed Scrapy says so, too."""
        if not page.done:
            page.exhausted = True
            self._settle(page)

    def fail(self, page: Page, error: BaseException | None) -> None:
        """``page`` could not be fetched or parsed."""
        outcome = outcome_of(error)
        if outcome in REDIRECTED:
            self._stats.inc_value("nutch/redirects/nowhere")
        if not page.done:
            page.failure = reason_of(error)
        self._finish(page, outcome)

    def redirect(self, page: Page, outcome: Outcome, *, to: str, target: StoredURL | None) -> None:
        """``page`` redirects ``to`` a URL; its cash and metadata go to ``target``, ``None`` when that is refused."""
        page.redirects_to = to
        page.outlinks = {}
        page.add_outlinks([target] if target else [])
        self._finish(page, outcome)

    @property
    def unfinished(self) -> list[Page]:
        """The pages that are not acknowledged yet."""
        return [*self._pages.values(), *self._ready, *self._sent]

    def give_up(self, *, older_than: float) -> list[Page]:
        """Forget the pages in progress that were leased before ``older_than`` (epoch seconds); return them."""
        old = [page for page in self._pages.values() if page.started < older_than]
        for page in old:
            page.done = True
            self._forget(page)
        return old

    def withhold(self, page: Page) -> None:
        """Do not acknowledge a page that could not be brought to its end; its lease is given back at the end."""
        page.withheld = True

    def put_back(self, page: Page) -> None:
        """Forget a page that was never sent: its lease goes back."""
        page.done = True
        self._forget(page)

    def stop_acknowledging(self) -> None:
        """Acknowledge no page any more: their items are not kept. Their leases are given back at the end."""
        self._acknowledges = False

    def fail_forsaken(self, in_progress: Iterable[Request]) -> None:
        """Fail the pages that no request in progress belongs to any more, at the second look in a row.

        A downloader middleware that returns a request of its own making leaves such a page behind, as does a callback
        that is cancelled.
        """
        kept = {id(page) for request in in_progress if (page := page_of(request)) is not None}
        for page in list(self._pages.values()):
            if page.done or id(page) in kept:
                page.forsaken = False
            elif page.forsaken:
                logger.warning("%s was left behind by a middleware or a cancelled callback", page.url)
                self.fail(page, None)
            else:
                page.forsaken = True

    @property
    def ready(self) -> bool:
        """Whether a page waits to be acknowledged."""
        return bool(self._ready) and self._acknowledges

    @property
    def notes_of_worse(self) -> dict[str, str]:
        """What comes into the metadata of a page whose content a better copy has taken."""
        return notes_of_duplicates(told=self._deletions.are_told)

    def take_ready(self, most: int) -> list[Page]:
        """Return pages to be acknowledged; ``sent`` must follow."""
        if self._acknowledges:
            self._sent, self._ready = self._ready[:most], self._ready[most:]
        return self._sent

    def sent(self, again: list[Page]) -> None:
        """The pages that were taken are acknowledged, but for those to be taken ``again``."""
        self._sent, self._ready = [], again + self._ready

    def _item_scraped(self, response: Response | None) -> None:
        self._end_item(response)

    def _item_dropped(self, response: Response | None, exception: BaseException) -> None:
        self._end_item(response, Outcome.DUPLICATE if isinstance(exception, DuplicatePage) else None)

    def _item_error(self, item: Any, response: Response | None) -> None:
        page = page_of(response)
        if page is not None and isinstance(item, DeletedItem):
            page.is_untold = True
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
        if outcome is Outcome.RETRY:
            page.failure = PIPELINE
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
        page.content, page.text, page.main_text = b"", "", None  # the page may wait long for the store
        for item in page.items:
            self._page_of_item.pop(id(item), None)
        has_items, page.items = bool(page.items), []
        is_same = outcome is Outcome.SUCCESS and self.is_unchanged(page)
        page.outcome = Outcome.NOTMODIFIED if is_same else outcome
        if page.withheld:
            return
        deleted = None
        if self._deletions.are_told:
            now = int(time.time())
            with suppress(ValueError):  # of a schedule or a scoring filter: the acknowledgement says so
                after = self.conclusions.record(page, now)
                deleted = self._deletions.item_of(page, after, has_items=has_items, now=now)
        if deleted is None:
            self._hand_in(page)
        else:
            deferred_from_coro(self._delete(page, deleted))

    async def _delete(self, page: Page, item: DeletedItem) -> None:
        await self._deletions.send(page, item)
        if self._pages.get(page.lease.key) is page:  # else it was given up meanwhile
            self._hand_in(page)
        self._deletions.let_close()

    def _hand_in(self, page: Page) -> None:
        self._forget(page)
        self._ready.append(page)
        self._changed()

    def _forget(self, page: Page) -> None:
        if self._pages.get(page.lease.key) is page:
            del self._pages[page.lease.key]
