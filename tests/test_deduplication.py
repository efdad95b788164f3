"""Which of several copies is kept: what Nutch's reducer decides, and where ours decides otherwise."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vectors import vector_rows

from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.deduplication import COMPARED_STATUSES, Copies, Keeper, compare_order, content_group

DEFAULT = "score,fetchTime,urlLength"


def groups(records: list[tuple[str, dict[str, Any]]], order: str, mode: str) -> list[tuple[list[int], Copies[int]]]:
    """Return the pages of each content, by their numbers, and what was decided, as Nutch does."""
    keeper = Keeper(order.split(","), strict=True)
    found: dict[bytes, tuple[list[int], Copies[int]]] = {}
    statuses = {status.label for status in COMPARED_STATUSES}
    for number, (url, datum) in enumerate(records):
        if datum["status"] not in statuses or not datum["signature"]:
            continue
        page = CrawlDatum(url, score=float(datum["score"]), fetch_time=datum["fetch_time"])
        group = content_group(bytes.fromhex(datum["signature"]), url, mode)
        if group in found:
            found[group][1].add(number, page, keeper)
        else:
            found[group] = ([], Copies(number, page))
        found[group][0].append(number)
    return list(found.values())


def kept(urls: list[str], order: str = DEFAULT, *, strict: bool = False, **common: Any) -> list[str]:
    """Return which of copies that differ only in their URLs are no duplicates."""
    pages = [CrawlDatum(url, **common) for url in urls]
    keeper = Keeper(compare_order(order, strict=strict), strict=strict)
    copies = Copies(urls[0], pages[0])
    for page in pages[1:]:
        copies.add(page.url, page, keeper)
    return [url for url in urls if url not in copies.duplicates]


@pytest.mark.parametrize("row", vector_rows("dedup_groups.jsonl"), ids=lambda row: f"{row['id']} {row['note']}")
def test_groups_kept_pages_and_duplicates_are_those_of_nutch(row: dict[str, Any]) -> None:
    records = [(record["url"], record["datum"]) for record in row["records"]]
    found = groups(records, row["compare_order"], row["group_mode"])
    urls = [url for url, _ in records]
    duplicates = [copies.duplicates for _, copies in found]
    assert sorted([urls[i] for i in members] for members, _ in found) == sorted(row["expected"]["groups"])
    assert sorted(urls[i] for some in duplicates for i in some) == sorted(row["expected"]["duplicates"])
    stays = [urls[i] for members, copies in found for i in members if i not in copies.duplicates]
    assert sorted(stays) == sorted(row["expected"]["kept"])


def test_copies_that_nothing_tells_apart_are_decided_by_the_url_and_in_nutch_not_at_all() -> None:
    urls = ["http://a.test/y", "http://a.test/x", "http://a.test/z"]
    assert kept(urls) == ["http://a.test/x"]
    assert kept(urls, strict=True) == urls


URLS = st.builds("http{}://{}".format, st.sampled_from(["", "s"]), st.text("ab%4+/", max_size=5))


@given(
    st.lists(st.builds(CrawlDatum, URLS, score=st.sampled_from([0.0, 1.0])), min_size=1),
    st.permutations(["score", "fetchTime", "httpsOverHttp", "urlLength"]),
)
def test_which_copy_is_kept_does_not_depend_on_their_order(pages: list[CrawlDatum], names: list[str]) -> None:
    keeper = Keeper(names)
    chosen = set()
    for order in (pages, pages[::-1], sorted(pages, key=lambda page: page.url)):
        copies = Copies(0, order[0])
        for number, page in enumerate(order[1:], 1):
            copies.add(number, page, keeper)
        chosen.add((copies.kept.url, copies.kept.score))
    assert len(chosen) == 1


def test_https_is_kept_when_the_setting_says_so_and_all_before_is_equal() -> None:
    """Case 124: one text on http, https and www of a host."""
    urls = ["http://a.test/", "https://a.test/", "http://www.a.test/"]
    https_first = "score,fetchTime,httpsOverHttp,urlLength"
    assert all(kept(list(order), https_first) == ["https://a.test/"] for order in permutations(urls[:2]))
    assert kept(urls[:2]) == ["http://a.test/"]  # by its length
    assert all(kept(list(order), https_first) == ["https://a.test/"] for order in permutations(urls))


def test_of_slash_and_index_variants_the_shortest_is_kept() -> None:
    """Case 125."""
    urls = ["http://a.test/info/index.html", "http://a.test/info/", "http://a.test/info"]
    assert all(kept(list(order)) == ["http://a.test/info"] for order in permutations(urls))


def test_a_bare_percent_sign_is_compared_as_it_is() -> None:
    """Case 128."""
    assert kept(["http://a.test/50%25-off", "http://a.test/50%-off"]) == ["http://a.test/50%-off"]  # 21 units each
    assert kept(["http://a.test/50%25-off", "http://a.test/50%--off"]) == ["http://a.test/50%25-off"]


def test_a_redirect_takes_no_part() -> None:
    """Case 128."""
    assert not COMPARED_STATUSES & {DbStatus.DB_REDIR_TEMP, DbStatus.DB_REDIR_PERM}


def test_a_score_that_is_no_number_decides_nothing() -> None:
    pages = [CrawlDatum("http://a.test/1", score=math.nan), CrawlDatum("http://a.test/2", score=5.0)]
    assert Keeper(["score"], strict=True).better(*pages) == 0


def test_a_url_without_a_host_is_compared_within_no_host() -> None:
    assert content_group(b"s", "file:///x", "host") == b"s"
    assert content_group(b"s", "http://www.A.test:8/x", "host") == b"swww.a.test"
    assert content_group(b"s", "http://www.a.co.uk/x", "domain") == b"sa.co.uk"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("score,urlLength", "must contain score, fetchTime, urlLength, got 'score,urlLength'"),
        ("score,fetchTime,urlLength,https", "got 'https' in 'score,fetchTime,urlLength,https'"),
        ("score,fetchTime,urlLength,", "got ''"),
    ],
)
def test_an_order_that_cannot_be_used_is_named(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compare_order(text)


def test_nutch_passes_over_names_that_it_does_not_know() -> None:
    assert (
        Keeper(compare_order("bogus, score,fetchTime,urlLength", strict=True)).better(
            CrawlDatum("http://a.test/long", score=1.0), CrawlDatum("http://a.test/", score=0.0)
        )
        < 0
    )
    assert compare_order(" score , fetchTime,urlLength") == ["score", "fetchTime", "urlLength"]
