"""A small web on which OPIC runs page by page, and the importance that its pages truly have."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nutchlike.crawldatum import CrawlDatum
from nutchlike.scoring.chain import ScoringChain
from nutchlike.scoring.opic import PaperOPIC
from nutchlike.scoring.scoring_filter import Outlink, ScoredPage, Visit

Links = Sequence[Sequence[int]]


def random_links(pages: int, seed: int) -> Links:
    """Return the outlinks of each page: 0 to 5, distinct, none to itself, more to pages of low number."""
    rng = random.Random(seed)
    return [sorted({int(pages * rng.random() ** 2) for _ in range(rng.randrange(6))} - {page}) for page in range(pages)]


def true_importance(links: Links) -> np.ndarray:
    """Return each page's part of the flow: the fixed point of sharing equally among outlinks and the virtual page."""
    pages = len(links)
    flow = np.full(pages, 1 / pages)
    for _ in range(500):
        received = np.zeros(pages)
        virtual = 0.0
        for page, outlinks in enumerate(links):
            share = flow[page] / (len(outlinks) + 1)
            received[list(outlinks)] += share
            virtual += share
        flow = received + virtual / pages
    return flow


class OpicWeb:
    """Pages with cash, fetched greedily; all of them are known from the start."""

    def __init__(self, opic: PaperOPIC, links: Links) -> None:
        self.opic = opic
        self.links = links
        self.total = 1.0
        self.distributed = 0.0
        self.data = [CrawlDatum(f"http://a.test/{page}", score=1 / len(links)) for page in range(len(links))]
        self._visited_at = [0.0] * len(links)

    def run(self, visits: int) -> None:
        """Fetch the page with most cash, again and again."""
        for _ in range(visits):
            self._visit(max(range(len(self.data)), key=lambda page: self.data[page].score))

    def importance(self) -> np.ndarray:
        """Return what the filter takes each page's importance to be."""
        return np.array(
            [self.opic.importance(datum, distributed=self.distributed, total=self.total) for datum in self.data]
        )

    def _visit(self, page: int) -> None:
        datum = self.data[page]
        outlinks = [Outlink(self.data[target].url, is_internal=True) for target in self.links[page]]
        gifts = ScoringChain([self.opic]).distribute(ScoredPage(datum), outlinks)
        visit = Visit(gifts.spent, self.distributed - self._visited_at[page], self.total)
        datum = self.opic.update_history(datum, visit)
        self.data[page] = replace(datum, score=datum.score - gifts.spent)
        self.distributed += gifts.spent
        self._visited_at[page] = self.distributed
        for target, share in zip(self.links[page], gifts.scores, strict=True):
            self._pay(target, share)
        for target in range(len(self.data)):
            self._pay(target, gifts.virtual / len(self.data))

    def _pay(self, page: int, cash: float) -> None:
        self.data[page] = replace(self.data[page], score=self.data[page].score + cash)
