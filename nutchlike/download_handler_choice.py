"""Which download handler fetches http and https: ours on libcurl where it works, else Scrapy's own."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from scrapy.settings import BaseSettings

CURL = "nutchlike.curl.download_handler.CurlDownloadHandler"
ASYNCIO_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
# Settings that only Scrapy's own handler knows: what they must be for ours.
SCRAPYS_ONLY: dict[str, Any] = {
    "DOWNLOADER_CLIENTCONTEXTFACTORY": "SENTINEL",
    "DOWNLOADER_CLIENT_TLS_METHOD": "TLS",
    "DOWNLOADER_CLIENT_TLS_VERBOSE_LOGGING": False,
}


def reason_against_curl(settings: BaseSettings) -> str | None:
    """Return why the crawl that ``settings`` are of cannot download by libcurl; None when it can."""
    if find_spec("pycurl") is None:
        return "pycurl is not installed"
    if settings.getbool("TWISTED_REACTOR_ENABLED") and settings["TWISTED_REACTOR"] != ASYNCIO_REACTOR:
        return f"TWISTED_REACTOR is {settings['TWISTED_REACTOR']}, not asyncio's"
    for name, value in SCRAPYS_ONLY.items():
        if settings[name] != value:
            return f"{name} is set"
    return None
