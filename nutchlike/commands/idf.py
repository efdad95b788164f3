"""``scrapy idf``: in how many pages of a crawl each word stands, as a table for the semantic fingerprint."""

from __future__ import annotations

import argparse

from scrapy.exceptions import UsageError

from nutchlike.nutch_command import NutchCommand


class Command(NutchCommand):
    """A table as NUTCH_SIGNATURE_SEMANTIC_IDF_FILE takes it; exit code 1 when no page was counted."""

    requires_project = True

    def syntax(self) -> str:
        return "[--least N] [--spider NAME]"

    def short_desc(self) -> str:
        return "Show in how many pages of a crawl each word stands, as a table for the semantic fingerprint"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--least", type=int, default=2, metavar="N", help="leave out words of fewer pages (default: 2)"
        )
        parser.add_argument("--spider", default="site", help="whose crawl (default: site)")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if args:
            raise UsageError(f"no arguments are taken, got {args[0]!r}")
        settings = self.settings_of(opts.spider)
        with self.opened_store(settings, opts.spider) as store:
            counts = store.words.read()
            if counts.documents:
                print(counts.table(least=opts.least), end="")
            else:
                self.complain("No page was counted: NUTCH_SIGNATURE_SEMANTIC_LEARN=True counts those of a crawl")
