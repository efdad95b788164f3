"""What a page gives to its links, as the scoring filters have it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from scrapy.settings import Settings

from nutchlike.crawldatum import CrawlDatum
from nutchlike.items import PageItem
from nutchlike.page import Page
from nutchlike.page_scores import PageScores
from nutchlike.store.lease import Lease
from nutchlike.store.stored_url import StoredURL

FILTERS = "nutchlike.scoring.opic.PaperOPIC,nutchlike.scoring.metadata.MetadataScoringFilter"


def test_two_requests_of_one_url_stay_two_when_their_links_get_metadata() -> None:
    settings = Settings({"NUTCH_SCORING_FILTERS": FILTERS, "NUTCH_URLMETA_TAGS": "lang"})
    crawler: Any = SimpleNamespace(settings=settings, stats=None)
    scores = PageScores(crawler)
    page = Page(Lease(b"k" * 14, CrawlDatum("http://a.test/", score=1.0, metadata={"lang": "en"})), started=0.0)
    scores.describe(page, PageItem("http://a.test/"), all_count=2)
    get = StoredURL.plain("http://a.test/form")
    post = StoredURL("http://a.test/form", b"postpost", request=b'{"method":"POST"}')
    links, _ = scores.distribute(page, [get, post])
    assert [(link.id, link.request, link.metadata) for link in links] == [
        (get.id, b"", b'{"lang":"en"}'),
        (post.id, post.request, b'{"lang":"en"}'),
    ]
