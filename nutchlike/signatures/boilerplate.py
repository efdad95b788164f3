"""What stands on several pages of a host, learned from the pages that a worker sees."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

from nutchlike.signatures.shingles import Hashes

_SLOTS_MIN = 2**13  # counters of a host, of a byte each
_SLOTS_MAX = 2**19
# Counters that are used at most for a feature each: a fourth makes 1 feature in 700 share its counter with others
# whose counts add up to 4.
_LOAD = 0.25
_COUNT_MAX = 255
# What a page counts for at least, so that a host of tiny pages is forgotten in time too.
_FEATURES_MIN = 64


class Boilerplate:
    """Counts, for each host, on how many of the pages learned lately each feature of a text stands.

    Counts are never too low for these pages, and seldom too high: features can share a counter. A host has counters for
    8 thousand features, twice as many each time when they get scarce, up to half a million; then all counts are halved,
    so what no page repeats is forgotten. When all hosts together have more than ``memory`` bytes, the host that was
    longest out of use is forgotten.
    """

    def __init__(self, memory: int) -> None:
        self._memory = memory
        self._used = 0
        self._hosts: OrderedDict[str, _Host] = OrderedDict()

    def counts(self, host: str, features: Hashes) -> NDArray[np.uint8]:
        """Return for each feature the number of pages of ``host``, 255 at most, on which it was learned."""
        known = self._hosts.get(host)
        return known.counts(features) if known else np.zeros(len(features), np.uint8)

    def pages(self, host: str) -> int:
        """Return the number of different pages of ``host`` that were learned since it is known."""
        known = self._hosts.get(host)
        return known.pages if known else 0

    def learn(self, host: str, features: Hashes) -> None:
        """Count a page with these distinct ``features``; the same page again is not counted twice in a row."""
        known = self._hosts.setdefault(host, _Host())
        self._hosts.move_to_end(host)
        before = known.size if known.pages else 0
        known.learn(features)
        self._used += known.size - before
        while self._used > self._memory and len(self._hosts) > 1:
            self._used -= self._hosts.popitem(last=False)[1].size


class _Host:
    def __init__(self) -> None:
        self.pages = 0
        self._slots = np.zeros(_SLOTS_MIN, np.uint8)
        self._counted = 0
        self._learned: set[int] = set()

    @property
    def size(self) -> int:
        return len(self._slots)

    def counts(self, features: Hashes) -> NDArray[np.uint8]:
        return self._slots[self._places(features)]

    def learn(self, features: Hashes) -> None:
        page = int(features.sum()) + len(features)
        if page in self._learned:
            return
        self._learned.add(page)
        self.pages += 1
        counted = max(len(features), _FEATURES_MIN)
        while self._counted + counted > _LOAD * len(self._slots):
            if len(self._slots) < _SLOTS_MAX:
                self._slots = np.concatenate((self._slots, self._slots))
            else:
                self._forget()
                break
        self._counted += counted
        places = np.unique(self._places(features))
        self._slots[places] += self._slots[places] < _COUNT_MAX

    def _forget(self) -> None:
        self._slots >>= 1
        self._counted //= 2
        self._learned.clear()

    def _places(self, features: Hashes) -> NDArray[np.intp]:
        return (features & np.uint64(len(self._slots) - 1)).astype(np.intp)
