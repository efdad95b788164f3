"""``scrapy linkrank``, and the ranking of a crawl that runs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from web import Answer, Project, html, serve, tree

ALL_LINKS = {f"NUTCH_LINK_IGNORE_{name}": False for name in ("INTERNAL_HOST", "INTERNAL_DOMAIN", "LIMIT_PAGE")}
ALL_LINKS["NUTCH_LINK_IGNORE_LIMIT_DOMAIN"] = False


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path, {"NUTCH_WEBGRAPH_ENABLED": True} | ALL_LINKS)


def test_the_page_that_most_link_to_ranks_first_and_the_store_stays_clean(project: Project) -> None:
    pages = {"/": Answer(html("home", ["/1", "/2", "/3", "/hub"])), "/hub": Answer(html("hub", []))}
    pages |= {f"/{i}": Answer(html(f"{i}", ["/hub"])) for i in (1, 2, 3)}
    with serve(pages) as web:  # type: ignore[arg-type]  # a dict of Answers will do
        assert project.crawl(f"url={web.url}/").code == 0
    code, out, err = project.command("linkrank", "--iterations", "3")
    assert (code, out) == (0, "5 of 5 pages ranked by 7 of 7 links\n")
    assert re.findall(r"iteration \d of \d", err) == [f"iteration {i} of 3" for i in (1, 2, 3)]
    records = [json.loads(line) for line in project.command("readdb", "--dump")[1].splitlines()]
    assert max(records, key=lambda record: record["score"])["url"] == f"{web.url}/hub"
    assert project.command("fsck")[1] == "5 records: clean, counters and cash add up\n"


def test_nothing_to_rank_is_said_with_code_1(project: Project) -> None:
    code, out, err = project.command("linkrank")
    assert (code, out) == (1, "")
    assert "the web graph is empty: NUTCH_WEBGRAPH_ENABLED=True" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x"], "no arguments are taken"),
        (["--iterations", "-1"], "--iterations must be at least 0"),
        (["--spider", "other"], "no spider 'other'"),
        (["-s", "NUTCH_LINK_ANALYZE_DAMPING_FACTOR=2"], "NUTCH_LINK_ANALYZE_DAMPING_FACTOR must be from 0 to 1"),
    ],
)
def test_bad_usage_is_named(project: Project, arguments: list[str], message: str) -> None:
    code, _, err = project.command("linkrank", *arguments)
    assert code == 2
    assert message in err


def test_a_crawl_ranks_its_pages_while_it_runs(project: Project) -> None:
    with serve(tree(120, wait=0.1)) as web:
        crawl = project.crawl(f"url={web.url}/", NUTCH_LINKRANK_EVERY=20, CONCURRENT_REQUESTS_PER_DOMAIN=4)
    assert crawl.code == 0
    assert len(crawl.urls) == len(set(crawl.urls)) == 120
    assert re.search(r"LinkRank: \d+ of \d+ pages ranked by \d+ of \d+ links, in", crawl.log)
    assert re.search(r"'nutch/linkrank/runs': [1-9]", crawl.log)
    assert "Traceback" not in crawl.log
    assert project.command("fsck")[1] == "120 records: clean, counters and cash add up\n"


def test_ranking_in_a_crawl_that_keeps_no_graph_is_a_bad_setting(project: Project) -> None:
    crawl = project.crawl("url=http://127.0.0.1:1/", NUTCH_LINKRANK_EVERY=20, NUTCH_WEBGRAPH_ENABLED=False)
    assert crawl.code == 2
    assert "NUTCH_LINKRANK_EVERY=20 needs NUTCH_WEBGRAPH_ENABLED=True" in crawl.log


def test_links_that_do_not_count_are_said_and_the_crawl_goes_on(project: Project) -> None:
    with serve(tree(40, wait=0.1)) as web:
        crawl = project.crawl(
            f"url={web.url}/",
            NUTCH_LINKRANK_EVERY=10,
            NUTCH_LINK_IGNORE_INTERNAL_HOST=True,
            CONCURRENT_REQUESTS_PER_DOMAIN=2,
        )
    assert (crawl.code, len(crawl.urls)) == (0, 40)
    assert "LinkRank: nothing was ranked: none of" in crawl.log
