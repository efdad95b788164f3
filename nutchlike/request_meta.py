"""What nutchlike hangs on the request of a leased page and how to take it off, and what CrawlSpider hangs there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scrapy import Request
from twisted.python.failure import Failure

PAGE = "nutch_page"
"""Key of ``Request.meta``: the leased page that the request fetches (completion.Page); never stored."""

GRANTED = "nutch_granted"
"""Key of ``Request.meta``: when a host's clock gave leave to a request that belongs to no page; never stored."""

REPEATS = "nutch_repeats"
"""Key of ``Request.meta``: how many times in a row the callback of a page has asked for that page again (Repeats)."""


class LeasedErrback:
    """Tells ``failed`` of a failure before the spider's own error handler hears of it."""

    def __init__(self, failed: Callable[[BaseException | None], None], own: Callable[[Failure], Any] | None) -> None:
        self.failed = failed
        self.own = own

    def __call__(self, failure: Failure) -> Any:
        self.failed(failure.value)
        return failure if self.own is None else self.own(failure)


def freed(request: Request) -> Request:
    """Return ``request``, or a copy of it that belongs to no leased page: a spider may yield ``response.request``."""
    if PAGE not in request.meta and not isinstance(request.errback, LeasedErrback):
        return request
    errback = request.errback.own if isinstance(request.errback, LeasedErrback) else request.errback
    return request.replace(meta={key: value for key, value in request.meta.items() if key != PAGE}, errback=errback)


def make_link_text_plain(request: Request) -> None:
    """Turn the text of a link, which CrawlSpider passes on as lxml's kind of str, into a str that can be stored."""
    if "link_text" in request.meta:
        request.meta["link_text"] = str(request.meta["link_text"])
