"""What a server answers to one request, as libcurl hands it over, and the response that Scrapy gets of it."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from time import monotonic
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadCancelledError, DownloadFailedError, StopDownload
from scrapy.http import Headers, Response
from scrapy.utils._download_handlers import check_stop_download, get_maxsize_msg, get_warnsize_msg, make_response

logger = logging.getLogger(__name__)

# Headers of the connection, not of the page: Scrapy's own handler keeps them to itself, too.
HOP_BY_HOP = {
    b"connection",
    b"content-length",  # see CurlAnswer.headers
    b"keep-alive",
    b"proxy-connection",
    b"te",
    b"trailers",
    b"transfer-encoding",
    b"upgrade",
}
WITHOUT_BODY = {204, 304}
ABORT = -1  # told to libcurl: it fails with E_WRITE_ERROR, and closes the connection

address = lru_cache(maxsize=1024)(ip_address)


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes of a body; 0 = no limit."""

    maxsize: int
    warnsize: int


class CurlAnswer:
    """Collects head and body of one answer, and breaks it off when it is too long or a signal's handler says so.

    ``headers`` is None until the head is complete. ``error`` is what went wrong here meanwhile: libcurl would print an
    exception of a callback and lose it.
    """

    def __init__(self, request: Request, crawler: Crawler, limits: Limits) -> None:
        self.headers: Headers | None = None
        self.status = 0
        self.error: Exception | None = None
        self.stopped: StopDownload | None = None
        self.ends_with_connection = False  # nothing else tells where the body ends
        self._protocol = ""
        self._request = request
        self._crawler = crawler
        self._limits = limits
        self._started = monotonic()
        self._head: list[bytes] = []
        self._chunks: list[bytes] = []
        self._size = 0
        self._warned = False

    def take_header(self, line: bytes) -> int | None:
        """Take one line of a head, its status line and the empty one that ends it included."""
        if self.headers is not None:
            return None  # a trailer
        if line.strip(b"\r\n"):
            self._head.append(line)
            return None
        try:
            self._end_head()
        except Exception as error:  # noqa: BLE001  # whatever it is, the request's errback shall have it
            self.error = error
        return ABORT if self.error or self.stopped else None

    def take_body(self, chunk: bytes) -> int | None:
        """Take some of the body."""
        try:
            self._add(chunk)
        except Exception as error:  # noqa: BLE001  # as above
            self.error = error
        return ABORT if self.error or self.stopped else None

    def response(
        self, *, flags: list[str] | None = None, certificate: Any = None, peer: IPv4Address | IPv6Address | None = None
    ) -> Response:
        """Return what has come; raises StopDownload, with the response, where a signal's handler wants that."""
        assert self.headers is not None
        return make_response(
            url=self._request.url.partition("#")[0],
            status=self.status,
            headers=self.headers,
            body=b"".join(self._chunks),
            flags=flags,
            certificate=certificate,
            ip_address=peer,
            protocol=self._protocol,
            stop_download=self.stopped,
        )

    def _end_head(self) -> None:
        if not self._head:
            return  # an empty line before the status line
        protocol, status = self._head[0].split(None, 2)[:2]
        if status.startswith(b"1") and len(status) == 3:
            self._head.clear()  # the answer is still to come
            return
        self.status, self._protocol = int(status), protocol.decode("ascii")
        if not 200 <= self.status <= 999:
            raise DownloadFailedError(f"a status must be a number of three digits, got {self._head[0]!r}")
        fields = [(name, value.strip()) for name, _, value in (line.partition(b":") for line in self._head[1:])]
        known = {name.lower(): value for name, value in fields}
        length = self._body_length(known)
        # Lines with spaces in a header's name are of no header: libcurl does not take them for one, either.
        self.headers = Headers(
            [(name, value) for name, value in fields if name.lower() not in HOP_BY_HOP and name and b" " not in name]
        )
        if length is not None:
            told = known.get(b"content-length") if self._request.method == "HEAD" else None  # of GET's body
            self.headers["Content-Length"] = told or str(length)
        self._request.meta["download_latency"] = monotonic() - self._started
        self.stopped = check_stop_download(
            signals.headers_received, self._crawler, self._request, headers=self.headers, body_length=length
        )
        if length and not self.stopped:
            self._check_size(length, expected=True)

    def _body_length(self, fields: dict[bytes, bytes]) -> int | None:
        if self._request.method == "HEAD" or self.status in WITHOUT_BODY:
            return 0
        if b"transfer-encoding" in fields:
            return None
        if b"content-length" in fields:
            return int(fields[b"content-length"].partition(b",")[0])
        self.ends_with_connection = True
        return None

    def _add(self, chunk: bytes) -> None:
        self._chunks.append(chunk)
        self._size += len(chunk)
        self.stopped = check_stop_download(signals.bytes_received, self._crawler, self._request, data=chunk)
        if not self.stopped:
            self._check_size(self._size, expected=False)

    def _check_size(self, size: int, *, expected: bool) -> None:
        if 0 < self._limits.maxsize < size:
            message = get_maxsize_msg(size, self._limits.maxsize, self._request, expected=expected)
            logger.warning(message)
            self._chunks.clear()
            raise DownloadCancelledError(message)
        if 0 < self._limits.warnsize < size and not self._warned:
            self._warned = True
            logger.warning(get_warnsize_msg(size, self._limits.warnsize, self._request, expected=expected))
