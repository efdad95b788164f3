"""Trails from page to page by what their records say."""

from __future__ import annotations

from stores import NOW, Store, seed

from nutchlike.store.lease import PageDone
from nutchlike.store.trail import leads_to


def test_a_trail_is_followed_to_its_end_and_no_further_than_asked(store: Store) -> None:
    pages = ["http://a.test/1", "http://b.test/2", "http://c.test/3"]
    for page, target in zip(pages, [pages[1], pages[2], ""], strict=True):
        store.inject(seed(page))
        [lease] = store.lease()
        page_done = PageDone(lease.key, lease.datum, due=False, metadata={"to": target})
        store.frontier.complete([page_done], now=NOW)
    assert leads_to(store.crawldb, pages[0], by="to", to=pages[2], steps_max=5)
    assert not leads_to(store.crawldb, pages[0], by="to", to=pages[2], steps_max=1)
    assert not leads_to(store.crawldb, pages[1], by="to", to=pages[0], steps_max=5)
    assert not leads_to(store.crawldb, "http://a.test/unknown", by="to", to=pages[0], steps_max=5)


def test_a_circle_that_does_not_touch_the_page_ends(store: Store) -> None:
    store.inject(seed("http://a.test/"))
    [lease] = store.lease()
    page_done = PageDone(lease.key, lease.datum, due=False, metadata={"to": "http://a.test/"})
    store.frontier.complete([page_done], now=NOW)
    assert not leads_to(store.crawldb, "http://a.test/", by="to", to="http://b.test/", steps_max=50)
