"""MinHash: some bytes that tell how many features two texts have in common."""

from __future__ import annotations

from functools import cache

import numpy as np

from nutchlike.signatures.shingles import Hashes, mixed

_FEATURES_AT_ONCE = 4096  # times 64 minima and 8 bytes: 2 MB


def minhash(features: Hashes, size: int, *, power: int = 1) -> bytes:
    """Return ``size`` bytes; two texts agree in each with probability J**power (and by chance in one of 256).

    J is the Jaccard similarity: features in both texts / features in one or both. ``features`` are evenly spread
    hashes, at least one. With ``power`` above 1 a byte stands for so many minima, all of which must agree.

    Source: Broder, "On the resemblance and containment of documents", 1997; lowest byte only as in Li, Koenig,
    "b-Bit minwise hashing", WWW 2010.
    """
    multipliers, summands = _functions(size * power)
    least = np.full(size * power, np.iinfo(np.uint64).max, np.uint64)
    for start in range(0, len(features), _FEATURES_AT_ONCE):
        part = features[start : start + _FEATURES_AT_ONCE, None]
        np.minimum(least, (part * multipliers + summands).min(axis=0), out=least)
    combined = np.zeros(size, np.uint64)
    for minima in least.reshape(power, size):
        combined = mixed(combined ^ minima)
    return combined.astype(np.uint8).tobytes()


@cache
def _functions(number: int) -> tuple[Hashes, Hashes]:
    """Return the multipliers (odd) and summands of ``number`` hash functions, always the same."""
    drawn = mixed(np.arange(1, 2 * number + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    return drawn[::2] | np.uint64(1), drawn[1::2]
