"""Lets a request out when its host may be asked, and keeps all workers off a host that fails or asks for it."""

from __future__ import annotations

import time
from contextlib import suppress

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import CannotResolveHostError, DownloadConnectionRefusedError, DownloadTimeoutError
from scrapy.http import Response

from nutchlike.checked_settings import get_float
from nutchlike.page import page_of, put_off
from nutchlike.redirect_targets import REDIRECTS
from nutchlike.request_meta import GRANTED
from nutchlike.retry_after import BUSY, parse_retry_after
from nutchlike.urls.identity import host_key
from nutchlike.wiring import scheduler_of

UNREACHABLE = (DownloadConnectionRefusedError, DownloadTimeoutError, CannotResolveHostError)


class HostBackoffMiddleware:
    """Stands nearer to the downloader than RetryMiddleware: a retry shall find its host held.

    Every request goes through its host's clock here. A page has leave from its lease; when it is too late for that it
    goes back to the scheduler, so that it takes no place among the downloads while it waits. A request that belongs to
    no page (robots.txt, a spider's own downloads) waits here.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._retry_after_max = get_float(crawler.settings, "NUTCH_RETRY_AFTER_MAX")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> HostBackoffMiddleware:
        return cls(crawler)

    async def process_request(self, request: Request) -> Request | None:
        """Let ``request`` go on when its host's clock allows; give it back to the scheduler when it must wait."""
        clock, page = scheduler_of(self._crawler).clock, page_of(request)
        if page is None or page.done:
            if _has_host(request.url):
                await clock.wait(request.url, granted=request.meta.pop(GRANTED, None))
            return None
        seconds = await clock.claim(page.url, granted=page.granted)
        page.granted = None
        if seconds:
            return put_off(page, request, until=time.time() + seconds)
        page.sent = True
        return None

    async def process_response(self, request: Request, response: Response) -> Response:
        """Hold the host of a 429 or 503 answer, for as long as it asks at least."""
        if response.status in BUSY and "cached" not in response.flags:
            asked = parse_retry_after(response.headers.get("Retry-After"), now=time.time())
            await self._hold(request, min(asked or 0.0, self._retry_after_max), f"HTTP {response.status}")
        elif response.status in REDIRECTS and (location := response.headers.get("Location")):
            with suppress(ValueError):  # of a location that is no URL nobody asks for the address
                await scheduler_of(self._crawler).store.locate([response.urljoin(location.decode("latin-1"))])
        return response

    async def process_exception(self, request: Request, exception: Exception) -> None:
        """Hold a host that cannot be reached."""
        if isinstance(exception, UNREACHABLE):
            await self._hold(request, 0.0, type(exception).__name__)

    async def _hold(self, request: Request, seconds: float, reason: str) -> None:
        page = page_of(request)
        url = request.url if page is None else page.url
        if not _has_host(url):
            return
        held = await scheduler_of(self._crawler).clock.hold(url, seconds=seconds, reason=reason)
        if page is not None:
            page.held_until = time.time() + held


def _has_host(url: str) -> bool:
    try:
        return bool(host_key(url))
    except ValueError:  # file:, data:
        return False
