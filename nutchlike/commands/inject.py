"""``scrapy inject``: puts seeds into the CrawlDb, also of a crawl that is running (Nutch: inject)."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable
from dataclasses import astuple

import redis
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from nutchlike.checked_settings import get_bool
from nutchlike.crawl_store import host_delay, host_wait_max, open_store
from nutchlike.crawldatum import DbStatus
from nutchlike.host_turns import HostTurns
from nutchlike.injector import Injector, batches, build_injector
from nutchlike.nutch_command import NutchCommand
from nutchlike.plugins import build_scoring_chain
from nutchlike.purge_job import PurgeJob, Selection
from nutchlike.seed_sources import SeedSource, find_seed_sources
from nutchlike.seeds import INTERVAL_KEY, SCORE_KEY
from nutchlike.sitemap_seeds import Pauses
from nutchlike.store.crawldb import Merge, Seed
from nutchlike.store.errors import StoreUnavailable

PURGED_BEFORE = {
    DbStatus.DB_GONE: "NUTCH_DB_UPDATE_PURGE_404",
    DbStatus.DB_ORPHAN: "NUTCH_DB_UPDATE_PURGE_ORPHANS",
}


class Command(NutchCommand):
    """Seeds of files, folders, http URLs, sitemaps, standard input; exit code 1 when none of them could be used."""

    requires_project = True

    def syntax(self) -> str:
        return "[options] PATH|URL|sitemap:URL|- ..."

    def short_desc(self) -> str:
        return "Put seeds into the CrawlDb, of a running crawl too"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        merge = parser.add_mutually_exclusive_group()
        merge.add_argument(
            "--overwrite", "-overwrite", action="store_true", help="a known URL becomes a new, unfetched one"
        )
        merge.add_argument(
            "--update", "-update", action="store_true", help="a known URL takes the seed's score, interval, metadata"
        )
        parser.add_argument("--no-filter", "-noFilter", action="store_true", help="take what URL filters reject, too")
        parser.add_argument("--no-normalize", "-noNormalize", action="store_true", help="take URLs as they are written")
        parser.add_argument(
            "--filter-normalize-all",
            "-filterNormalizeAll",
            action="store_true",
            help="first judge all known URLs by the rules: forget what they reject, rename what they spell otherwise",
        )
        parser.add_argument("--dry-run", action="store_true", help="print the seeds as seed lines; open no store")
        parser.add_argument("--spider", default="site", help="into whose crawl (default: site)")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if not args:
            raise UsageError("give seed files, folders, http URLs, sitemap:URLs, or - for standard input")
        merge: Merge | None = "overwrite" if opts.overwrite else "update" if opts.update else None
        settings = self.settings_of(opts.spider)
        try:
            injector = build_injector(
                settings,
                merge=merge,
                normalizing=not opts.no_normalize,
                filtering=not opts.no_filter,
                tell=_print_to_stderr,
                shown=sys.maxsize,
            )
            sources = find_seed_sources(args)
            usable = 0
            with self.output():
                usable = (
                    _show(injector, sources, settings) if opts.dry_run else _inject(injector, sources, settings, opts)
                )
        except (StoreUnavailable, ValueError) as error:
            raise UsageError(str(error), print_help=False) from error
        except redis.RedisError as error:
            self.complain(f"The store failed, injected so far: {injector.counts}; give the command again: {error}")
            return
        if not usable:
            self.complain(f"No seed could be used, {injector.counts.rejected} rejected")


def _inject(injector: Injector, sources: Iterable[SeedSource], settings: BaseSettings, opts: argparse.Namespace) -> int:
    """Tidy up where asked, inject all, print the summary, and return how many seeds were usable."""
    statuses = {status for status, name in PURGED_BEFORE.items() if get_bool(settings, name)}
    store = open_store(settings, crawl_id=opts.spider)
    try:
        if statuses:
            strict = get_bool(settings, "NUTCH_STRICT")
            purge = PurgeJob(Selection(statuses), build_scoring_chain(settings), keeps_cash=strict)
            print(f"Purged {purge.run(store.gone, now=time.time())}")
        changed = injector.rejudge(store.crawldb, now=time.time()) if opts.filter_normalize_all else 0
        turns = HostTurns(settings, clocks=lambda: store.clocks)
        for batch in batches(injector.read(sources, turns=turns)):
            seeds = injector.judge(batch)
            store.locate_now(seed.url for seed in seeds)
            injector.put(seeds, store.crawldb, now=time.time())
    finally:
        store.close()
    if changed:
        print(f"Forgot or renamed {changed} known URLs")
    _tell_of_sitemaps(injector)
    print(f"Injected {injector.counts}")
    return injector.counts.usable


def _show(injector: Injector, sources: Iterable[SeedSource], settings: BaseSettings) -> int:
    """Print what would be injected, and return how many seeds that are.

    Between two sitemaps the delay of a host passes, for no store has the clocks of hosts here.
    """
    number, turns = 0, Pauses(host_delay(settings), hold_max=host_wait_max(settings))
    for batch in batches(injector.read(sources, turns=turns)):
        for seed in injector.judge(batch):
            print(_as_line(seed))
            number += 1
    _tell_of_sitemaps(injector)
    _print_to_stderr(f"Would inject {number} seeds, {injector.counts.rejected} rejected")
    return number


def _tell_of_sitemaps(injector: Injector) -> None:
    if injector.sitemaps is not None and any(astuple(injector.sitemaps.counts)):
        _print_to_stderr(str(injector.sitemaps.counts))


def _as_line(seed: Seed) -> str:
    """Return the seed as a line of a seed list: normalized URL, score, interval in seconds, metadata."""
    metadata = [f"{name}={value}" for name, value in seed.metadata.items()]
    return "\t".join([seed.url, f"{SCORE_KEY}={seed.score!r}", f"{INTERVAL_KEY}={seed.fetch_interval}", *metadata])


def _print_to_stderr(text: str) -> None:
    print(text, file=sys.stderr)
