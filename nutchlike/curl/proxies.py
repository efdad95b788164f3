"""Proxies of requests, as options of libcurl's."""

from __future__ import annotations

from urllib.parse import urlsplit

import pycurl
from scrapy import Request
from scrapy.utils.url import add_http_if_no_scheme

from nutchlike.curl.requests import set_request

PORTS = {"http": 80, "https": 443}  # of a proxy whose URL has none; libcurl would take 1080
CREDENTIALS = b"Proxy-Authorization"
HIDDEN = frozenset({CREDENTIALS})


class CurlProxies:
    """Sends requests by the proxies that their meta names.

    libcurl takes any open tunnel to the same place through the same proxy, whoever paid for it. So only the first
    credentials that are seen for a proxy have tunnels that last.
    """

    def __init__(self) -> None:
        self._owners: dict[str, bytes | None] = {}  # proxy -> the credentials whose tunnels last

    def set_request(self, curl: pycurl.Curl, request: Request) -> None:
        """Set the request and its proxy; ValueError for a proxy that is no URL."""
        proxy = add_http_if_no_scheme(request.meta["proxy"])
        parts = urlsplit(proxy)
        if not parts.hostname:
            raise ValueError(f"meta['proxy'] must be the URL of a proxy, got {request.meta['proxy']!r}")
        port = parts.port or PORTS.get(parts.scheme, 1080)
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        proxy = f"{parts.scheme}://{host}:{port}"
        curl.setopt(pycurl.PROXY, proxy)
        if request.url.startswith("http:") and parts.scheme in PORTS:
            set_request(curl, request, is_absolute=True)
            return
        set_request(curl, request, without=HIDDEN)
        credentials = request.headers.get(CREDENTIALS)
        told = [] if credentials is None else [CREDENTIALS + b": " + b" ".join(credentials.splitlines())]
        curl.setopt(pycurl.PROXYHEADER, [*told, b"Proxy-Connection:"])
        if self._owners.setdefault(proxy, credentials) != credentials:
            curl.setopt(pycurl.FRESH_CONNECT, 1)
            curl.setopt(pycurl.FORBID_REUSE, 1)
