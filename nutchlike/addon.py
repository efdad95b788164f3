"""All wiring as one line of ADDONS, for this project and for an existing one."""

from __future__ import annotations

from typing import Any

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from nutchlike import default_settings

WIRING: dict[str, Any] = {
    "SCHEDULER": "nutchlike.scheduler.Scheduler",
    "SCHEDULER_PERSIST": True,  # a crawl goes on where it stopped
    "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",  # the CrawlDb knows what was seen
    "REQUEST_FINGERPRINTER_CLASS": "nutchlike.stored_requests.RequestFingerprinter",
}
COMPONENTS: dict[str, dict[str, Any]] = {
    "SPIDER_MIDDLEWARES": {
        "nutchlike.middlewares.outlinks.OutlinksMiddleware": 10,  # next to the engine: it must see all output
        "nutchlike.middlewares.seed_injector.SeedInjectorMiddleware": 20,
    },
    "ITEM_PIPELINES": {
        "nutchlike.pipelines.signature.SignaturePipeline": 100,
        "nutchlike.pipelines.dedupe.DedupePipeline": 200,
    },
    "EXTENSIONS": {"nutchlike.summary.SummaryExtension": 500},
    "FEED_STORAGES": {
        "": "nutchlike.feed_storage.UnbufferedFileFeedStorage",
        "file": "nutchlike.feed_storage.UnbufferedFileFeedStorage",
    },
}


ALIASES = {
    # Nutch's name -> the Scrapy setting that means the same; Scrapy's downloader must hear of it too
    "NUTCH_FETCHER_SERVER_DELAY": "DOWNLOAD_DELAY",
    "NUTCH_FETCHER_THREADS_PER_QUEUE": "CONCURRENT_REQUESTS_PER_DOMAIN",
}


class NutchlikeAddon:
    """``ADDONS = {"nutchlike.addon.NutchlikeAddon": 100}``; a setting of the project's own always wins."""

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """Set what is not set: defaults, the scheduler, and the components beside those that the project names."""
        for name, value in vars(default_settings).items():
            if name.startswith("NUTCH_"):
                settings.set(name, value, priority="default")
        if settings.getpriority("SCHEDULER") == SETTINGS_PRIORITIES["command"]:
            return  # scrapy shell, fetch and parse look at one page: nothing of it belongs to the crawl
        for name, value in WIRING.items():
            settings.set(name, value, priority="addon")
        for name, components in COMPONENTS.items():
            for key, value in components.items():
                settings[name].setdefault(key, value, priority="addon")

    def update_settings(self, settings: BaseSettings) -> None:
        """Give Scrapy's names the values that were given under Nutch's."""
        for alias, name in ALIASES.items():
            if settings.get(alias) is not None:
                settings.set(name, settings[alias], priority=settings.getpriority(alias) or 0)
