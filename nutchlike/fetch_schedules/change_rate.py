"""ChangeRate: how often a page changes, as far as its fetches tell, and what a fetch after some time is worth.

Changes are a Poisson process, of which a fetch only tells whether there was any since the last one. What is known of
its rate is a gamma distribution: ``shape`` changes seen in ``span`` seconds, so to speak.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

_SHAPE_LEAST, _SHAPE_MOST = 0.05, 1e6
_SPAN_LEAST, _SPAN_MOST = 1e-3, 1e12  # seconds


@dataclass(frozen=True, slots=True)
class ChangeRate:
    """A gamma distribution of a page's changes per second, with mean ``shape / span`` (both above 0)."""

    shape: float
    span: float

    @property
    def mean(self) -> float:
        """Changes per second."""
        return self.shape / self.span

    def after(self, *, changed: bool, elapsed: float) -> ChangeRate:
        """Return what is known after a fetch that came ``elapsed`` seconds (> 0) after the last one.

        No change leaves a gamma distribution, exactly. A change (or several) does not: the answer is the gamma
        distribution with the mean and the variance of what it leaves, so that irregular fetches need no list of
        what was seen, only two numbers.
        Source: Bayes' rule, and assumed-density filtering for the second case (Minka, A family of algorithms for
        approximate Bayesian inference, 2001); the observation model is that of Cho and Garcia-Molina, Estimating
        frequency of change, ACM TOIT 3(3), 2003.
        """
        if not changed:
            return _bounded(self.shape, self.span + elapsed)
        quiet = math.log1p(elapsed / self.span)  # -log of the probability that nothing changes, by shape
        # P(a change) times the first two moments of the rate, in units of 1/span
        any_change = -math.expm1(-self.shape * quiet)
        first = -self.shape * math.expm1(-(self.shape + 1) * quiet) / any_change
        second = -self.shape * (self.shape + 1) * math.expm1(-(self.shape + 2) * quiet) / any_change
        variance = second - first * first
        if not (variance > 0 and math.isfinite(variance)):
            return self
        return _bounded(first * first / variance, first / variance * self.span)

    def faded(self, towards: ChangeRate, kept: float) -> ChangeRate:
        """Return this with ``kept`` (0 to 1) of what it says, and the rest of ``towards``: rates may change."""
        shape = towards.shape + (self.shape - towards.shape) * kept
        return _bounded(shape, towards.span + (self.span - towards.span) * kept)

    def gain(self, interval: float) -> float:
        """Return the seconds for which a fetch every ``interval`` seconds is worth making.

        That is what one more fetch adds to the time for which the copy is fresh: d(interval's fresh time) less what
        it would have been worth anyhow. It grows with the interval, up to the mean time from one change to the next.
        For a rate that is known it is (1 - (1 + x) e^-x) / rate with x = rate * interval.
        Source: Cho and Garcia-Molina, Effective page refresh policies for Web crawlers, ACM TODS 28(4), 2003: at the
        best use of a budget it is the same for all pages.
        """
        x = interval / self.span
        fresh_at_end = math.exp(-self.shape * math.log1p(x))
        return self._fresh_time(x) - interval * fresh_at_end

    def interval_worth(self, price: float, *, least: float, most: float) -> float:
        """Return after how many seconds, from ``least`` to ``most``, a fetch gains ``price`` seconds of freshness."""
        if self.gain(least) >= price:
            return least
        if self.gain(most) <= price:
            return most
        low, high = math.log(least), math.log(most)
        for _ in range(30):  # to 1e-8 of the interval
            middle = (low + high) / 2
            if self.gain(math.exp(middle)) < price:
                low = middle
            else:
                high = middle
        return math.exp(high)

    def _fresh_time(self, x: float) -> float:
        """Return the mean time for which a copy is fresh within ``x`` spans of its fetch, in seconds."""
        power = 1 - self.shape
        if abs(power) < 1e-9:
            return self.span * math.log1p(x)
        return self.span * math.expm1(power * math.log1p(x)) / power


def _bounded(shape: float, span: float) -> ChangeRate:
    return ChangeRate(min(max(shape, _SHAPE_LEAST), _SHAPE_MOST), min(max(span, _SPAN_LEAST), _SPAN_MOST))
