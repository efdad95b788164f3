"""Files that are had from a server beside the crawl: seed lists and sitemaps."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPResponse
from typing import IO, cast
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    UnknownHandler,
)

from w3lib.url import safe_url_string

CHUNK_BYTES = 1 << 16
USER_AGENT = "nutchlike"
SILENCE_SECONDS = 30.0  # without a byte
DOWNLOAD_SECONDS = 3600.0  # for the whole


@dataclass(frozen=True, slots=True)
class Download:
    """A whole body, at its begin, and the URL that gave it after all redirects."""

    body: IO[bytes]
    url: str


@contextmanager
def downloaded(
    url: str, *, maxsize: int, user_agent: str = USER_AGENT, seconds: float = DOWNLOAD_SECONDS
) -> Iterator[Download]:
    """Give the whole body of an http(s) ``url``, as it was sent: injecting takes longer than a server waits.

    It lies in a file meanwhile. Blocks until it is there. Raises OSError or http.client.HTTPException when it cannot
    be had, has more than ``maxsize`` bytes, or is not complete after ``seconds``.
    """
    ends_at = time.monotonic() + seconds
    with tempfile.TemporaryFile() as spool:
        with _opened(url, user_agent) as response:
            while chunk := response.read1(CHUNK_BYTES):  # read() would wait for a whole chunk, byte by byte
                spool.write(chunk)
                if spool.tell() > maxsize:
                    raise OSError(f"it is longer than {maxsize} bytes")
                if time.monotonic() > ends_at:
                    raise OSError(f"it was not complete after {seconds:g} s")
            if response.length:
                raise OSError(f"the connection ended {response.length} bytes too early")
            final_url = response.url
        spool.seek(0)
        yield Download(cast(IO[bytes], spool), final_url)


def _opened(url: str, user_agent: str) -> HTTPResponse:
    opener = OpenerDirector()
    for handler in (
        ProxyHandler,
        UnknownHandler,
        HTTPHandler,
        HTTPSHandler,
        HTTPDefaultErrorHandler,
        HTTPRedirectHandler,  # it would follow to ftp, too, for which there is no handler here
        HTTPErrorProcessor,
    ):
        opener.add_handler(handler())
    try:
        request = Request(safe_url_string(url), headers={"User-Agent": user_agent})
        return cast(HTTPResponse, opener.open(request, timeout=SILENCE_SECONDS))
    except ValueError as error:  # no host, a label of 64 characters, …
        raise OSError(f"it is no URL that can be asked for: {error}") from error
