"""Page: a leased page between its lease and its completion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from scrapy import Request

from nutchlike.crawldatum import CANONICAL_METADATA, REDIRECT_METADATA, REPR_METADATA, DbStatus
from nutchlike.delivered import OUT_METADATA
from nutchlike.fetch_failure import FAILURE_METADATA
from nutchlike.fetch_schedules.fetch_schedule import CHANGES_METADATA, Outcome
from nutchlike.parsing.html import Outlink
from nutchlike.request_meta import PAGE
from nutchlike.scoring.scoring_filter import ScoredPage
from nutchlike.store.lease import Lease
from nutchlike.store.stored_url import StoredURL

COPIES_METADATA = "_copies_"  # how many pages in a row, on the way to a page, repeated another's content
# Kept for the crawl itself: no item has them.
OWN_METADATA = {
    CHANGES_METADATA,
    COPIES_METADATA,
    FAILURE_METADATA,
    OUT_METADATA,
    REDIRECT_METADATA,
    REPR_METADATA,
    CANONICAL_METADATA,
}


@dataclass(slots=True, eq=False)
class Page:
    """What is known of a page in progress.

    From the lease: ``started``, its epoch second; ``granted``, when its host's clock gave it leave to be sent, ``None``
    once that was used; ``is_recrawled``, whether the page is fetched again when it is due (a
    request with a callback or a body of its own is not); ``dont_filter``, the stored request's, whatever a retry made
    of it; ``redirect_times``, the hops that led here.
    From its fetch: ``is_conditional``, its server is asked whether it has changed; ``validators``, by which it can be
    asked so the next time (validators.py); ``content``, the response body, for pipelines that sign it;
    ``content_type``, its type in small letters, "" for none; ``text``, as its parser found it, and ``main_text``, which
    gives its main part; ``signature``, ``key`` (the dedup key)
    and ``sketch`` (for near duplicates), which they made of it; ``is_noindex``, it asks not to be indexed;
    ``is_unsigned``, for that, or because it is empty, its content is not compared, and it owns none;
    ``links``, what its parser found; ``outlinks`` by url
    id, those that are taken, and ``anchors``, their texts where they have one; ``scored``, what its links are judged
    by; ``canonical``, the normalized URL that it names as its canonical one, "" for none or its own, ``None`` while
    that is not known; ``items`` that went to the pipelines, ``open_items`` of them not out yet; ``exhausted``, the
    callback has given all.
    ``sent``: a request for it has gone out; ``held_until``, an epoch second: its host may not be asked before.
    ``better_than``: the record key of the page whose content it took over.
    In the end: ``redirects_to``, "" when it does not, and ``http_status`` of that, 0 = none; ``outcome``; ``failure``,
    why it could not be had, "" for a page that was; ``done``, ready to be acknowledged, or as soon as its deletion is
    out; ``is_untold``, an item pipeline failed on that; ``withheld``, it must not be. ``forsaken``: at the last look no
    request in progress belonged to it.
    """

    lease: Lease
    started: float
    granted: float | None = None
    is_recrawled: bool = True
    dont_filter: bool = False
    redirect_times: int = 0
    sent: bool = False
    held_until: float = 0.0
    is_conditional: bool = False
    validators: bytes = b""
    content: bytes = b""
    content_type: str = ""
    signature: bytes | None = None
    key: bytes | None = None
    sketch: bytes | None = None
    better_than: bytes | None = None
    is_noindex: bool = False
    is_unsigned: bool = False
    links: Sequence[Outlink] = ()
    text: str = ""
    main_text: Callable[[], str] | None = None
    outlinks: dict[bytes, StoredURL] = field(default_factory=dict)
    scored: ScoredPage | None = None
    anchors: dict[bytes, str] = field(default_factory=dict)
    items: list[Any] = field(default_factory=list)
    open_items: int = 0
    exhausted: bool = False
    canonical: str | None = None
    redirects_to: str = ""
    http_status: int = 0
    outcome: Outcome | None = None
    failure: str = ""
    done: bool = False
    is_untold: bool = False
    withheld: bool = False
    forsaken: bool = False

    @property
    def url(self) -> str:
        return self.lease.datum.url

    @property
    def metadata(self) -> dict[str, str]:
        """The page's metadata, but for what the crawl keeps there for itself."""
        return {name: text for name, text in self.lease.datum.metadata.items() if name not in OWN_METADATA}

    @property
    def has_own_content(self) -> bool:
        """Whether the content that the record has was the page's own, and no other page's."""
        return self.lease.datum.db_status is not DbStatus.DB_DUPLICATE

    @property
    def repr_url(self) -> str | None:
        """The URL that stands for the page, which redirects to it; ``None`` when its own does."""
        return self.lease.datum.metadata.get(REPR_METADATA) or None

    @property
    def notes(self) -> dict[str, str | None]:
        """What has changed of that which the crawl keeps in the metadata for itself, of a page that had an answer.

        ``None`` = it is no more.
        """
        found = {REDIRECT_METADATA: self.redirects_to}
        if self.canonical is not None:
            found[CANONICAL_METADATA] = self.canonical
        before = self.lease.datum.metadata
        return {name: text or None for name, text in found.items() if text != before.get(name, "")}

    def add_outlinks(self, urls: Iterable[StoredURL]) -> None:
        """Note outlinks; a link to the page itself and a repeated one do not count."""
        for url in urls:
            if url.id != self.lease.id:
                self.outlinks.setdefault(url.id, url)


def page_of(response: Any) -> Page | None:
    """Return the page that a response, a failure or a request belongs to, or ``None``."""
    request = response if isinstance(response, Request) else getattr(response, "request", None)
    return request.meta.get(PAGE) if isinstance(request, Request) else None


def put_off(page: Page, request: Request, *, until: float) -> Request:
    """Return what a downloader middleware gives back so that ``page`` waits in the scheduler until an epoch second."""
    page.held_until = until
    return request.copy()
