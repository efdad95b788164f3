"""Which answers of a leased page are redirects, beyond what Scrapy's own middlewares know of that."""

from __future__ import annotations

from typing import Any

from scrapy import Request, Spider
from scrapy.downloadermiddlewares import redirect
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from nutchlike.page import page_of
from nutchlike.wiring import scheduler_of

HEAD_BYTES = 4 * 4096  # Scrapy looks at 4096 characters


class _OfPages(redirect.BaseRedirectMiddleware):
    """Counts the chains that are too long, and notes where the last page of one would lead."""

    def _redirect(self, redirected: Request, request: Request, reason: Any) -> Request:
        # Both middlewares come here, and nothing public has the request that is not made.
        try:
            return super()._redirect(redirected, request, reason)
        except IgnoreRequest:
            self.crawler.stats.inc_value("nutch/redirects/too_many")
            page = page_of(request)
            if page is not None:
                page.redirects_to = scheduler_of(self.crawler).redirects.normalized(redirected.url)
            raise


class RedirectMiddleware(_OfPages, redirect.RedirectMiddleware):
    """Scrapy's, which leaves a Location that is no URL."""

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        try:
            return super().process_response(request, response)
        except ValueError:  # no URL
            return response


def _may_refresh(body: bytes) -> bool:
    """Return whether Scrapy may find a refresh in the head of a page, for which it decodes all of the page."""
    head = body[:HEAD_BYTES]
    return b"refresh" in head.lower() or b"\0" in head  # UTF-16 has other bytes for it


class MetaRefreshMiddleware(_OfPages, redirect.MetaRefreshMiddleware):
    """Scrapy's, but for pages that it would lose.

    An error page stays an error, whatever it refreshes to. A page that refreshes to itself (a live report) is the page,
    unless it has set a cookie, without which there may be nothing else to see: then it is asked for once more.
    """

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        if not (200 <= response.status < 300 and _may_refresh(response.body)):
            return response
        try:
            result = super().process_response(request, response)
        except ValueError:  # no URL
            return response
        page = page_of(request)
        if page is None or not isinstance(result, Request):
            return result
        redirects = scheduler_of(self.crawler).redirects
        if redirects.leads_to_itself(page, result):
            has_cookie = "Set-Cookie" in response.headers and redirects.sends_cookies(request)
            is_first_time = result.meta["redirect_urls"].count(request.url) == 1
            return result if has_cookie and is_first_time else response
        return result
