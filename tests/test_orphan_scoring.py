"""The orphan filter: pages that nothing links to any more."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from scrapy.settings import Settings

from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.scoring.orphan import OrphanScoringFilter
from nutchlike.scoring.scoring_filter import Inlink

NOW = 1_700_000_000
FETCHED, GONE, ORPHAN = DbStatus.DB_FETCHED, DbStatus.DB_GONE, DbStatus.DB_ORPHAN


def filter_of(gone_after: int = 5, orphan_after: int = 10) -> OrphanScoringFilter:
    settings: dict[str, Any] = {
        "NUTCH_SCORING_ORPHAN_MARK_GONE_AFTER": gone_after,
        "NUTCH_SCORING_ORPHAN_MARK_ORPHAN_AFTER": orphan_after,
    }
    return OrphanScoringFilter.from_settings(Settings(settings))


def page(linked_at: int = 0) -> CrawlDatum:
    return CrawlDatum("http://a.test/", db_status=FETCHED, linked_at=linked_at)


def test_a_link_notes_the_time() -> None:
    assert filter_of().update_db_score(page(), None, [Inlink(0.5)], now=NOW) == page(NOW)


@pytest.mark.parametrize(
    ("seconds", "status"), [(0, FETCHED), (5, FETCHED), (6, GONE), (10, GONE), (11, ORPHAN), (10**9, ORPHAN)]
)
def test_a_page_without_links_is_gone_and_later_an_orphan(seconds: int, status: DbStatus) -> None:
    linked = page(NOW)
    assert filter_of().orphaned_score(linked, now=NOW + seconds).db_status is status
    assert filter_of().update_db_score(linked, linked, [], now=NOW + seconds).db_status is status


def test_a_new_link_brings_the_time_up() -> None:
    datum = filter_of().update_db_score(page(NOW), None, [Inlink(0.5)], now=NOW + 8)
    assert filter_of().orphaned_score(datum, now=NOW + 13).db_status is FETCHED


def test_a_page_that_no_link_ever_led_to_is_left_alone() -> None:
    assert filter_of().orphaned_score(page(), now=NOW) == page()


def test_times_in_the_wrong_order_are_pointed_out(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        orphan_filter = filter_of(gone_after=20, orphan_after=10)
    assert "no page is ever gone" in caplog.text
    assert orphan_filter.orphaned_score(page(NOW), now=NOW + 30).db_status is ORPHAN
