"""What the crawl yields: a PageItem for each page, and a DeletedItem for one that a search index must lose."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True, repr=False)
class PageItem:
    """One fetched page.

    ``fetch_time`` is epoch seconds; ``score`` is the OPIC cash that the page had when it was leased;
    ``depth`` counts links from the nearest seed (0 = seed); ``signature`` is hex and empty until the
    signature pipeline ran; ``text`` is the visible text and empty for a page that is no HTML.
    ``canonical`` is the absolute rel=canonical URL, or ``None``. ``repr_url`` is the URL that people know the page by
    (urls/representative_url.py) when it is another, which redirects here, or ``None``. ``noarchive``: the page asks
    that no copy of it be shown to others (Nutch: ``caching.forbidden``). ``outlinks`` holds the links that the crawl
    took, and stays empty unless NUTCH_STORE_OUTLINKS asks for them.
    """

    url: str
    title: str = ""
    text: str = ""
    http_status: int = 200
    content_type: str = ""
    fetch_time: int = 0
    signature: str = ""
    score: float = 0.0
    depth: int = 0
    metadata: dict[str, str] = field(default_factory=dict)
    canonical: str | None = None
    repr_url: str | None = None
    noarchive: bool = False
    outlinks: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        """Name the page in one short line: Scrapy logs every item at DEBUG, and a text may be megabytes."""
        return f"<PageItem {self.url} {self.http_status} {self.title[:60]!r} text={len(self.text)} characters>"


@dataclass(slots=True)
class DeletedItem:
    """A page that came out before, and is no page of its own any more (NUTCH_INDEXER_DELETE; Nutch: indexer.delete).

    ``deleted`` says why: gone, redirect, duplicate, orphan, noindex. ``http_status`` is that of an error or a redirect
    which said so, else ``None``; ``time`` is epoch seconds.
    """

    url: str
    deleted: str
    http_status: int | None
    time: int
