"""What a page's rel=canonical means for the crawl."""

from __future__ import annotations

from scrapy.settings import BaseSettings

from nutchlike.checked_settings import get_bool, get_words
from nutchlike.crawldatum import CANONICAL_METADATA, CrawlDatum
from nutchlike.page import Page
from nutchlike.store.crawldb import CrawlDb
from nutchlike.store.trail import leads_to
from nutchlike.urls.scope import LinkScope

STEPS_MAX = 5  # from a page to its canonical one, and on to that one's


class CanonicalUrls:
    """Believes a page no more than its content says: only of two with the same is one the other's canonical page.

    ``follows``: the URL that a page names is one of its links; ``keeps``: of two copies the one that the other names is
    kept. Only URLs of the page's own site count (NUTCH_DB_IGNORE_EXTERNAL_LINKS_MODE), unless
    NUTCH_CANONICAL_OTHER_SITES says otherwise.
    """

    def __init__(self, settings: BaseSettings) -> None:
        obeyed = get_words(settings, "NUTCH_CANONICAL_OBEY")
        self.follows, self.keeps = "follow" in obeyed, "keep" in obeyed
        is_open = get_bool(settings, "NUTCH_CANONICAL_OTHER_SITES")
        self._scope = LinkScope(None if is_open else settings["NUTCH_DB_IGNORE_EXTERNAL_LINKS_MODE"])

    def other(self, page_url: str, url: str | None) -> str:
        """Return ``url``, the normalized canonical one of a page, when it is another that counts, else ""."""
        return url if url and url != page_url and self._scope.accepts(page_url, url) else ""

    def better(self, page: Page, owner: CrawlDatum, crawldb: CrawlDb, *, named: str | None) -> int:
        """Return a positive number when ``page`` is the canonical one of ``owner``, which has the same content.

        A negative one the other way round, 0 when neither is. ``named`` is what the owner names when that is not stored
        yet. A page that names another is nobody's canonical page: two that name each other are equals.
        """
        if not self.keeps:
            return 0
        if page.canonical:
            return -1 if page.canonical == owner.url else 0
        first = named if named is not None else owner.metadata.get(CANONICAL_METADATA, "")
        is_named = first == page.url or leads_to(
            crawldb, first, by=CANONICAL_METADATA, to=page.url, steps_max=STEPS_MAX - 1
        )
        return 1 if is_named else 0
