"""Scrapy's download handler for http and https on libcurl: the same answers for less CPU time."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from typing import Any
from urllib.parse import urlsplit

import pycurl
from scrapy import Request
from scrapy.core.downloader.handlers._base_http import BaseHttpDownloadHandler
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadCancelledError, DownloadFailedError, ResponseDataLossError
from scrapy.http import Response
from scrapy.utils._download_handlers import get_dataloss_msg, normalize_bind_address
from scrapy.utils.misc import build_from_crawler

from nutchlike.curl.answers import CurlAnswer, Limits, address
from nutchlike.curl.errors import NOT_SENT, WEIRD_ANSWER, download_error
from nutchlike.curl.proxies import CurlProxies
from nutchlike.curl.requests import set_request
from nutchlike.curl.tls import Certificates, tls_options

logger = logging.getLogger(__name__)

CONNECTIONS_MIN = 128  # connections that are kept open at most, where CONCURRENT_REQUESTS does not ask for more
CONNECTIONS_PER_REQUEST = 4  # a host's connection shall still be there when its delay is over
CHUNK_BYTES = 1 << 16
DNS_SECONDS = 300  # for which an address counts
CONNECT_TIMEOUT = 10  # seconds, of a request whose meta has no download_timeout
TIMEOUT_MAX = 2**31 - 1  # milliseconds, what a C long holds everywhere
SUPPRESS_CONNECT_HEADERS = 265  # an option of libcurl that pycurl has no name for
LEFT_SITES_MAX = 10_000


class CurlDownloadHandler(BaseHttpDownloadHandler):
    """Downloads as Scrapy's HTTP11DownloadHandler does, see there; needs the asyncio loop.

    What libcurl refuses to understand is asked for again through Scrapy's own handler, and so is that site from then
    on: headers without a colon, TLS of servers that nobody updates, names that only a resolver can judge.
    """

    lazy = True

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = crawler.settings
        connections = max(CONNECTIONS_MIN, CONNECTIONS_PER_REQUEST * settings.getint("CONCURRENT_REQUESTS"))
        self._multi = pycurl.AsyncCurlMulti()
        self._multi.setopt(pycurl.M_MAXCONNECTS, connections)
        self._idle: list[pycurl.Curl] = []
        self._options: dict[int, Any] = {
            pycurl.NOSIGNAL: 1,
            pycurl.HTTP_VERSION: pycurl.CURL_HTTP_VERSION_1_1,
            pycurl.HTTP09_ALLOWED: 0,
            pycurl.PROTOCOLS: pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS,
            pycurl.PATH_AS_IS: 1,
            pycurl.USERAGENT: "",
            pycurl.BUFFERSIZE: CHUNK_BYTES,
            pycurl.DNS_CACHE_TIMEOUT: DNS_SECONDS if settings.getbool("DNSCACHE_ENABLED") else 0,
            pycurl.PROXY: "",  # Scrapy's HttpProxyMiddleware reads the environment, libcurl shall not
            pycurl.NOPROXY: "",
            pycurl.HEADEROPT: pycurl.HEADER_SEPARATE,
            SUPPRESS_CONNECT_HEADERS: 1,
        } | tls_options(settings)
        self._proxies = CurlProxies()
        self._certificates = Certificates(most=2 * connections)
        self._bind_address = settings.get("DOWNLOAD_BIND_ADDRESS")
        self._scrapys: HTTP11DownloadHandler | None = None
        self._left: OrderedDict[str, None] = OrderedDict()  # sites (scheme and authority) that are left to it

    async def download_request(self, request: Request) -> Response:
        """Return the answer; raises what Scrapy's handlers raise."""
        if self._is_left(request):
            return await self._leave(request)
        curl = self._idle.pop() if self._idle else pycurl.Curl()
        try:
            return await self._download(curl, request)
        except _NotUnderstood as error:
            logger.debug("Left to Scrapy's own download handler: %s: %s", request.url, error.__cause__)
            self._left[_site(request.url)] = None
            if len(self._left) > LEFT_SITES_MAX:
                self._left.popitem(last=False)
        finally:
            self._give_back(curl)
        return await self._leave(request)

    async def close(self) -> None:
        """Cancel what runs, and close all connections."""
        await self._multi.aclose()
        for curl in self._idle:
            curl.close()
        self._idle.clear()
        if self._scrapys is not None:
            await self._scrapys.close()

    async def _download(self, curl: pycurl.Curl, request: Request) -> Response:
        meta = request.meta
        limits = Limits(
            maxsize=meta.get("download_maxsize", self._default_maxsize),
            warnsize=meta.get("download_warnsize", self._default_warnsize),
        )
        timeout = meta.get("download_timeout") or CONNECT_TIMEOUT
        answer = CurlAnswer(request, self.crawler, limits)
        self._set_up(curl, request, answer, timeout=timeout)
        flags = None
        try:
            await self._multi.perform(curl)
        except pycurl.error as error:
            if answer.error is not None:
                raise answer.error from None
            if answer.stopped is None:
                flags = self._flags(curl, request, answer, error, timeout=timeout)
        except asyncio.CancelledError:
            if self._multi.closed:
                raise DownloadCancelledError("the download handler was closed") from None
            raise
        if answer.headers is None:
            raise DownloadFailedError("the connection ended before the answer's head did")
        if flags is None and answer.ends_with_connection and answer.stopped is None:
            flags = ["partial"]
        peer = curl.getinfo(pycurl.PRIMARY_IP)
        return answer.response(
            flags=flags,
            certificate=self._certificates.of(curl) if request.url.startswith("https:") else None,
            peer=address(peer) if peer else None,
        )

    def _set_up(self, curl: pycurl.Curl, request: Request, answer: CurlAnswer, *, timeout: float) -> None:
        for option, value in self._options.items():
            curl.setopt(option, value)
        milliseconds = min(max(int(timeout * 1000), 1), TIMEOUT_MAX)
        curl.setopt(pycurl.TIMEOUT_MS, milliseconds)
        curl.setopt(pycurl.CONNECTTIMEOUT_MS, milliseconds)
        if bind_address := normalize_bind_address(request.meta.get("bindaddress") or self._bind_address):
            host, port = bind_address
            curl.setopt(pycurl.INTERFACE, f"host!{host}")
            curl.setopt(pycurl.LOCALPORT, port)
        if request.meta.get("proxy"):
            self._proxies.set_request(curl, request)
        else:
            set_request(curl, request)
        curl.setopt(pycurl.HEADERFUNCTION, answer.take_header)
        curl.setopt(pycurl.WRITEFUNCTION, answer.take_body)

    def _flags(
        self, curl: pycurl.Curl, request: Request, answer: CurlAnswer, error: pycurl.error, *, timeout: float
    ) -> list[str]:
        """Return the flags of an answer whose transfer ended with ``error``; raise what says that there is none."""
        code = error.args[0]
        if answer.headers is None and self._is_worth_leaving(code, request):
            raise _NotUnderstood from error
        if answer.headers is None or code == pycurl.E_OPERATION_TIMEDOUT:
            raise download_error(curl, error, url=request.url, timeout=timeout) from error
        if answer.ends_with_connection:
            return ["partial"]
        if not request.meta.get("download_fail_on_dataloss", self._fail_on_dataloss):
            return ["dataloss"]
        if not self._fail_on_dataloss_warned:
            self._fail_on_dataloss_warned = True
            logger.warning(get_dataloss_msg(request.url))
        raise ResponseDataLossError(error.args[1]) from error

    def _is_left(self, request: Request) -> bool:
        if not self._can_leave():
            return False
        has_odd_body = request.method == "HEAD" and request.body  # libcurl sends none
        return bool(has_odd_body or (self._left and _site(request.url) in self._left))

    def _is_worth_leaving(self, code: int, request: Request) -> bool:
        is_safe = request.method in ("GET", "HEAD")  # to be sent twice
        return self._can_leave() and (code in NOT_SENT or (code == WEIRD_ANSWER and is_safe))

    def _can_leave(self) -> bool:
        return self.crawler.settings.getbool("TWISTED_REACTOR_ENABLED")

    async def _leave(self, request: Request) -> Response:
        if self._scrapys is None:
            self._scrapys = build_from_crawler(HTTP11DownloadHandler, self.crawler)
        if self.crawler.stats is not None:
            self.crawler.stats.inc_value("nutch/downloads/left_to_scrapy")
        return await self._scrapys.download_request(request)

    def _give_back(self, curl: pycurl.Curl) -> None:
        if self._multi.closed:
            curl.close()
            return
        curl.reset()  # forgets the callbacks, too, and with them the request
        self._idle.append(curl)


class _NotUnderstood(Exception):
    """libcurl does not get along with this server, or this URL."""


def _site(url: str) -> str:
    return "//".join(urlsplit(url)[:2])
