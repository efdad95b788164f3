"""``scrapy deadletters``: the URLs that are not handed out any more, and how they come back."""

from __future__ import annotations

import argparse
import time

from scrapy.exceptions import UsageError

from nutchlike.crawl_store import CrawlStore
from nutchlike.nutch_command import NutchCommand
from nutchlike.plugins import build_url_chain
from nutchlike.urls.chain import URLChain


class Command(NutchCommand):
    """One line a dead letter: URL, tab, reason; or puts them back, with exit code 1 when one cannot be put back."""

    requires_project = True

    def syntax(self) -> str:
        return "[--spider NAME] [--requeue [URL ...]]"

    def short_desc(self) -> str:
        return "Show the URLs that are not fetched any more and why, or let them wait again"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--requeue", nargs="*", metavar="URL", help="let these dead letters, or all, wait again, also in a crawl"
        )
        parser.add_argument("--spider", default="site", help="whose crawl (default: site)")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if args:
            raise UsageError(f"URLs stand behind --requeue, got {args[0]!r}")
        assert self.settings is not None
        self.check(self.settings)
        chain = build_url_chain(self.settings)
        with self.opened_store(self.settings, opts.spider) as store:
            if opts.requeue is None:
                _show(store)
            else:
                self._requeue(store, chain, opts.requeue)

    def _requeue(self, store: CrawlStore, chain: URLChain, urls: list[str]) -> None:
        """Put dead letters back, all when ``urls`` names none; a URL may be written as it is listed, or otherwise."""
        letters = store.crawldb.dead_letters()
        dead = {url for url, _ in letters}
        named = [url if url in dead else chain.normalized(url) or url for url in urls]
        for url in named:
            if url not in dead:
                self.complain(f"{url}: no dead letter")
        chosen = [url for url, _ in letters if not urls or url in named]
        back = store.crawldb.requeue(named if urls else None, now=time.time())
        print(f"Put back {back} dead letters")
        if back < len(chosen):
            self.complain(f"{len(chosen) - back} stay dead: their records cannot be read")


def _show(store: CrawlStore) -> None:
    for url, reason in store.crawldb.dead_letters():
        print(url, " ".join(reason.split()), sep="\t")
