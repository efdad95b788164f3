"""Whether all cash is still there after many pages, done by processes that are killed at random.

Run ``python benchmarks/conservation.py`` from the project's folder (a few minutes). Eight processes lease and complete
pages with random links among 5,000 URLs, on four partitions; one of them is killed every half second and another takes
its place, until 100,000 pages are done. Then all cash is added up, and the whole store is checked.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import redis
from stores import MONTH, Store, fetched, open_store, seed

from nutchlike.crawldatum import DbStatus
from nutchlike.store.embedded import EmbeddedServer
from nutchlike.store.keys import CrawlKeys
from nutchlike.store.worker import worker_name

WORKERS = 8
EVENTS = 100_000
URLS = [f"http://h{i % 50}.d{i % 50}.test/{i}" for i in range(5000)]
PARTITIONS = 4
KILL_SECONDS = 0.5
ERROR_MAX = 1e-9


def store_at(socket_path: str) -> Store:
    client = redis.Redis(unix_socket_path=socket_path)
    return open_store(client, keys=CrawlKeys("site", PARTITIONS), worker=worker_name(), attempts_max=1_000_000)


def work(socket_path: str, number: int) -> None:
    """Complete pages for ever: fetched, gone, or given back, with up to 20 links each."""
    rng, store = random.Random(number), store_at(socket_path)
    while True:
        now = time.time()
        store.frontier.release_dead_workers(now=now)
        for _ in range(20):
            leases = store.lease(8, now=time.time() + MONTH)  # pages that were done are due again
            for lease in leases:
                links = [url for url in rng.sample(URLS, rng.randrange(20)) if url != lease.datum.url]
                status = DbStatus.DB_GONE if rng.random() < 0.1 else DbStatus.DB_FETCHED
                if rng.random() < 0.05:
                    store.frontier.give_back([lease.key], now=now)
                else:
                    store.frontier.complete(
                        [fetched(lease, links, now=time.time() - 2 * MONTH, status=status)], now=now
                    )


def done(store: Store) -> int:
    """Return how many leases were handed out; all but a few became a completed page."""
    return sum(int(store.client.hget(name, "handed_out") or 0) for name in store.each("counts"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=EVENTS)
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(options.worker[0], int(options.worker[1]))
    rng, kills = random.Random(4), 0
    with tempfile.TemporaryDirectory(prefix="cash-") as folder, EmbeddedServer.attach(Path(folder)) as server:
        store = store_at(str(server.socket_path))
        store.inject(*(seed(url) for url in URLS[::50]), now=time.time())
        command = [sys.executable, __file__, "--worker", str(server.socket_path)]
        processes = [subprocess.Popen([*command, str(i)]) for i in range(WORKERS)]
        while done(store) < options.events:
            time.sleep(KILL_SECONDS)
            victim = rng.randrange(WORKERS)
            processes[victim].send_signal(signal.SIGKILL)
            processes[victim].wait()
            kills += 1
            processes[victim] = subprocess.Popen([*command, str(WORKERS + kills)])
        for process in processes:
            process.kill()
            process.wait()
        store.frontier.release_dead_workers(now=time.time())
        report = store.check.run(repair=False, now=time.time())
        print(f"{done(store):,} leases by {WORKERS} processes, {kills} of them killed, {report.records:,} URLs known")
        print(
            f"cash injected {report.cash.injected:.17g}, found {report.cash.found:.17g}: error {report.cash.error:.2g}"
        )
        print("findings: " + (", ".join(f"{one.problem} ({one.count})" for one in report.findings) or "none"))
    sys.exit(0 if not report.findings and report.cash.error < ERROR_MAX else 1)


if __name__ == "__main__":
    main()
