"""Which of Scrapy's middlewares the ``site`` spider does without."""

from __future__ import annotations

from typing import Any

import pytest
from scrapy import Spider
from scrapy.crawler import Crawler, CrawlerRunner
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from nutchlike.spiders.site import IDLE_MIDDLEWARES, SiteSpider


class LinkingSpider(SiteSpider):
    name = "linking"


def middlewares(spider: type[Spider], **settings: Any) -> list[str]:
    """Return the spider middlewares that are on, of those that have nothing to do for SiteSpider."""
    return used_by(get_crawler(spider, settings_dict=settings))


def used_by(crawler: Crawler) -> list[str]:
    used = crawler.settings.get_component_priority_dict_with_base("SPIDER_MIDDLEWARES")
    return [name for name in IDLE_MIDDLEWARES if used.get(name) is not None]


def test_the_site_spider_does_without_middlewares_for_requests() -> None:
    assert middlewares(SiteSpider) == []


def test_it_does_so_in_a_crawler_that_a_script_has_made_before() -> None:
    runner = CrawlerRunner()
    assert used_by(runner.create_crawler(runner.create_crawler(SiteSpider))) == []


@pytest.mark.parametrize("spider", [Spider, LinkingSpider])
def test_any_other_spider_has_them(spider: type[Spider]) -> None:
    assert middlewares(spider) == list(IDLE_MIDDLEWARES)


def test_a_project_may_want_one_back() -> None:
    depth = "scrapy.spidermiddlewares.depth.DepthMiddleware"
    assert middlewares(SiteSpider, SPIDER_MIDDLEWARES={depth: 900}) == [depth]


def test_scrapy_has_these_middlewares() -> None:
    assert set(IDLE_MIDDLEWARES) <= set(Settings()["SPIDER_MIDDLEWARES_BASE"])
