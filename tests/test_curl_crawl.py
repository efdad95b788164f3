"""Whole crawls through our download handler, and how to have Scrapy's back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from web import Answer, Project, html, serve, tree

SCRAPYS = "scrapy.core.downloader.handlers.http11.HTTP11DownloadHandler"
# How a server that is not there is told of.
SIGNS = {"curl": "Could not connect to server", "scrapy": "Connection was refused by other side"}


@pytest.mark.parametrize(
    ("settings", "handler"),
    [
        ({}, "curl"),
        ({"DOWNLOAD_HANDLERS": json.dumps({"http": SCRAPYS, "https": SCRAPYS})}, "scrapy"),
        ({"TWISTED_REACTOR": "twisted.internet.selectreactor.SelectReactor"}, "scrapy"),
    ],
)
def test_a_crawl_fetches_each_page_once_with_either_handler(
    tmp_path: Path, settings: dict[str, str], handler: str
) -> None:
    site = tree(40)
    site["/39"] = Answer(html("/39", ["http://127.0.0.1:9/"]))
    with serve(site) as web:
        (tmp_path / "urls.txt").write_text(f"{web.url}/\n")
        project = Project(tmp_path, settings)
        crawl = project.crawl(f"seeds={tmp_path / 'urls.txt'}", NUTCH_DB_IGNORE_EXTERNAL_LINKS=False)
        assert crawl.code == 0, crawl.log
        assert sorted(crawl.urls) == sorted(f"{web.url}{path}" for path in site)
        assert set(web.count().values()) == {1}
    assert [name for name, sign in SIGNS.items() if sign in crawl.log] == [handler]
