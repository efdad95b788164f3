"""benchmarks/trees.py: that it compares whole crawls, and explains what it should and nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from web import PROJECT, html

sys.path.insert(0, str(PROJECT / "benchmarks"))

from trees import UNEXPLAINED, Found, differences, spelt

PAGE = "http://127.0.1.1:1/"


def found(*links: str, **statuses: int) -> Found:
    return Found(
        {PAGE + name: status for name, status in statuses.items()}, {PAGE: {PAGE + link for link in links}}, 1.0
    )


def test_both_crawls_find_the_same_in_a_folder_and_what_differs_has_its_reason(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "index.html").write_bytes(html("home", ["a.html", "more/", "x.pdf", "more//b.html", "http://b.test/"]))
    (tmp_path / "a.html").write_bytes(html("a", ["index.html", "gone.html", "#here"]))
    (tmp_path / "more" / "index.html").write_bytes(html("more", ["b.html", "../a.html?q=\u00e4"]))
    (tmp_path / "more" / "b.html").write_bytes(html("b", ["."]))
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
    assert scrapy.split()[:4] == ["scrapy", "7", "6", "6"]
    assert ours.split()[:4] == ["nutchlike", "7", "6", "6"]
    # the home page is there under two URLs
    assert [kind.split(",")[0].strip() for kind in kinds] == [
        "Only scrapy:",
        "2: an empty folder",
        "Only nutchlike:",
        "2: a suffix that LinkExtractor leaves out",
        "2: an empty folder",
    ]


def test_a_page_or_link_that_only_one_has_is_not_explained() -> None:
    one, other = found("a", a=200, b=200), found("b", b=200)
    assert differences(other, one) == {UNEXPLAINED: [f"link {PAGE}b of {PAGE}"]}
    assert differences(one, other) == {UNEXPLAINED: [f"page {PAGE}a (200)", f"link {PAGE}a of {PAGE}"]}
    assert differences(found(b=200), found(b=404)) == {UNEXPLAINED: [f"page {PAGE}b: 200, not 404"]}


def test_an_empty_folder_explains_only_the_link_that_it_is_in() -> None:
    reasons = differences(found("/x", "y"), found("x"))
    assert {reason[:15]: len(some) for reason, some in reasons.items()} == {"an empty folder": 1, UNEXPLAINED: 1}


def test_one_spelling_leaves_no_fragment_and_no_lone_percent() -> None:
    assert spelt(f"{PAGE}a%.html#x") == f"{PAGE}a%25.html"
