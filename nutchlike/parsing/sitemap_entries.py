"""What a sitemap says of a URL, checked."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import urlsplit

from nutchlike.parsing.written_dates import read_date

URL_MAX = 4096  # characters; the protocol allows 2,048
NEVER = 2**31 - 1  # seconds that changefreq "never" stands for: the longest interval that a record can have
CHANGEFREQ_SECONDS = {
    "always": 0,
    "hourly": 3_600,
    "daily": 86_400,
    "weekly": 604_800,
    "monthly": 2_592_000,
    "yearly": 31_536_000,
    "never": NEVER,
}
_NUMBER = re.compile(r"\+?(?:[0-9]+\.?[0-9]*|\.[0-9]+)")
_IGNORED_IN_URLS = str.maketrans("", "", "\t\n\r")  # as browsers do (WHATWG URL, 4.4)
_CONTROL = re.compile("[\x00-\x1f\x7f]")
_SHOWN_LENGTH = 200


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """A page: ``lastmod`` in epoch seconds, ``changefreq`` in seconds, ``priority`` from 0 to 1.

    Each of the three is ``None`` when the sitemap does not say it, or not as the protocol wants it.
    """

    url: str
    lastmod: int | None = None
    changefreq: int | None = None
    priority: float | None = None


@dataclass(frozen=True, slots=True)
class SitemapLink:
    """A sitemap that an index lists; ``lastmod`` in epoch seconds, or ``None``."""

    url: str
    lastmod: int | None = None


@dataclass(frozen=True, slots=True)
class SitemapReject:
    """A page or sitemap that was listed and is not taken, and why."""

    url: str
    reason: str


Listed = SitemapEntry | SitemapLink | SitemapReject


def entry_of(fields: dict[str, str], *, hosts: Collection[str] | None) -> SitemapEntry | SitemapReject:
    """Return the page that ``loc``, ``lastmod``, ``changefreq`` and ``priority`` describe; see ``refusal``."""
    url = _url(fields)
    reason = refusal(url, hosts)
    if reason:
        return SitemapReject(url[:_SHOWN_LENGTH], reason)
    return SitemapEntry(
        url,
        lastmod=read_date(fields.get("lastmod", "")),
        changefreq=CHANGEFREQ_SECONDS.get(fields.get("changefreq", "").strip().lower()),
        priority=read_priority(fields.get("priority", "")),
    )


def link_of(fields: dict[str, str], *, hosts: Collection[str] | None) -> SitemapLink | SitemapReject:
    """Return the sitemap that ``loc`` and ``lastmod`` of an index describe; see ``refusal``."""
    url = _url(fields)
    reason = refusal(url, hosts)
    if reason:
        return SitemapReject(url[:_SHOWN_LENGTH], reason)
    return SitemapLink(url, lastmod=read_date(fields.get("lastmod", "")))


def _url(fields: dict[str, str]) -> str:
    return fields.get("loc", "").strip().translate(_IGNORED_IN_URLS)


def refusal(url: str, hosts: Collection[str] | None) -> str | None:
    """Return why a sitemap may not list ``url``, or ``None``: it must be absolute, and on one of ``hosts``.

    ``hosts`` are names in small letters, ``None`` for any. Ports and the difference between http and https do not
    count. Nutch also wants the URL below the sitemap's folder; many sites break that, so it is not asked for here.
    Source: sitemaps.org, protocol, "Sitemap file location" and "Sitemaps & Cross Submits".
    """
    if not url:
        return "the entry has no URL"
    if len(url) > URL_MAX:
        return f"a URL must have at most {URL_MAX} characters"
    if "\ufffd" in url or _CONTROL.search(url):
        return "a URL must be text in the sitemap's encoding without control characters"
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError as error:
        return f"it is no URL: {error}"
    if parts.scheme not in ("http", "https") or not host:
        return "a URL must be complete, from http:// or https:// on"
    if hosts is not None and host not in hosts:
        return f"its host is none that the sitemap may speak for ({', '.join(sorted(hosts)[:3])})"
    return None


def read_priority(text: str) -> float | None:
    """Return a priority from 0 to 1, or ``None`` for anything else."""
    text = text.strip()
    if not _NUMBER.fullmatch(text):
        return None
    priority = float(text)
    return priority if priority <= 1 else None
