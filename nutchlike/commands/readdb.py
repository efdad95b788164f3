"""``scrapy readdb``: shows what the CrawlDb knows (Nutch: readdb)."""

from __future__ import annotations

import argparse
import json

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from nutchlike.crawl_store import CrawlStore, open_store
from nutchlike.crawldatum import CrawlDatum
from nutchlike.plugins import build_url_chain


class Command(ScrapyCommand):
    """Counts, single records, or all of them."""

    requires_project = True

    def syntax(self) -> str:
        return "[--stats | --cash | --dump | URL ...]"

    def short_desc(self) -> str:
        return "Show the CrawlDb: counts, the sum of all cash, records"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--stats", action="store_true", help="how many URLs are in which state")
        parser.add_argument("--cash", action="store_true", help="the cash injected and found; reads every record")
        parser.add_argument("--dump", action="store_true", help="every record, as JSON lines")
        parser.add_argument("--spider", default="site", help="whose crawl (default: site)")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if not (args or opts.stats or opts.cash or opts.dump):
            raise UsageError("give --stats, --cash, --dump or URLs")
        assert self.settings is not None
        store = open_store(self.settings, crawl_id=opts.spider)
        try:
            if opts.stats:
                _print_stats(store)
            if opts.cash:
                audit = store.crawldb.audit_cash()
                print(f"injected\t{audit.injected:.17g}\nfound\t{audit.found:.17g}\nrelative error\t{audit.error:.3g}")
            for datum in store.crawldb.records() if opts.dump else ():
                print(_as_json(datum))
            self._print_urls(store, args)
        finally:
            store.close()

    def _print_urls(self, store: CrawlStore, urls: list[str]) -> None:
        assert self.settings is not None
        chain = build_url_chain(self.settings)
        for url in urls:
            datum = store.crawldb.get(chain.normalized(url) or url)
            if datum is None:
                print(f"{url}: not known")
                self.exitcode = 1
            else:
                print(_as_json(datum))


def _print_stats(store: CrawlStore) -> None:
    counts = store.crawldb.counts()
    for name in ("known", "waiting", "leased", "due", "dead", "done"):
        print(f"{name}\t{getattr(counts, name)}")
    for status, n in counts.by_status.items():
        print(f"{status.label}\t{n}")


def _as_json(datum: CrawlDatum) -> str:
    return json.dumps(
        {
            "url": datum.url,
            "db_status": datum.db_status.label,
            "fetch_time": datum.fetch_time,
            "modified_time": datum.modified_time,
            "fetch_interval": datum.fetch_interval,
            "retries": datum.retries,
            "score": datum.score,
            "history": datum.history,
            "depth": datum.depth,
            "signature": datum.signature.hex() if datum.signature else None,
            "metadata": dict(datum.metadata),
        },
        ensure_ascii=False,
    )
