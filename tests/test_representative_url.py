"""Which of two URLs stands for a page to which one of them redirects."""

from __future__ import annotations

import pytest
from vectors import vector_rows

from nutchlike.urls.representative_url import choose_repr


def test_results_are_those_of_nutch() -> None:
    rows = [row for row in vector_rows("urlutil.jsonl") if row["fn"] == "chooseRepr"]
    chosen = {row["id"]: choose_repr(row["src"], row["url"], is_temporary=row["temp"]) for row in rows}
    assert chosen == {row["id"]: row["expected"]["repr"] for row in rows}


SOURCE, TARGET = True, False


@pytest.mark.parametrize(
    ("src", "dst", "temporary", "permanent"),
    [
        # Another domain is another page
        ("http://a.com/", "http://b.com/x", TARGET, TARGET),
        ("http://a.co.uk/", "http://b.co.uk/", TARGET, TARGET),
        # A root stands for where it leads, and is what a page leads to
        ("http://www.a.com/", "http://a.com/start/index.html", SOURCE, SOURCE),
        ("http://a.com/start", "http://www.a.com/", TARGET, TARGET),
        # Two pages: the shorter one, unless the page has moved
        ("http://a.com/x", "http://a.com/news/today", SOURCE, TARGET),
        ("http://a.com/news/today", "http://a.com/x", TARGET, TARGET),
        ("http://a.com/long-name", "http://a.com/x?y=1", TARGET, TARGET),
        ("http://a.com/x", "http://a.com/y", SOURCE, TARGET),
        ("http://a.com/a///", "http://a.com/b/c", SOURCE, TARGET),
        # On two hosts the shorter host
        ("http://www.a.com/x", "http://a.com/long/path", TARGET, TARGET),
        ("http://a.com/long/path", "http://www.a.com/x", SOURCE, TARGET),
        ("http://www.a.com/", "http://a.com/", TARGET, SOURCE),
        # What is no URL stands for nothing
        ("bad", "http://a.com/", TARGET, TARGET),
        ("http://a.com/", "bad", TARGET, TARGET),
    ],
)
def test_the_url_that_people_know_stands_for_the_page(src: str, dst: str, temporary: bool, permanent: bool) -> None:
    assert choose_repr(src, dst, is_temporary=True) == (src if temporary is SOURCE else dst)
    assert choose_repr(src, dst, is_temporary=False) == (src if permanent is SOURCE else dst)
