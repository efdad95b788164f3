"""Requests on their way into the store and out of it."""

from __future__ import annotations

import logging
import os
from functools import lru_cache

import mmh3
from scrapy import Request, Spider
from scrapy.crawler import Crawler

from nutchlike.checked_settings import get_bool
from nutchlike.plugins import SCOPE_OUTLINK, build_plugins, build_url_chain
from nutchlike.request_codec import decode_request, encode_request, is_plain
from nutchlike.request_meta import freed, make_link_text_plain
from nutchlike.store.lease import Lease
from nutchlike.store.stored_url import StoredURL
from nutchlike.urls.chain import URLChain
from nutchlike.urls.identity import url_id
from nutchlike.urls.scope import LinkScope

logger = logging.getLogger(__name__)
RULES_COUNTED = 200  # rules with a counter of their own; further ones share one
PLAIN_CACHED = 20_000  # links whose StoredURL is remembered, with its host and path
SHOWN = 10  # refused requests that the log names; the rest is counted


class StoredRequests:
    """Judges URLs, and turns requests into what the store keeps and back."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._chain = build_url_chain(crawler.settings, scope=SCOPE_OUTLINK)
        self._rules: set[str] = set()
        get_bool(crawler.settings, "NUTCH_DB_IGNORE_EXTERNAL_LINKS")  # names the setting when it is no boolean
        self._scope = LinkScope.from_settings(crawler.settings)
        self._refused = 0
        self.plain = lru_cache(maxsize=PLAIN_CACHED)(StoredURL.plain)  # pages of a host share most links

    def accept(self, url: str, *, source: str | None) -> str | None:
        """Return the normalized URL, or ``None`` when a rule rejects it.

        ``source`` is the page that links to it, ``None`` for a start request.
        """
        verdict = self._chain.judge(url)
        if verdict.url is None:
            self._count_rejected(verdict.rule)
            logger.debug("Rejected %s: %s", url[:200], verdict.reason)
        elif source is not None and not self._scope.accepts(source, verdict.url):
            self._count("urls/external")
            logger.debug("Rejected %s: another site than %s", url[:200], source[:200])
            return None
        return verdict.url

    def normalized(self, url: str) -> str | None:
        """Return the normalized form of ``url``, whatever the filters say; ``None`` when it is no URL."""
        return self._chain.normalized(url)

    def to_store(self, request: Request, *, source: str | None) -> StoredURL | None:
        """Return what the store keeps of ``request``, or ``None`` when it is rejected by a rule or cannot be stored.

        A plain GET is a page of the CrawlDb: every rule holds for it. Any other request is what its spider wants: no
        rule touches it. It is identified by its normalized URL, and by method and body where it has them; one that
        must not be filtered (``dont_filter``) always counts as new, and is forgotten when it is done.
        """
        request = freed(request)
        make_link_text_plain(request)
        if is_plain(request, spider=self._spider):
            url = self.accept(request.url, source=source)
            return self.plain(url) if url is not None else None
        try:
            url = self._chain.normalized(request.url) or request.url
            data = encode_request(request, spider=self._spider)
            key = os.urandom(8) if request.dont_filter else request_id(request, url)
            stored = StoredURL(url, key, request=data, priority=request.priority, once=request.dont_filter)
            stored.place()  # ValueError for what has no host: file:, data:
        except ValueError as error:
            self._refuse(f"{request}: {error}")
            return None
        return stored

    def from_lease(self, lease: Lease) -> Request:
        """Return the request that fetches a leased URL; ValueError when what was stored cannot be used any more."""
        if lease.request:
            return decode_request(lease.request, spider=self._spider)
        return Request(lease.datum.url)

    def _refuse(self, reason: str) -> None:
        """Say loudly that a request cannot be stored; the first are named, a flood is counted."""
        self._count("scheduler/refused")
        self._refused += 1
        if self._refused <= SHOWN:
            logger.error("Refused: %s", reason, extra={"spider": self._spider})

    def _count_rejected(self, rule: str) -> None:
        self._count("urls/rejected")
        if len(self._rules) < RULES_COUNTED:
            self._rules.add(rule)
        self._count(f"urls/rejected/{rule if rule in self._rules else 'other'}")

    def _count(self, what: str) -> None:
        self._crawler.stats.inc_value(f"nutch/{what}")

    @property
    def _spider(self) -> Spider:
        assert self._crawler.spider is not None
        return self._crawler.spider


def request_id(request: Request, url: str) -> bytes:
    """Return the 8-byte identity of a request for the normalized ``url``: for a GET without body that of the URL."""
    if request.method == "GET" and not request.body:
        return url_id(url)
    data = b"\0".join([request.method.encode(), url.encode(), request.body])
    return mmh3.hash64(data, signed=False)[0].to_bytes(8, "little")


class RequestFingerprinter:
    """Scrapy's fingerprint by the identity that the CrawlDb uses (REQUEST_FINGERPRINTER_CLASS)."""

    def __init__(self, crawler: Crawler) -> None:
        self._chain = URLChain(build_plugins(crawler.settings, "NUTCH_URL_NORMALIZERS"), (), max_length=-1)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RequestFingerprinter:
        return cls(crawler)

    def fingerprint(self, request: Request) -> bytes:
        """Return 8 bytes; a URL that no normalizer takes is identified as it stands."""
        return request_id(request, self._chain.normalized(request.url) or request.url)
