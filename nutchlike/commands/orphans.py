"""``scrapy orphans``: marks the pages that nothing links to any more (Nutch: updatedb with scoring-orphan)."""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import ExitStack

from scrapy.exceptions import UsageError

from nutchlike.deletion_feed import deletion_feed
from nutchlike.nutch_command import NutchCommand, Progress
from nutchlike.orphan_job import OrphanJob
from nutchlike.plugins import build_scoring_chain


class Command(NutchCommand):
    """Progress on standard error, the result on standard output."""

    requires_project = True

    def syntax(self) -> str:
        return "[--dry-run] [-o FILE] [--spider NAME]"

    def short_desc(self) -> str:
        return "Mark the pages that no link was seen to for long as gone or orphans, also in a running crawl"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--dry-run", action="store_true", help="count them; change nothing")
        parser.add_argument(
            "-o",
            dest="feed",
            metavar="FILE",
            help="append a line of JSON for each that came out before; - = print them",
        )
        parser.add_argument("--spider", default="site", help="of whose crawl (default: site)")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if args:
            raise UsageError(f"no arguments are taken, got {args[0]!r}")
        settings = self.settings_of(opts.spider)
        with ExitStack() as stack:
            try:
                scoring = build_scoring_chain(settings)
                feed = stack.enter_context(deletion_feed(opts.feed)) if opts.feed and not opts.dry_run else None
                deleted = feed.write if feed is not None else None
                job = OrphanJob(scoring, tell=Progress().tell, deleted=deleted)
            except (OSError, ValueError) as error:
                raise UsageError(str(error), print_help=False) from error
            store = stack.enter_context(self.opened_store(settings, opts.spider))
            if opts.dry_run:
                print(f"Would mark {job.count(store.gone, now=time.time())}")
            else:
                said = sys.stderr if opts.feed == "-" else sys.stdout
                print(f"Marked {job.run(store.gone, now=time.time())}", file=said)
