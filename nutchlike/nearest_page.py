"""Which page of a crawl is most like a given content."""

from __future__ import annotations

from dataclasses import dataclass

from nutchlike.crawl_store import CrawlStore
from nutchlike.signatures.signed_content import SignedContent


@dataclass(frozen=True, slots=True)
class NearestPage:
    """A known page, and how like the content it is: ``same content`` when one of the two would be dropped."""

    url: str
    likeness: str


def nearest_page(store: CrawlStore, signed: SignedContent) -> NearestPage | None:
    """Return the page that owns the content, ``None`` when nobody does; UnreadableRecord when its record is broken."""
    [owner] = store.signatures.owners_of([signed.key])
    url = store.crawldb.url_of(owner) if owner else None
    return None if url is None else NearestPage(url, "same content")
