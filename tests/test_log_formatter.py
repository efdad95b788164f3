"""Which pages the log names."""

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from nutchlike.log_formatter import LogFormatter

REQUEST = Request("http://a.test/")
RESPONSE = Response("http://a.test/", request=REQUEST)


def messages(level: object) -> list[bool]:
    crawler = get_crawler(settings_dict={"LOG_LEVEL": level})
    spider = crawler._create_spider("any")
    formatter = LogFormatter.from_crawler(crawler)
    made = [formatter.crawled(REQUEST, RESPONSE, spider), formatter.scraped({}, RESPONSE, spider)]
    assert formatter.dropped({}, ValueError("no"), RESPONSE, spider) is not None
    return [message is not None for message in made]


@pytest.mark.parametrize("level", ["INFO", "warning", 30])
def test_a_log_without_debug_messages_has_no_records_of_single_pages(level: object) -> None:
    assert messages(level) == [False, False]


@pytest.mark.parametrize("level", ["DEBUG", "debug", 10, "NOTSET", 5])
def test_a_log_with_debug_messages_names_every_page(level: object) -> None:
    assert messages(level) == [True, True]
