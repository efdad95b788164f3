"""``scrapy fsck``: checks that no URL of a crawl is lost and that all counters and cash add up, and can repair it."""

from __future__ import annotations

import argparse
import time

from scrapy.exceptions import UsageError

from nutchlike.crawl_store import CrawlStore
from nutchlike.nutch_command import NutchCommand
from nutchlike.store.check import Finding, Report
from nutchlike.store.codec import UnreadableRecord

REPAIRED, LEFT, FAILED = 1, 4, 8  # exit codes, as those of fsck(8)


class Command(NutchCommand):
    """Exit code 0: nothing is wrong; 1: what was is repaired; 4: something is wrong; 8: it could not be checked."""

    requires_project = True
    failed_exitcode = FAILED

    def syntax(self) -> str:
        return "[--repair] [--spider NAME]"

    def short_desc(self) -> str:
        return "Check the store of a crawl, also while it runs, and repair it"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--repair", action="store_true", help="make queues and counters fit the records")
        parser.add_argument("--spider", default="site", help="whose crawl (default: site)")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if args:
            raise UsageError(f"no arguments are taken, got {args[0]!r}")
        assert self.settings is not None
        self.check(self.settings)
        try:
            with self.opened_store(self.settings, opts.spider) as store:
                self._check(store, repair=opts.repair)
        except UsageError as error:
            self.complain(str(error))

    def _check(self, store: CrawlStore, *, repair: bool) -> None:
        report = store.check.run(repair=False, now=time.time())
        _show(report, store)
        if not report.findings:
            return
        self.exitcode = LEFT
        if repair:
            store.check.run(repair=True, now=time.time())
            after = store.check.run(repair=False, now=time.time())
            self.exitcode = LEFT if after.findings else REPAIRED
            print("Repaired; what is left:" if after.findings else "Repaired")
            for finding in after.findings:
                _tell(finding, store)


def _show(report: Report, store: CrawlStore) -> None:
    for finding in report.findings:
        _tell(finding, store)
    compared = "counters and cash add up" if report.was_idle else "URLs are leased: counters and cash not compared"
    if not store.signatures.knows_owners:
        print("contents: in a Bloom filter that knows no owners: not checked, but for those that are claimed just now")
    print(f"{report.records} records: {'clean, ' + compared if not report.findings else 'not clean'}")


def _tell(finding: Finding, store: CrawlStore) -> None:
    print(f"{finding.problem}: {finding.count}")
    for key in finding.keys:
        try:
            print(f"\t{store.crawldb.url_of(key) or key.hex()}")
        except UnreadableRecord as error:
            print(f"\t{error}")
