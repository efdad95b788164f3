"""PaperOPIC: On-line Page Importance Computation as its authors describe it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from nutchlike.crawldatum import CrawlDatum
from nutchlike.scoring.scoring_filter import Distribution, ScoredPage, ScoringFilter, Visit


@dataclass(frozen=True, slots=True)
class Shares:
    """How one page's cash is handed out: ``each`` outlink and the ``virtual`` page get theirs, ``spent`` is all."""

    spent: float
    each: float
    virtual: float


class PaperOPIC(ScoringFilter):
    """Spends a page's cash at each fetch: its d outlinks and the virtual page get c / (d + 1) each.

    The virtual page links to every page and is linked from every page, which keeps cash from being trapped; a page
    without outlinks gives it everything. The page with most cash is fetched next.
    Source: Abiteboul, Preda, Cobena, "Adaptive On-Line Page Importance Computation", WWW 2003.
    """

    def shares(self, cash: float, outlinks: int) -> Shares:
        """Return each outlink's share of ``cash`` (>= 0) and the virtual page's, which takes the rounding error.

        Raises ValueError for cash that is negative or not finite, and for a negative number of outlinks.
        """
        if not (math.isfinite(cash) and cash >= 0):
            raise ValueError(f"cash must be a finite number >= 0, got {cash!r}")
        if outlinks < 0:
            raise ValueError(f"the number of outlinks must be >= 0, got {outlinks!r}")
        each = cash / (outlinks + 1)
        # A product of subnormal shares can exceed the cash; cash is never owed.
        return Shares(spent=cash, each=each, virtual=max(0.0, cash - each * outlinks))

    def sort_value(self, datum: CrawlDatum, initial: float) -> float:
        return datum.score * initial

    def distribute(self, page: ScoredPage, distribution: Distribution) -> Distribution:
        """Return the shares of ``page``; ValueError for cash that is negative or not finite."""
        shares = self.shares(page.datum.score, len(distribution.outlinks))
        return replace(distribution, scores=[shares.each] * len(distribution.outlinks), spent=shares.spent)

    def update_history(self, datum: CrawlDatum, visit: Visit) -> CrawlDatum:
        """Return the record with all the cash that the page has spent so far as its ``history``."""
        return replace(datum, history=datum.history + visit.spent)

    def indexer_score(self, datum: CrawlDatum, score: float) -> float:
        """Return the page's cash, times ``score``."""
        return datum.score * score

    def importance(self, datum: CrawlDatum, *, distributed: float, total: float) -> float:
        """Return the page's importance: its part, from 0 to 1, of all the cash that has flowed.

        ``distributed`` is G, the cash that all pages have spent so far, ``total`` the cash that there is. The
        importances of all pages add up to 1; without any cash they are 0.
        """
        flowed = distributed + total
        return (datum.history + datum.score) / flowed if flowed else 0.0
