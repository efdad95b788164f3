"""Failures of libcurl's as the exceptions that Scrapy's download handlers raise: middlewares decide by their class."""

from __future__ import annotations

import errno

import pycurl
from scrapy.core.downloader.handlers.http11 import TunnelError
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
)

WEIRD_ANSWER = pycurl.E_FTP_WEIRD_SERVER_REPLY  # libcurl calls it E_WEIRD_SERVER_REPLY by now
# Nothing was sent. Scrapy's own handler may still know a way: it offers old servers more, and leaves hosts' names to
# the resolver.
NOT_SENT = {pycurl.E_URL_MALFORMAT, pycurl.E_SSL_CONNECT_ERROR}

EXCEPTIONS: dict[int, type[Exception]] = {
    pycurl.E_COULDNT_RESOLVE_HOST: CannotResolveHostError,
    pycurl.E_COULDNT_RESOLVE_PROXY: CannotResolveHostError,
    pycurl.E_OPERATION_TIMEDOUT: DownloadTimeoutError,
}
CONNECT_EXCEPTIONS: dict[int, type[Exception]] = {
    errno.ECONNREFUSED: DownloadConnectionRefusedError,
    errno.ETIMEDOUT: DownloadTimeoutError,
}


def download_error(curl: pycurl.Curl, error: pycurl.error, *, url: str, timeout: float) -> Exception:
    """Return what a failed transfer is to be called."""
    code, message = error.args[:2]
    if code == pycurl.E_OPERATION_TIMEDOUT:
        message = f"Getting {url} took longer than {timeout} seconds."
    elif curl.getinfo(pycurl.HTTP_CONNECTCODE) >= 300:  # what a proxy said to CONNECT
        return TunnelError(message)
    elif code == pycurl.E_COULDNT_CONNECT:
        return CONNECT_EXCEPTIONS.get(curl.getinfo(pycurl.OS_ERRNO), DownloadFailedError)(message)
    return EXCEPTIONS.get(code, DownloadFailedError)(message)
