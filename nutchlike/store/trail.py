"""Follows what records say of other URLs: where a page redirects, which canonical URL it names."""

from __future__ import annotations

from nutchlike.store.crawldb import CrawlDb


def leads_to(crawldb: CrawlDb, url: str, *, by: str, to: str, steps_max: int) -> bool:
    """Return whether the metadata ``by`` of the page ``url``, of the one that it names, and so on, comes to ``to``.

    Both are normalized URLs. Costs a look at a record a step.
    """
    for _ in range(steps_max):
        datum = crawldb.get(url) if url else None
        if datum is None:
            return False
        url = datum.metadata.get(by, "")
        if url == to:
            return True
    return False
