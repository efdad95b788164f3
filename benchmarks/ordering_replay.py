"""Crawls without a network: in which order the pages of a web are fetched."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from ordering_graphs import Web
from ordering_orders import Fetched, Order

from nutchlike.scoring.host_votes import Seen

MARKS = (0.05, 0.10, 0.25, 0.50)  # shares of the pages that are fetched


@dataclass
class Frontier:
    """Known pages and their scores; the best is taken first, the one known for longest among equals.

    ``virtual`` is what every known page has got in equal parts; scores are kept relative to it.
    """

    scores: dict[int, float] = field(default_factory=dict)
    virtual: float = 0.0
    _places: dict[int, int] = field(default_factory=dict)
    _waiting: set[int] = field(default_factory=set)
    _heap: list[tuple[float, int, int]] = field(default_factory=list)

    def add(self, page: int, amount: float) -> None:
        """Add to a page's score; a page that was not known becomes known."""
        before = self.scores.get(page)
        if before is None:
            self._places[page] = len(self._places)
            self._waiting.add(page)
            before = -self.virtual
        self.scores[page] = before + amount
        if page in self._waiting:
            heapq.heappush(self._heap, (-self.scores[page], self._places[page], page))

    def take(self) -> int | None:
        """Return the best page that waits, and let it wait no longer."""
        while self._heap:
            negative, _, page = heapq.heappop(self._heap)
            if page in self._waiting and -negative == self.scores[page]:
                self._waiting.remove(page)
                return page
        return None


def replay(web: Web, order: Order, pages: int, at_once: int = 1) -> list[int]:
    """Return the first ``pages`` pages that ``order`` fetches; ``at_once`` are taken before the first is complete."""
    frontier, fetched, paid = Frontier(), [], 1.0
    host_known, host_fetched = [0] * (max(web.hosts) + 1), [0] * (max(web.hosts) + 1)
    frontier.add(0, paid)
    host_known[web.hosts[0]] = 1
    while len(fetched) < pages:
        batch = list(itertools.islice(iter(frontier.take, None), min(at_once, pages - len(fetched))))
        if not batch:
            break
        for page in batch:
            fetched.append(page)
            host_fetched[web.hosts[page]] += 1
        for page in batch:
            host, outlinks = web.hosts[page], web.outlinks[page]
            internal = sum(web.hosts[target] == host for target in outlinks)
            known = len(frontier.scores)
            payment = order(
                Fetched(
                    score=frontier.scores[page] + frontier.virtual,
                    given=paid,
                    internal=internal,
                    external=len(outlinks) - internal,
                    host=Seen(host_known[host] + internal, host_fetched[host]),
                    crawl=Seen(known + len(outlinks), len(fetched)),
                )
            )
            for target in outlinks:
                is_internal = web.hosts[target] == host
                if target not in frontier.scores:
                    host_known[web.hosts[target]] += 1
                frontier.add(target, payment.internal if is_internal else payment.external)
            paid += payment.internal * internal + payment.external * (len(outlinks) - internal)
            frontier.virtual += payment.spread / len(frontier.scores)
    return fetched


def replay_oracle(web: Web, pages: int) -> list[int]:
    """Return what someone fetches first who knows the PageRank of all pages that became known."""
    importance = web.importance
    heap, known, fetched = [(-importance[0], 0)], {0}, []
    while heap and len(fetched) < pages:
        page = heapq.heappop(heap)[1]
        fetched.append(page)
        for target in web.outlinks[page]:
            if target not in known:
                known.add(target)
                heapq.heappush(heap, (-importance[target], target))
    return fetched


def replay_linkrank(web: Web, pages: int, every: int) -> list[int]:
    """Return the first ``pages`` pages when all known ones are ranked anew, by LinkRank, each ``every`` pages.

    Early on it is each tenth of what was fetched.
    """
    degrees = np.fromiter(map(len, web.outlinks), dtype=np.int64, count=len(web))
    sources = np.repeat(np.arange(len(web)), degrees)
    targets = np.fromiter(itertools.chain.from_iterable(web.outlinks), dtype=np.int64, count=len(sources))
    is_fetched, is_known, fetched = np.zeros(len(web), bool), np.zeros(len(web), bool), []
    is_known[0] = True
    while len(fetched) < pages:
        links = is_fetched[sources]
        known = int(is_known.sum())
        score = np.ones(len(web))
        for _ in range(10):
            gained = np.bincount(targets[links], weights=(score / degrees.clip(1))[sources[links]], minlength=len(web))
            score = 0.15 + 0.85 * (1 / known + gained)
        waiting = np.flatnonzero(is_known & ~is_fetched)
        if not len(waiting):
            break
        best = waiting[np.argsort(-score[waiting], kind="stable")]
        for page in best[: min(every, 1 + len(fetched) // 10, pages - len(fetched))].tolist():
            fetched.append(page)
            is_fetched[page] = True
            is_known[web.outlinks[page]] = True
    return fetched


@dataclass(frozen=True)
class Shares:
    """What was fetched at each of MARKS: of all PageRank, and of the top decile of the pages."""

    pagerank: tuple[float, ...]
    top: tuple[float, ...]


def shares(web: Web, fetched: Sequence[int]) -> Shares:
    """Return what the first pages of ``fetched`` amount to."""
    ends = [round(mark * len(web)) for mark in MARKS]
    gathered = np.concatenate([[0.0], np.cumsum(web.importance[np.array(fetched)])])
    found = np.concatenate([[0], np.cumsum([page in web.top_decile for page in fetched])])
    last = len(fetched)
    return Shares(
        tuple(float(gathered[min(end, last)]) for end in ends),
        tuple(float(found[min(end, last)] / len(web.top_decile)) for end in ends),
    )


def gain(found: float, breadth_first: float, oracle: float) -> float:
    """Return how far from breadth first to the oracle an order comes; nan when the two are the same."""
    return (found - breadth_first) / (oracle - breadth_first) if oracle != breadth_first else float("nan")
