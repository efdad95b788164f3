"""Nutch's OPIC: equal to what the real class gave, and harmless where that one is not."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scrapy.settings import Settings
from update_job import updated_score
from vectors import vector_rows

from nutchlike.crawldatum import SCORE_MAX, CrawlDatum
from nutchlike.nutch_conf import setting_name
from nutchlike.scoring.chain import ScoringChain
from nutchlike.scoring.link_rules import same_host
from nutchlike.scoring.nutch_opic import NutchOPIC
from nutchlike.scoring.scoring_filter import Inlink, Outlink, ScoredPage

URL = "http://a.test/"


def opic(conf: dict[str, str] | None = None, **settings: Any) -> NutchOPIC:
    properties = {setting_name(name): value for name, value in (conf or {}).items()}
    return NutchOPIC.from_settings(Settings(properties | settings))


def gifts(chain: ScoringChain, score: float, outlinks: list[str], *, all_count: int = 0, url: str = URL) -> list[float]:
    page = ScoredPage(CrawlDatum(url, score=score), all_count=all_count)
    return list(chain.distribute(page, [Outlink(link, same_host(url, link)) for link in outlinks]).scores)


class Job:
    """Fetch and update cycles over a small CrawlDb."""

    def __init__(self, row: dict[str, Any], nutch_opic: NutchOPIC) -> None:
        self.conf = row["conf"]
        self.opic = nutch_opic
        self.scores: dict[str, float] = {
            url: nutch_opic.injected_score(CrawlDatum(url, score=score)).score for url, score in row["injected"].items()
        }

    def cycle(self, fetched: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return what pages contribute, and add it up."""
        values: dict[str, list[dict[str, Any]]] = {
            url: [{"status": "db_unfetched", "score": score}] for url, score in self.scores.items()
        }
        contributions = []
        for page in fetched:
            url, status = page["url"], page.get("status", "fetch_success")
            score = self.scores.get(url, 0.0)
            values.setdefault(url, []).append({"status": status, "score": score})
            if status != "fetch_success":
                continue
            given = gifts(
                ScoringChain([self.opic]), score, page["outlinks"], all_count=page.get("all_count", 0), url=url
            )
            for target, share in zip(page["outlinks"], given, strict=True):
                contributions.append({"from": url, "to": target, "score": share})
                values.setdefault(target, []).append({"status": "linked", "score": share})
        updated = {url: updated_score(url, found, self.opic, self.conf) for url, found in values.items()}
        self.scores = {url: score for url, score in updated.items() if score is not None}
        return contributions


def as_nutch_writes(number: float) -> float:
    """Return the shortest decimal of the 32-bit number nearest to ``number``."""
    return float(str(np.float32(number)))


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("row", vector_rows("opic.jsonl"), ids=lambda row: row["id"])
def test_scores_are_those_of_nutch(row: dict[str, Any], strict: bool) -> None:
    tolerance = {"rel": 0, "abs": 0, "nan_ok": True} if strict else {"rel": 1e-6, "nan_ok": True}
    job = Job(row, opic(row["conf"], NUTCH_STRICT=strict))
    rounded = as_nutch_writes if strict else float
    for cycle, expected in zip(row["cycles"], row["expected"]["cycles"], strict=True):
        contributions = job.cycle(cycle["fetched"])
        assert [(gift["from"], gift["to"]) for gift in contributions] == [
            (gift["from"], gift["to"]) for gift in expected["contributions"]
        ]
        assert [rounded(gift["score"]) for gift in contributions] == pytest.approx(
            [float(gift["score"]) for gift in expected["contributions"]], **tolerance
        )
        assert {url: rounded(score) for url, score in job.scores.items()} == pytest.approx(
            floats(expected["scores_after_updatedb"]), **tolerance
        )
    data = {url: CrawlDatum(url, score=score) for url, score in job.scores.items()}
    assert {url: rounded(job.opic.sort_value(datum, 1.0)) for url, datum in data.items()} == pytest.approx(
        floats(row["expected"]["generator_sort_value"]), **tolerance
    )
    assert {url: rounded(job.opic.indexer_score(datum, 1.0)) for url, datum in data.items()} == pytest.approx(
        floats(row["expected"]["indexer_score"]), **tolerance
    )


def floats(scores: dict[str, Any]) -> dict[str, float]:
    return {url: float(score) for url, score in scores.items()}


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("row", vector_rows("crawldb_update.jsonl"), ids=lambda row: row["id"])
def test_an_update_leaves_the_score_that_nutch_leaves(row: dict[str, Any], strict: bool) -> None:
    score = updated_score(row["url"], row["values"], opic(NUTCH_STRICT=strict), row["conf"])
    expected = None if row["expected"] is None else float(row["expected"]["score"])
    if score is None or expected is None:
        assert score is expected
    elif strict:
        assert as_nutch_writes(score) == expected
    else:
        assert score == pytest.approx(expected, rel=1e-6)


# Case 137: four links, of which a rule dropped three
@pytest.mark.parametrize(("count_filtered", "share"), [(False, 1.0), (True, 0.25)])
def test_dropped_links_count_when_the_setting_says_so(count_filtered: bool, share: float) -> None:
    chain = ScoringChain([opic(NUTCH_DB_SCORE_COUNT_FILTERED=count_filtered)])
    assert gifts(chain, 1.0, ["http://a.test/x"], all_count=4) == [share]


# Case 130: two pages that link to each other
def test_a_score_that_grows_for_ever_stays_a_number_that_a_queue_can_hold() -> None:
    chain = ScoringChain([opic()])
    pair = [CrawlDatum("http://a.test/1", score=1.0), CrawlDatum("http://a.test/2", score=0.5)]
    for _ in range(1_000):
        shares = [gifts(chain, datum.score, ["http://a.test/x"])[0] for datum in pair]
        pair = [
            chain.update_db_score(datum, datum, [Inlink(share)], now=0)
            for datum, share in zip(pair, reversed(shares), strict=True)
        ]
    assert [datum.score for datum in pair] == [SCORE_MAX, SCORE_MAX]
    assert all(math.isfinite(chain.sort_value(datum)) for datum in pair)


# Case 134
def test_what_a_seed_line_says_is_its_score_at_the_first_generate() -> None:
    chain = ScoringChain([opic()])
    seeds = [CrawlDatum(f"http://{name}.test/", score=score) for name, score in (("a", 1.0), ("b", 50.0))]
    assert [chain.sort_value(chain.injected_score(seed)) for seed in seeds] == [1.0, 50.0]


# Case 136
def test_shares_stay_apart_sixty_links_down() -> None:
    chain, datum = ScoringChain([opic()]), CrawlDatum(URL, score=1.0)
    links = [f"http://a.test/{number}" for number in range(10)]
    for _ in range(60):
        share = gifts(chain, datum.score, links)[0]
        assert 0 < share < datum.score
        datum = replace(datum, score=share)
    assert gifts(chain, 1.0, [f"http://a.test/{number}" for number in range(10_000)]) == [1e-4] * 10_000


def test_a_page_keeps_what_it_gives() -> None:
    distribution = ScoringChain([opic()]).distribute(ScoredPage(CrawlDatum(URL, score=1.0)), [Outlink(URL, True)])
    assert (distribution.spent, distribution.virtual) == (0.0, 0.0)


def test_links_to_other_hosts_have_a_factor_of_their_own() -> None:
    chain = ScoringChain([opic(NUTCH_DB_SCORE_LINK_INTERNAL=0.5, NUTCH_DB_SCORE_LINK_EXTERNAL=4.0)])
    assert gifts(chain, 1.0, ["https://A.test:8443/x", "http://b.test/"]) == [0.25, 2.0]


@pytest.mark.parametrize(("strict", "item_score"), [(True, math.nan), (False, 0.0)])
def test_only_nutch_itself_gives_an_item_a_score_that_is_no_number(strict: bool, item_score: float) -> None:
    datum = CrawlDatum(URL, score=-1.0)
    assert opic(NUTCH_STRICT=strict).indexer_score(datum, 1.0) == pytest.approx(item_score, nan_ok=True)
