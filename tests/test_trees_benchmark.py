"""benchmarks/trees.py: that it compares whole crawls, and explains what it should and nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from web import PROJECT, html

sys.path.insert(0, str(PROJECT / "benchmarks"))

from crawl_contestants import EMBEDDED, SCRAPY
from trees import NO_HTML, START_AGAIN, UNEXPLAINED, Found, Tree, differences, not_reached, report, spelt

PAGE = "http://127.0.1.1:1/"


def found(*links: str, **statuses: int) -> Found:
    return Found(
        {PAGE + name: status for name, status in statuses.items()}, {PAGE: {PAGE + link for link in links}}, 1.0
    )


def test_both_crawls_find_the_same_in_a_folder_and_what_differs_has_its_reason(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "index.html").write_bytes(
        html("home", ["a.html", "more/", "x.pdf", "more//b.html", "n.txt", "http://b.test/"])
    )
    (tmp_path / "a.html").write_bytes(html("a", ["/", "gone.html", "#here"]))
    (tmp_path / "more" / "index.html").write_bytes(html("more", ["b.html", "../a.html?q=\u00e4"]))
    (tmp_path / "more" / "b.html").write_bytes(html("b", ["."]))
    (tmp_path / "n.txt").write_text("notes", encoding="utf-8")
    (tmp_path / "alone.html").write_bytes(html("alone", []))
    done = subprocess.run(
        [sys.executable, PROJECT / "benchmarks" / "trees.py", tmp_path],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    _, scrapy, ours, *kinds = done.stdout.splitlines()
    assert scrapy.split()[:5] == ["scrapy", "7", "6", "5", "12"]
    assert ours.split()[:5] == ["nutchlike", "7", "6", "6", "13"]
    expected = [
        "Only scrapy:",
        f"1 URLs fetched again: {START_AGAIN}",
        "1 links: an empty folder",
        "Only nutchlike:",
        "1 links: a suffix that LinkExtractor leaves out",
        "1 links: an empty folder",
        f"1 pages read: {NO_HTML}",
        "Neither: 1 of 6 HTML files",
    ]
    assert all(kind.strip().startswith(start) for kind, start in zip(kinds, expected, strict=True)), kinds


def test_a_page_or_link_that_only_one_has_is_not_explained() -> None:
    one, other = found("a", a=200, b=200), found("b", b=200)
    assert differences(other, one) == {("links", UNEXPLAINED): [f"{PAGE}b of {PAGE}"]}
    assert differences(one, other) == {
        ("URLs fetched", UNEXPLAINED): [f"{PAGE}a (200)"],
        ("links", UNEXPLAINED): [f"{PAGE}a of {PAGE}"],
    }
    assert differences(found(b=200), found(b=404)) == {("better statuses", UNEXPLAINED): [f"{PAGE}b: 200, not 404"]}


@pytest.mark.parametrize(("is_html", "reason"), [(True, UNEXPLAINED), (False, NO_HTML)])
def test_a_page_that_only_one_read_is_explained_when_it_is_no_html(is_html: bool, reason: str) -> None:
    answers, not_html = {PAGE: 200}, frozenset[str]() if is_html else frozenset([PAGE])
    read, not_read = Found(answers, {PAGE: set()}, 1.0, not_html), Found(answers, {}, 1.0)
    assert differences(read, not_read) == {("pages read", reason): [PAGE]}
    assert not differences(not_read, read)


@pytest.mark.parametrize(("reason", "code"), [(UNEXPLAINED, 1), (START_AGAIN, 0)])
def test_a_difference_that_is_not_explained_makes_the_command_fail(reason: str, code: int) -> None:
    again = Found({PAGE: 200}, {PAGE: set()}, 1.0, again={PAGE: reason})
    once = Found({PAGE: 200}, {PAGE: set()}, 1.0)
    web = Tree(Path(), (PAGE,), {PAGE: frozenset()})
    assert report(web, {SCRAPY: once, EMBEDDED: again}) == code


def test_a_file_is_reached_under_any_of_its_urls() -> None:
    links: dict[str, frozenset[str]] = {PAGE + path: frozenset() for path in ("", "index.html", "a.html", "b.html")}
    web = Tree(Path(), (PAGE,), links)
    crawls = [Found({PAGE: 200}, {}, 1.0), Found({f"{PAGE}b.html": 200}, {}, 1.0)]
    assert not_reached(web, crawls) == [f"{PAGE}a.html"]


def test_an_empty_folder_explains_only_the_link_that_it_is_in() -> None:
    reasons = differences(found("/x", "y"), found("x"))
    assert {(what, why[:15]): len(some) for (what, why), some in reasons.items()} == {
        ("links", "an empty folder"): 1,
        ("links", UNEXPLAINED): 1,
    }


def test_one_spelling_leaves_no_fragment_and_no_lone_percent() -> None:
    assert spelt(f"{PAGE}a%.html#x") == f"{PAGE}a%25.html"
