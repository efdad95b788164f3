"""Scoring filters in whole crawls: what a page gives to its links is up to them, and all cash adds up."""

from __future__ import annotations

from pathlib import Path

import pytest
from web import Answer, Project, html, serve, tree

OPIC = "nutchlike.scoring.opic.PaperOPIC"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.mark.parametrize(
    "order", ["opic.PaperOPIC", "adaptive_opic.AdaptiveOPIC", "nutch_opic.NutchOPIC", "host_votes.HostVotes"]
)
def test_every_order_fetches_all_pages_and_accounts_for_all_cash(project: Project, order: str) -> None:
    with serve(tree(40)) as web:
        crawl = project.crawl(f"url={web.url}/", NUTCH_SCORING_FILTERS=f"nutchlike.scoring.{order}")
        assert crawl.code == 0, crawl.log
        assert sorted(crawl.urls) == sorted(web.url + path for path in web.pages)
    code, out, _ = project.command("fsck")
    assert (code, out) == (0, "40 records: clean, counters and cash add up\n")


def test_pages_beyond_the_depth_of_their_seed_are_not_fetched(project: Project) -> None:
    pages = {f"/{i}": Answer(html(f"/{i}", [f"/{i + 1}"])) for i in range(6)}
    with serve({**pages}) as web:
        seeds = project.folder / "seeds.txt"
        seeds.write_text(f"{web.url}/0\t_maxdepth_=3\n", encoding="utf-8")
        filters = f"{OPIC},nutchlike.scoring.depth.DepthScoringFilter"
        crawl = project.crawl(f"seeds={seeds}", NUTCH_SCORING_FILTERS=filters)
        assert sorted(crawl.urls) == [f"{web.url}/{i}" for i in range(3)]
    assert "'nutch/outlinks/dropped_by_score': 1" in crawl.log
    assert project.command("fsck")[0] == 0


def test_a_seed_that_a_scoring_filter_refuses_is_rejected_with_the_reason(project: Project) -> None:
    with serve(tree(1)) as web:
        seeds = project.folder / "seeds.txt"
        seeds.write_text(f"{web.url}/\t_maxdepth_=deep\n", encoding="utf-8")
        crawl = project.crawl(f"seeds={seeds}", NUTCH_SCORING_FILTERS="nutchlike.scoring.depth.DepthScoringFilter")
    assert crawl.code == 1
    assert "_maxdepth_ must be a whole number above 0, got 'deep'" in crawl.log


def test_metadata_that_is_named_goes_from_a_seed_to_the_items_of_all_that_it_leads_to(project: Project) -> None:
    with serve(tree(3)) as web:
        seeds = project.folder / "seeds.txt"
        seeds.write_text(f"{web.url}/\tlang=en\tother=1\n", encoding="utf-8")
        filters = f"{OPIC},nutchlike.scoring.metadata.MetadataScoringFilter"
        crawl = project.crawl(f"seeds={seeds}", NUTCH_SCORING_FILTERS=filters, NUTCH_URLMETA_TAGS="lang")
    metadata = {item["url"].removeprefix(web.url): item["metadata"] for item in crawl.items}
    assert metadata == {"/": {"lang": "en", "other": "1"}, "/1": {"lang": "en"}, "/2": {"lang": "en"}}
