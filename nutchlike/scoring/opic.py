"""PaperOPIC: On-line Page Importance Computation as its authors describe it."""

from __future__ import annotations

import math
from typing import Self

from nutchlike.contracts import SettingsReader
from nutchlike.scoring.scoring_filter import Shares


class PaperOPIC:
    """Spends a page's cash at each fetch: its d outlinks and the virtual page get c / (d + 1) each.

    The virtual page links to every page and is linked from every page, which keeps cash from being trapped; a page
    without outlinks gives it everything.
    Source: Abiteboul, Preda, Cobena, "Adaptive On-Line Page Importance Computation", WWW 2003.
    """

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the filter; it reads no setting."""
        return cls()

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
