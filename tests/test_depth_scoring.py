"""The depth filter: how many steps a crawl goes from its seeds."""

from __future__ import annotations

from typing import Any

import pytest
from scrapy.settings import Settings

from nutchlike.crawldatum import CrawlDatum
from nutchlike.scoring.chain import ScoringChain
from nutchlike.scoring.depth import DepthScoringFilter
from nutchlike.scoring.opic import PaperOPIC
from nutchlike.scoring.scoring_filter import Distribution, Outlink, ScoredPage

LINKS = [Outlink("http://a.test/1", True), Outlink("http://b.test/", False, {"lang": "en"})]


def filter_of(**settings: Any) -> DepthScoringFilter:
    return DepthScoringFilter.from_settings(
        Settings({f"NUTCH_SCORING_{name}": value for name, value in settings.items()})
    )


def distributed(depth_filter: DepthScoringFilter, datum: CrawlDatum) -> Distribution:
    return ScoringChain([PaperOPIC(), depth_filter]).distribute(ScoredPage(datum), LINKS)


def page(depth: int, *, limit: str | None = None, url: str = "http://a.test/") -> CrawlDatum:
    """Return a page ``depth`` links from its seed."""
    return CrawlDatum(url, depth=depth, score=3.0, metadata={} if limit is None else {"_maxdepth_": limit})


# A seed is the first of the pages that a limit counts
@pytest.mark.parametrize(("depth", "links"), [(0, 2), (1, 2), (2, 0), (3, 0)])
def test_pages_at_the_limit_lead_nowhere(depth: int, links: int) -> None:
    assert len(distributed(filter_of(DEPTH_MAX=3), page(depth)).outlinks) == links


def test_the_cash_of_a_page_at_the_limit_goes_to_the_virtual_page() -> None:
    distribution = distributed(filter_of(DEPTH_MAX=1), page(0))
    assert (distribution.spent, distribution.scores, distribution.virtual) == (3.0, (), 3.0)


def test_a_limit_of_zero_is_a_thousand() -> None:
    assert len(distributed(filter_of(DEPTH_MAX=0), page(998)).outlinks) == 2
    assert not distributed(filter_of(DEPTH_MAX=0), page(999)).outlinks


def test_a_seed_may_have_a_limit_of_its_own() -> None:
    assert not distributed(filter_of(DEPTH_MAX=5), page(1, limit="2")).outlinks
    assert len(distributed(filter_of(DEPTH_MAX=5), page(7, limit="9")).outlinks) == 2


def test_a_limit_of_its_own_is_handed_on_beside_other_metadata() -> None:
    outlinks = distributed(filter_of(DEPTH_MAX=5), page(0, limit="2")).outlinks
    assert [link.metadata for link in outlinks] == [{"_maxdepth_": "2"}, {"lang": "en", "_maxdepth_": "2"}]


def test_the_default_limit_takes_no_room_in_records() -> None:
    assert [link.metadata for link in distributed(filter_of(DEPTH_MAX=5), page(0)).outlinks] == [{}, {"lang": "en"}]


def test_pages_near_a_seed_come_first() -> None:
    depth_filter = filter_of(DEPTH_MAX=3)
    assert [depth_filter.sort_value(page(depth), 0.5) for depth in range(3)] == [1.5, 1.0, 0.5]
    assert depth_filter.sort_value(page(1, limit="6"), 0.5) == 2.5


def test_a_page_whose_url_fits_has_the_other_limit_and_hands_it_on() -> None:
    depth_filter = filter_of(DEPTH_MAX=2, DEPTH_OVERRIDE_PATTERN=r"/deep/\d+$", DEPTH_MAX_OVERRIDE=4)
    outlinks = distributed(depth_filter, page(2, url="http://a.test/deep/7")).outlinks
    assert [link.metadata.get("_maxdepth_") for link in outlinks] == ["4", "4"]
    assert not distributed(depth_filter, page(3, url="http://a.test/deep/7")).outlinks
    assert not distributed(depth_filter, page(2)).outlinks


def test_only_nutch_forgets_a_seeds_limit_where_the_pattern_does_not_fit() -> None:
    settings = {"max_depth": 2, "override_pattern": "/deep/", "override": 9}
    assert len(distributed(DepthScoringFilter(**settings), page(2, limit="5")).outlinks) == 2
    assert not distributed(DepthScoringFilter(**settings, strict=True), page(2, limit="5")).outlinks


@pytest.mark.parametrize("limit", ["", "0", "-1", "two", "2.0", "9" * 30, "²"])
def test_a_limit_that_is_no_number_of_pages_is_refused_at_injection_and_then_ignored(limit: str) -> None:
    depth_filter = filter_of(DEPTH_MAX=2)
    with pytest.raises(ValueError, match="_maxdepth_ must be a whole number above 0, got"):
        depth_filter.injected_score(page(0, limit=limit))
    assert not distributed(depth_filter, page(1, limit=limit)).outlinks


def test_a_limit_that_is_one_is_kept_at_injection() -> None:
    seed = page(0, limit="3")
    assert filter_of().injected_score(seed) is seed


def test_a_pattern_that_java_refuses_is_an_error() -> None:
    with pytest.raises(ValueError):
        filter_of(DEPTH_OVERRIDE_PATTERN="(")
