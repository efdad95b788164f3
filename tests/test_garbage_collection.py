"""How often Python looks for cycles while a crawl runs."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.test import get_crawler

from nutchlike.garbage_collection import GarbageCollectionExtension


@pytest.fixture(autouse=True)
def _pythons_own_threshold() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)
    gc.unfreeze()


def crawler_with(threshold: int) -> tuple[Crawler, GarbageCollectionExtension]:
    crawler = get_crawler(settings_dict={"NUTCH_GC_THRESHOLD": threshold, "EXTENSIONS_BASE": {}})
    return crawler, GarbageCollectionExtension.from_crawler(crawler)


def send(crawler: Crawler, signal: object) -> None:
    for _, answer in crawler.signals.send_catch_log(signal):
        assert answer is None


def test_a_crawl_begins_a_collection_at_the_threshold_and_leaves_out_what_was_there() -> None:
    crawler, _extension = crawler_with(10_000)
    send(crawler, signals.spider_opened)
    assert gc.get_threshold() == (10_000, 10, 10)
    assert gc.get_freeze_count() > 1000


def test_the_end_of_a_crawl_leaves_the_process_as_it_was() -> None:
    crawler, _extension = crawler_with(10_000)
    send(crawler, signals.spider_opened)
    send(crawler, signals.spider_closed)
    assert gc.get_threshold() == (700, 10, 10)
    assert gc.get_freeze_count() == 0


@pytest.mark.parametrize("own", [0, 50_000])
def test_a_process_that_collects_less_often_is_left_as_it_is(own: int) -> None:
    gc.set_threshold(own, 10, 10)
    crawler, _extension = crawler_with(10_000)
    send(crawler, signals.spider_opened)
    assert gc.get_threshold()[0] == own
    assert gc.get_freeze_count() == 0
    send(crawler, signals.spider_closed)
    assert gc.get_threshold()[0] == own


def test_it_can_be_switched_off() -> None:
    with pytest.raises(NotConfigured, match="NUTCH_GC_THRESHOLD is 0"):
        crawler_with(0)
