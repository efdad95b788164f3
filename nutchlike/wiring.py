"""Finds the scheduler that the other parts of a crawl work with."""

from __future__ import annotations

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from nutchlike.scheduler import Scheduler


def scheduler_of(crawler: Crawler) -> Scheduler:
    """Return the crawl's scheduler; NotConfigured, saying what to set, when it is another one."""
    scheduler = crawler.engine.scheduler
    if not isinstance(scheduler, Scheduler):
        name = crawler.settings.get("SCHEDULER")
        raise NotConfigured(f"SCHEDULER must be nutchlike.scheduler.Scheduler, got {name!r}")
    return scheduler
