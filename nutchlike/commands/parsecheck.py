"""``scrapy parsecheck``: what a crawl would make of one page (Nutch: parsechecker)."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any, ClassVar

from scrapy.exceptions import UsageError
from w3lib.url import file_uri_to_path, is_url

from nutchlike.nutch_command import NutchCommand
from nutchlike.page_fetcher import FetchedPage, fetch_pages, read_page
from nutchlike.parse_report import PageChecker, ParseReport
from nutchlike.parsing.content import media_type


class Command(NutchCommand):
    """One fact a line, then the links, or one JSON object; exit code 1 when the page cannot be had or is no HTML.

    Nothing of it belongs to the crawl: Scrapy's own scheduler fetches, and no store is opened.
    """

    requires_project = True
    default_settings: ClassVar[dict[str, Any]] = {"SCHEDULER": "scrapy.core.scheduler.Scheduler"}

    def syntax(self) -> str:
        return "[--text] [--json] [--spider NAME] URL|FILE|-"

    def short_desc(self) -> str:
        return "Show what the crawl would make of a page: text, directives, and which links it would follow"

    def long_desc(self) -> str:
        return f"{self.short_desc()}. A URL is fetched as by scrapy fetch; a file may also be given as file://."

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--text", action="store_true", help="show the page's text, too")
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument("--spider", default="site", help="whose settings (default: site)")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) != 1:
            raise UsageError("give one URL, one file, or - for standard input")
        try:
            checker = PageChecker(self.settings_of(opts.spider))
        except ValueError as error:
            raise UsageError(str(error), print_help=False) from error
        page = self._page(args[0], opts.spider)
        if page is None:
            return
        report = checker.report(page)
        facts = {"source": args[0]} | _facts(report)
        if opts.text or opts.json:
            facts["text"] = report.parsed.text if report.parsed else ""
        with self.output():
            if opts.json:
                print(json.dumps(facts, ensure_ascii=False))
            else:
                print(*_lines(facts), sep="\n")
        if report.parsed is None:
            kind = media_type(page.content_type) or "no Content-Type"
            self.complain(f"{args[0]}: is no HTML ({kind}): a crawl keeps it without title, text and links")

    def _page(self, source: str, spider: str) -> FetchedPage | None:
        """Return the page; ``None``, when it cannot be had, after that is said."""
        is_file_url = source.startswith("file://")
        if is_file_url or "://" not in source:
            try:
                return read_page(file_uri_to_path(source) if is_file_url else source)
            except OSError as error:
                self.complain(f"{source}: cannot be read: {error.strerror or error}")
                return None
        if not is_url(source):
            self.complain(f"{source}: must be an http, https or file URL, or the name of a file")
            return None
        assert self.crawler_process is not None
        pages, failures = fetch_pages(self.crawler_process, [source], spider=spider)
        for url, reason in failures.items():
            self.complain(f"{url}: cannot be fetched: {reason}")
        return pages.get(source)


def _facts(report: ParseReport) -> dict[str, Any]:
    page, parsed = report.page, report.parsed
    return {
        "url": page.url,
        "http_status": page.http_status,
        "content_type": page.content_type or None,
        "bytes": len(page.body),
        "charset": report.charset or None,
        "charset_source": report.charset_source or None,
        "title": parsed.title if parsed else "",
        "text_length": len(parsed.text) if parsed else 0,
        "canonical": report.canonical,
        "refresh": parsed.refresh if parsed else None,
        "directives": sorted(report.directives),
        "signature_class": report.signature_class,
        "signature": report.signature or None,
        "dedup_key": report.dedup_key or None,
        "outlinks": [{"url": link.url, "kept": link.kept, "reason": link.reason} for link in report.outlinks],
    }


def _lines(facts: dict[str, Any]) -> Iterator[str]:
    """Yield the facts as lines of text: name, colon, value; then the links, with tabs between their parts."""
    yield f"source: {facts['source']}"
    yield f"url: {facts['url']}"
    yield f"http status: {'none' if facts['http_status'] is None else facts['http_status']}"
    yield f"content type: {facts['content_type'] or 'none'}"
    yield f"bytes: {facts['bytes']}"
    source = f" ({facts['charset_source']})" if facts["charset"] else ""
    yield f"charset: {facts['charset'] or 'none'}{source}"
    yield f"title: {facts['title']}"
    yield f"text: {facts['text_length']} characters"
    if "text" in facts:
        yield f"\t{facts['text']}"
    yield f"canonical: {facts['canonical'] or 'none'}"
    yield f"refresh: {facts['refresh'] or 'none'}"
    yield f"directives: {', '.join(facts['directives']) or 'none'}"
    yield f"signature: {facts['signature'] or 'none'} ({facts['signature_class']})"
    yield f"dedup key: {facts['dedup_key'] or 'none'}"
    links = facts["outlinks"]
    yield f"outlinks: {len(links)}, of which {sum(link['kept'] is not None for link in links)} are followed"
    for link in links:
        if link["kept"] is not None:
            yield f"\tfollowed\t{link['url']}\t{link['kept']}"
        else:
            yield f"\tleft\t{link['url']}\t{link['reason']}"
