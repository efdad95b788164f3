"""Which pages a dropper takes for one: precision and recall of our cascade beside the methods that others use.

Run ``python benchmarks/dedup.py`` from the project's folder (``--seeds 1``, ``--families plain,menu``). Pages come in
crawl order; each dropper names the earlier page that a page repeats, or keeps it. Two pages that ended with one owner
are a pair that the dropper claims. Printed are precision, recall and F1 over pairs, pages dropped although no page of
their content was kept before them (per 1,000 pages), and the processor time per page.

What is a duplicate was decided before anything was tuned: see dedup_pages.py. The cascade was tuned on the families
``plain`` and ``menu`` with seed 1; the defaults here, the families ``portal`` and ``blog`` with seeds 5 and 6, had no
part in it (``portal`` was looked at once with other seeds, which made two rules stricter).

``--web DIR`` compares on a folder of pages with a ``truth.json`` (lists ``urls``, ``host``, ``cluster``) and a folder
``sites/<host>/``; ``--folder DIR`` shows what the cascade would drop of any folder of HTML files, to be read.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from time import process_time
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from dedup_methods import Cascade, Dropper, droppers
from dedup_pages import FAMILIES, Page, Web

from nutchlike.parsing.html import parse_html

SHOWN = 40  # pairs


def compare(pages: Sequence[Page]) -> None:
    """Print a row for each dropper, and what the cascade found of each kind of copy."""
    kinds = Counter(page.kind for page in pages)
    print(f"{len(pages)} pages, {len({page.content for page in pages})} contents: {dict(kinds)}")
    print(f"  {'':24}{'precision':>10}{'recall':>8}{'F1':>8}{'wrong/1000':>12}{'ms/page':>9}")
    owners: list[int] = []
    for name, new in droppers().items():
        owners, milliseconds = drop(new(), pages)
        precision, recall = quality(owners, pages)
        both = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        wrong = len(wrongly_dropped(owners, pages)) / len(pages) * 1000
        print(f"  {name:24}{precision:10.4f}{recall:8.3f}{both:8.3f}{wrong:12.2f}{milliseconds:9.2f}")
    print("  the cascade found, of each kind of copy:", found_by_kind(owners, pages))
    print(
        "  the cascade dropped wrongly:", dict(Counter(pages[number].kind for number in wrongly_dropped(owners, pages)))
    )


def drop(dropper: Dropper, pages: Sequence[Page]) -> tuple[list[int], float]:
    """Return each page's owner, and milliseconds of processor time per page."""
    started = process_time()
    owners = [dropper.owner(number, page) for number, page in enumerate(pages)]
    return owners, (process_time() - started) / len(pages) * 1e3


def quality(owners: Sequence[int], pages: Sequence[Page]) -> tuple[float, float]:
    """Return precision and recall over pairs of pages."""
    true = _pairs(Counter(page.content for page in pages))
    claimed = _pairs(Counter(owners))
    right = _pairs(Counter(zip(owners, (page.content for page in pages), strict=True)))
    return (right / claimed if claimed else 1.0), (right / true if true else 1.0)


def _pairs(groups: Counter[int] | Counter[tuple[int, int]]) -> int:
    return sum(size * (size - 1) // 2 for size in groups.values())


def wrongly_dropped(owners: Sequence[int], pages: Sequence[Page]) -> list[int]:
    """Return the pages that were dropped for another content, though none of their own was kept before them."""
    kept: set[int] = set()
    wrong = []
    for number, owner in enumerate(owners):
        content = pages[number].content
        if owner == number:
            kept.add(content)
        elif content != pages[owner].content and content not in kept:
            wrong.append(number)
    return wrong


def found_by_kind(owners: Sequence[int], pages: Sequence[Page]) -> dict[str, str]:
    """Return, for each kind of page, how many of those that have a copy share an owner with one."""
    copies: defaultdict[int, list[int]] = defaultdict(list)
    for number, page in enumerate(pages):
        copies[page.content].append(number)
    all_of: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for group in copies.values():
        for number in group if len(group) > 1 else ():
            all_of[pages[number].kind] += 1
            found[pages[number].kind] += any(owners[number] == owners[other] for other in group if other != number)
    return {kind: f"{found[kind]}/{number}" for kind, number in sorted(all_of.items())}


def pages_of_web(folder: Path) -> list[Page]:
    """Return the pages of a made web with their true clusters, in any order."""
    truth = json.loads((folder / "truth.json").read_text())
    pages = []
    for url, host, cluster in zip(truth["urls"], truth["host"], truth["cluster"], strict=True):
        path = urlsplit(url).path
        file = folder / "sites" / host / (path + "index.html" if path.endswith("/") else path).lstrip("/")
        parsed = parse_html(file.read_bytes(), url=url, encoding="utf-8")
        pages.append(Page(url, host, parsed.title, parsed.text, cluster, "page", parsed.main_text()))
    random.Random(1).shuffle(pages)
    return pages


def show_drops(folder: Path) -> None:
    """Print which HTML files below ``folder`` the cascade would drop; each folder directly below is a host."""
    files = sorted(folder.rglob("*.html"))
    random.Random(1).shuffle(files)
    pages = []
    for file in files:
        parsed = parse_html(file.read_bytes(), url=f"http://folder.test/{file.name}", encoding="utf-8")
        if parsed.text:
            host = file.relative_to(folder).parts[0]
            pages.append(Page(str(file), host, parsed.title, parsed.text, 0, "file", parsed.main_text()))
    owners, milliseconds = drop(Cascade(), pages)
    dropped = [number for number, owner in enumerate(owners) if owner != number]
    alike = [number for number in dropped if pages[number].text != pages[owners[number]].text]
    print(
        f"{len(pages)} pages, {len(dropped)} dropped, {len(alike)} of them for another text, {milliseconds:.2f} ms/page"
    )
    for number in alike[:SHOWN]:
        print(f"  {pages[number].url}\n    repeats {pages[owners[number]].url}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--families", default="portal,blog")
    parser.add_argument("--seeds", default="5,6")
    parser.add_argument("--size", type=int, default=60, help="articles per host, of 8 hosts")
    parser.add_argument("--web", type=Path, action="append", default=[])
    parser.add_argument("--folder", type=Path)
    arguments = parser.parse_args()
    if arguments.folder:
        show_drops(arguments.folder)
        return
    for web in arguments.web:
        print(f"{web.name}:", end=" ")
        compare(pages_of_web(web))
    for family in arguments.families.split(",") if arguments.families else ():
        for seed in map(int, arguments.seeds.split(",")):
            print(f"family {family}, seed {seed}:", end=" ")
            compare(Web(FAMILIES[family], seed, size=arguments.size).pages())


if __name__ == "__main__":
    main()
