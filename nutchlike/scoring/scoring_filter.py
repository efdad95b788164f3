"""The contract of a scoring filter: what a page's cash becomes when the page was fetched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Shares:
    """How one page's cash is handed out: ``each`` outlink and the ``virtual`` page get theirs, ``spent`` is all."""

    spent: float
    each: float
    virtual: float


class ScoringFilter(Protocol):
    """Decides how pages pass worth to each other. It holds the hooks that the crawl calls."""

    def shares(self, cash: float, outlinks: int) -> Shares:
        """Return how a page with ``cash`` (OPIC cash, >= 0) pays its ``outlinks`` (distinct, other than itself).

        ``spent == each * outlinks + virtual`` up to rounding, and none of them is negative.
        Raises ValueError for cash that is negative or not finite, and for a negative number of outlinks.
        """
        ...
