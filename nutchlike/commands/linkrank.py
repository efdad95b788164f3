"""``scrapy linkrank``: ranks all known pages by their links; the ranks become their scores (Nutch: LinkRank)."""

from __future__ import annotations

import argparse
import time

from scrapy.exceptions import UsageError

from nutchlike.linkrank_job import LinkRankJob, NothingToRank
from nutchlike.nutch_command import NutchCommand, Progress


class Command(NutchCommand):
    """Progress on standard error, the result on standard output; exit code 1 when nothing was ranked."""

    requires_project = True

    def syntax(self) -> str:
        return "[--iterations N] [--spider NAME]"

    def short_desc(self) -> str:
        return "Rank all known pages by their links, also in a running crawl; the ranks become their scores"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--iterations", type=int, metavar="N", help="beats the setting NUTCH_LINK_ANALYZE_NUM_ITERATIONS"
        )
        parser.add_argument("--spider", default="site", help="whose crawl (default: site)")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if args:
            raise UsageError(f"no arguments are taken, got {args[0]!r}")
        if opts.iterations is not None and opts.iterations < 0:
            raise UsageError(f"--iterations must be at least 0, got {opts.iterations}")
        settings = self.settings_of(opts.spider)
        try:
            job = LinkRankJob.from_settings(
                settings, tell=Progress(always="iteration").tell, iterations=opts.iterations
            )
        except ValueError as error:
            raise UsageError(str(error), print_help=False) from error
        with self.opened_store(settings, opts.spider) as store:
            try:
                print(job.run(store.webgraph, store.crawldb, now=time.time()))
            except NothingToRank as error:
                self.complain(f"Nothing was ranked: {error}")
