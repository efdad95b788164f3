"""A Scrapy request as options of libcurl's, so that on the wire is what Scrapy's own download handler would send."""

from __future__ import annotations

import re
from functools import lru_cache

import pycurl
from scrapy import Request

TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, section 5.6.2
AUTHORITY_END = re.compile(rb"[/?]")
ALWAYS_FRAMED = {"POST", "PUT"}  # a body of no bytes is said to be one
FRAMING = {b"Content-Length", b"Transfer-Encoding"}  # headers that the body itself decides
# What libcurl would add; a name without a value keeps it from doing so.
ADDED_TO_ALL = (b"Accept", b"Proxy-Connection")
ADDED_TO_BODIES = (b"Content-Type", b"Expect")


def set_request(
    curl: pycurl.Curl, request: Request, *, without: frozenset[bytes] = frozenset(), is_absolute: bool = False
) -> None:
    """Set method, URL, headers (all but those named in ``without``) and body; proxies get the URL ``is_absolute``.

    Raises ValueError for a method or a header that cannot be sent, UnicodeEncodeError for a URL that is not ASCII.
    """
    method, body = request.method, request.body
    url = request.url.partition("#")[0].encode("ascii")
    curl.setopt(pycurl.URL, url)
    if b"%" in url:  # libcurl would write the letters of escapes large
        curl.setopt(pycurl.REQUEST_TARGET, url if is_absolute else _origin_form(url))
    lines = header_lines(request, without=FRAMING | without)
    lines += [name + b":" for name in ADDED_TO_ALL if name not in request.headers]
    if method == "HEAD":
        curl.setopt(pycurl.NOBODY, 1)
    elif method != "GET" or body:
        if not TOKEN.fullmatch(method):
            raise ValueError(f"a method must be a word of RFC 9110, got {method!r}")
        if body or method in ALWAYS_FRAMED:
            curl.setopt(pycurl.POSTFIELDS, body)
            lines += [name + b":" for name in ADDED_TO_BODIES if name not in request.headers]
        curl.setopt(pycurl.CUSTOMREQUEST, method)
    curl.setopt(pycurl.HTTPHEADER, lines)


def header_lines(request: Request, *, without: frozenset[bytes] | set[bytes]) -> list[bytes]:
    """Return the headers as libcurl takes them: one line a value, and no value with a line's end in it."""
    lines = []
    for name, values in request.headers.items():
        if name in without:
            continue
        start = _start(name)
        for value in values:
            text = b" ".join(value.splitlines()).strip()
            lines.append(start + b": " + text if text else start + b";")
    return lines


def _origin_form(url: bytes) -> bytes:
    """Return path and query, RFC 9112, section 3.2.1."""
    rest = url.partition(b"://")[2]
    begin = AUTHORITY_END.search(rest)
    target = rest[begin.start() :] if begin else b""
    return target if target.startswith(b"/") else b"/" + target


@lru_cache(maxsize=1024)
def _start(name: bytes) -> bytes:
    if not TOKEN.fullmatch(name.decode("latin-1")):
        raise ValueError(f"the name of a header must be a word of RFC 9110, got {name!r}")
    return name
