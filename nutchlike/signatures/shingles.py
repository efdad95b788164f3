"""A text as numbers: the hashes of its runs of words, and of its numbers, which are told apart from words."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from itertools import filterfalse, pairwise
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

SHINGLE_WORDS = 3
_ASCII_WORDS = bytes(c if chr(c).isalnum() else 0x20 for c in range(128)) + b" " * 128
_DIGIT = re.compile(r"\d")
# Scripts that put no space between words: Thai, Lao, Myanmar, Khmer, kana, Han.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_PAIRS_TOO_MANY = 0.45  # part of the pairs by which they outnumber the words of such a script
_ODD = 0x9E3779B97F4A7C15  # 2**64 divided by the golden ratio: odd, its bits evenly mixed
_OTHER_ODD = 0xBF58476D1CE4E5B9


@dataclass(frozen=True, slots=True)
class Shingles:
    """A text's words, its runs of three words and its numbers, each in the text's order, as hashes.

    ``runs[i]`` begins with ``words[i]``; ``beside[i]`` is True when ``words[i]`` stands beside a number, as its unit or
    the name of a month does. ``numbers`` and ``places`` belong together: a number's hash, and that of the
    number with the word before it. ``words_per_token`` says what an element of ``words`` stands for: 1 for a word,
    0.55 for a pair of Chinese characters, of which a word has nearly two.
    """

    words: Hashes
    beside: NDArray[np.bool_]
    runs: Hashes
    numbers: Hashes
    places: Hashes
    words_per_token: float


def shingles(text: str) -> Shingles:
    """Return what ``text`` is made of.

    A word is a run of letters, with the marks that belong to them; in a script without spaces each pair of neighbours
    is one. What holds a digit is a number and no part of a run. Case and punctuation do not count.
    """
    tokens = _tokens(text.lower())
    hashes = np.fromiter(map(crc32, tokens), np.uint64, len(tokens))
    with_digits = {token for token in filterfalse(bytes.isalpha, set(tokens)) if _DIGIT.search(_decoded(token))}
    is_number = np.fromiter(map(with_digits.__contains__, tokens), np.bool_, len(tokens))
    words, numbers = hashes[~is_number], hashes[is_number]
    before = np.concatenate((np.zeros(1, np.uint64), words))[np.cumsum(~is_number)][is_number]
    return Shingles(
        words=words,
        beside=_beside(is_number)[~is_number],
        runs=_runs(words),
        numbers=numbers,
        places=mixed(numbers * np.uint64(_ODD) + before),
        words_per_token=1 - _PAIRS_TOO_MANY * _unspaced_share(text, len(tokens)),
    )


def _beside(is_number: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return for each token whether the one before it or behind it is a number."""
    beside = np.zeros(len(is_number), np.bool_)
    beside[1:] |= is_number[:-1]
    beside[:-1] |= is_number[1:]
    return beside


def mixed(hashes: Hashes) -> Hashes:
    """Return ``hashes`` with their bits spread evenly: one answer for one number.

    Source: the finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
    """
    hashes = (hashes ^ (hashes >> np.uint64(30))) * np.uint64(_OTHER_ODD)
    hashes = (hashes ^ (hashes >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return hashes ^ (hashes >> np.uint64(31))


def _runs(words: Hashes) -> Hashes:
    if len(words) < SHINGLE_WORDS:
        return words[:0]
    run = words[: len(words) - SHINGLE_WORDS + 1].copy()
    for place in range(1, SHINGLE_WORDS):
        run = run * np.uint64(_ODD) + words[place : len(words) - SHINGLE_WORDS + 1 + place]
    return mixed(run)


def _tokens(text: str) -> list[bytes]:
    if text.isascii():
        return text.encode("ascii").translate(_ASCII_WORDS).split()
    text = _between_words().sub(" ", text)
    text = _unspaced().sub(_pairs, text)
    return text.encode("utf-8", "surrogatepass").split()


def _unspaced_share(text: str, tokens: int) -> float:
    """Return the share of the tokens that are pairs of characters of a script without spaces."""
    if text.isascii():
        return 0.0
    return min(1.0, sum(map(len, _unspaced().findall(text))) / max(1, tokens))


def _decoded(token: bytes) -> str:
    return token.decode("utf-8", "surrogatepass")


def _pairs(match: re.Match[str]) -> str:
    run = match.group()
    if len(run) == 1:
        return f" {run} "
    return f" {' '.join(map(''.join, pairwise(run)))} "


@cache
def _unspaced() -> re.Pattern[str]:
    return re.compile(f"[{_UNSPACED}]+")


@cache
def _between_words() -> re.Pattern[str]:
    """Return what matches a run of characters that are neither letter, mark nor digit; beyond the BMP all are one.

    Plain ranges, since Python looks these up in a bitmap: three times as fast as with its own classes.
    """
    outside = [unicodedata.category(chr(code))[0] not in "LMNC" for code in range(0x10000)]
    borders = [code for code in range(0x10000) if outside[code] != (code > 0 and outside[code - 1])]
    pairs = zip(borders[::2], borders[1::2], strict=True)
    ranges = "".join(f"{re.escape(chr(first))}-{re.escape(chr(end - 1))}" for first, end in pairs)
    return re.compile(f"[{ranges}\x00-\x1f\x7f-\xa0]+")
