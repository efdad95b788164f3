"""Asks servers whether a page has changed before they send it again (ETag, Last-Modified)."""

from __future__ import annotations

import time

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response

from nutchlike.checked_settings import get_bool, skips_notmodified
from nutchlike.content_signer import signing_word
from nutchlike.crawldatum import DbStatus
from nutchlike.fetch_errors import NotModified
from nutchlike.page import page_of
from nutchlike.plugins import build_scoring_chain
from nutchlike.validators import conditional_headers, kept_validators

HAS_ITS_CONTENT = {DbStatus.DB_FETCHED, DbStatus.DB_NOTMODIFIED}
CONDITIONS = ("If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range", "Range")


class ConditionalGetMiddleware:
    """Stands next to the engine: what other middlewares make of a 304 (a page from a cache, say) comes first.

    Only a page that the record has the signature of is asked for so: not a duplicate, one whose last fetch failed, or
    one that is to be fetched anew. A request with a condition of its own, or one for no page, is left alone.

    A 304 brings no links. So it is off where a page is an orphan without them, and where unchanged pages go to the
    pipelines (unless NUTCH_STRICT).
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        if not get_bool(settings, "NUTCH_HTTP_ENABLE_IF_MODIFIED_SINCE_HEADER"):
            raise NotConfigured("NUTCH_HTTP_ENABLE_IF_MODIFIED_SINCE_HEADER is off")
        if not (skips_notmodified(settings) or get_bool(settings, "NUTCH_STRICT")):
            raise NotConfigured("NUTCH_INDEXER_SKIP_NOTMODIFIED is off: unchanged pages are needed, too")
        if build_scoring_chain(settings).needs_link_times:
            raise NotConfigured("a scoring filter needs to see the links of unchanged pages")
        self._signed_as = signing_word(settings)
        self._stats = crawler.stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ConditionalGetMiddleware:
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Make the request of a page that was fetched before a conditional one."""
        page = page_of(request)
        if page is None or page.done or not page.is_recrawled:
            return
        before = page.lease.datum
        if not before.validators or before.signature is None or before.db_status not in HAS_ITS_CONTENT:
            return
        if any(name in request.headers for name in CONDITIONS):
            return
        headers = conditional_headers(before.validators, signed_as=self._signed_as)
        request.headers.update(headers)
        if headers:
            page.is_conditional = True
            self._stats.inc_value("nutch/conditional/asked")

    def process_response(self, request: Request, response: Response) -> Response:
        """Note by what the page can be asked for the next time; raise NotModified for the 304 that was asked for."""
        page = page_of(request)
        if page is None or page.done:
            return response
        if response.status == 304 and page.is_conditional:
            self._stats.inc_value("nutch/conditional/notmodified")
            raise NotModified(page.url)
        if response.status == 200:
            headers = response.headers
            page.validators = kept_validators(
                headers.get("ETag"), headers.get("Last-Modified"), signed_as=self._signed_as, now=time.time()
            )
        return response
