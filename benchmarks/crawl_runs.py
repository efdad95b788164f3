"""Runs of the crawlers of crawl.py: each with an empty store, on one machine with the web that they crawl."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import redis
from crawl_contestants import EMBEDDED, ON_TCP, TCP, Job, Measured, fetched, finish, links, start
from crawl_servers import WebServer, redis_on_tcp, serving
from crawl_web import Web

from nutchlike.store.embedded import EmbeddedServer


@dataclass(frozen=True)
class Run:
    """What one crawl took. ``redis_cpu`` and ``web_cpu`` are CPU seconds of the servers meanwhile.

    ``jobs`` are its parts, one a process, in whose folders its results are.
    """

    processes: tuple[Measured, ...]
    redis_cpu: float
    web_cpu: float
    jobs: tuple[Job, ...]

    @property
    def pages(self) -> int:
        return sum(measured.pages for measured in self.processes)

    @property
    def seconds(self) -> float:
        return max(m.ended for m in self.processes) - min(m.began for m in self.processes)

    @property
    def speed(self) -> float:
        """Pages per second."""
        return self.pages / self.seconds

    @property
    def cpu(self) -> float:
        """CPU milliseconds of the crawler for a page."""
        return self.a_page(lambda measured: measured.cpu) * 1000

    @property
    def rss(self) -> float:
        """Peak memory of its largest process, in MB."""
        return max(measured.rss for measured in self.processes)

    def a_page(self, value: Callable[[Measured], float]) -> float:
        """Return the sum of a value over the processes, for one page."""
        return sum(value(measured) for measured in self.processes) / self.pages


def middle(runs: Sequence[Run], value: Callable[[Run], float]) -> float:
    """Return the median of a value over runs."""
    return median(value(run) for run in runs)


@dataclass
class Course:
    """A web that is served, a Redis on TCP, and a folder for the crawls."""

    web: Web
    server: WebServer
    redis_url: str
    folder: Path
    differences: list[str] = field(default_factory=list)
    _number: int = 0

    def run(
        self,
        contestant: str,
        *,
        workers: int = 1,
        seeds: Sequence[str] | None = None,
        before: Callable[[dict[str, Any]], None] = lambda settings: None,
        is_whole: bool = True,
        hosts: Sequence[str] = (),
        **settings: Any,
    ) -> Run:
        """Have ``contestant`` crawl the web, in ``workers`` processes with one store.

        ``before`` is called with the settings that lead to the store; ``is_whole``: every page must be fetched, and
        the links must be those that there are, else ``differences`` say so. Crawlers that are not ours stay on
        ``hosts``, when any are named.
        """
        self._number += 1
        folder = self.folder / f"crawl{self._number}"
        with self._store(contestant, folder) as (client, where):
            before(where)
            used = _cpu_of(client)
            web_used = self.server.cpu()
            jobs = [
                Job(
                    contestant,
                    str(folder / str(worker)),
                    tuple(seeds or self.web.seeds),
                    store=where.get("REDIS_URL", ""),
                    data_dir=where.get("NUTCH_DATA_DIR", ""),
                    settings=settings,
                    hosts=tuple(hosts),
                )
                for worker in range(workers)
            ]
            started = [start(job) for job in jobs]
            measured = tuple(finish(process, job) for process, job in zip(started, jobs, strict=True))
            run = Run(measured, _cpu_of(client) - used, self.server.cpu() - web_used, tuple(jobs))
        if is_whole:
            self._compare(contestant, jobs)
        return run

    @contextmanager
    def _store(self, contestant: str, folder: Path) -> Iterator[tuple[redis.Redis | None, dict[str, Any]]]:
        """Provide an empty store: a client of it, and the settings that lead there."""
        if contestant in ON_TCP:
            client = redis.Redis.from_url(self.redis_url)
            client.flushall()
            yield client, {"REDIS_URL": self.redis_url}
        elif contestant == EMBEDDED:
            with EmbeddedServer.attach(folder / "store") as server:  # keeps it until its CPU time is known
                yield server.client(), {"NUTCH_DATA_DIR": str(folder / "store")}
        else:
            yield None, {}

    def _compare(self, contestant: str, jobs: Sequence[Job]) -> None:
        got = {url for job in jobs for url, _ in fetched(job)}
        if got != self.web.links.keys():
            wrong = sorted(got ^ self.web.links.keys())
            self.differences.append(f"{contestant}: {len(wrong)} pages missing or too many, e.g. {wrong[0]}")
        for job in jobs:
            for url, found in links(job).items():
                if url in self.web.links and found != self.web.links[url]:
                    wrong = sorted(found ^ self.web.links[url])
                    self.differences.append(f"{contestant}: links of {url} missing or too many, e.g. {wrong[0]}")


@contextmanager
def course(web: Web, folder: Path, *, wait: float = 0.0) -> Iterator[Course]:
    """Serve ``web`` and a Redis as long as this lasts; each answer comes after ``wait`` seconds."""
    folder.mkdir()
    with ExitStack() as stack:
        server = stack.enter_context(serving(web, folder, wait=wait))
        url = stack.enter_context(redis_on_tcp(folder / "redis"))
        yield Course(web, server, url, folder)


def is_nutchlike(contestant: str) -> bool:
    """Whether a contestant is ours."""
    return contestant in (EMBEDDED, TCP)


def _cpu_of(client: redis.Redis | None) -> float:
    if client is None:
        return 0.0
    used = client.info("cpu")
    return float(sum(used[name] for name in used if name in ("used_cpu_sys", "used_cpu_user")))
