"""What the add-on makes of a project's settings."""

from __future__ import annotations

from typing import Any

import pytest
from scrapy import Spider
from scrapy.crawler import AsyncCrawlerRunner, Crawler
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.settings import Settings
from scrapy.utils.misc import load_object

from nutchlike.checked_settings import check_settings
from nutchlike.download_handler_choice import CURL

ADDONS = {"nutchlike.addon.NutchlikeAddon": 100}


def built(**settings: Any) -> Crawler:
    """Return a crawler whose settings went through the add-on as in a project."""
    values = Settings({"ADDONS": ADDONS, "TWISTED_REACTOR_ENABLED": False} | settings, priority="project")
    crawler = AsyncCrawlerRunner(values).create_crawler(Spider)
    crawler.addons.load_settings(crawler.settings)
    return crawler


def test_all_parts_are_switched_on() -> None:
    settings = built().settings
    assert settings["SCHEDULER"] == "nutchlike.scheduler.Scheduler"
    assert settings.getbool("SCHEDULER_PERSIST")
    for name, part in {
        "SPIDER_MIDDLEWARES": "nutchlike.middlewares.outlinks.OutlinksMiddleware",
        "ITEM_PIPELINES": "nutchlike.pipelines.dedupe.DedupePipeline",
        "EXTENSIONS": "nutchlike.summary.SummaryExtension",
        "DOWNLOADER_MIDDLEWARES": "nutchlike.middlewares.host_backoff.HostBackoffMiddleware",
    }.items():
        assert part in settings.getwithbase(name)


def test_scrapys_own_robots_middleware_gives_way_to_ours() -> None:
    middlewares = built().settings.get_component_priority_dict_with_base("DOWNLOADER_MIDDLEWARES")
    assert [cls.__name__ for cls in map(load_object, middlewares) if issubclass(cls, RobotsTxtMiddleware)] == [
        "SharedRobotsTxtMiddleware"
    ]


@pytest.mark.parametrize("scheme", ["", "file"])
def test_feeds_are_written_without_a_buffer(scheme: str) -> None:
    storage = built().settings.getwithbase("FEED_STORAGES")[scheme]
    assert storage == "nutchlike.feed_storage.UnbufferedFileFeedStorage"


def test_pages_are_downloaded_by_libcurl() -> None:
    handlers = built().settings.getwithbase("DOWNLOAD_HANDLERS")
    assert handlers["http"] == handlers["https"] == CURL
    assert "nutchlike" not in str(handlers["data"])


def test_a_handler_of_the_projects_own_stays() -> None:
    handlers = built(DOWNLOAD_HANDLERS={"https": "mine.Handler"}).settings.getwithbase("DOWNLOAD_HANDLERS")
    assert (handlers["http"], handlers["https"]) == (CURL, "mine.Handler")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TWISTED_REACTOR", "twisted.internet.selectreactor.SelectReactor"),
        ("DOWNLOADER_CLIENT_TLS_VERBOSE_LOGGING", True),
        ("DOWNLOADER_CLIENT_TLS_METHOD", "TLSv1.2"),
    ],
)
def test_where_libcurl_cannot_do_it_scrapys_handler_stays_and_the_log_says_why(
    name: str, value: object, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    settings = built(TWISTED_REACTOR_ENABLED=True, **{name: value}).settings
    assert "nutchlike" not in str(settings.getwithbase("DOWNLOAD_HANDLERS")["http"])
    assert [record.getMessage() for record in caplog.records if name in record.getMessage()]


def test_what_the_project_sets_wins() -> None:
    settings = built(
        SCHEDULER_PERSIST=False,
        NUTCH_LEASE_SECONDS=7,
        ITEM_PIPELINES={"nutchlike.pipelines.dedupe.DedupePipeline": None, "mine.Pipeline": 5},
        FEED_STORAGES={"file": "mine.Storage"},
    ).settings
    assert not settings.getbool("SCHEDULER_PERSIST")
    assert settings.getint("NUTCH_LEASE_SECONDS") == 7
    assert settings.getwithbase("ITEM_PIPELINES")["nutchlike.pipelines.dedupe.DedupePipeline"] is None
    assert settings.getwithbase("ITEM_PIPELINES")["mine.Pipeline"] == 5
    assert settings.getwithbase("FEED_STORAGES")["file"] == "mine.Storage"


def test_nutch_names_for_politeness_reach_scrapys_downloader() -> None:
    settings = built(DOWNLOAD_DELAY=1.0, NUTCH_FETCHER_SERVER_DELAY=0.1, NUTCH_FETCHER_THREADS_PER_QUEUE=4).settings
    assert settings.getfloat("DOWNLOAD_DELAY") == 0.1
    assert settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN") == 4


BAD = [
    # what may stand on a command line, and never works
    ("NUTCH_LEASE_SECONDS", "0"),
    ("NUTCH_LEASE_SECONDS", "x"),
    ("NUTCH_LEASE_BATCH", "0"),
    ("NUTCH_LEASE_BATCH", "1.5"),
    ("NUTCH_DB_SCORE_INJECTED", "-1"),
    ("NUTCH_DB_SCORE_INJECTED", "nan"),
    ("NUTCH_DB_FETCH_INTERVAL_DEFAULT", "30d"),
    ("DOWNLOAD_DELAY", "abc"),
    ("DOWNLOAD_DELAY", "-1"),
    ("CONCURRENT_REQUESTS_PER_DOMAIN", "0"),
    ("NUTCH_DEDUP_ENABLED", "no"),
    ("NUTCH_DEDUP_ENABLED", ""),
    ("SCHEDULER_FLUSH_ON_START", "maybe"),
    ("NUTCH_FETCHER_QUEUE_MODE", "byPort"),
    ("NUTCH_FETCHER_MIN_CRAWL_DELAY", "-0.1"),
    ("NUTCH_FETCHER_MAX_CRAWL_DELAY", "-2"),
    ("NUTCH_FETCHER_EXCEPTIONS_PER_QUEUE_DELAY", "5s"),
    ("NUTCH_RETRY_AFTER_MAX", "inf"),
    ("NUTCH_HOST_WAIT_MAX", "-1"),
    ("NUTCH_ROBOTS_CACHE_SECONDS", "0"),
    ("NUTCH_HTTP_ROBOTS_503_DEFER_VISITS", "perhaps"),
    ("NUTCH_HTTP_ROBOTS_503_DEFER_VISITS_DELAY", "0"),
    ("NUTCH_HTTP_ROBOTS_503_DEFER_VISITS_RETRIES", "1.5"),
]


@pytest.mark.parametrize(("name", "value"), BAD)
def test_a_bad_value_is_refused_with_the_name_of_its_setting(name: str, value: str) -> None:
    with pytest.raises(ValueError, match=name) as refused:
        check_settings(built(**{name: value}).settings)
    assert value in str(refused.value)


@pytest.mark.parametrize("value", ["False", "false", "0"])
def test_switches_are_off_as_text(value: str) -> None:
    settings = built(NUTCH_DEDUP_ENABLED=value).settings
    check_settings(settings)
    assert not settings.getbool("NUTCH_DEDUP_ENABLED")


def test_a_name_that_nothing_reads_is_pointed_out(caplog: pytest.LogCaptureFixture) -> None:
    check_settings(built(NUTCH_LEESE_SECONDS=5).settings)
    assert "NUTCH_LEESE_SECONDS" in caplog.text


@pytest.mark.parametrize("name", ["NUTCH_FETCHER_SERVER_DELAY", "NUTCH_FETCHER_THREADS_PER_QUEUE"])
@pytest.mark.parametrize("value", ["abc", "-1", ""])
def test_a_bad_value_under_nutchs_name_is_refused_under_that_name(name: str, value: str) -> None:
    settings = Settings({"ADDONS": ADDONS, name: value}, priority="project")
    AsyncCrawlerRunner(settings)
    with pytest.raises(ValueError, match=name):
        check_settings(settings)


def test_a_crawl_without_any_filter_says_so(caplog: pytest.LogCaptureFixture) -> None:
    check_settings(built(NUTCH_URL_FILTERS=[]).settings)
    assert "no rule rejects a URL" in caplog.text
