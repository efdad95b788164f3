"""What crawl.py asks besides: slow and polite hosts, several workers, many waiting URLs."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

from crawl_contestants import EMBEDDED, Measured
from crawl_runs import Course, Run, middle
from scrapy.settings import Settings

from nutchlike.addon import NutchlikeAddon
from nutchlike.crawl_store import open_store
from nutchlike.store.crawldb import Seed

ANSWER_SECONDS = 0.2
SLOW_HOSTS = 200
DELAY = 1.0  # seconds between two requests to a slow host
MEASURED_SECONDS = 18  # the smallest of them have pages for so long, when there are 8,000 of 200 hosts
INJECTED_AT_ONCE = 1000
LEAST_SCORE = 1e-12  # they wait behind all others
INTERVAL = 86_400  # seconds
MEMORY_GOAL = 50.0  # MB that waiting URLs may add to a worker


def latency(course: Course) -> None:
    """Print how near a crawl of slow, polite hosts comes to what politeness allows."""
    hosts = len(course.web.hosts)
    homes = [url for url in course.web.links if url.count("/") == 3 and url.endswith("/")]
    run = course.run(
        EMBEDDED,
        seeds=homes,
        is_whole=False,
        DOWNLOAD_DELAY=DELAY,
        CONCURRENT_REQUESTS=hosts,
        CONCURRENT_REQUESTS_PER_DOMAIN=1,
        CLOSESPIDER_TIMEOUT=MEASURED_SECONDS,
    )
    worker = run.processes[0]
    most = hosts / DELAY
    print(f"{hosts} hosts that answer after {ANSWER_SECONDS} s, a delay of {DELAY:g} s: at most {most:.0f} pages/s")
    print(f"{run.speed:.0f} pages/s ({run.speed / most:.0%}) for {run.seconds:.0f} s, {run.pages} pages")
    print(f"{worker.in_flight:.0f} requests in flight (at that speed {run.speed * ANSWER_SECONDS:.0f} are needed)")
    print(f"CPU: {worker.cpu / run.seconds:.2f} cores, {run.cpu:.2f} ms a page; Redis {_cores(run, run.redis_cpu)}")


def workers(course: Course, number: int, *, rounds: int) -> None:
    """Print how much faster ``number`` processes are than one, with one store."""
    runs: dict[int, list[Run]] = {1: [], number: []}
    for _ in range(rounds):
        for count, of_count in runs.items():
            of_count.append(course.run(EMBEDDED, workers=count))
    print(f"{os.cpu_count()} cores, {course.server.name}; median of {rounds}")
    for count, of_count in runs.items():
        speed, cpu = middle(of_count, lambda run: run.speed), middle(of_count, lambda run: run.cpu)
        shares = [middle(of_count, share) for share in (_crawlers, _redis, _web)]
        print(
            f"{count} workers: {speed:.0f} pages/s, {cpu:.2f} CPU ms a page; cores in use: "
            f"{shares[0]:.2f} by workers, {shares[1]:.2f} by Redis, {shares[2]:.2f} by the web server"
        )
    speeds = {count: middle(of_count, lambda run: run.speed) for count, of_count in runs.items()}
    print(f"{number} workers / 1: {speeds[number] / speeds[1]:.2f}")


def waiting(course: Course, number: int) -> None:
    """Print what ``number`` waiting URLs add to a worker's memory; they wait behind the pages of the web."""

    def fill(where: dict[str, Any]) -> None:
        _inject(where, course.web.seeds[0].rstrip("/"), number)

    pages = len(course.web.links)
    peaks = {}
    befores: dict[str, Callable[[dict[str, Any]], None]] = {"none": lambda where: None, f"{number}": fill}
    for name, before in befores.items():
        run = course.run(EMBEDDED, before=before, is_whole=False, CLOSESPIDER_PAGECOUNT=pages // 2)
        peaks[name] = run.rss
        print(f"{name} more URLs wait: worker {run.rss:.0f} MB at its peak, {run.speed:.0f} pages/s, {run.cpu:.2f} ms")
    added = peaks[f"{number}"] - peaks["none"]
    print(f"added by them: {added:.0f} MB (goal: at most {MEMORY_GOAL:g})")


def _inject(where: dict[str, Any], site: str, number: int) -> None:
    settings = Settings(where)
    NutchlikeAddon.update_pre_crawler_settings(settings)
    store = open_store(settings, crawl_id="site")
    for first in range(0, number, INJECTED_AT_ONCE):
        numbers = range(first, min(first + INJECTED_AT_ONCE, number))
        seeds = [Seed(f"{site}/waiting/{n:09}.html", LEAST_SCORE, INTERVAL, {}) for n in numbers]
        store.crawldb.inject(seeds, merge="keep", now=time.time())
    store.close()


def _cores(run: Run, seconds: float) -> float:
    return round(seconds / run.seconds, 2)


def _crawlers(run: Run) -> float:
    return run.a_page(_cpu_of) * run.speed


def _cpu_of(measured: Measured) -> float:
    return measured.cpu


def _redis(run: Run) -> float:
    return run.redis_cpu / run.seconds


def _web(run: Run) -> float:
    return run.web_cpu / run.seconds
