"""The orders that compete: what a page that was fetched adds to the scores of the pages that it links to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nutchlike.scoring.host_votes import host_votes
from nutchlike.scoring.opic import PaperOPIC
from nutchlike.scoring.scoring_filter import Seen


@dataclass(frozen=True, slots=True)
class Fetched:
    """A page that was just fetched, and what the store knows then without looking anything up.

    ``host`` and ``crawl`` count the page as fetched and its outlinks as known; ``given`` is all score that was ever
    injected or given to an outlink.
    """

    score: float
    given: float
    internal: int
    external: int
    host: Seen
    crawl: Seen

    @property
    def outlinks(self) -> int:
        return self.internal + self.external


@dataclass(frozen=True, slots=True)
class Payment:
    """Score for each link within the host, for each to another, and for all known pages in equal parts."""

    internal: float = 0.0
    external: float = 0.0
    spread: float = 0.0


Order = Callable[[Fetched], Payment]


def breadth_first(page: Fetched) -> Payment:
    """All scores are the same, so what became known first comes first."""
    return Payment()


def in_degree(page: Fetched) -> Payment:
    """Count the links that were seen."""
    return Payment(1.0, 1.0)


def in_degree_external_5(page: Fetched) -> Payment:
    """Count the links that were seen, those from other hosts five times."""
    return Payment(1.0, 5.0)


def nutch_opic(page: Fetched) -> Payment:
    """Share the score among the outlinks; the page keeps it, too, which its place in the queue no longer shows."""
    each = page.score / page.outlinks if page.outlinks else 0.0
    return Payment(each, each)


def opic_external_4(page: Fetched) -> Payment:
    """Share the score among the outlinks, those to other hosts getting four times as much; the sum is kept."""
    parts = page.internal + 4 * page.external
    each = page.score / parts if parts else 0.0
    return Payment(each, 4 * each)


def paper_opic(page: Fetched) -> Payment:
    """Share the cash among the outlinks and the virtual page, which gives it to all known pages."""
    shares = PaperOPIC().shares(page.score, page.outlinks)
    return Payment(shares.each, shares.each, shares.virtual)


def votes_by_host(page: Fetched) -> Payment:
    """Votes that count as much as the share of the host that the page stands for."""
    votes = host_votes(
        page.score,
        given=page.given,
        internal=page.internal,
        external=page.external,
        host=page.host,
        crawl=page.crawl,
    )
    return Payment(votes.internal, votes.external)


ORDERS: dict[str, Order] = {
    "breadth first": breadth_first,
    "in-degree": in_degree,
    "in-degree, external x 5": in_degree_external_5,
    "Nutch OPIC": nutch_opic,
    "OPIC, external x 4": opic_external_4,
    "paper OPIC": paper_opic,
    # its window changes what the history says of pages that were fetched; the queue is ordered by the same cash
    "adaptive OPIC": paper_opic,
    "host votes": votes_by_host,
}
