"""ParseReport: what a crawl would make of a page (``scrapy parsecheck``)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scrapy.settings import BaseSettings

from nutchlike.canonical_urls import CanonicalUrls
from nutchlike.checked_settings import get_int, get_words, robots_directives
from nutchlike.content_signer import ContentSigner
from nutchlike.page_fetcher import FetchedPage
from nutchlike.parsing.encoding import found_encoding
from nutchlike.parsing.html import Outlink, ParsedPage
from nutchlike.parsing.link_header import canonical_of_headers
from nutchlike.parsing.page import parse_page
from nutchlike.plugins import SCOPE_OUTLINK, build_url_chain
from nutchlike.signatures.signed_content import SignedContent
from nutchlike.urls.scope import LinkScope


@dataclass(frozen=True, slots=True)
class LinkVerdict:
    """What becomes of a link: ``kept`` is the URL that is followed, ``None`` for a ``reason``; ``url`` is as found."""

    url: str
    kept: str | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ParseReport:
    """What a page says, and what a crawl with the same settings would make of it.

    ``canonical`` is the absolute URL of its head or its Link header, ``None`` without one. ``charset`` and
    ``charset_source`` are "" for a page that is no HTML; ``parsed`` is ``None`` then.
    """

    page: FetchedPage
    charset: str
    charset_source: str
    parsed: ParsedPage | None
    canonical: str | None
    directives: frozenset[str]
    outlinks: tuple[LinkVerdict, ...]
    signature_class: str
    signature: str
    dedup_key: str


class PageChecker:
    """Makes reports by the rules of a crawl."""

    def __init__(self, settings: BaseSettings) -> None:
        """Raise ValueError, naming setting and value, for one that cannot be used."""
        self._robots = robots_directives(settings)
        self._rels = frozenset(get_words(settings, "NUTCH_LINKS_NOT_FOLLOWED"))
        self._chain = build_url_chain(settings, scope=SCOPE_OUTLINK)
        self._scope = LinkScope.from_settings(settings)
        self._canonical = CanonicalUrls(settings)
        self._links_max = get_int(settings, "NUTCH_DB_MAX_OUTLINKS_PER_PAGE")
        self._signer = ContentSigner(settings)

    def report(self, page: FetchedPage) -> ParseReport:
        """Return what becomes of ``page`` and of its links."""
        parsed = parse_page(
            page.body, url=page.url, content_type=page.content_type, robots_names=self._robots.meta_names
        )
        canonical = (parsed.canonical if parsed else None) or canonical_of_headers(page.link_headers, url=page.url)
        directives = self._robots.read(parsed.robots if parsed else (), page.robots_tags)
        encoding = found_encoding(page.body, page.content_type) if parsed else None
        signed = self._signed(page, parsed) if page.body else None
        return ParseReport(
            page=page,
            charset=encoding.name if encoding else "",
            charset_source=encoding.source if encoding else "",
            parsed=parsed,
            canonical=canonical,
            directives=directives,
            outlinks=tuple(self._verdicts(page, parsed, canonical, is_nofollow="nofollow" in directives)),
            signature_class=type(self._signer.signature).__name__,
            signature=signed.signature.hex() if signed else "",
            dedup_key=signed.key.hex() if signed else "",
        )

    def _signed(self, page: FetchedPage, parsed: ParsedPage | None) -> SignedContent:
        return self._signer.sign(
            text=parsed.text if parsed else "",
            main_text=parsed.main_text if parsed else None,
            title=parsed.title if parsed else "",
            content=page.body,
            url=page.url,
        )

    def _verdicts(
        self, page: FetchedPage, parsed: ParsedPage | None, canonical: str | None, *, is_nofollow: bool
    ) -> Iterator[LinkVerdict]:
        kept: set[str] = set()
        accepted = 0
        own = self._chain.normalized(page.url) or page.url
        for link in self._links(parsed, canonical, own):
            if is_nofollow and link.url != canonical:
                yield LinkVerdict(link.url, None, "the page says nofollow")
                continue
            url, reason = self._judge(link, own)
            accepted += url is not None
            if url is None:
                yield LinkVerdict(link.url, None, reason)
            elif 0 <= self._links_max < accepted:
                reason = f"behind the first {self._links_max} links (NUTCH_DB_MAX_OUTLINKS_PER_PAGE)"
                yield LinkVerdict(link.url, None, reason)
            elif url == own:
                yield LinkVerdict(link.url, None, "the page itself")
            elif url in kept:
                yield LinkVerdict(link.url, None, f"a link to {url} stands before")
            else:
                kept.add(url)
                yield LinkVerdict(link.url, url)

    def _links(self, parsed: ParsedPage | None, canonical: str | None, own: str) -> list[Outlink]:
        """Return the links of page ``own`` in their order: its canonical URL, those of its body, where it refreshes."""
        links = list(parsed.outlinks) if parsed else []
        if parsed and parsed.refresh is not None:
            links.append(Outlink(parsed.refresh))
        if canonical is None or not self._canonical.follows or any(link.url == canonical for link in links):
            return links
        counts = self._canonical.other(own, self._chain.normalized(canonical))
        return [Outlink(canonical), *links] if counts else links

    def _judge(self, link: Outlink, own: str) -> tuple[str | None, str]:
        """Return the URL that a link of page ``own`` leads to, or ``None`` and why a crawl does not take it."""
        if rels := sorted(link.rel & self._rels):
            return None, f"rel {' '.join(rels)}"
        verdict = self._chain.judge(link.url)
        if verdict.url is None:
            return None, verdict.reason
        if not self._scope.accepts(own, verdict.url):
            return None, "another site (NUTCH_DB_IGNORE_EXTERNAL_LINKS)"
        return verdict.url, ""
