"""What a host sees of a crawl: how many requests, how close, and what it gets after it asked to be left alone.

Run ``python benchmarks/politeness.py`` from the project's folder (about two minutes). Sites are real servers on
loopback, workers are real ``scrapy crawl`` processes that share one store; each number is what the servers saw.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from web import Answer, Project, Web, html, serve

PAGES = 400  # of a site; more than any of these crawls fetches
WINDOW = 10.0  # seconds
RETRY_AFTER = 7  # seconds
SLOW_ROBOTS = 5.0  # seconds
HOSTS = ("127.0.0.1", "127.0.0.2", "localhost")


def site_of(pages: int = PAGES) -> dict[str, Answer | Callable[[Any], Answer]]:
    """Return a site whose home links to all its pages."""
    paths = [f"/{number}" for number in range(1, pages)]
    return {"/": Answer(html("home", paths))} | {path: Answer(html(path, [])) for path in paths}


@contextmanager
def workers(folder: Path, number: int, *urls: str, **settings: Any) -> Iterator[None]:
    """Crawl ``urls`` with ``number`` processes and one store, until the block ends."""
    seeds = folder / "seeds.txt"
    seeds.write_text("\n".join(urls), encoding="utf-8")
    project = Project(folder, {"CONCURRENT_REQUESTS_PER_DOMAIN": 1} | settings)
    started = [project.start(f"seeds={seeds}", feed=f"{worker}.jsonl") for worker in range(number)]
    try:
        yield
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.communicate(timeout=60)


def wait_until(web: Web, seconds: float) -> None:
    """Return ``seconds`` after the first request that ``web`` got."""
    deadline = time.monotonic() + 60
    while not web.requests:
        assert time.monotonic() < deadline, "no request in 60 s"
        time.sleep(0.02)
    time.sleep(max(0.0, web.requests[0][0] + seconds - time.monotonic()))


def most_in_window(times: list[float], window: float = WINDOW) -> int:
    """Return how many of ``times`` lie at most in ``window`` seconds that begin with one of them."""
    return max(sum(first <= at < first + window for at in times) for first in times)


def one_host(number: int, folder: Path) -> list[float]:
    """Return when one host was asked, robots.txt included, by ``number`` workers with a delay of 1 s."""
    with serve(site_of()) as web, workers(folder, number, f"{web.url}/", DOWNLOAD_DELAY=1):
        wait_until(web, WINDOW + 4)
        return [at for at, _ in web.requests]


def after_429(number: int, folder: Path, **settings: Any) -> tuple[float, list[float]]:
    """Return when a host answered 429 with Retry-After for the first time, and when it was asked after that."""
    told: list[float] = []

    def busy(_: Any) -> Answer:
        told.append(time.monotonic())
        return Answer(b"", 429, headers={"Retry-After": str(RETRY_AFTER)})

    pages = site_of() | {f"/{number}": busy for number in range(20, PAGES)}
    with serve(pages) as web, workers(folder, number, f"{web.url}/", **settings):
        wait_until(web, 0)
        deadline = time.monotonic() + 60
        while not (told and web.requests[-1][0] > told[0] + RETRY_AFTER - 1):
            assert time.monotonic() < deadline, "nothing came after the 429"
            time.sleep(0.02)
        return told[0], [at for at, _ in web.requests if at > told[0]]


def slow_robots(seconds: float, folder: Path) -> dict[str, int]:
    """Return how many pages each host gave in SLOW_ROBOTS seconds while robots.txt of the first takes ``seconds``."""
    with ExitStack() as stack:
        webs = [stack.enter_context(serve(site_of(100), host)) for host in HOSTS]
        webs[0].pages["/robots.txt"] = Answer(b"User-agent: *\nDisallow:", wait=seconds)
        stack.enter_context(workers(folder, 1, *(f"{web.url}/" for web in webs), DOWNLOAD_DELAY=0.1))
        wait_until(webs[1], SLOW_ROBOTS)
        until = webs[1].requests[0][0] + SLOW_ROBOTS
        return {
            host: sum(at < until and path != "/robots.txt" for at, path in web.requests)
            for host, web in zip(HOSTS, webs, strict=True)
        }


def _show_one_host() -> None:
    print(f"One host, delay 1 s: requests in {WINDOW:.0f} s (robots.txt included; right: 11 at most)")
    print("workers   requests   smallest gap (s)")
    for number in (1, 3, 8):
        with tempfile.TemporaryDirectory() as folder:
            times = one_host(number, Path(folder))
        gap = min(later - earlier for earlier, later in pairwise(times))
        print(f"{number:7}   {most_in_window(times):8}   {gap:16.3f}")


def _show_after_429() -> None:
    print(f"\n429 with Retry-After {RETRY_AFTER}, 3 workers: the next request (right: not before {RETRY_AFTER} s)")
    print("delay (s)   at once   requests under way   next after (s)")
    for delay, at_once in ((1, 1), (0, 1), (0, 8)):
        with tempfile.TemporaryDirectory() as folder:
            settings = {"DOWNLOAD_DELAY": delay, "CONCURRENT_REQUESTS_PER_DOMAIN": at_once}
            told, later = after_429(3, Path(folder), **settings)
        under_way = [at for at in later if at < told + 0.5]
        following = min((at for at in later if at >= told + 0.5), default=float("inf"))
        print(f"{delay:9}   {at_once:7}   {len(under_way):18}   {following - told:14.3f}")


def _show_slow_robots() -> None:
    print(f"\nThree hosts, delay 0.1 s: pages in {SLOW_ROBOTS:.0f} s")
    print(f"{'robots.txt of the first takes':30}" + "".join(f"{host:>12}" for host in HOSTS))
    for seconds in (0.0, SLOW_ROBOTS):
        with tempfile.TemporaryDirectory() as folder:
            pages = slow_robots(seconds, Path(folder))
        print(f"{seconds:27.0f} s " + "".join(f"{pages[host]:12}" for host in HOSTS))


if __name__ == "__main__":
    _show_one_host()
    _show_after_429()
    _show_slow_robots()
