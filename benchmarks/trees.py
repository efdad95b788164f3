"""Whether our crawl of real folders of HTML finds the pages and links that Scrapy alone finds there.

Run ``python benchmarks/trees.py FOLDER …`` from the project's folder (Linux; 7,000 pages take a minute and a half).
Each folder is a host that nginx serves (without it, files that are no HTML are missing). Scrapy with its LinkExtractor
and our spider crawl them from their index pages; then all URLs that they got an answer for, the pages that they read,
and all links of pages that both read, links of a page to itself aside, are compared in one spelling without fragments
(w3lib's ``canonicalize_url``). Each kind of difference is counted and shown, with the reason where it is known; one
that is not explained makes the exit code 1. HTML files that neither reached are named, too: a look at those tells
whether both miss the same.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote, unquote, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parent))

from crawl_contestants import EMBEDDED, SCRAPY, fetched
from crawl_runs import Course, course
from crawl_servers import free_port
from crawl_web import Web
from found_links import FILE_SETTING, found_links
from scrapy.linkextractors import IGNORED_EXTENSIONS
from w3lib.url import canonicalize_url

INDEX = "index.html"
SETTINGS: dict[str, dict[str, Any]] = {  # what makes the two follow the same
    SCRAPY: {},
    EMBEDDED: {
        "NUTCH_DB_IGNORE_EXTERNAL_LINKS": True,
        "NUTCH_LINKS_NOT_FOLLOWED": [],
        "NUTCH_DEDUP_COPIES_FOLLOWED": -1,
    },
}
_SUFFIXES = tuple(f".{suffix}" for suffix in IGNORED_EXTENSIONS)
_EMPTY_FOLDERS = re.compile(r"/{2,}")
_LONE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
EXAMPLES = 5  # of a kind that is not explained, or of files that neither reached
UNEXPLAINED = "not explained"
NO_HTML = "an answer that is no HTML, which only ours reads"
START_AGAIN = "a start URL that pages link to: Scrapy's filter of duplicates has not seen it"


@dataclass(frozen=True)
class Tree(Web):
    """Folders as a web; what their pages link to is not known, so ``links`` has none."""

    server_options: ClassVar[str] = "include /etc/nginx/mime.types; default_type application/octet-stream; charset off;"

    def file(self, url: str) -> Path:
        parts = urlsplit(url)
        path = parts.path + INDEX if parts.path.endswith("/") else parts.path
        return self.folder / "sites" / (parts.hostname or "") / unquote(path).lstrip("/")


@dataclass(frozen=True)
class Found:
    """What a crawl saw: statuses by URL, and links by page that it read, all in one spelling.

    ``not_html`` are those of the pages that have another type; ``again`` has each URL that was fetched more than once,
    with the reason.
    """

    statuses: Mapping[str, int]
    links: Mapping[str, set[str]]
    speed: float
    not_html: frozenset[str] = frozenset()
    again: Mapping[str, str] = field(default_factory=dict)


def make_tree(sources: list[Path], folder: Path) -> Tree:
    """Return the web of ``sources``; ``folder`` takes links to them. ValueError for one without an index page."""
    (folder / "sites").mkdir(parents=True)
    port, links, seeds = free_port(), {}, []
    for number, source in enumerate(sources, 1):
        if not (source / INDEX).is_file():
            raise ValueError(f"must name folders with an {INDEX}, got {str(source)!r}")
        root = f"http://127.0.1.{number}:{port}/"
        (folder / "sites" / f"127.0.1.{number}").symlink_to(source.resolve())
        seeds.append(root)
        files = (file.relative_to(source).as_posix() for file in source.rglob("*.html") if file.is_file())
        links.update((root + quote(file), frozenset[str]()) for file in files)
        links[root] = frozenset()
    return Tree(folder, tuple(seeds), links)


def crawled(ready: Course, contestant: str) -> Found:
    """Return what a crawl by ``contestant`` saw."""
    file = ready.folder / f"{contestant}.jsonl"
    run = ready.run(
        contestant,
        is_whole=False,
        hosts=ready.web.hosts,
        SPIDER_MIDDLEWARES={"found_links.FoundLinks": 900},
        **{FILE_SETTING: str(file)},
        **SETTINGS[contestant],
    )
    answers = [(spelt(url), status) for url, status in fetched(run.jobs[0])]
    known = {url: START_AGAIN for url in ready.web.seeds if contestant == SCRAPY}
    again = {url: known.get(url, UNEXPLAINED) for url, times in Counter(url for url, _ in answers).items() if times > 1}
    links: dict[str, set[str]] = defaultdict(set)
    not_html = set()
    for url, page in found_links(file).items():
        links[spelt(url)] |= {spelt(link) for link in page.links} - {spelt(url)}
        if not page.is_html:
            not_html.add(spelt(url))
    return Found(dict(answers), links, run.speed, frozenset(not_html), again)


def spelt(url: str) -> str:
    """Return the one spelling of ``url``."""
    return canonicalize_url(_LONE_PERCENT.sub("%25", url))


def reason_for(url: str, others: Iterable[str]) -> str:
    """Return why only one crawl has ``url``; ``others`` are those that only the other has in the same place."""
    if urlsplit(url).path.lower().endswith(_SUFFIXES):
        return "a suffix that LinkExtractor leaves out"
    if _EMPTY_FOLDERS.sub("/", url) in {_EMPTY_FOLDERS.sub("/", other) for other in others}:
        return "an empty folder, //, in its path: browsers and we keep it, urljoin does not"
    return UNEXPLAINED


def differences(one: Found, other: Found) -> dict[tuple[str, str], list[str]]:
    """Return what ``one`` has and ``other`` has not, by what it is and why."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    pages, others = one.statuses.keys() - other.statuses.keys(), other.statuses.keys() - one.statuses.keys()
    for url in pages:
        found["URLs fetched", reason_for(url, others)].append(f"{url} ({one.statuses[url]})")
    for url, reason in one.again.items():
        found["URLs fetched again", reason].append(url)
    for url in one.statuses.keys() & other.statuses.keys():
        if one.statuses[url] < other.statuses[url]:
            reason = "a % that escapes nothing: we send %25" if "%25" in url else UNEXPLAINED
            found["better statuses", reason].append(f"{url}: {one.statuses[url]}, not {other.statuses[url]}")
        elif url in one.links.keys() - other.links.keys() and one.statuses[url] == other.statuses[url]:
            found["pages read", NO_HTML if url in one.not_html else UNEXPLAINED].append(url)
    for page in one.links.keys() & other.links.keys():
        for link in one.links[page] - other.links[page]:
            reason = reason_for(link, other.links[page] - one.links[page])
            found["links", reason].append(f"{link} of {page}")
    return found


def not_reached(web: Web, found: Iterable[Found]) -> list[str]:
    """Return the HTML files that no crawl has fetched; under which of its URLs does not matter."""
    reached = {web.file(url) for one in found for url in one.statuses}
    return sorted(url for url in web.links if web.file(url) not in reached)


def main() -> int:
    """Print both crawls and how they differ; 1 when something is not explained."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trees") as name:
        try:
            web = make_tree(options.folders, Path(name) / "web")
        except ValueError as error:
            parser.error(str(error))
        with course(web, Path(name) / "run") as ready:
            found = {contestant: crawled(ready, contestant) for contestant in SETTINGS}
    return report(web, found)


def report(web: Web, found: Mapping[str, Found]) -> int:
    """Print what the crawls found and how they differ; 1 when something is not explained."""
    print(f"{'':12}{'URLs':>9}{'of them 200':>13}{'pages read':>12}{'links':>9}{'pages/s':>9}")
    for contestant, one in found.items():
        good = sum(status == 200 for status in one.statuses.values())
        links = sum(map(len, one.links.values()))
        print(f"{contestant:12}{len(one.statuses):9}{good:13}{len(one.links):12}{links:9}{one.speed:9.0f}")
    unexplained = 0
    for contestant, other in ((SCRAPY, EMBEDDED), (EMBEDDED, SCRAPY)):
        print(f"Only {contestant}:")
        for (what, reason), some in sorted(differences(found[contestant], found[other]).items()):
            unexplained += len(some) * (reason == UNEXPLAINED)
            examples = sorted(some)[: EXAMPLES if reason == UNEXPLAINED else 1]
            print(f"  {len(some)} {what}: {reason}, e.g. {', '.join(examples)}")
    if missed := not_reached(web, found.values()):
        print(f"Neither: {len(missed)} of {len(web.links)} HTML files, e.g. {', '.join(missed[:EXAMPLES])}")
    return int(unexplained > 0)


if __name__ == "__main__":
    sys.exit(main())
