"""LinkRank: Nutch's PageRank-like score over the web graph, on plain arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nutchlike.default_settings import (
    NUTCH_LINK_ANALYZE_DAMPING_FACTOR,
    NUTCH_LINK_ANALYZE_INITIAL_SCORE,
    NUTCH_LINK_ANALYZE_NUM_ITERATIONS,
)

_LINKS_AT_ONCE = 1 << 20  # links that are worked on at a time, in a few temporary arrays


def linkrank(
    sources: NDArray[Any],
    targets: NDArray[Any],
    n: int,
    *,
    counted: NDArray[np.bool_] | None = None,
    damping: float = NUTCH_LINK_ANALYZE_DAMPING_FACTOR,
    iterations: int = NUTCH_LINK_ANALYZE_NUM_ITERATIONS,
    initial: float = NUTCH_LINK_ANALYZE_INITIAL_SCORE,
    progress: Callable[[int, int], object] | None = None,
) -> NDArray[np.float32]:
    """Return the scores of ``n`` pages, as 32-bit numbers.

    Link k leads from page ``sources[k]`` to page ``targets[k]``, whole numbers from 0 to n - 1 in any order. A page
    gives all of its links the same part, and what it gives to one that is not ``counted`` (default: all are) is lost;
    see ``link_rules.first_inlinks``. From ``initial`` on, all scores are renewed ``iterations`` times at once:

        score(p) = (1 - d) + d * (1 / n + sum over counted q -> p of score(q) / outlinks(q)),   d = ``damping``

    What pages without outlinks have goes nowhere, and nothing is normalized. ``progress`` is called after each
    iteration with its number and that of all.

    Beside its arguments it needs about 40 bytes a page and 40 MB. The arrays may be memory-mapped files. Sums are of
    double precision: with 32 bits, as in Nutch, what a page with very many links gets would depend on their order.

    Raises ValueError for arrays of different length or not of whole numbers, for a page outside 0 to n - 1, for a
    damping factor outside 0 to 1 and for a negative number of iterations.
    Source: Nutch ``scoring.webgraph.LinkRank``.
    """
    _check(sources, targets, n, counted, damping, iterations)
    outlinks = np.zeros(n, np.int64)
    for links in _parts(len(sources)):
        np.add.at(outlinks, sources[links], 1)
    divisors = np.maximum(outlinks, 1).astype(np.float32)
    d = np.float32(damping)
    one = np.float32(1.0)
    base = one / np.float32(max(n, 1))
    scores = np.full(n, initial, np.float32)
    for iteration in range(1, iterations + 1):
        given = (scores / divisors).astype(np.float64)
        received = np.zeros(n, np.float64)
        for links in _parts(len(sources)):
            to, amounts = targets[links], given[sources[links]]
            if counted is not None:
                to, amounts = to[counted[links]], amounts[counted[links]]
            np.add.at(received, to, amounts)
        received += base
        scores = (one - d) + d * received.astype(np.float32)
        if progress is not None:
            progress(iteration, iterations)
    return scores


def _parts(links: int) -> list[slice]:
    return [slice(start, start + _LINKS_AT_ONCE) for start in range(0, links, _LINKS_AT_ONCE)]


def _check(
    sources: NDArray[Any],
    targets: NDArray[Any],
    n: int,
    counted: NDArray[np.bool_] | None,
    damping: float,
    iterations: int,
) -> None:
    if len(sources) != len(targets) or (counted is not None and len(counted) != len(sources)):
        marks = "" if counted is None else f" and {len(counted)} marks"
        raise ValueError(f"each link needs a source and a target, got {len(sources)} and {len(targets)}{marks}")
    for name, pages in (("sources", sources), ("targets", targets)):
        if not np.issubdtype(pages.dtype, np.integer):
            raise ValueError(f"{name} must be whole numbers, got {pages.dtype}")
        if len(pages) and not 0 <= pages.min() <= pages.max() < n:
            raise ValueError(f"{name} must be from 0 to {n - 1}, got {pages.min()} to {pages.max()}")
    if not 0 <= damping <= 1:
        raise ValueError(f"the damping factor must be from 0 to 1, got {damping!r}")
    if iterations < 0:
        raise ValueError(f"the number of iterations must be at least 0, got {iterations!r}")
