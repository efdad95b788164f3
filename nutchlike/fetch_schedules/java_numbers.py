"""Numbers as Nutch computes with them: Java's float, and its way to round."""

from __future__ import annotations

import math
import struct

INT_MAX = 2**31 - 1


def float32(number: float) -> float:
    """Return a finite ``number`` at the precision of Java's float; one that is too large becomes the largest float."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", number))[0])
    except OverflowError:
        return math.copysign(_FLOAT_MAX, number)


def java_round(number: float) -> int:
    """Round as ``Math.round`` does: halves go up."""
    return math.floor(number + 0.5)


def as_int(number: float) -> int:
    """Round a finite ``number`` to Java's int, in whose range it stays."""
    return max(-INT_MAX - 1, min(java_round(number), INT_MAX))


def as_byte(number: int) -> int:
    """Return ``number`` as Java's byte has it: 128 is -128."""
    return (number + 128) % 256 - 128


_FLOAT_MAX = (2 - 2**-23) * 2.0**127
