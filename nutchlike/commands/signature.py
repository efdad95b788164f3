"""``scrapy signature``: by what pages or files are known, and which page of the crawl has the same content."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings
from w3lib.url import is_url

from nutchlike.content_signer import ContentSigner
from nutchlike.crawl_store import has_store
from nutchlike.nearest_page import NearestPage, nearest_page
from nutchlike.nutch_command import NutchCommand
from nutchlike.page_fetcher import FetchedPage, fetch_pages, read_page
from nutchlike.parsing.page import parse_page, plain_text
from nutchlike.signatures.signature import Signature
from nutchlike.signatures.signed_content import SignedContent
from nutchlike.signatures.text_profile import TextProfileSignature


@dataclass(frozen=True, slots=True)
class SourcePage:
    """What is signed: its address, its title, its text, what gives the main part of that, and its bytes.

    ``is_other``: it is no HTML.
    """

    url: str
    title: str
    text: str
    main_text: Callable[[], str] | None
    content: bytes
    is_other: bool = False


class Command(NutchCommand):
    """One fact a line, or one JSON object a source; exit code 1 when a source cannot be had.

    Nothing of it belongs to the crawl: Scrapy's own scheduler fetches, and the store is only looked at.
    """

    requires_project = True
    default_settings: ClassVar[dict[str, Any]] = {"SCHEDULER": "scrapy.core.scheduler.Scheduler"}

    def syntax(self) -> str:
        return "[--json] [--spider NAME] FILE|URL|- ..."

    def short_desc(self) -> str:
        return "Show the signatures of files and pages, and which page of the crawl has the same content"

    def long_desc(self) -> str:
        return (
            f"{self.short_desc()}. A URL is fetched as by scrapy fetch; - is standard input. A file that is no HTML is "
            "its own text; a page that is none has no text, as in a crawl."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--json", action="store_true", help="print one JSON object a source")
        parser.add_argument("--spider", default="site", help="whose settings, and whose crawl (default: site)")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if not args:
            raise UsageError("give files, URLs, or - for standard input")
        settings = self.settings_of(opts.spider)
        try:
            signer = ContentSigner(settings)
        except ValueError as error:
            raise UsageError(str(error), print_help=False) from error
        pages = self._fetch([arg for arg in args if is_url(arg)], opts.spider)
        pages |= self._read([arg for arg in args if not is_url(arg)])
        pages = {arg: pages[arg] for arg in args if arg in pages}
        signed = [_sign(signer, page) for page in pages.values()]
        nearest = self._nearest(signed, settings, opts.spider)
        with self.output():
            for number, ((arg, page), content) in enumerate(zip(pages.items(), signed, strict=True)):
                facts = {"source": arg} | _signed_facts(signer.signature, page, content)
                facts |= {"crawl_found": nearest is not None} | _nearest_facts(nearest[number] if nearest else None)
                if opts.json:
                    print(json.dumps(facts, ensure_ascii=False))
                else:
                    print(*[""] * bool(number), *_lines(facts), sep="\n")

    def _read(self, names: Sequence[str]) -> dict[str, SourcePage]:
        """Return what is in files, by their names; say which cannot be read."""
        pages = {}
        for name in names:
            try:
                page = read_page(name)
            except OSError as error:
                self.complain(f"{name}: cannot be read: {error.strerror or error}")
                continue
            source = _source_page(page)
            pages[name] = replace(source, text=plain_text(page.body)) if source.is_other else source
        return pages

    def _fetch(self, urls: Sequence[str], spider: str) -> dict[str, SourcePage]:
        """Return the pages of URLs, by these; say which cannot be had."""
        assert self.crawler_process is not None
        pages, failures = fetch_pages(self.crawler_process, urls, spider=spider)
        for url, reason in failures.items():
            self.complain(f"{url}: cannot be fetched: {reason}")
        return {url: _source_page(page) for url, page in pages.items()}

    def _nearest(
        self, signed: Sequence[SignedContent], settings: BaseSettings, spider: str
    ) -> list[NearestPage | None] | None:
        """Return for each content the known page that is most like it; ``None`` when there is no crawl."""
        if not (signed and has_store(settings)):
            return None
        try:
            with self.opened_store(settings, spider) as store:
                if store.crawldb.counts().known:
                    return [nearest_page(store, content) for content in signed]
        except UsageError as error:
            print(error, file=sys.stderr)
        return None


def _source_page(page: FetchedPage) -> SourcePage:
    parsed = parse_page(page.body, url=page.url, content_type=page.content_type)
    if parsed is None:
        return SourcePage(page.url, "", "", None, page.body, is_other=True)
    return SourcePage(page.url, parsed.title, parsed.text, parsed.main_text, page.body)


def _sign(signer: ContentSigner, page: SourcePage) -> SignedContent:
    return signer.sign(text=page.text, main_text=page.main_text, title=page.title, content=page.content, url=page.url)


def _signed_facts(signature: Signature, page: SourcePage, content: SignedContent) -> dict[str, Any]:
    profile = None
    if isinstance(signature, TextProfileSignature) and page.text:
        profile = signature.profile(page.text).splitlines()
    return {
        "url": page.url,
        "signature_class": type(signature).__name__,
        "signature": content.signature.hex(),
        "dedup_key": content.key.hex(),
        "profile": profile,
    }


def _nearest_facts(nearest: NearestPage | None) -> dict[str, Any]:
    if nearest is None:
        return {"nearest_page": None, "likeness": None}
    return {"nearest_page": nearest.url, "likeness": nearest.likeness}


def _lines(facts: dict[str, Any]) -> Iterator[str]:
    """Yield the facts as lines of text: name, colon, value; the profile last, its lines behind tabs."""
    yield f"source: {facts['source']}"
    yield f"signature: {facts['signature']} ({facts['signature_class']})"
    yield f"dedup key: {facts['dedup_key']}"
    if not facts["crawl_found"]:
        yield "nearest known page: no crawl was found"
    elif facts["nearest_page"] is None:
        yield "nearest known page: none"
    else:
        yield f"nearest known page: {facts['nearest_page']} ({facts['likeness']})"
    if facts["profile"] is not None:
        yield f"profile: {len(facts['profile'])} words"
        yield from (f"\t{line}" for line in facts["profile"])
