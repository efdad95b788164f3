"""Numbers as Java reads, keeps and rounds them, where Nutch's results depend on that."""

from __future__ import annotations

import math
import re
import struct

INT_MAX = 2**31 - 1
JAVA_BLANKS = "".join(map(chr, range(0x21)))  # what java.lang.String.trim removes
_FLOAT_MAX = (2 - 2**-23) * 2.0**127
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_HEX_FLOAT = re.compile(r"[+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?[0-9]+")
_NOT_FINITE = re.compile(r"[+-]?(?:NaN|Infinity)")


def float32(number: float) -> float:
    """Return ``number`` at the precision of Java's float; infinite where that has no such number."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)


def finite_float32(number: float) -> float:
    """Return a finite ``number`` at the precision of Java's float; one that is too large becomes the largest float."""
    return max(-_FLOAT_MAX, min(float32(number), _FLOAT_MAX))


def java_round(number: float) -> int:
    """Round a finite ``number`` as ``Math.round`` does: halves go up."""
    return math.floor(number + 0.5)


def as_int(number: float) -> int:
    """Return ``Math.round(float)``: halves go up, NaN is 0, and what does not fit is the nearest int."""
    return 0 if math.isnan(number) else java_round(max(-INT_MAX - 1.0, min(number, float(INT_MAX))))


def as_byte(number: int) -> int:
    """Return ``number`` as Java's byte has it: 128 is -128."""
    return (number + 128) % 256 - 128


def parse_double(text: str) -> float | None:
    """Return the number that Java reads from ``text`` (``5f`` and ``0x1p3`` are some), or ``None``."""
    text = text.strip(JAVA_BLANKS)
    if _NOT_FINITE.fullmatch(text):
        return float(text)
    digits = text[:-1] if text[-1:] in ("f", "F", "d", "D") else text
    if _DECIMAL.fullmatch(digits):
        return float(digits)
    if not _HEX_FLOAT.fullmatch(digits):
        return None
    try:
        return float.fromhex(digits)
    except OverflowError:
        return -math.inf if digits.startswith("-") else math.inf


def parse_float(text: str) -> float | None:
    """Return what ``Float.parseFloat`` reads, rounded to float32, or ``None`` where it throws."""
    number = parse_double(text)
    return None if number is None else float32(number)


def parse_int(text: str) -> int | None:
    """Return what ``Integer.parseInt`` reads (decimal digits of any script), or ``None`` where it throws."""
    if not re.fullmatch(r"[+-]?\d{1,1000}", text) or max(text) > "\uffff":
        return None
    number = int(text)
    return number if -INT_MAX - 1 <= number <= INT_MAX else None
