"""Paper OPIC: cash is handed out, and none is made or lost."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opic_web import OpicWeb, random_links, true_importance
from scrapy.settings import Settings

from nutchlike.crawldatum import CrawlDatum
from nutchlike.scoring.chain import ScoringChain
from nutchlike.scoring.opic import PaperOPIC, Shares
from nutchlike.scoring.scoring_filter import Distribution, Outlink, ScoredPage

finite_cash = st.floats(min_value=0, allow_nan=False, allow_infinity=False)
outlink_counts = st.integers(min_value=0, max_value=1_000_000)


def test_each_outlink_and_the_virtual_page_get_the_same() -> None:
    assert PaperOPIC().shares(1.0, 3) == Shares(spent=1.0, each=0.25, virtual=0.25)


def test_a_page_without_outlinks_gives_its_cash_to_the_virtual_page() -> None:
    shares = PaperOPIC().shares(2.5, 0)
    assert (shares.spent, shares.virtual) == (2.5, 2.5)


@given(finite_cash, outlink_counts)
def test_cash_handed_out_is_the_cash_that_was_there(cash: float, outlinks: int) -> None:
    shares = PaperOPIC().shares(cash, outlinks)
    assert shares.spent == cash
    assert math.isclose(shares.each * outlinks + shares.virtual, cash, rel_tol=1e-15, abs_tol=1e-300)


@given(finite_cash, outlink_counts)
def test_no_share_is_negative_and_none_exceeds_the_cash(cash: float, outlinks: int) -> None:
    shares = PaperOPIC().shares(cash, outlinks)
    assert 0 <= shares.each <= cash
    assert 0 <= shares.virtual <= cash


@given(finite_cash, finite_cash, outlink_counts)
def test_more_cash_never_gives_a_smaller_share(one: float, other: float, outlinks: int) -> None:
    less, more = sorted((one, other))
    assert PaperOPIC().shares(less, outlinks).each <= PaperOPIC().shares(more, outlinks).each


def test_shares_are_still_in_order_sixty_links_down() -> None:
    cash = 1.0
    for _ in range(60):
        share = PaperOPIC().shares(cash, 10).each
        assert 0 < share < cash
        cash = share


@pytest.mark.parametrize("cash", [-1.0, -1e-300, math.nan, math.inf, -math.inf])
def test_cash_that_is_no_amount_is_an_error(cash: float) -> None:
    with pytest.raises(ValueError, match="cash must be a finite number >= 0, got"):
        PaperOPIC().shares(cash, 1)


def test_a_negative_number_of_outlinks_is_an_error() -> None:
    with pytest.raises(ValueError, match="the number of outlinks must be >= 0, got -1"):
        PaperOPIC().shares(1.0, -1)


def test_the_filter_is_built_from_settings() -> None:
    assert PaperOPIC.from_settings(Settings()).shares(1.0, 1).each == 0.5


@given(finite_cash, st.integers(min_value=0, max_value=200))
def test_what_the_links_and_the_virtual_page_get_is_what_the_page_loses(cash: float, outlinks: int) -> None:
    page = ScoredPage(CrawlDatum("http://a.test/", score=cash))
    links = [Outlink(f"http://a.test/{number}", is_internal=True) for number in range(outlinks)]
    gifts = PaperOPIC().distribute(page, Distribution(links, [0.0] * outlinks))
    assert gifts.spent == cash
    assert math.isclose(sum(gifts.scores) + gifts.virtual, cash, rel_tol=1e-12, abs_tol=1e-300)


def test_the_page_with_most_cash_comes_first() -> None:
    chain = ScoringChain([PaperOPIC()])
    seeds = [chain.injected_score(CrawlDatum("http://a.test/", score=score)) for score in (1.0, 50.0)]
    assert [chain.sort_value(seed) for seed in seeds] == [1.0, 50.0]


@pytest.mark.parametrize("seed", range(3))
def test_importance_comes_to_what_the_links_say(seed: int) -> None:
    links = random_links(30, seed)
    web = OpicWeb(PaperOPIC(), links)
    web.run(4_000)
    assert web.importance() == pytest.approx(true_importance(links), abs=0.002)


def test_importances_add_up_to_one_and_no_cash_is_lost_at_any_time() -> None:
    web = OpicWeb(PaperOPIC(), random_links(20, 7))
    for _ in range(50):
        web.run(7)
        assert sum(web.importance()) == pytest.approx(1.0, rel=1e-9)
        assert sum(datum.score for datum in web.data) == pytest.approx(1.0, rel=1e-9)


def test_importance_is_zero_where_there_is_no_cash() -> None:
    assert PaperOPIC().importance(CrawlDatum("http://a.test/"), distributed=0.0, total=0.0) == 0.0
