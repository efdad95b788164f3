"""LinkRankJob: ranks all known pages by the links between them, and makes the ranks their scores (Nutch: LinkRank)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from scrapy.settings import BaseSettings

from nutchlike.checked_settings import get_bool, get_float, get_int
from nutchlike.scoring.graph_arrays import GraphArrays
from nutchlike.scoring.link_rules import LinkRules
from nutchlike.scoring.linkrank import linkrank
from nutchlike.store.crawldb import CrawlDb
from nutchlike.store.webgraph import WebGraph

STEP = 10_000  # pages or lists from one report to the next
T = TypeVar("T")


class NothingToRank(ValueError):
    """No link counts, so all ranks would be alike; the message says why."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a run did: known pages, links between them, those of them that count, and scores that were written."""

    pages: int
    links: int
    counted: int
    written: int

    def __str__(self) -> str:
        return f"{self.written} of {self.pages} pages ranked by {self.counted} of {self.links} links"


class LinkRankJob:
    """Reads the graph in small steps, ranks on arrays, and writes in small steps: a crawl may go on meanwhile.

    Every known page is ranked; Nutch leaves out those without links. ``tell`` hears how far the work is, every few
    hundredths of a second; what it raises ends the work. Memory: 70 bytes a page, 9 bytes a link, and up to 40 MB.
    """

    def __init__(
        self,
        rules: LinkRules,
        *,
        damping: float,
        iterations: int,
        initial: float,
        tell: Callable[[str], object],
    ) -> None:
        self._rules = rules
        self._damping = damping
        self._iterations = iterations
        self._initial = initial
        self._tell = tell

    @classmethod
    def from_settings(
        cls, settings: BaseSettings, *, tell: Callable[[str], object], iterations: int | None = None
    ) -> LinkRankJob:
        """Return the job that the settings describe; ValueError, naming setting and value, for one that is no use.

        ``iterations`` beats theirs.
        """
        for name in ("INTERNAL_HOST", "INTERNAL_DOMAIN", "LIMIT_PAGE", "LIMIT_DOMAIN"):
            get_bool(settings, f"NUTCH_LINK_IGNORE_{name}")
        damping = get_float(settings, "NUTCH_LINK_ANALYZE_DAMPING_FACTOR")
        if damping > 1:
            raise ValueError(f"NUTCH_LINK_ANALYZE_DAMPING_FACTOR must be from 0 to 1, got {damping!r}")
        return cls(
            LinkRules.from_settings(settings),
            damping=damping,
            iterations=get_int(settings, "NUTCH_LINK_ANALYZE_NUM_ITERATIONS") if iterations is None else iterations,
            initial=get_float(settings, "NUTCH_LINK_ANALYZE_INITIAL_SCORE"),
            tell=tell,
        )

    def run(self, webgraph: WebGraph, crawldb: CrawlDb, *, now: float) -> Ranking:
        """Rank, and write the ranks as scores; NothingToRank leaves all scores as they are.

        RedisError when the store fails; what was written by then stays.
        """
        if not webgraph.pages_with_links():
            raise NothingToRank("the web graph is empty: NUTCH_WEBGRAPH_ENABLED=True keeps the links of pages fetched")
        arrays = GraphArrays(self._told(webgraph.pages(), "pages read"), self._rules)
        arrays.read_links(self._told(webgraph.edges(), "pages with links read"))
        counted = arrays.counted()
        links = len(arrays.sources) if counted is None else int(counted.sum())
        if not links:
            raise NothingToRank(
                f"none of {arrays.links_read} links counts: by default those within a host or domain do not, and a "
                "crawl that stays on its hosts has no others; NUTCH_LINK_IGNORE_INTERNAL_HOST, …_INTERNAL_DOMAIN, "
                "…_LIMIT_PAGE and …_LIMIT_DOMAIN=False let all links count"
            )
        ranks = linkrank(
            arrays.sources,
            arrays.targets,
            len(arrays),
            counted=counted,
            damping=self._damping,
            iterations=self._iterations,
            initial=self._initial,
            progress=lambda done, of: self._tell(f"iteration {done} of {of}"),
        )
        scores = ((arrays.key(page), float(ranks[page])) for page in range(len(arrays)))
        written = crawldb.set_scores(self._told(scores, f"of {len(arrays)} scores written"), now=now)
        return Ranking(pages=len(arrays), links=arrays.links_read, counted=links, written=written)

    def _told(self, items: Iterable[T], what: str) -> Iterator[T]:
        """Yield ``items``, and tell how many they are so far."""
        number = 0
        for number, item in enumerate(items, 1):
            if number % STEP == 0:
                self._tell(f"{number} {what}")
            yield item
        self._tell(f"{number} {what}")
