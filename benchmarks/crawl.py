"""How fast a whole crawl is, beside Scrapy alone and scrapy-redis: pages a second, CPU, Redis calls, memory.

Run ``python benchmarks/crawl.py`` from the project's folder (Linux: its hosts are 127.0.1.1, 127.0.1.2, …). The crawls
take turns, each in a process of its own with an empty store; medians of the rounds count, and their ratios. All fetch
each page once and put URL, title, visible text and links into a feed; ours also signs it, drops duplicates, scores its
links and keeps all that in a store that survives a kill. What they fetched and found is compared with what there is.

``--latency``, ``--workers 2`` and ``--waiting 500000`` ask other questions, see below.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import crawl_questions
from crawl_contestants import ALL_NAMES, EMBEDDED, NAMES, SCRAPY, SCRAPY_REDIS, TCP
from crawl_runs import Course, Run, course, middle
from crawl_servers import free_port
from crawl_web import Web, make_web, read_web

GOALS = {SCRAPY: 4.0, SCRAPY_REDIS: 7.0}  # times as fast as these
COLUMNS: dict[str, Callable[[Run], float]] = {
    "pages/s": lambda run: run.speed,
    "CPU ms/page": lambda run: run.cpu,
    "Redis ms/page": lambda run: run.redis_cpu / run.pages * 1000,
    "calls/page": lambda run: run.a_page(lambda measured: measured.calls),
    "trips/page": lambda run: run.a_page(lambda measured: measured.trips),
    "peak MB": lambda run: run.rss,
    "web ms/page": lambda run: run.web_cpu / run.pages * 1000,
}


def main() -> int:
    """Print what was asked for; 1 when a crawl did not fetch what there is."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="crawl") as name:
        for number, pages in enumerate(options.pages):
            with _course(options, pages, Path(name), f"web{number}") as ready:
                _ask(options, ready)
                if ready.differences:
                    print(f"\n{len(ready.differences)} differences:", *ready.differences[:20], sep="\n")
                    return 1
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, nargs="+", default=[5000], help="sizes of the web, one table each")
    parser.add_argument("--hosts", type=int, default=40)
    parser.add_argument("--runs", type=int, default=3, help="rounds")
    parser.add_argument("--only", nargs="+", choices=ALL_NAMES, default=NAMES, help="crawlers to compare")
    parser.add_argument("--web", type=Path, help="folder with sites/ and truth.json, in place of a web made here")
    questions = parser.add_mutually_exclusive_group()
    questions.add_argument("--latency", action="store_true", help="200 hosts that take 200 ms, with a delay of 1 s")
    questions.add_argument("--workers", type=int, help="so many processes of ours against one")
    questions.add_argument("--waiting", type=int, help="memory of a worker while so many more URLs wait")
    return parser.parse_args()


@contextmanager
def _course(options: argparse.Namespace, pages: int, folder: Path, name: str) -> Iterator[Course]:
    web = _web(options, pages, folder / name)
    wait = crawl_questions.ANSWER_SECONDS if options.latency else 0.0
    with course(web, folder / f"{name}-run", wait=wait) as ready:
        count = sum(len(found) for found in web.links.values()) / len(web.links)
        size = sum(web.file(url).stat().st_size for url in web.links) / len(web.links) / 1000
        print(
            f"\n{len(web.links)} pages of {size:.1f} kB on {len(web.hosts)} hosts, {count:.1f} links each, "
            f"served by {ready.server.name}; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
        )
        yield ready


def _web(options: argparse.Namespace, pages: int, folder: Path) -> Web:
    if options.web is not None:
        return read_web(options.web)
    folder.mkdir()
    hosts = crawl_questions.SLOW_HOSTS if options.latency else options.hosts
    return make_web(folder, pages=pages, hosts=hosts, port=free_port())


def _ask(options: argparse.Namespace, ready: Course) -> None:
    if options.latency:
        crawl_questions.latency(ready)
    elif options.workers:
        crawl_questions.workers(ready, options.workers, rounds=options.runs)
    elif options.waiting:
        crawl_questions.waiting(ready, options.waiting)
    else:
        _compare(ready, options.only, options.runs)


def _compare(ready: Course, names: list[str], rounds: int) -> None:
    runs: dict[str, list[Run]] = {name: [] for name in names}
    for number in range(rounds):
        for name in names:
            runs[name].append(ready.run(name))
            print(f"round {number + 1}: {name} {runs[name][-1].speed:.0f} pages/s", file=sys.stderr)
    print(f"{'median of ' + str(rounds):15}" + "".join(f"{title:>15}" for title in COLUMNS))
    for name in names:
        print(f"{name:15}" + "".join(f"{middle(runs[name], value):15.2f}" for value in COLUMNS.values()))
    for ours, other in product((EMBEDDED, TCP), GOALS):
        if ours in runs and other in runs:
            fast = middle(runs[ours], lambda run: run.speed) / middle(runs[other], lambda run: run.speed)
            lean = middle(runs[other], lambda run: run.cpu) / middle(runs[ours], lambda run: run.cpu)
            print(f"{ours} / {other}: {fast:.2f} times the speed (goal: {GOALS[other]:g}), CPU 1/{lean:.2f}")


if __name__ == "__main__":
    sys.exit(main())
