"""Adaptive OPIC: an importance that follows a web which changes."""

from __future__ import annotations

import numpy as np
import pytest
from opic_web import Links, OpicWeb, random_links, true_importance
from scrapy.settings import Settings

from nutchlike.crawldatum import CrawlDatum
from nutchlike.scoring.adaptive_opic import AdaptiveOPIC
from nutchlike.scoring.opic import PaperOPIC
from nutchlike.scoring.scoring_filter import Visit


def history_after(history: float, visit: Visit, *, window: float) -> float:
    return AdaptiveOPIC(window=window).update_history(CrawlDatum("http://a.test/", history=history), visit).history


def test_a_visit_within_the_window_keeps_the_part_of_the_history_that_is_still_in_it() -> None:
    assert history_after(8.0, Visit(spent=1.0, elapsed=1.0, total=2.0), window=2.0) == 8.0 * 3 / 4 + 1.0


def test_a_visit_after_the_window_counts_the_part_of_its_cash_that_came_within_it() -> None:
    assert history_after(8.0, Visit(spent=3.0, elapsed=6.0, total=2.0), window=2.0) == 3.0 * 4 / 6


def test_the_history_is_the_same_from_both_sides_of_the_window() -> None:
    inside = history_after(8.0, Visit(spent=3.0, elapsed=4.0 - 1e-12, total=2.0), window=2.0)
    assert inside == pytest.approx(history_after(8.0, Visit(spent=3.0, elapsed=4.0, total=2.0), window=2.0))


def test_a_visit_without_any_cash_leaves_the_history() -> None:
    assert history_after(0.5, Visit(spent=0.0, elapsed=0.0, total=0.0), window=2.0) == 0.5


def test_a_page_that_is_visited_evenly_comes_to_its_part_of_all_that_is_spent() -> None:
    opic, datum = AdaptiveOPIC(window=4.0), CrawlDatum("http://a.test/")
    for _ in range(200):
        datum = opic.update_history(datum, Visit(spent=0.05, elapsed=0.5, total=1.0))
    assert opic.importance(datum, distributed=100.0, total=1.0) == pytest.approx(0.1)


def test_cash_is_shared_as_in_the_paper() -> None:
    assert AdaptiveOPIC().shares(1.0, 3) == PaperOPIC().shares(1.0, 3)


@pytest.mark.parametrize("seed", range(3))
def test_importance_follows_links_that_change_where_the_whole_history_lags(seed: int) -> None:
    before, after = random_links(30, seed), random_links(30, seed + 100)
    errors = [error_after_change(opic, before, after) for opic in (AdaptiveOPIC(window=8.0), PaperOPIC())]
    assert errors[0] < errors[1] / 3


def error_after_change(opic: PaperOPIC, before: Links, after: Links) -> float:
    web = OpicWeb(opic, before)
    web.run(2_000)
    web.links = after
    web.run(1_000)
    return float(np.abs(web.importance() - true_importance(after)).sum())


@pytest.mark.parametrize("window", [0.0, -1.0, float("nan"), float("inf")])
def test_a_window_that_is_no_span_is_an_error(window: float) -> None:
    with pytest.raises(ValueError, match="NUTCH_SCORING_OPIC_WINDOW must be a finite number above 0, got"):
        AdaptiveOPIC.from_settings(Settings({"NUTCH_SCORING_OPIC_WINDOW": window}))
