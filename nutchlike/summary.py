"""Says at the end of a crawl, in a few lines, what it did and what is left."""

from __future__ import annotations

import logging
import time
from datetime import UTC, datetime

import redis
from scrapy import Spider, signals
from scrapy.crawler import Crawler

from nutchlike.checked_settings import get_int
from nutchlike.wiring import scheduler_of

logger = logging.getLogger(__name__)


class SummaryExtension:
    """Logs the summary when the spider closes, then leaves the store."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        budgets = ("NUTCH_GENERATE_MAX_COUNT", "NUTCH_GENERATE_TOP_N")
        self._has_budget = any(get_int(crawler.settings, name) >= 0 for name in budgets)
        crawler.signals.connect(self._spider_closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SummaryExtension:
        return cls(crawler)

    async def _spider_closed(self, spider: Spider, reason: str) -> None:
        scheduler = scheduler_of(self._crawler)
        try:
            store = scheduler.store
        except RuntimeError:
            return  # the store was never there, the reason has been logged
        try:
            counts = await scheduler.calls.run(store.crawldb.counts)
            _, next_due = await scheduler.calls.run(store.frontier.due_later)
            seen = await scheduler.calls.run(lambda: store.frontier.lease(0, now=time.time()))
            for name, value in (await scheduler.calls.run(store.signatures.stats)).items():
                self._crawler.stats.set_value(f"nutch/dedup/index/{name}", value)
        except redis.RedisError as error:
            logger.error("No summary, the store does not answer: %s", error)
            return
        finally:
            scheduler.leave()
        stat = self._stat
        fetched = stat("completion/success") + stat("completion/notmodified") + stat("completion/duplicate")
        failed = stat("completion/gone") + stat("completion/retry")
        redirected = stat("completion/redir_temp") + stat("completion/redir_perm")
        due = "never" if next_due is None else _when(next_due)
        if counts.waiting and not seen.is_open:
            if seen.ask_again_at:
                due = f"{_when(seen.ask_again_at)}, when the first host may be asked again"
            elif self._has_budget:
                due = f"{due}; {counts.waiting} wait, for which a page budget is spent"
            else:
                logger.warning("%d URLs wait and are in no queue: run scrapy fsck --repair", counts.waiting)
        elif counts.waiting:
            due = "now: run again"
        if not fetched + failed + redirected + counts.waiting + counts.leased and reason == "finished":
            hint = "; -s SCHEDULER_FLUSH_ON_START=True begins anew" if counts.known else ""
            logger.info("Nothing to do: 0 of %d URLs due, next due %s%s", counts.known, due, hint)
            return
        logger.info(
            "Summary (%s): seeds injected %d, rejected %d; "
            "pages fetched %d, duplicates dropped %d, redirects %d, failed %d; requests refused %d; "
            "URLs known %d, waiting %d, dead letters %d; next due %s",
            reason,
            stat("injector/injected"),
            stat("injector/rejected"),
            fetched,
            stat("dedup/dropped"),
            redirected,
            failed,
            stat("scheduler/refused"),
            counts.known,
            counts.waiting,
            counts.dead,
            due,
        )

    def _stat(self, name: str) -> int:
        return int(self._crawler.stats.get_value(f"nutch/{name}", 0))


def _when(epoch_seconds: float) -> str:
    text = datetime.fromtimestamp(epoch_seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    return text if epoch_seconds > time.time() else f"{text} (now)"
