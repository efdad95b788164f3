"""What a crawl loses when it, or its Redis, is killed: a row for each kill, all of them real.

Run ``python benchmarks/kill_matrix.py`` from the project's folder (six minutes). Each row is a crawl of its own,
of a site of 1,500 pages: it is disturbed once, run to its end, and looked at. A row is good when every page was parsed,
when no more pages were parsed twice than were in flight at the kill, when the OPIC cash is all there, and when
``scrapy fsck`` finds nothing. Exit code 1 when a row is bad.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path

import redis
from scrapy.settings import Settings

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from redis_process import Server
from web import Project, serve, tree

from nutchlike.addon import NutchlikeAddon
from nutchlike.crawl_store import open_store
from nutchlike.store.server_process import socket_path_for

CASH_ERROR_MAX = 1e-9  # relative
DEADLINE = 300.0  # seconds until a crawl that does not go on is a failure
OUTAGE = 1.0  # seconds without Redis
BETWEEN_INTERRUPTS = 0.03  # seconds; less than a page takes, so that the crawl cannot end in between
JITTER = 0.05  # seconds; a random moment is a random page and up to so much later
POLL = 0.01  # seconds
PAGE_SECONDS = 0.05  # how long the site takes for a page, so that some are in flight at every moment


@dataclass(frozen=True, slots=True)
class Row:
    """What came of one kill. ``cash_error`` is relative; ``fsck`` is its exit code, ``None`` while there is no such
    command; ``code`` is the exit code of the last run."""

    kill: str
    killed_at: int
    pages: int
    distinct: int
    strange: int
    twice: int
    in_flight: int
    cash_error: float
    fsck: int | None
    code: int

    @property
    def faults(self) -> list[str]:
        """What is wrong, in words."""
        claims = {
            f"{self.pages - self.distinct} pages are missing": self.distinct != self.pages,
            f"{self.strange} pages that the site does not have": self.strange > 0,
            f"{self.twice} pages were parsed twice, {self.in_flight} were in flight": self.twice > self.in_flight,
            f"the cash is wrong by {self.cash_error:.1e}": not self.cash_error <= CASH_ERROR_MAX,
            f"scrapy fsck ended with code {self.fsck}": self.fsck not in (0, None),
            f"the last crawl ended with code {self.code}": self.code != 0,
        }
        return [claim for claim, is_true in claims.items() if is_true]

    def line(self) -> str:
        fsck = {None: "none yet", 0: "clean"}.get(self.fsck, "FAULTY")
        return (
            f"{self.kill:28}{self.killed_at:10}{self.distinct:10}{self.pages - self.distinct:9}{self.twice:7}"
            f"{self.in_flight:11}{self.cash_error:12.1e}  {fsck:9}{'' if not self.faults else 'BAD: '}"
            f"{'; '.join(self.faults)}"
        ).rstrip()


HEAD = (
    f"{'kill':28}{'killed at':>10}{'distinct':>10}{'missing':>9}{'twice':>7}{'in flight':>11}{'cash error':>12}  fsck"
)


class Victim:
    """A crawl of the site at ``url``; ``redis_url`` names the server, the embedded one when it is ``None``."""

    def __init__(self, folder: Path, url: str, *, redis_url: str | None = None) -> None:
        own = {"REDIS_URL": redis_url} if redis_url is not None else {}
        self._project = Project(folder, {"CONCURRENT_REQUESTS_PER_DOMAIN": 16, **own})
        self._url = url
        self._redis_url = redis_url or f"unix://{socket_path_for(folder / 'store')}"
        self._feed = folder / "pages.jsonl"
        self.process = self.run()

    def run(self) -> subprocess.Popen[str]:
        """Start the crawl, or go on with it."""
        return self._project.start(f"url={self._url}/")

    def items(self) -> int:
        """Return how many items the feed has, one that is being written aside."""
        return self._feed.read_bytes().count(b"\n") if self._feed.exists() else 0

    def wait_for(self, items: int) -> None:
        """Return when the feed has so many items, or when the crawl has ended; RuntimeError when it stands still."""
        deadline = time.monotonic() + DEADLINE
        while self.items() < items and self.process.poll() is None:
            if time.monotonic() > deadline:
                raise RuntimeError(f"the crawl has {self.items()} items after {DEADLINE:g} s, waiting for {items}")
            time.sleep(POLL)

    def leased(self) -> int:
        """Return how many URLs are leased; 0 when no server answers (the crawl had not begun).

        Looks without joining the embedded server: the last to leave would stop it.
        """
        settings = Settings({"REDIS_URL": self._redis_url})
        NutchlikeAddon.update_pre_crawler_settings(settings)
        try:
            store = open_store(settings, crawl_id="site")
        except (RuntimeError, redis.RedisError):
            return 0
        try:
            return store.crawldb.counts().leased
        finally:
            store.close()

    def outcome(self, kill: str, killed_at: int, in_flight: int, site: set[str]) -> Row:
        """Look at everything that is left when the crawl has ended."""
        _, log = self.process.communicate(timeout=DEADLINE)
        if self.process.returncode:
            print(log[-2000:], file=sys.stderr)
        lines = self._feed.read_text(encoding="utf-8").splitlines()
        times = Counter(json.loads(line)["url"].removeprefix(self._url) for line in lines)
        _, cash, _ = self._project.command("readdb", "--cash")
        fsck = self._project.command("fsck")[0] if find_spec("nutchlike.commands.fsck") else None
        return Row(
            kill=kill,
            killed_at=killed_at,
            pages=len(site),
            distinct=len(times.keys() & site),
            strange=len(times.keys() - site),
            twice=sum(number > 1 for number in times.values()),
            in_flight=in_flight,
            cash_error=float(cash.rsplit("\t", 1)[-1] or "nan"),
            fsck=fsck,
            code=self.process.returncode,
        )


@dataclass(frozen=True, slots=True)
class Moment:
    """When to kill: ``delay`` seconds after the feed has ``items`` items."""

    name: str
    items: int
    delay: float = 0.0

    def wait(self, victim: Victim) -> None:
        victim.wait_for(self.items)
        time.sleep(self.delay)


def kill_crawl(folder: Path, url: str, site: set[str], moment: Moment) -> Row:
    """SIGKILL of the crawl's process; another run goes on. The embedded server survives its crawl."""
    victim = Victim(folder, url)
    moment.wait(victim)
    name = "SIGKILL" if victim.process.poll() is None else "(came too late)"
    victim.process.kill()
    victim.process.communicate()
    killed_at, in_flight = victim.items(), victim.leased()
    victim.process = victim.run()
    return victim.outcome(f"{name} {moment.name}", killed_at, in_flight, site)


def kill_redis(folder: Path, url: str, site: set[str], moment: Moment) -> Row:
    """SIGKILL of Redis (append-only file, fsync every second), which is away for a while; the crawl goes on itself.

    A killed process loses nothing that it has written, only a machine that fails loses what was not synced.
    """
    server = Server(folder)
    try:
        victim = Victim(folder, url, redis_url=server.url)
        moment.wait(victim)
        in_flight = victim.leased()
        server.kill()
        killed_at = victim.items()
        time.sleep(OUTAGE)
        server.start()
        # the crawl may have leased some more between the look and the kill
        in_flight = max(in_flight, victim.leased())
        return victim.outcome(f"Redis {moment.name}", killed_at, in_flight, site)
    finally:
        server.kill()


def interrupt_twice(folder: Path, url: str, site: set[str], moment: Moment) -> Row:
    """Two SIGINT within a second, as an impatient person does with Ctrl-C; another run goes on."""
    victim = Victim(folder, url)
    moment.wait(victim)
    killed_at, in_flight = victim.items(), victim.leased()
    victim.process.send_signal(signal.SIGINT)
    time.sleep(BETWEEN_INTERRUPTS)
    name = "SIGINT twice" if victim.process.poll() is None else "SIGINT once"
    victim.process.send_signal(signal.SIGINT)
    victim.process.communicate(timeout=DEADLINE)
    victim.process = victim.run()
    return victim.outcome(f"{name} {moment.name}", killed_at, in_flight, site)


@contextmanager
def site_of(pages: int) -> Iterator[str]:
    """Serve the site from a process of its own and yield its URL."""
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(pages, theirs), daemon=True)
    process.start()
    try:
        yield ours.recv()
    finally:
        process.terminate()
        process.join()


def _serve(pages: int, connection: Connection) -> None:
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115  # connections of killed crawls are no news
    with serve(tree(pages, wait=PAGE_SECONDS)) as web:
        connection.send(web.url)
        signal.pause()


def moments(options: argparse.Namespace) -> list[tuple[str, Moment]]:
    """Return what to kill and when."""
    rng = random.Random(options.seed)

    def at_random() -> Moment:
        items = rng.randrange(int(options.pages * 0.95))
        return Moment(f"at random, {items}", items, rng.uniform(0, JITTER))

    after = [int(number) for number in options.after.split(",") if number]
    spread = [options.pages * (i + 1) // (options.redis + 1) for i in range(options.redis)]
    return [
        *(("crawl", Moment(f"after {items}", items)) for items in after),
        *(("crawl", at_random()) for _ in range(options.random)),
        *(("redis", Moment(f"after {items}", items, rng.uniform(0, JITTER))) for items in spread),
        *(("interrupt", at_random()) for _ in range(options.interrupts)),
    ]


KILLS = {"crawl": kill_crawl, "redis": kill_redis, "interrupt": interrupt_twice}


def main(arguments: Sequence[str]) -> int:
    """Print the matrix; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--pages", type=int, default=1500, help="size of the site")
    parser.add_argument("--after", default="17,104,435", help="kill the crawl after about so many pages; a list")
    parser.add_argument("--random", type=int, default=20, help="kill the crawl at so many random moments")
    parser.add_argument("--redis", type=int, default=5, help="kill Redis at so many moments")
    parser.add_argument("--interrupts", type=int, default=1, help="interrupt the crawl twice, so many times")
    parser.add_argument("--seed", type=int, default=1, help="of the random moments")
    options = parser.parse_args(arguments)

    site = {"/", *(f"/{i}" for i in range(1, options.pages))}
    print(f"a site of {options.pages} pages; random moments of seed {options.seed}\n{HEAD}", flush=True)
    rows = []
    with site_of(options.pages) as url:
        for what, moment in moments(options):
            with tempfile.TemporaryDirectory(prefix="kill-") as folder:
                rows.append(KILLS[what](Path(folder).resolve(), url, site, moment))
            print(rows[-1].line(), flush=True)
    bad = sum(bool(row.faults) for row in rows)
    worst = max((row.cash_error for row in rows), default=0.0)
    print(f"{len(rows) - bad} of {len(rows)} kills lost nothing; worst cash error {worst:.1e}")
    return 1 if bad or not rows else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
