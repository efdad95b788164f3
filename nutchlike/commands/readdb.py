"""``scrapy readdb``: shows what the CrawlDb knows (Nutch: readdb)."""

from __future__ import annotations

import argparse
import json

from scrapy.exceptions import UsageError

from nutchlike.crawl_store import CrawlStore
from nutchlike.crawldatum import REDIRECT_METADATA, CrawlDatum
from nutchlike.fetch_failure import failure_of
from nutchlike.nutch_command import NutchCommand
from nutchlike.plugins import build_url_chain
from nutchlike.store.codec import UnreadableRecord
from nutchlike.validators import spelt_validators


class Command(NutchCommand):
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
        self.check(self.settings)
        chain = build_url_chain(self.settings)
        urls = [chain.normalized(url) for url in args]
        if None in urls:
            raise UsageError(f"no URL: {args[urls.index(None)]!r}")
        with self.opened_store(self.settings, opts.spider) as store:
            self._show(store, opts, [url for url in urls if url is not None])

    def _show(self, store: CrawlStore, opts: argparse.Namespace, urls: list[str]) -> None:
        if opts.stats:
            _print_stats(store)
        if opts.cash:
            audit = store.check.audit_cash()
            print(f"injected\t{audit.injected:.17g}\nfound\t{audit.found:.17g}\nrelative error\t{audit.error:.3g}")
        for record in store.crawldb.records() if opts.dump else ():
            self._print(record)
        for url in urls:
            try:
                self._print(store.crawldb.get(url) or UnreadableRecord(f"{url}: not known"))
            except UnreadableRecord as error:
                self._print(error)

    def _print(self, record: CrawlDatum | UnreadableRecord) -> None:
        """Print a record as a line of JSON, or say on standard error why there is none."""
        if isinstance(record, CrawlDatum):
            print(_as_json(record))
        else:
            self.complain(str(record))


def _print_stats(store: CrawlStore) -> None:
    counts = store.crawldb.counts()
    print(f"known\t{counts.known}")
    print(f"waiting\t{counts.waiting}\nleased\t{counts.leased}\ndue later\t{counts.due}")
    print(f"dead letters\t{counts.dead}\ndone\t{counts.done}")
    if counts.repaired:
        print(f"repaired\t{counts.repaired}")
    for status, n in counts.by_status.items():
        print(f"{status.label}\t{n}")


def _as_json(datum: CrawlDatum) -> str:
    failure = failure_of(datum)
    etag, last_modified = spelt_validators(datum.validators)
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
            "linked_at": datum.linked_at,
            "signature": datum.signature.hex() if datum.signature else None,
            "dedup_key": datum.dedup_key.hex() if datum.dedup_key else None,
            "etag": etag,
            "last_modified": last_modified,
            "redirects_to": datum.metadata.get(REDIRECT_METADATA) or None,
            "failure": failure.as_dict() if failure is not None else None,
            "metadata": dict(datum.metadata),
        },
        ensure_ascii=False,
    )
