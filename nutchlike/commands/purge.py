"""``scrapy purge``: forgets the pages that are there no more (Nutch: updatedb with db.update.purge.404)."""

from __future__ import annotations

import argparse
import math
import re
import sys
import time
from contextlib import ExitStack

from scrapy.exceptions import UsageError

from nutchlike.checked_settings import get_bool
from nutchlike.crawldatum import DbStatus
from nutchlike.deletion_feed import deletion_feed
from nutchlike.nutch_command import NutchCommand, Progress
from nutchlike.plugins import build_scoring_chain
from nutchlike.purge_job import PurgeJob, Selection

DAY = 86_400  # seconds
STATUSES = {
    "gone": {DbStatus.DB_GONE},
    "redirects": {DbStatus.DB_REDIR_TEMP, DbStatus.DB_REDIR_PERM},
    "duplicates": {DbStatus.DB_DUPLICATE},
    "orphans": {DbStatus.DB_ORPHAN},
}


class Command(NutchCommand):
    """Progress on standard error, the result on standard output."""

    requires_project = True

    def syntax(self) -> str:
        return "[--gone] [--redirects] [--duplicates] [--orphans] [--url REGEX] [--host REGEX] [--days N] [options]"

    def short_desc(self) -> str:
        return "Forget the pages that are gone, also in a running crawl; one that is linked again is a new page"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        for name, statuses in STATUSES.items():
            labels = " and ".join(sorted(status.label for status in statuses))
            default = ", which is what goes when none of the four is given" if name == "gone" else ""
            parser.add_argument(f"--{name}", action="store_true", help=f"pages that are {labels}{default}")
        parser.add_argument("--url", type=_pattern, metavar="REGEX", help="only those whose URL has a match")
        parser.add_argument("--host", type=_pattern, metavar="REGEX", help="only those whose host has a match")
        parser.add_argument(
            "--days", type=_days, default=0.0, metavar="N", help="only those last fetched N days ago, or longer"
        )
        parser.add_argument("--dry-run", action="store_true", help="count them; change nothing")
        parser.add_argument("-o", dest="feed", metavar="FILE", help="append a line of JSON for each; - = print them")
        parser.add_argument("--spider", default="site", help="of whose crawl (default: site)")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if args:
            raise UsageError(f"no arguments are taken, got {args[0]!r}")
        settings = self.settings_of(opts.spider)
        given = [name for name in STATUSES if getattr(opts, name)]
        statuses = frozenset[DbStatus]().union(*(STATUSES[name] for name in given or ["gone"]))
        selection = Selection(statuses, url=opts.url, host=opts.host, age=opts.days * DAY)
        with ExitStack() as stack:
            try:
                scoring = build_scoring_chain(settings)
                feed = stack.enter_context(deletion_feed(opts.feed)) if opts.feed and not opts.dry_run else None
            except (OSError, ValueError) as error:
                raise UsageError(str(error), print_help=False) from error
            deleted = feed.write if feed is not None else None
            strict = get_bool(settings, "NUTCH_STRICT")
            job = PurgeJob(selection, scoring, keeps_cash=strict, tell=Progress().tell, deleted=deleted)
            store = stack.enter_context(self.opened_store(settings, opts.spider))
            known = store.crawldb.counts().known
            if opts.dry_run:
                print(f"Of {known} URLs would be purged {job.count(store.gone, now=time.time())}")
            else:
                said = sys.stderr if opts.feed == "-" else sys.stdout
                print(f"Of {known} URLs were purged {job.run(store.gone, now=time.time())}", file=said)


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no regular expression: {error}") from None


def _days(text: str) -> float:
    try:
        days = float(text)
    except ValueError:
        days = -1.0
    if not 0 <= days < math.inf:
        raise argparse.ArgumentTypeError(f"must be a number of days, 0 or more, got {text!r}")
    return days
