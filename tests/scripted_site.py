"""Scripted cases: what servers say of some URLs, a real crawl of them all, and the CrawlDb beside the expected one."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from due_pages import make_all_due
from web import Answer, Project, Web, serve

DAY = 86_400  # seconds
TIMEOUT = 6.0  # seconds; long enough for a busy machine, for one case waits until it is over
REDIRECTS = 3  # in a row that are followed
SETTINGS = {
    "COOKIES_ENABLED": True,
    "DOWNLOAD_TIMEOUT": TIMEOUT,
    "ITEM_PIPELINES": json.dumps({"scripted_pipeline.ScriptedPipeline": 300}),
    "REDIRECT_MAX_TIMES": REDIRECTS,
    "RETRY_ENABLED": False,
    "USER_AGENT": "mybot/1.0 (+http://mybot.test/)",
}
# Sites beside the main one, whose URLs are written without a host. What holds a host up has one of its own.
HOSTS = {
    "": "127.0.0.1",
    "http://other.test": "127.0.0.2",
    "http://busy.test": "127.0.0.3",
    "http://slow.test": "127.0.0.4",
    "http://failing.test": "127.0.0.5",
    "http://moved.test": "127.0.0.6",
    "http://patient.test": "127.0.0.7",
    "http://silent.test": "127.0.0.8",
    "http://tired.test": "127.0.0.9",
    "http://open.test": "127.0.0.10",
}
Page = Answer | Callable[[Any], Answer]


@dataclass(frozen=True)
class Row:
    """What the crawl makes of a URL; ``to`` is where it redirects, ``due`` in how many days it is fetched again.

    ``asked`` counts requests for it and ``items`` what came out of it, in all crawls so far.
    """

    db_status: str
    to: str | None = None
    due: float = 30.0
    retries: int = 0
    asked: int = 1
    items: int = 0
    signed: bool = False

    def __str__(self) -> str:
        words = [self.db_status]
        if self.to is not None:
            words.append(f"to {self.to}")
        words.append(f"due in {self.due:g} d")
        if self.retries:
            words.append(f"retries {self.retries}")
        if self.asked != 1:
            words.append(f"asked {self.asked} times")
        words.append(f"items {self.items}, signed" if self.signed else f"items {self.items}")
        return ", ".join(words)


@dataclass(frozen=True)
class Round:
    """What servers say from one crawl on, and what is known of each URL after it; other URLs are not to be known.

    ``expected`` is ``None`` where it depends on which of two pages comes first.
    """

    site: Mapping[str, Page]
    expected: Mapping[str, Row] | None


@dataclass(frozen=True)
class Case:
    """One or more crawls of URLs that are a case's own: their paths begin with its folder.

    The first URL of the first round's site is a seed.
    """

    name: str
    rounds: Sequence[Round]

    @property
    def seed(self) -> str:
        return next(iter(self.rounds[0].site))

    @property
    def folder(self) -> str:
        return _folder(self.seed)


@dataclass(frozen=True)
class Comparison:
    """One URL of a case after a crawl; None stands for a URL that is not known."""

    case: str
    crawl: int
    url: str
    expected: Row | None
    found: Row | None

    @property
    def is_right(self) -> bool:
        return self.expected == self.found


@dataclass(frozen=True)
class Crawls:
    """What came of the crawls of some cases: the rows after each, their logs, what fsck said at the end."""

    rows: Sequence[Mapping[str, Row]]
    logs: Sequence[str]
    fsck: str
    is_clean: bool

    def compared(self, case: Case) -> Iterator[Comparison]:
        """Yield all URLs of ``case``, expected and found."""
        for number, (round_, rows) in enumerate(zip(case.rounds, self.rows, strict=False), 1):
            if round_.expected is None:
                continue
            found = {url: row for url, row in rows.items() if _folder(url) == case.folder}
            for url in dict.fromkeys([*round_.expected, *sorted(found)]):
                yield Comparison(case.name, number, url, round_.expected.get(url), found.get(url))


class _Sites:
    """All hosts of some cases, being served. They are known by their names in HOSTS, not by their ports."""

    def __init__(self, cases: Iterable[Case], robots: Mapping[str, Page], stack: ExitStack) -> None:
        self._webs: dict[str, Web] = {name: stack.enter_context(serve({}, host)) for name, host in HOSTS.items()}
        self.show(robots)
        for case in cases:
            self.show(case.rounds[0].site)

    def show(self, site: Mapping[str, Page]) -> None:
        """Answer the URLs of ``site`` in this way from now on."""
        for url, page in site.items():
            name, path = _split(url)
            self._webs[name].pages[path] = self._addressed(page)

    def address(self, url: str) -> str:
        name, path = _split(url)
        return self._webs[name].url + path

    def name(self, address: str) -> str:
        for name, web in self._webs.items():
            if address.startswith(f"{web.url}/"):
                return name + address.removeprefix(web.url)
        return address

    def asked(self) -> Counter[str]:
        return Counter({name + path: n for name, web in self._webs.items() for path, n in web.count().items()})

    def _addressed(self, page: Page) -> Page:
        """Return ``page`` with the addresses of sites in place of their names."""
        if not isinstance(page, Answer):
            return lambda request: self._answer(page(request))
        return self._answer(page)

    def _answer(self, answer: Answer) -> Answer:
        body, headers = answer.body, answer.headers
        for name in filter(None, HOSTS):
            body = body.replace(name.encode(), self._webs[name].url.encode())
            headers = {key: value.replace(name, self._webs[name].url) for key, value in headers.items()}
        return replace(answer, body=body, headers=headers)


def crawl_cases(folder: Path, cases: Sequence[Case], robots: Mapping[str, Page]) -> Crawls:
    """Crawl all ``cases`` in ``folder`` as often as they have rounds, each time when all their pages are due again.

    ``robots`` has the robots.txt of the sites that have one.
    """
    project = Project(folder, SETTINGS)
    rows, logs = [], []
    with ExitStack() as stack:
        sites = _Sites(cases, robots, stack)
        seeds = folder / "seeds.txt"
        seeds.write_text("".join(f"{sites.address(case.seed)}\n" for case in cases), encoding="utf-8")
        for number in range(max(len(case.rounds) for case in cases)):
            if number:
                for case in cases:
                    for round_ in case.rounds[number : number + 1]:
                        sites.show(round_.site)
                make_all_due(project)
            crawl = project.crawl(*([] if number else [f"seeds={seeds}"]))
            assert crawl.code == 0, crawl.log
            logs.append(crawl.log)
            rows.append(_rows(project, sites))
        code, out, err = project.command("fsck")
    return Crawls(rows, logs, out + err, code == 0)


def _rows(project: Project, sites: _Sites) -> dict[str, Row]:
    now = time.time()
    asked, items = sites.asked(), Counter(item["url"] for item in project.items())
    rows = {}
    for line in project.command("readdb", "--dump")[1].splitlines():
        record = json.loads(line)
        url = sites.name(record["url"])
        rows[url] = Row(
            record["db_status"],
            to=sites.name(record["redirects_to"]) if record["redirects_to"] else None,
            due=max(0.0, round((record["fetch_time"] - now) / DAY, 1)),
            retries=record["retries"],
            asked=asked[url],
            items=items[record["url"]],
            signed=record["signature"] is not None,
        )
    return rows


def _split(url: str) -> tuple[str, str]:
    """Return the site of a URL as it stands in HOSTS, and its path."""
    path = urlsplit(url)._replace(scheme="", netloc="").geturl()
    return url.removesuffix(path), path


def _folder(url: str) -> str:
    return urlsplit(url).path.split("/")[1]
