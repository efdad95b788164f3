"""What a far-away Redis costs a crawl: pages per second over a unix socket and through 5 ms of network.

Run ``python benchmarks/latency.py`` from the project's folder. Both kinds of crawl take turns, each in a process and
with an empty store of its own; the medians of the rounds count. The site is served by nginx when it is on PATH, else by
the tests' own server.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import monotonic, perf_counter, sleep

import redis
from redis.connection import AbstractConnection
from scrapy.crawler import CrawlerProcess
from scrapy.utils.project import get_project_settings

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from crawl_servers import free_port
from delaying_proxy import delaying_proxy
from web import Answer, html, serve

from nutchlike.store.server_binary import binary_for

ROOT = Path(__file__).resolve().parents[1]
PAGES = 1500
LINKS = 20  # a page
ROUNDS = 3
ROUND_TRIP = 0.005  # seconds
GOALS = {"ratio": 0.8, "round trips": 2.0}
SETTINGS = {
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_REQUESTS": 32,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 64,  # of the one host that there is; leases that wait in the worker count, too
    "SCHEDULER_FLUSH_ON_START": True,
    "LOG_LEVEL": "WARNING",
    "NUTCH_CRAWL_ID": "latency",
}


def site() -> dict[str, bytes]:
    """Return the pages by path: a tree in which each page also links to others all over the site."""
    pages = {}
    for number in range(PAGES):
        children = range(number * 5 + 1, min(number * 5 + 6, PAGES))
        others = [(number * 7 + step * 131) % PAGES for step in range(LINKS - len(children))]
        links = [f"/{n}.html" for n in [*children, *others]]
        pages[f"/{number}.html"] = html(f"/{number}", links)
    return pages


@contextmanager
def served(pages: dict[str, bytes], folder: Path) -> Iterator[tuple[str, str]]:
    """Serve the site; yields its address and the server's name."""
    program = shutil.which("nginx")
    if program is None:
        with serve({path: Answer(body) for path, body in pages.items()}) as web:
            yield web.url, "the tests' server"
        return
    root = folder / "root"
    root.mkdir()
    for path, body in pages.items():
        (root / path.strip("/")).write_bytes(body)
    conf = folder / "nginx.conf"
    address = f"127.0.0.1:{free_port()}"
    conf.write_text(
        f"worker_processes 1; daemon off; pid {folder}/pid; error_log {folder}/error.log;\n"
        "events { worker_connections 256; }\n"
        f"http {{ access_log off; types {{ text/html html; }} charset utf-8; keepalive_requests 1000000;\n"
        f"server {{ listen {address}; root {root}; }} }}\n",
        encoding="utf-8",
    )
    folder.chmod(0o755)  # its worker may be another user
    process = subprocess.Popen([program, "-c", str(conf), "-e", str(folder / "error.log")])
    try:
        yield f"http://{address}", "nginx"
    finally:
        process.terminate()
        process.wait()


@contextmanager
def store(folder: Path) -> Iterator[Path]:
    """Run a redis-server; yields its unix socket."""
    path = folder / "redis.sock"
    program = str(binary_for(folder).path)
    options = ["--port", "0", "--unixsocket", str(path), "--dir", str(folder), "--save", "", "--appendonly", "yes"]
    process = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL)
    deadline = monotonic() + 20
    while not path.exists():
        if monotonic() > deadline:
            raise TimeoutError(f"{program} has not opened {path} for 20 s")
        sleep(0.02)
    try:
        yield path
    finally:
        process.terminate()
        process.wait()


def crawl(url: str, store_url: str) -> dict[str, float]:
    """Crawl the site in this process; return pages, seconds, and round trips to the store."""
    sent = 0
    send = AbstractConnection.send_packed_command

    def counted(connection: AbstractConnection, *args: object, **options: object) -> None:
        nonlocal sent
        sent += 1
        send(connection, *args, **options)

    AbstractConnection.send_packed_command = counted
    settings = get_project_settings()
    settings.setdict({**SETTINGS, "REDIS_URL": store_url}, priority="cmdline")
    process = CrawlerProcess(settings)
    crawler = process.create_crawler("site")
    process.crawl(crawler, url=f"{url}/0.html")
    process.start()
    stats = crawler.stats.get_stats()
    return {
        "pages": stats.get("nutch/completion/success", 0),
        "seconds": (stats["finish_time"] - stats["start_time"]).total_seconds(),
        "sent": sent,
    }


def crawl_elsewhere(url: str, store_url: str) -> dict[str, float]:
    """Run ``crawl`` in a process of its own."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("SCRAPY_", "REDIS_"))}
    command = [sys.executable, __file__, url, store_url]
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    if result["pages"] < PAGES:
        raise RuntimeError(f"only {result['pages']} of {PAGES} pages were fetched with {store_url}")
    return result


def round_trip(url: str) -> float:
    """Return the median time of a PING, in milliseconds."""
    client = redis.Redis.from_url(url)
    times = []
    for _ in range(50):
        started = perf_counter()
        client.ping()
        times.append(perf_counter() - started)
    return median(times) * 1000


def main() -> None:
    """Print the comparison."""
    with tempfile.TemporaryDirectory(prefix="latency") as name:
        folder = Path(name)
        with (
            served(site(), folder) as (url, server),
            store(folder) as path,
            delaying_proxy(path, delay=ROUND_TRIP / 2) as proxy,
        ):
            near, far = f"unix://{path}", proxy.url
            print(f"{PAGES} pages of {LINKS} links, served by {server}; {ROUNDS} rounds, taking turns")
            print(f"PING: {round_trip(near):.2f} ms over the unix socket, {round_trip(far):.2f} ms through the proxy")
            speeds: dict[str, list[float]] = {near: [], far: []}
            trips: dict[str, list[float]] = {near: [], far: []}
            for _ in range(ROUNDS):
                for where in (near, far):
                    result = crawl_elsewhere(url, where)
                    speeds[where].append(result["pages"] / result["seconds"])
                    trips[where].append(result["sent"] / result["pages"])
    for title, where in (("unix socket", near), ("far away", far)):
        rounds = ", ".join(f"{speed:.0f}" for speed in speeds[where])
        print(f"{title}: {median(speeds[where]):.0f} pages/s ({rounds}), {median(trips[where]):.2f} round trips a page")
    ratio = median(speeds[far]) / median(speeds[near])
    print(f"ratio {ratio:.2f} (goal: at least {GOALS['ratio']})")
    most = max(median(trips[near]), median(trips[far]))
    print(f"round trips a page {most:.2f} (goal: at most {GOALS['round trips']})")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(crawl(sys.argv[1], sys.argv[2])))
    else:
        main()
