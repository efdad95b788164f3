"""``scrapy readlinkdb``: which pages link to a page, and which it links to (Nutch: readlinkdb)."""

from __future__ import annotations

import argparse

from scrapy.exceptions import UsageError

from nutchlike.crawl_store import CrawlStore
from nutchlike.nutch_command import NutchCommand
from nutchlike.plugins import build_url_chain

UNKNOWN = "-"  # in place of a URL that is not known any more


class Command(NutchCommand):
    """One line a link: the other page's URL, tab, the link's text; exit code 1 when a URL has no link to show."""

    requires_project = True

    def syntax(self) -> str:
        return "[--outlinks] [--spider NAME] URL ..."

    def short_desc(self) -> str:
        return "Show the links to a page with their texts, or those of a page"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--outlinks", action="store_true", help="the links of the page, in its order")
        parser.add_argument("--spider", default="site", help="whose crawl (default: site)")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if not args:
            raise UsageError("give URLs")
        settings = self.settings_of(opts.spider)
        try:
            chain = build_url_chain(settings)
        except ValueError as error:
            raise UsageError(str(error), print_help=False) from error
        with self.opened_store(settings, opts.spider) as store:
            for url in args:
                self._show(store, chain.normalized(url) or url, outlinks=opts.outlinks)

    def _show(self, store: CrawlStore, url: str, *, outlinks: bool) -> None:
        links = _outlinks(store, url) if outlinks else _inlinks(store, url)
        for other, text in links:
            print(other, " ".join(text.split()), sep="\t", flush=True)
        if not links:
            has_graph = store.webgraph.pages_with_links()
            hint = "" if has_graph else "; the web graph is empty: NUTCH_WEBGRAPH_ENABLED=True keeps the links of pages"
            self.complain(f"{url}: no {'outlinks' if outlinks else 'inlinks'} known{hint}")


def _inlinks(store: CrawlStore, url: str) -> list[tuple[str, str]]:
    return sorted((link.source.url, link.anchor) for link in store.webgraph.inlinks(url))


def _outlinks(store: CrawlStore, url: str) -> list[tuple[str, str]]:
    return [(link.url or UNKNOWN, link.anchor) for link in store.webgraph.outlinks(url) or ()]
