"""All wiring as one line of ADDONS, for this project and for an existing one."""

from __future__ import annotations

import logging
import os
from typing import Any

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from nutchlike import default_settings
from nutchlike.download_handler_choice import CURL, reason_against_curl
from nutchlike.nutch_properties import configured_conf

logger = logging.getLogger(__name__)

WIRING: dict[str, Any] = {
    "SCHEDULER": "nutchlike.scheduler.Scheduler",
    "SCHEDULER_PERSIST": True,  # a crawl goes on where it stopped
    "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",  # the CrawlDb knows what was seen
    "REQUEST_FINGERPRINTER_CLASS": "nutchlike.stored_requests.RequestFingerprinter",
    "LOG_FORMATTER": "nutchlike.log_formatter.LogFormatter",
}
# What needs no crawl: commands that look at single pages have it, too.
FOR_ALL_COMMANDS: dict[str, dict[str, Any]] = {
    "DOWNLOADER_MIDDLEWARES": {
        "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,
        "nutchlike.middlewares.decompression.DecompressionMiddleware": 590,  # in its place
    },
}
COMPONENTS: dict[str, dict[str, Any]] = {
    "SPIDER_MIDDLEWARES": {
        "nutchlike.middlewares.outlinks.OutlinksMiddleware": 10,  # next to the engine: it must see all output
        "nutchlike.middlewares.seed_injector.SeedInjectorMiddleware": 20,
        "nutchlike.middlewares.refetch.RefetchMiddleware": 30,  # behind it, so that new seeds are known
    },
    "DOWNLOADER_MIDDLEWARES": {
        "nutchlike.middlewares.conditional_get.ConditionalGetMiddleware": 90,
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
        "nutchlike.middlewares.robots.SharedRobotsTxtMiddleware": 100,  # in its place
        "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": None,
        "nutchlike.middlewares.redirects.MetaRefreshMiddleware": 580,
        "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
        "nutchlike.middlewares.redirects.RedirectMiddleware": 600,
        "nutchlike.middlewares.host_backoff.HostBackoffMiddleware": 820,  # behind retries, redirects and proxies
    },
    "ITEM_PIPELINES": {
        "nutchlike.pipelines.noindex.NoindexPipeline": 90,  # what it drops is not signed
        "nutchlike.pipelines.signature.SignaturePipeline": 100,
        "nutchlike.pipelines.dedupe.DedupePipeline": 200,
        "nutchlike.pipelines.notmodified.NotModifiedPipeline": 210,
        "nutchlike.pipelines.word_counts.WordCountsPipeline": 250,
    },
    "EXTENSIONS": {
        "nutchlike.summary.SummaryExtension": 500,
        "nutchlike.start_urls.StartUrlsExtension": 500,
        "nutchlike.linkrank_extension.LinkRankExtension": 500,
        "nutchlike.garbage_collection.GarbageCollectionExtension": 500,
    },
    "FEED_STORAGES": {
        "": "nutchlike.feed_storage.UnbufferedFileFeedStorage",
        "file": "nutchlike.feed_storage.UnbufferedFileFeedStorage",
    },
}


ALIASES = {
    # Nutch's name -> the Scrapy setting that means the same; Scrapy's downloader must hear of it too
    "NUTCH_FETCHER_SERVER_DELAY": "DOWNLOAD_DELAY",
    "NUTCH_FETCHER_THREADS_PER_QUEUE": "CONCURRENT_REQUESTS_PER_DOMAIN",
    "NUTCH_HTTP_REDIRECT_MAX": "REDIRECT_MAX_TIMES",
}
# Values under Nutch's name that say nothing about Scrapy's setting: targets that are queued, as all are here.
UNSAID = {"NUTCH_HTTP_REDIRECT_MAX": {"0", "-1"}}


class NutchlikeAddon:
    """``ADDONS = {"nutchlike.addon.NutchlikeAddon": 100}``; a setting of the project's own always wins."""

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """Set what is not set: defaults, the scheduler, and the components beside those that the project names.

        Raises ValueError, with file and line, for a NUTCH_CONF_DIR that cannot be used.
        """
        for name, value in vars(default_settings).items():
            if name.startswith("NUTCH_"):
                settings.set(name, value, priority="default")
        _apply_nutch_conf(settings)
        _add_components(settings, FOR_ALL_COMMANDS)
        if settings.getpriority("SCHEDULER") == SETTINGS_PRIORITIES["command"]:
            return  # scrapy shell, fetch and parse look at one page: nothing of it belongs to the crawl
        for name, value in WIRING.items():
            settings.set(name, value, priority="addon")
        _add_components(settings, COMPONENTS)

    def update_settings(self, settings: BaseSettings) -> None:
        """Give Scrapy's names the values that were given under Nutch's, which a spider's NUTCH_CONF_DIR may add to."""
        unread = _apply_nutch_conf(settings)
        if unread:
            logger.warning("Properties of nutch-site.xml, which nothing here reads: %s", ", ".join(unread))
        for alias, name in ALIASES.items():
            if settings.get(alias) is not None and str(settings[alias]) not in UNSAID.get(alias, ()):
                settings.set(name, settings[alias], priority=settings.getpriority(alias) or 0)
        if settings.getpriority("SCHEDULER") != SETTINGS_PRIORITIES["command"]:
            _choose_download_handler(settings)


def _choose_download_handler(settings: BaseSettings) -> None:
    """Have http and https downloaded by libcurl where that works and the project names no handler of its own."""
    handlers = settings["DOWNLOAD_HANDLERS"]
    schemes = [scheme for scheme in ("http", "https") if scheme not in handlers]
    if schemes and (reason := reason_against_curl(settings)):
        logger.info("Pages are fetched by Scrapy's own download handler: %s", reason)
        return
    for scheme in schemes:
        handlers.set(scheme, CURL, priority="addon")


def _add_components(settings: BaseSettings, added: dict[str, dict[str, Any]]) -> None:
    """Set components that the project does not name itself."""
    for name, components in added.items():
        for key, value in components.items():
            settings[name].setdefault(key, value, priority="addon")


def _apply_nutch_conf(settings: BaseSettings) -> tuple[str, ...]:
    """Set what the files of NUTCH_CONF_DIR say; return the properties of nutch-site.xml that nothing reads.

    NUTCH_ settings of the project beat nutch-default.xml. Scrapy's do not, for every project has those.
    """
    conf = configured_conf(settings, environ=os.environ)
    if conf is None:
        return ()
    for name, value in conf.defaults.items():
        is_chosen = (settings.getpriority(name) or 0) >= SETTINGS_PRIORITIES["project"]
        if not (name.startswith("NUTCH_") and is_chosen):
            settings.set(name, value, priority="project")
    for name, value in conf.site.items():
        settings.set(name, value, priority="project")
    return conf.unread
