"""The CrawlDb that a scripted site leaves, beside the expected one: each redirect, directive and status.

Run ``python benchmarks/site_cases.py`` from the project's folder (half a minute). All cases of tests/site_cases.py are
one real crawl of sites on loopback addresses, and those of tests/recrawl_cases.py four, of which the later ones find
that all pages are due again. A line is one URL after one crawl, with tabs between its columns. ``--wrong`` shows only
what is not as expected. Exit code 1 when a line is wrong or ``scrapy fsck`` finds something.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import recrawl_cases
import site_cases as first_cases
from scripted_site import Comparison, crawl_cases

HEAD = ("case", "crawl", "URL", "expected", "found", "ok")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--wrong", action="store_true", help="show only what is not as expected")
    options = parser.parse_args()
    compared: list[Comparison] = []
    told = []
    is_clean = True
    for title, cases in (("one crawl", first_cases.CASES), ("several crawls", recrawl_cases.CASES)):
        with tempfile.TemporaryDirectory() as folder:
            crawls = crawl_cases(Path(folder), cases, first_cases.ROBOTS)
        compared += [comparison for case in cases for comparison in crawls.compared(case)]
        told.append(f"{title}: {len(cases)} cases; fsck: {crawls.fsck.splitlines()[0]}")
        is_clean = is_clean and crawls.is_clean
    wrong = [comparison for comparison in compared if not comparison.is_right]
    show(wrong if options.wrong else compared)
    print("\n".join(told))
    print(f"{len(compared)} rows, {len(wrong)} wrong")
    return 0 if is_clean and not wrong else 1


def show(compared: Iterable[Comparison]) -> None:
    print("\t".join(HEAD))
    for c in compared:
        expected, found = (str(row or "not known") for row in (c.expected, c.found))
        print("\t".join((c.case, str(c.crawl), c.url, expected, found, "yes" if c.is_right else "NO")))


if __name__ == "__main__":
    sys.exit(main())
