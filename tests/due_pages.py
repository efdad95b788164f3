"""Lets the time of all pages of a crawl come."""

from __future__ import annotations

import time
from typing import Any

from scrapy.settings import Settings
from web import Crawl, Project

from nutchlike.addon import NutchlikeAddon
from nutchlike.crawl_store import open_store

MUCH_LATER = 1_000 * 86_400  # seconds; no page is due later than that


def crawl_again(project: Project, **settings: Any) -> Crawl:
    """Crawl once more, with all pages due; none is due a second time, as with an interval of a second it might be."""
    make_all_due(project)
    return project.crawl(**settings)


def make_all_due(project: Project) -> None:
    """Let all pages wait, as if their time had come: a worker takes them when it has, and gives them back."""
    settings = Settings({"NUTCH_DATA_DIR": project.folder / "store", "DOWNLOAD_DELAY": 0})
    settings.set("CONCURRENT_REQUESTS_PER_DOMAIN", 1_000_000)
    NutchlikeAddon.update_pre_crawler_settings(settings)
    store = open_store(settings, crawl_id="site")
    try:
        later = time.time() + MUCH_LATER
        keys = []
        while leases := store.frontier.lease(100, now=later).leases:
            keys += [lease.key for lease in leases]
        store.frontier.give_back(keys, now=time.time())
    finally:
        store.close()
