"""LinkRank: equal to Nutch's jobs, and to the formula written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy.settings import Settings
from vectors import vector_rows

from nutchlike.nutch_conf import setting_name
from nutchlike.scoring import linkrank as linkrank_module
from nutchlike.scoring.link_rules import LinkRules, first_inlinks
from nutchlike.scoring.linkrank import linkrank

Links = list[tuple[int, int]]


def arrays(links: Links) -> tuple[np.ndarray, np.ndarray]:
    sources, targets = np.array(links, np.int32).reshape(-1, 2).T
    return sources, targets


def rank(links: Links, n: int, **options: Any) -> np.ndarray:
    return linkrank(*arrays(links), n, **options)


@pytest.mark.parametrize("row", vector_rows("linkrank.jsonl"), ids=lambda row: row["id"])
def test_ranks_are_those_of_nutchs_jobs(row: dict[str, Any]) -> None:
    conf = row["conf"]
    rules = LinkRules.from_settings(Settings({setting_name(name): value for name, value in conf.items()}))
    stored = stored_outlinks(row["segments"], rules)
    assert {url: sorted(outlinks) for url, outlinks in stored.items() if outlinks} == row["expected"]["stored_outlinks"]

    urls = sorted({url for source, outlinks in stored.items() for url in [source, *outlinks] if outlinks})
    number = {url: place for place, url in enumerate(urls)}
    sources, targets = arrays([(number[url], number[target]) for url in stored for target in stored[url]])
    keys = [rules.end_key(url) for url in urls]
    key_number = np.array([keys.index(key) for key in keys], np.int32)
    scores = linkrank(
        sources,
        targets,
        len(urls),
        counted=first_inlinks(targets, key_number[sources]),
        damping=float(conf.get("link.analyze.damping.factor", 0.85)),
        iterations=int(conf.get("link.analyze.num.iterations", 10)),
    )

    nodes = row["expected"]["nodes"]
    assert urls == sorted(nodes)
    assert dict(zip(urls, scores.tolist(), strict=True)) == pytest.approx(
        {url: node["inlink_score"] for url, node in nodes.items()}, rel=1e-6
    )
    inlinks, outlinks = (np.bincount(end, minlength=len(urls)) for end in (targets, sources))
    assert [(nodes[url]["num_inlinks"], nodes[url]["num_outlinks"]) for url in urls] == list(
        zip(inlinks, outlinks, strict=True)
    )


def stored_outlinks(segments: list[list[dict[str, Any]]], rules: LinkRules) -> dict[str, list[str]]:
    """Return each page's links in the graph: those with its latest fetch time, then what the rules leave."""
    pages = [page for segment in segments for page in segment]
    latest: dict[str, int] = {}
    for page in pages:
        latest[page["url"]] = max(latest.get(page["url"], 0), page.get("fetch_time", 0))
    found: dict[str, list[str]] = {}
    for page in pages:
        if page.get("fetch_time", 0) == latest[page["url"]]:
            found.setdefault(page["url"], []).extend(page["outlinks"])
    return {url: rules.stored(url, outlinks) for url, outlinks in found.items()}


def written_out(links: Links, n: int, *, damping: float, iterations: int) -> list[float]:
    scores = [1.0] * n
    outlinks = [sum(source == page for source, _ in links) for page in range(n)]
    for _ in range(iterations):
        scores = [
            (1 - damping)
            + damping * (1 / n + sum(scores[source] / outlinks[source] for source, target in links if target == page))
            for page in range(n)
        ]
    return scores


graphs = st.integers(1, 12).flatmap(
    lambda n: st.tuples(st.just(n), st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=60))
)


@settings(deadline=None)
@given(graphs, st.floats(0, 1), st.integers(0, 12), st.integers(1, 70))
def test_ranks_are_those_of_the_formula_written_out(
    graph: tuple[int, Links], damping: float, iterations: int, at_once: int
) -> None:
    n, links = graph
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linkrank_module, "_LINKS_AT_ONCE", at_once)
        scores = rank(links, n, damping=damping, iterations=iterations)
    assert scores.dtype == np.float32
    assert scores.tolist() == pytest.approx(written_out(links, n, damping=damping, iterations=iterations), rel=1e-4)


def test_what_is_not_counted_is_lost_to_the_others() -> None:
    links = [(0, 1), (0, 2)]
    some = rank(links, 3, counted=np.array([True, False]), iterations=1)
    assert some.tolist() == pytest.approx([0.15 + 0.85 / 3, 0.15 + 0.85 * (1 / 3 + 0.5), 0.15 + 0.85 / 3])


def test_a_page_with_very_many_links_gets_all_of_them() -> None:
    n = 3_000_001
    pages = np.arange(1, n, dtype=np.int32)
    scores = linkrank(pages, np.zeros(n - 1, np.int32), n, iterations=1)
    assert scores[0] == pytest.approx(0.15 + 0.85 * (n - 1), rel=1e-6)


def test_links_may_be_read_from_files(tmp_path: Any) -> None:
    links = [(0, 1), (1, 2), (2, 0), (0, 2)]
    for name, values in zip(("sources", "targets"), arrays(links), strict=True):
        np.save(tmp_path / name, values)
    mapped = [np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in ("sources", "targets")]
    assert linkrank(*mapped, 3).tolist() == rank(links, 3).tolist()


def test_progress_is_told_after_each_iteration() -> None:
    told: list[tuple[int, int]] = []
    rank([(0, 1)], 2, iterations=3, progress=lambda done, all_: told.append((done, all_)))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_no_pages_have_no_ranks() -> None:
    assert rank([], 0).tolist() == []


@pytest.mark.parametrize(
    ("links", "n", "options", "message"),
    [
        ([(0, 1)], 1, {}, "targets must be from 0 to 0, got 1 to 1"),
        ([(-1, 0)], 1, {}, "sources must be from 0 to 0, got -1 to -1"),
        ([(0, 0)], 1, {"damping": 1.5}, "the damping factor must be from 0 to 1, got 1.5"),
        ([(0, 0)], 1, {"damping": float("nan")}, "the damping factor must be from 0 to 1, got nan"),
        ([(0, 0)], 1, {"iterations": -1}, "the number of iterations must be at least 0, got -1"),
        ([(0, 0)], 1, {"counted": np.ones(2, np.bool_)}, "each link needs a source and a target, got 1 and 1 and 2"),
    ],
)
def test_what_is_no_graph_is_an_error(links: Links, n: int, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rank(links, n, **options)


def test_ends_that_are_no_whole_numbers_are_an_error() -> None:
    with pytest.raises(ValueError, match="sources must be whole numbers, got float64"):
        linkrank(np.zeros(1), np.zeros(1, np.int32), 1)
    with pytest.raises(ValueError, match="each link needs a source and a target, got 1 and 2"):
        linkrank(np.zeros(1, np.int32), np.zeros(2, np.int32), 1)
