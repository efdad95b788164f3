"""The crawlers that crawl.py compares; run as a program, this is one crawl in a process of its own.

All fetch every page once and put its URL, title, visible text and links into a feed, with the same concurrency and
without delays, cookies and robots.txt. Those that are not ours share a spider, and else have Scrapy's defaults.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from redis.connection import AbstractConnection
from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor
from scrapy.settings import Settings
from scrapy.utils.project import get_project_settings

ROOT = Path(__file__).resolve().parents[1]
SCRAPY, TUNED, SCRAPY_REDIS, EMBEDDED, TCP = "scrapy", "scrapy tuned", "scrapy-redis", "nutchlike", "nutchlike tcp"
NAMES = (SCRAPY, SCRAPY_REDIS, EMBEDDED, TCP)
ALL_NAMES = (*NAMES, TUNED)
ON_TCP = {SCRAPY_REDIS, TCP}
COMMON = {
    "CONCURRENT_REQUESTS": 32,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 32,
    "DOWNLOAD_DELAY": 0,
    "ROBOTSTXT_OBEY": False,
    "COOKIES_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "FEED_EXPORT_ENCODING": "utf-8",
    "FEED_EXPORT_FIELDS": ["url", "title", "text", "outlinks"],
    "LOG_LEVEL": "WARNING",
    "LOGSTATS_INTERVAL": 0,
}
OWN_SETTINGS: dict[str, dict[str, Any]] = {
    SCRAPY: {},
    TUNED: {"CONCURRENT_ITEMS": 4},  # what settings.py of nutchlike has
    SCRAPY_REDIS: {
        "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
        "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
    },
    EMBEDDED: {"NUTCH_STORE_OUTLINKS": True, "NUTCH_DB_IGNORE_EXTERNAL_LINKS": False},
}
OWN_SETTINGS[TCP] = OWN_SETTINGS[EMBEDDED]


@dataclass(frozen=True)
class Job:
    """One crawl: ``folder`` takes its files, ``settings`` beat those of the contestant.

    ``store`` is the URL of a Redis, or empty for the embedded store in ``data_dir``. Crawlers that are not ours stay on
    ``hosts``, when any are named; what keeps ours there is among its settings.
    """

    contestant: str
    folder: str
    seeds: tuple[str, ...]
    store: str = ""
    data_dir: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    hosts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Measured:
    """What a crawl took, from the opening of its spider to its end.

    ``cpu`` seconds are those of its process and the children of that, ``rss`` is its peak in MB. ``calls`` are
    commands that it sent to Redis, ``trips`` the round trips for them. ``in_flight`` is the mean number of downloads
    under way when an answer came. ``began`` and ``ended`` are of one clock for all processes, in seconds.
    """

    pages: int
    began: float
    ended: float
    cpu: float
    rss: float
    calls: int
    trips: int
    in_flight: float
    reason: str

    @property
    def seconds(self) -> float:
        return self.ended - self.began


class LinksSpider(Spider):
    """What people write for such a crawl."""

    name = "links"

    def __init__(self, seeds: tuple[str, ...], hosts: tuple[str, ...], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.start_urls = list(seeds)
        self.allowed_domains = list(hosts)
        self._extractor = LinkExtractor()

    def parse(self, response: Response) -> Iterator[Any]:
        if not isinstance(response, HtmlResponse):
            return
        links = [link.url for link in self._extractor.extract_links(response)]
        texts = response.xpath(
            "//body//text()[not(parent::script or parent::style or parent::noscript or parent::template)]"
        ).getall()
        yield {
            "url": response.url,
            "title": response.xpath("normalize-space(//title)").get(),
            "text": " ".join(" ".join(texts).split()),
            "outlinks": links,
        }
        for link in links:
            yield Request(link)


class Meter:
    """Notes what a crawl takes."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self.fetched: list[tuple[str, int]] = []
        self._in_flight: list[int] = []
        self._calls = self._trips = 0
        self._began = self._cpu = 0.0
        self._count_calls()
        crawler.signals.connect(self._open, signals.spider_opened)
        crawler.signals.connect(self._receive, signals.response_received)

    def _open(self) -> None:
        self._calls = self._trips = 0  # what was needed to connect is no cost of pages
        self._began, self._cpu = time.monotonic(), cpu_seconds()

    def _receive(self, response: Response) -> None:
        self.fetched.append((response.url, response.status))
        self._in_flight.append(len(self._crawler.engine.downloader.active))

    def result(self) -> Measured:
        """Return what was noted, once the crawl is over."""
        return Measured(
            pages=len(self.fetched),
            began=self._began,
            ended=time.monotonic(),
            cpu=cpu_seconds() - self._cpu,
            rss=peak_memory(),
            calls=self._calls,
            trips=self._trips,
            in_flight=mean(self._in_flight or [0]),
            reason=str(self._crawler.stats.get_value("finish_reason")),
        )

    def _count_calls(self) -> None:
        """Count at the connections: the server's own count has what scripts do inside it as commands, too."""
        send, pack, meter = AbstractConnection.send_packed_command, AbstractConnection.pack_commands, self

        def counting_send(self: Any, command: Any, check_health: bool = True) -> Any:
            meter._trips += 1
            meter._calls += 1
            return send(self, command, check_health)

        def counting_pack(self: Any, commands: Any) -> Any:
            meter._calls += len(commands) - 1
            return pack(self, commands)

        AbstractConnection.send_packed_command = counting_send
        AbstractConnection.pack_commands = counting_pack


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def peak_memory() -> float:
    """Return the most memory that this process had so far, in MB (Linux)."""
    # not ru_maxrss: a process begins with that of the one that started it
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1000


def start(job: Job) -> subprocess.Popen[bytes]:
    """Run a crawl in a process of its own."""
    folder = Path(job.folder)
    folder.mkdir(parents=True)
    (folder / "job.json").write_text(json.dumps(asdict(job)), encoding="utf-8")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("SCRAPY_", "REDIS_"))}
    with (folder / "log").open("wb") as log:
        return subprocess.Popen([sys.executable, __file__, str(folder)], cwd=ROOT, env=environment, stderr=log)


def finish(process: subprocess.Popen[bytes], job: Job) -> Measured:
    """Wait for a crawl and return what it took; RuntimeError, with the end of its log, when it failed."""
    folder = Path(job.folder)
    if process.wait() or not (folder / "measured.json").exists():
        raise RuntimeError(f"{job.contestant} failed: {(folder / 'log').read_text(encoding='utf-8')[-3000:]}")
    return Measured(**json.loads((folder / "measured.json").read_text(encoding="utf-8")))


def fetched(job: Job) -> list[tuple[str, int]]:
    """Return the URLs that a finished crawl got an answer for, with the answer's status."""
    lines = (Path(job.folder) / "fetched.txt").read_text(encoding="utf-8").splitlines()
    return [(url, int(status)) for url, status in (line.split() for line in lines)]


def links(job: Job) -> dict[str, set[str]]:
    """Return the links of each page in the feed of a finished crawl, without fragments and those to the page itself."""
    found = {}
    with (Path(job.folder) / "pages.jsonl").open(encoding="utf-8") as feed:
        for line in feed:
            item = json.loads(line)
            found[item["url"]] = {link.partition("#")[0] for link in item["outlinks"]} - {item["url"]}
    return found


def crawl(job: Job) -> None:
    """Crawl in this process and write down what it took."""
    is_ours = job.contestant in (EMBEDDED, TCP)
    settings = get_project_settings() if is_ours else Settings()
    settings.setdict({**COMMON, **OWN_SETTINGS[job.contestant], **job.settings}, priority="cmdline")
    feed = {Path(job.folder, "pages.jsonl"): {"format": "jsonlines", "overwrite": True}}
    settings.set("FEEDS", feed, priority="cmdline")
    if job.store:
        settings.set("REDIS_URL", job.store, priority="cmdline")
    if job.data_dir:
        settings.set("NUTCH_DATA_DIR", job.data_dir, priority="cmdline")
    process = AsyncCrawlerProcess(settings)  # as scrapy crawl has it
    crawler = process.create_crawler("site" if is_ours else LinksSpider)
    meter = Meter(crawler)
    if is_ours:
        seeds = Path(job.folder, "seeds.txt")
        seeds.write_text("\n".join(job.seeds), encoding="utf-8")
        process.crawl(crawler, seeds=str(seeds))
    else:
        process.crawl(crawler, seeds=job.seeds, hosts=job.hosts)
    process.start()
    measured = meter.result()
    Path(job.folder, "fetched.txt").write_text(
        "".join(f"{url} {status}\n" for url, status in meter.fetched), encoding="utf-8"
    )
    Path(job.folder, "measured.json").write_text(json.dumps(asdict(measured)), encoding="utf-8")


if __name__ == "__main__":
    job = json.loads(Path(sys.argv[1], "job.json").read_text(encoding="utf-8"))
    crawl(Job(**{**job, "seeds": tuple(job["seeds"]), "hosts": tuple(job["hosts"])}))
