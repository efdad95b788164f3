"""Scrapy's download handler and ours, run in the test's own process on the asyncio reactor."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from scrapy import Request, Spider
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.misc import build_from_crawler
from scrapy.utils.reactor import install_reactor, is_reactor_installed
from scrapy.utils.test import get_crawler

from nutchlike.curl.download_handler import CurlDownloadHandler

T = TypeVar("T")
HANDLERS = {"scrapy": HTTP11DownloadHandler, "curl": CurlDownloadHandler}
SECONDS = 30.0  # that a test may take


@contextmanager
def running_reactor() -> Iterator[asyncio.AbstractEventLoop]:
    """Start the asyncio reactor, once in a process, without running it: the loop that is given does."""
    if not is_reactor_installed():
        install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
    from twisted.internet import reactor

    assert hasattr(reactor, "_asyncioEventloop"), f"another test has installed {reactor}"
    reactor.startRunning(installSignalHandlers=False)  # type: ignore[attr-defined]  # of asyncio's reactor
    try:
        yield reactor._asyncioEventloop
    finally:
        reactor.fireSystemEvent("shutdown")  # type: ignore[attr-defined]  # its threads end


class Downloads:
    """Downloads with one handler of ``crawler``; ``run`` is for what else must happen on the loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop, name: str, settings: dict[str, Any]) -> None:
        self._loop = loop
        self.crawler: Crawler = get_crawler(Spider, settings)
        self.crawler.spider = self.crawler._create_spider("test")
        self.handler = build_from_crawler(HANDLERS[name], self.crawler)

    def run(self, work: Awaitable[T]) -> T:
        return self._loop.run_until_complete(asyncio.wait_for(work, SECONDS))

    def fetch(self, request: Request) -> Response:
        request.meta.setdefault("download_timeout", 10.0)
        return self.run(self.handler.download_request(request))

    def close(self) -> None:
        self.run(self.handler.close())


def outcome(fetch: Callable[[], Response]) -> dict[str, Any]:
    """Return what a download came to: the answer's parts, or the class of the exception."""
    try:
        response = fetch()
    except Exception as error:  # noqa: BLE001  # which one it is, is the question
        return {"raised": type(error).__name__}
    return {
        "url": response.url,
        "status": response.status,
        "headers": dict(response.headers),
        "body": response.body,
        "class": type(response).__name__,
        "flags": response.flags,
        "ip_address": str(response.ip_address),
        "protocol": response.protocol,
    }


def wire(raw: bytes) -> tuple[bytes, list[bytes], bytes]:
    """Return a request's first line, its headers in order of the alphabet, and its body."""
    head, _, body = raw.partition(b"\r\n\r\n")
    first, *headers = head.split(b"\r\n")
    return first, sorted(header.strip() for header in headers), body
