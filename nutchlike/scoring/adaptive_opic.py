"""AdaptiveOPIC: the paper's OPIC with a memory that fades, for a web that changes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Self

from nutchlike.contracts import SettingsReader
from nutchlike.crawldatum import CrawlDatum
from nutchlike.default_settings import NUTCH_SCORING_OPIC_WINDOW
from nutchlike.scoring.opic import PaperOPIC
from nutchlike.scoring.scoring_filter import Visit


class AdaptiveOPIC(PaperOPIC):
    """Shares cash as PaperOPIC does, and estimates importance from the last time window alone.

    Time is measured in cash: the window T has passed when all pages together have spent ``window`` times the cash
    that there is. A history is the cash that the page spent within T, interpolated: with t since its last visit and
    c spent now, H becomes H * (T - t) / T + c where t < T, else c * T / t.
    Source: Abiteboul, Preda, Cobena, "Adaptive On-Line Page Importance Computation", WWW 2003, Adaptive OPIC.
    """

    def __init__(self, *, window: float = NUTCH_SCORING_OPIC_WINDOW) -> None:
        """Raise ValueError unless ``window``, times the total cash, is above 0."""
        if not 0 < window < math.inf:
            raise ValueError(f"NUTCH_SCORING_OPIC_WINDOW must be a finite number above 0, got {window!r}")
        self._window = self.history_window = window

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the filter with the window of NUTCH_SCORING_OPIC_WINDOW."""
        return cls(window=settings.getfloat("NUTCH_SCORING_OPIC_WINDOW", NUTCH_SCORING_OPIC_WINDOW))

    def update_history(self, datum: CrawlDatum, visit: Visit) -> CrawlDatum:
        """Return the record with the cash that the page spends within one window as its ``history``."""
        length = self._window * visit.total
        if visit.elapsed < length:
            history = datum.history * (length - visit.elapsed) / length + visit.spent
        elif visit.elapsed > 0:
            history = visit.spent * length / visit.elapsed
        else:
            history = datum.history + visit.spent
        return replace(datum, history=history)

    def importance(self, datum: CrawlDatum, *, distributed: float, total: float) -> float:
        """Return the page's importance: its part of the cash that is spent within one window.

        Over all pages they add up to 1 but for the interpolation; ``distributed`` plays no part.
        """
        return datum.history / (self._window * total) if total else 0.0
