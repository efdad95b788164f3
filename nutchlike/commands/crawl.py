"""``scrapy crawl``, with an exit code that tells whether the crawl could work."""

from __future__ import annotations

import argparse

from scrapy.commands.crawl import Command as CrawlCommand
from scrapy.exceptions import UsageError

from nutchlike.nutch_command import NutchCommand
from nutchlike.plugins import check_plugins

FAILURES = {"no_seeds", "nothing_to_refetch", "store_unavailable", "start_error", "feed_failed"}


class Command(NutchCommand, CrawlCommand):
    """Scrapy's own command, which exits with 0 however a crawl ended, made to exit with 1 when it could not begin."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) != 1:
            raise UsageError("give the name of one spider")
        assert self.crawler_process is not None
        crawler = self._create_crawler(args[0])
        self.check(crawler.settings)
        try:
            check_plugins(crawler.settings)
        except ValueError as error:
            raise UsageError(str(error), print_help=False) from error
        self.crawler_process.crawl(crawler, **opts.spargs)
        self.crawler_process.start()
        stats = crawler._stats  # None when the crawl failed before it had any
        reason = stats.get_value("finish_reason") if stats is not None else None
        if self.crawler_process.bootstrap_failed or reason in FAILURES:
            self.exitcode = 1
