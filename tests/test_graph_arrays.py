"""A web graph as arrays: the links that are left are those that the rules leave of URLs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nutchlike.scoring import graph_arrays
from nutchlike.scoring.graph_arrays import GraphArrays
from nutchlike.scoring.link_rules import LinkRules
from nutchlike.urls.identity import url_id

HOSTS = ["a.test", "www.a.test", "b.test", "c.co.uk", "d.co.uk"]
URLS = [f"http://{host}/{path}" for host in HOSTS for path in ("", "p", "p?x=1", "P?x=2")]
ALL_COUNT = LinkRules(ignore_internal_host=False, ignore_internal_domain=False, limit_page=False, limit_domain=False)

rules = st.builds(
    LinkRules,
    ignore_internal_host=st.booleans(),
    ignore_internal_domain=st.booleans(),
    limit_page=st.booleans(),
    limit_domain=st.booleans(),
)
graphs = st.dictionaries(st.sampled_from(URLS), st.lists(st.sampled_from(URLS), unique=True, max_size=8))


def key(url: str) -> bytes:
    return b"handle" + url_id(url)


def listed(graph: dict[str, list[str]]) -> list[tuple[bytes, bytes]]:
    return [(url_id(url), b"".join(map(url_id, links))) for url, links in graph.items()]


def read(graph: dict[str, list[str]], rules: LinkRules = ALL_COUNT) -> GraphArrays:
    arrays = GraphArrays(((key(url), url) for url in URLS), rules)
    arrays.read_links(listed(graph))
    return arrays


def named(arrays: GraphArrays) -> list[tuple[str, str]]:
    """Return the links by the URLs of their ends."""
    urls = {key(url): url for url in URLS}
    return [
        (urls[arrays.key(int(source))], urls[arrays.key(int(target))])
        for source, target in zip(arrays.sources, arrays.targets, strict=True)
    ]


def counted_naively(links: list[tuple[str, str]], rules: LinkRules) -> list[bool]:
    """Return which links are the first from their source's page or domain to their target."""
    seen: set[tuple[str, str]] = set()
    counted = []
    for source, target in links:
        counted.append((rules.end_key(source), target) not in seen)
        seen.add((rules.end_key(source), target))
    return counted


@given(graphs, rules)
def test_the_links_are_those_that_the_rules_leave_of_the_urls(graph: dict[str, list[str]], rules: LinkRules) -> None:
    links = named(read(graph, rules))
    assert links == [(url, link) for url, outlinks in graph.items() for link in rules.stored(url, outlinks)]


@given(graphs, rules, st.integers(1, 5))
def test_the_first_inlink_from_each_end_counts(graph: dict[str, list[str]], rules: LinkRules, at_once: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graph_arrays, "LINKS_AT_ONCE", at_once)
        arrays = read(graph, rules)
        counted = arrays.counted()
    links = named(arrays)
    assert links == named(read(graph, rules))
    assert (counted.tolist() if counted is not None else [True] * len(links)) == counted_naively(links, rules)


def test_pages_are_numbered_by_id_and_give_their_keys_back() -> None:
    arrays = read({})
    ids = [int.from_bytes(arrays.key(page)[-8:], "little") for page in range(len(arrays))]
    assert ids == sorted(ids)
    assert {arrays.key(page) for page in range(len(arrays))} == {key(url) for url in URLS}


def test_links_from_and_to_unknown_pages_are_left_out() -> None:
    arrays = GraphArrays([(key(URLS[0]), URLS[0]), (key(URLS[1]), URLS[1])], ALL_COUNT)
    arrays.read_links(listed({URLS[0]: [URLS[1], URLS[5]], URLS[6]: [URLS[1]]}))
    assert named(arrays) == [(URLS[0], URLS[1])]
    assert arrays.links_read == 2


@pytest.mark.parametrize("at_once", [1, 1000])
def test_of_two_lists_of_one_page_the_first_counts(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_arrays, "LINKS_AT_ONCE", at_once)
    arrays = GraphArrays(((key(url), url) for url in URLS), ALL_COUNT)
    arrays.read_links(listed({URLS[0]: [URLS[1]]}) + listed({URLS[0]: [URLS[2]]}) + listed({URLS[3]: [URLS[4]]}))
    assert named(arrays) == [(URLS[0], URLS[1]), (URLS[3], URLS[4])]


def test_a_page_that_is_read_twice_is_one_page() -> None:
    assert len(GraphArrays([(key(url), url) for url in [*URLS, *URLS[:3]]], ALL_COUNT)) == len(URLS)


def test_no_pages_and_no_links_are_no_error() -> None:
    arrays = GraphArrays([], LinkRules())
    arrays.read_links(listed({URLS[0]: [URLS[1]]}))
    assert (len(arrays), len(arrays.sources)) == (0, 0)
    counted = arrays.counted()
    assert counted is not None
    assert counted.dtype == np.bool_
