"""What one slow host costs 99 fast ones: pages per second of the fast ones, with the slow one and without it.

Run ``python benchmarks/fairness.py`` from the project's folder (about two minutes). The hosts are names of loopback
(127.0.0.1 to 127.0.0.100) of one server; a page of the slow one takes ten seconds. Crawls take turns; medians are
printed.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from web import Answer, Project, Web, html, serve

FAST_HOSTS = 99
PAGES = 10  # of each host
SLOW_SECONDS = 10.0
ROUNDS = 3
SLOW = "127.0.0.100"


def page(request: Any) -> Answer:
    """Return a page of whichever host is asked; all of a host link to each other."""
    host = request.headers["Host"].rpartition(":")[0]
    links = [f"/{i}" for i in range(PAGES)]
    return Answer(html(f"{host}{request.path}", links), wait=SLOW_SECONDS if host == SLOW else 0.0)


def crawl(web: Web, *, with_slow: bool) -> float:
    """Crawl until all pages of the fast hosts are there; return those pages per second."""
    port = web.url.rpartition(":")[2]
    hosts = [f"127.0.0.{i}" for i in range(1, FAST_HOSTS + 1)] + [SLOW] * with_slow
    with tempfile.TemporaryDirectory(prefix="fairness-") as folder:
        project = Project(Path(folder), {"CONCURRENT_REQUESTS": 32, "CONCURRENT_REQUESTS_PER_DOMAIN": 1})
        seeds = project.folder / "seeds.txt"
        seeds.write_text("\n".join(f"http://{host}:{port}/0" for host in hosts), encoding="utf-8")
        process = project.start(f"seeds={seeds}", DOWNLOAD_DELAY=0.05)
        feed, expected = project.folder / "pages.jsonl", FAST_HOSTS * PAGES

        def fast_pages() -> int:
            lines = feed.read_text().splitlines() if feed.exists() else []
            return sum(f"//{SLOW}:" not in line for line in lines)

        while not fast_pages():
            time.sleep(0.01)
        begun = time.monotonic()
        while fast_pages() < expected:
            time.sleep(0.05)
        seconds = time.monotonic() - begun
        process.kill()
        process.wait()
        project.command("readdb", "--stats")  # joins the store that the killed crawl left, and stops it
    return expected / seconds


def main() -> None:
    speeds: dict[bool, list[float]] = {False: [], True: []}
    with serve({f"/{i}": page for i in range(PAGES)}, "0.0.0.0") as web:
        for _ in range(ROUNDS):
            for with_slow, measured in speeds.items():
                measured.append(crawl(web, with_slow=with_slow))
    alone, together = median(speeds[False]), median(speeds[True])
    for name, speed, all_speeds in (("alone", alone, speeds[False]), ("and a slow one", together, speeds[True])):
        runs = ", ".join(f"{one:.1f}" for one in sorted(all_speeds))
        print(f"{FAST_HOSTS} fast hosts {name:<15} {speed:6.1f} pages/s  (runs: {runs})")
    print(f"ratio: {together / alone:.2f}")


if __name__ == "__main__":
    main()
