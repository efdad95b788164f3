"""Which links the web graph has, and which of them count."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.settings import Settings
from vectors import vector_rows

from nutchlike.scoring import link_rules
from nutchlike.scoring.link_rules import LinkRules, first_inlinks, page_key, same_host

PAGE = "http://www.a.test.com/x"

STORED = [
    # As Nutch has it: no link within the domain, one a domain, each once
    ({}, ["http://www.a.test.com/y", "http://b.test.com/", "http://c.com/1", "http://c.com/2"], ["http://c.com/1"]),
    ({}, ["http://d.com/", "http://c.com/", "http://d.com/"], ["http://d.com/", "http://c.com/"]),
    # Each rule alone
    (
        {"ignore_internal_domain": False},
        ["http://WWW.a.test.com:80/y", "https://b.test.com/", "http://c.com/"],
        ["https://b.test.com/", "http://c.com/"],
    ),
    ({"ignore_internal_host": False}, ["http://www.a.test.com/y", "http://c.com/"], ["http://c.com/"]),
    (
        {"limit_domain": False},
        ["http://c.com/p?a=1", "http://c.com/P", "http://c.com/p?a=2", "http://c.com/q"],
        ["http://c.com/p?a=1", "http://c.com/q"],
    ),
    (
        {"limit_domain": False, "limit_page": False},
        ["http://c.com/p?a=1", "http://c.com/p?a=2", "http://c.com/p?a=2"],
        ["http://c.com/p?a=1", "http://c.com/p?a=2"],
    ),
    # The page itself is a link like any other once internal ones are
    (
        {"ignore_internal_host": False, "ignore_internal_domain": False},
        [PAGE, "http://c.com/"],
        [PAGE, "http://c.com/"],
    ),
    # What is no URL
    ({}, ["not a url", "mailto:a@b.com", "http://c.com/"], ["http://c.com/"]),
    ({}, [], []),
]


@pytest.mark.parametrize(("rules", "outlinks", "stored"), STORED)
def test_the_graph_has_the_links_that_the_rules_leave(
    rules: dict[str, bool], outlinks: list[str], stored: list[str]
) -> None:
    assert LinkRules(**rules).stored(PAGE, outlinks) == stored


def test_a_page_that_has_no_url_is_an_error() -> None:
    with pytest.raises(ValueError, match="no protocol"):
        LinkRules().stored("not a url", [])


@pytest.mark.parametrize(
    "row", [row for row in vector_rows("urlutil.jsonl") if row["fn"] == "parts"], ids=lambda row: row["id"]
)
def test_one_page_is_what_nutch_takes_for_one(row: dict[str, Any]) -> None:
    if row["expected"]["page"] is None:
        with pytest.raises(ValueError):
            page_key(row["url"])
    else:
        assert page_key(row["url"]) == row["expected"]["page"]


HOSTS = [
    ("http://a.test/", "https://user@A.test:8443/x", True),
    ("http://a.test/", "http://www.a.test/", False),
    ("http://a.test/", "mailto:x@a.test", False),
    ("not a url", "not a url", False),
]


@pytest.mark.parametrize(("url", "other", "same"), HOSTS)
def test_a_host_is_the_same_whatever_stands_around_it(url: str, other: str, same: bool) -> None:
    assert same_host(url, other) is same


ends = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=60)


@given(ends, st.integers(1, 70))
def test_the_first_link_from_each_source_counts(links: list[tuple[int, int]], at_once: int) -> None:
    targets, keys = np.array(links, np.int32).reshape(-1, 2).T
    seen: set[tuple[int, int]] = set()
    expected = [not (link in seen or seen.add(link)) for link in links]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(link_rules, "LINKS_AT_ONCE", at_once)
        assert first_inlinks(targets, keys).tolist() == expected


def test_large_numbers_do_not_collide() -> None:
    targets = np.array([5_000_000, 1, 5_000_000], np.int32)
    keys = np.array([1_999_999_999, 5, 1_999_999_999], np.int32)
    assert first_inlinks(targets, keys).tolist() == [True, True, False]


def test_the_rules_come_from_the_settings() -> None:
    names = ("INTERNAL_HOST", "INTERNAL_DOMAIN", "LIMIT_PAGE", "LIMIT_DOMAIN")
    off = Settings({f"NUTCH_LINK_IGNORE_{name}": "False" for name in names})
    assert LinkRules.from_settings(off) == LinkRules(False, False, False, False)
    assert LinkRules.from_settings(Settings()) == LinkRules(True, True, True, True)
