"""What a page that redirects hands on to its target."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from scrapy import Request

from nutchlike.crawldatum import REPR_METADATA
from nutchlike.fetch_schedules.fetch_schedule import Outcome
from nutchlike.page import COPIES_METADATA, Page
from nutchlike.store.codec import encode_metadata
from nutchlike.store.stored_url import StoredURL
from nutchlike.urls.representative_url import choose_repr

PERMANENT = frozenset({301, 308})
REDIRECTS = PERMANENT | {302, 303, 307}
REDIRECT_META = {"depth", "redirect_times", "redirect_ttl", "redirect_urls", "redirect_reasons", "retry_times"}


def redirect_outcome(reason: Any) -> Outcome:
    """Return how a page ended for Scrapy's reason of a redirect, an HTTP status or ``meta refresh``."""
    return Outcome.REDIR_PERM if reason in PERMANENT else Outcome.REDIR_TEMP


def redirected(page: Page, request: Request, *, url: str) -> Request:
    """Return ``request``, to where ``page`` redirects, without what the downloader made of it.

    The target of a page that is fetched again when it is due is such a page, too, and asked for by its normalized
    ``url``.
    """
    if page.is_recrawled:
        meta = {name: value for name, value in request.meta.items() if name in REDIRECT_META}
        headers = {"Referer": referer} if (referer := request.headers.get("Referer")) else None
        return Request(url, meta=meta, headers=headers, priority=request.priority)
    # a retry has set dont_filter, and a slot is the name of the host that sent us away
    request.dont_filter = page.dont_filter
    for name in ("download_slot", "download_latency"):
        request.meta.pop(name, None)
    return request


def fetches_a_page(request: Request) -> bool:
    """Return whether a stored request is a plain GET but for the redirect that led to it."""
    own = request.callback or request.body or request.cb_kwargs or request.cookies or request.dont_filter
    headers = set(request.headers) - {b"Referer"}
    return request.method == "GET" and not own and not headers and set(request.meta) <= REDIRECT_META


def inheriting(target: StoredURL, page: Page) -> StoredURL:
    """Return ``target`` with the metadata of ``page``, which redirects there, and the URL that stands for both."""
    metadata = page.metadata
    if copies := page.lease.datum.metadata.get(COPIES_METADATA):
        metadata[COPIES_METADATA] = copies
    is_temporary = page.outcome is Outcome.REDIR_TEMP
    repr_url = choose_repr(page.repr_url or page.url, target.url, is_temporary=is_temporary)
    if repr_url != target.url:
        metadata[REPR_METADATA] = repr_url
    return replace(target, metadata=encode_metadata(metadata))
