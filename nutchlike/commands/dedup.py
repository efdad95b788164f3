"""``scrapy dedup``: marks the pages of the CrawlDb that repeat others (Nutch: dedup)."""

from __future__ import annotations

import argparse
import sys
import time

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from nutchlike.crawl_store import CrawlStore
from nutchlike.dedup_job import DedupJob
from nutchlike.deduplication import GROUP_MODES
from nutchlike.nutch_command import NutchCommand, Progress
from nutchlike.store.duplicates import MARKS
from nutchlike.store.host_records import chunks


class Command(NutchCommand):
    """Progress on standard error, the result on standard output; exit code 1 for an order that Nutch refuses too."""

    requires_project = True

    def syntax(self) -> str:
        return "[--group MODE] [--compare-order NAMES] [--by-signature] [--dry-run] [--spider NAME]"

    def short_desc(self) -> str:
        return "Mark the fetched pages that repeat others as duplicates, also in a running crawl"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--group", "-group", choices=GROUP_MODES, help="beats the setting NUTCH_DEDUPLICATION_GROUP_MODE"
        )
        parser.add_argument(
            "--compare-order",
            "-compareOrder",
            metavar="NAMES",
            help="what decides which page is kept; beats the setting NUTCH_DEDUPLICATION_COMPARE_ORDER",
        )
        parser.add_argument(
            "--by-signature", action="store_true", help="compare Nutch's signatures, which take short pages for one"
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="print each duplicate, a tab and the page to keep; change nothing"
        )
        parser.add_argument("--spider", default="site", help="whose crawl (default: site)")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if args:
            raise UsageError(f"no arguments are taken, got {args[0]!r}")
        settings = self.settings_of(opts.spider)
        job = self._job(settings, opts)
        if job is None:
            return
        with self.opened_store(settings, opts.spider) as store:
            if opts.dry_run:
                _show(job, store)
            else:
                print(job.run(store.duplicates, now=time.time()))

    def _job(self, settings: BaseSettings, opts: argparse.Namespace) -> DedupJob | None:
        given = {"GROUP_MODE": opts.group, "COMPARE_ORDER": opts.compare_order}
        for name, value in given.items():
            if value is not None:
                settings.set(f"NUTCH_DEDUPLICATION_{name}", value, priority="cmdline")
        try:
            return DedupJob.from_settings(settings, tell=Progress().tell, by_signature=opts.by_signature)
        except ValueError as error:
            self.complain(str(error))
            return None


def _show(job: DedupJob, store: CrawlStore) -> None:
    pages = 0
    both = ((key, decision.kept) for decision in job.decisions(store.duplicates) for key in decision.duplicates)
    for some in chunks(both, MARKS):
        duplicates, kept = (store.duplicates.urls(keys) for keys in zip(*some, strict=True))
        for url, kept_url in zip(duplicates, kept, strict=True):
            print(url, kept_url, sep="\t")
        pages += len(some)
    print(f"Would mark {pages} pages", file=sys.stderr)
