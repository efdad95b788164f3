"""What scores do when all pages are fetched again and again while links change."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from ordering_graphs import Outlinks, Web, pagerank
from scipy.stats import spearmanr

from nutchlike.scoring.host_votes import host_votes
from nutchlike.scoring.opic import PaperOPIC
from nutchlike.scoring.scoring_filter import Seen

WINDOW = 2.0  # of adaptive OPIC, in cash: all cash there is, twice
MOVED = 0.05  # of the pages change a link between two passes
RISERS = 20  # pages that become popular
SHIFT_AT = 10  # pass before which they do
POINTS = 10  # at which agreement is measured


@dataclass
class Books:
    """Cash and history of the pages of a web that is wholly known; one unit of cash is spread over them at first."""

    pages: int
    window: float | None = None
    cash: list[float] = field(default_factory=list)
    history: list[float] = field(default_factory=list)
    last: list[float] = field(default_factory=list)
    virtual: float = 0.0
    distributed: float = 0.0

    def __post_init__(self) -> None:
        self.cash = [1 / self.pages] * self.pages
        self.history = [0.0] * self.pages
        self.last = [0.0] * self.pages

    def fetch(self, page: int, outlinks: Sequence[int]) -> None:
        """Spend the page's cash; its history grows by it or, with a window, forgets what is older than that."""
        cash = self.cash[page] + self.virtual
        shares = PaperOPIC().shares(cash, len(outlinks))
        self.cash[page] -= cash
        for target in outlinks:
            self.cash[target] += shares.each
        self.virtual += shares.virtual / self.pages
        since = self.distributed - self.last[page]
        if self.window is None:
            self.history[page] += cash
        elif since < self.window:
            self.history[page] = self.history[page] * (self.window - since) / self.window + cash
        else:
            self.history[page] = cash * self.window / since
        self.last[page] = self.distributed
        self.distributed += cash

    @property
    def importance(self) -> list[float]:
        """Share of all importance that each page has by its history and, without a window, its cash."""
        if self.window is not None:
            return [history / self.window for history in self.history]
        return [
            (history + cash + self.virtual) / (self.distributed + 1)
            for history, cash in zip(self.history, self.cash, strict=True)
        ]

    @property
    def total(self) -> float:
        return sum(self.cash) + self.virtual * self.pages


class _NutchScores:
    """Nutch's filter: a page keeps its score, and each fetch gives all of it away once more."""

    def __init__(self, pages: int) -> None:
        self.scores = [1 / pages] * pages

    def fetch(self, page: int, outlinks: Sequence[int]) -> None:
        for target in outlinks:
            self.scores[target] += self.scores[page] / len(outlinks)

    @property
    def total(self) -> float:
        return sum(self.scores)


class _HostVotes:
    """Host votes: the page's score goes to the virtual page's balance, which pays for the votes."""

    def __init__(self, web: Web) -> None:
        self.hosts, self.sizes = web.hosts, np.bincount(web.hosts).tolist()
        self.scores = [1 / len(web)] * len(web)
        self.given, self.balance = 1.0, 0.0

    def fetch(self, page: int, outlinks: Sequence[int]) -> None:
        host, pages = self.hosts[page], len(self.scores)
        internal = sum(self.hosts[target] == host for target in outlinks)
        votes = host_votes(
            self.scores[page],
            given=self.given,
            internal=internal,
            external=len(outlinks) - internal,
            host=Seen(self.sizes[host], self.sizes[host]),
            crawl=Seen(pages, pages),
        )
        self.given += self.scores[page] - votes.virtual
        self.balance += votes.virtual
        self.scores[page] = 0.0
        for target in outlinks:
            self.scores[target] += votes.internal if self.hosts[target] == host else votes.external

    @property
    def waiting(self) -> float:
        return sum(self.scores)

    @property
    def total(self) -> float:
        return self.waiting + self.balance


def _moved(links: Outlinks, rng: random.Random) -> list[list[int]]:
    """Return the links after some pages put a link of theirs elsewhere."""
    changed = [list(targets) for targets in links]
    for page in rng.sample(range(len(links)), round(MOVED * len(links))):
        new = rng.randrange(len(links))
        if changed[page] and new != page and new not in changed[page]:
            changed[page][rng.randrange(len(changed[page]))] = new
    return changed


def _pass(links: Outlinks, rng: random.Random, *fetches: Callable[[int, Sequence[int]], None]) -> None:
    """Fetch each page once, in a random order that is the same for all."""
    for page in rng.sample(range(len(links)), len(links)):
        for fetch in fetches:
            fetch(page, links[page])


def totals(web: Web, passes: int) -> dict[str, list[float]]:
    """Return the total score after each of ``passes`` crawls of all pages, between which links change."""
    rng, links = random.Random(1), web.outlinks
    nutch, paper, adaptive, votes = _NutchScores(len(web)), Books(len(web)), Books(len(web), WINDOW), _HostVotes(web)
    found: dict[str, list[float]] = {}
    for _ in range(passes):
        _pass(links, rng, nutch.fetch, paper.fetch, adaptive.fetch, votes.fetch)
        for name, value in {
            "Nutch OPIC": nutch.total,
            "paper OPIC": paper.total,
            "adaptive OPIC": adaptive.total,
            "host votes, waiting": votes.waiting,
            "host votes and balance": votes.total,
        }.items():
            found.setdefault(name, []).append(value)
        links = _moved(links, rng)
    return found


def change(web: Web, passes: int) -> dict[str, list[float]]:
    """Return after each pass how much of their later PageRank is seen of pages that many pages link to from pass 10."""
    rng = random.Random(2)
    risers = np.argsort(web.importance, kind="stable")[:RISERS].tolist()
    later = [list(targets) for targets in web.outlinks]
    for riser in risers:
        for page in rng.sample(range(len(later)), len(later) // 50):
            if page != riser and riser not in later[page]:
                later[page].append(riser)
    paper, adaptive = Books(len(web)), Books(len(web), WINDOW)
    goal = float(pagerank(later)[risers].sum())
    found: dict[str, list[float]] = {"true": [], "paper OPIC": [], "adaptive OPIC": []}
    for number in range(passes):
        links = web.outlinks if number < SHIFT_AT else later
        _pass(links, rng, paper.fetch, adaptive.fetch)
        found["true"].append(float(web.importance[risers].sum()) / goal if number < SHIFT_AT else 1.0)
        for name, books in (("paper OPIC", paper), ("adaptive OPIC", adaptive)):
            found[name].append(sum(books.importance[riser] for riser in risers) / goal)
    return found


def agreement(web: Web, passes: int) -> dict[str, list[float]]:
    """Return Spearman's correlation of importance and PageRank after 1..``passes`` fetches per page, by choice of page.

    Pages are fetched in random order, or greedily: always the one with most cash.
    """
    found: dict[str, list[float]] = {}
    for name, window in (("paper OPIC", None), ("adaptive OPIC", WINDOW)):
        rng, books = random.Random(3), Books(len(web), window)
        values = found.setdefault(f"{name}, random", [])
        for _ in range(passes):
            _pass(web.outlinks, rng, books.fetch)
            values.append(float(spearmanr(books.importance, web.importance).statistic))
        books = Books(len(web), window)
        values = found.setdefault(f"{name}, greedy", [])
        for _ in range(passes):
            for _ in range(len(web)):
                page = int(np.argmax(books.cash))
                books.fetch(page, web.outlinks[page])
            values.append(float(spearmanr(books.importance, web.importance).statistic))
    return found
