"""Which pages say almost the same, judged by what each says beyond its host's template.

A sketch is ``GUARD`` bytes that must be equal and ``SIZE`` bytes of which most must be: the guard says what the page is
about (its title, or its first words), the rest how many words two pages share. The title tells what a bag of words
cannot: of the pairs that words alone took for one in 42,000 pages of manuals, about four in ten described two functions
or classes in the same sentences.
"""

from __future__ import annotations

import re
from typing import Self
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from nutchlike import default_settings
from nutchlike.contracts import SettingsReader
from nutchlike.signatures.boilerplate import Boilerplate
from nutchlike.signatures.minhash import minhash
from nutchlike.signatures.shingles import SHINGLE_WORDS, Hashes, Shingles, mixed, shingles
from nutchlike.signatures.signed_content import TEXT_DIGEST_SIZE

GUARD = 5  # bytes: the kind of sketch, and a digest of what must be the same
# Bytes of which most must be equal. Words alone would take a long text for another of the same small vocabulary, and
# runs of three words alone lose an article when each tenth word is edited.
_OF_WORDS = 40
_OF_RUNS = 24
SIZE = _OF_WORDS + _OF_RUNS
SKETCH_SIZE = GUARD + SIZE + TEXT_DIGEST_SIZE
# Bands of 4 bytes: two pages that agree in a share J of their words meet in one with probability 1 - (1 - J**4)**6,
# that is 0.32 for J = 0.5, 0.81 for 0.7, 0.96 for 0.8 and 0.998 for 0.9.
BANDS = 6
_ROWS = 4

# Kinds of sketches. In a page of few own words a word or a number more or less is another product, and nothing but the
# very same words and numbers confirm that two are one.
_LONG, _MIDDLE, _SHORT = b"\0", b"\1", b"\2"
_LONG_WORDS = 300  # own words of a page that its title names well enough
_MIDDLE_POWER = 2  # middle sketches agree in a byte with J**2
_HEAD_WORDS = 8  # own words that name a page as a title does
_NUMBERS_IGNORED_SHARE = 0.04  # of a long page's own words; more of them are its content
_TITLE_PARTS = re.compile(r"\s+[-–—:·•/]\s+|\s*[|»«]\s*")


class NearDuplicates:
    """Makes the sketches by which near duplicates find each other, and learns each host's template on the way.

    ``agreeing``: bytes of 64 that two sketches share at least. ``words_min``: own words of a page below which it can
    only be compared exactly. ``pages_min``: pages of a host that are learned before one of them is judged.
    ``repeated``: pages on which words stand when they are the template's. ``memory``: bytes for all hosts.
    """

    guard = slice(1, GUARD)  # of a sketch: the digest of what must be the same

    def __init__(
        self,
        agreeing: int = default_settings.NUTCH_DEDUP_NEAR_AGREEING,
        words_min: int = default_settings.NUTCH_DEDUP_NEAR_WORDS_MIN,
        pages_min: int = default_settings.NUTCH_DEDUP_NEAR_PAGES_MIN,
        repeated: int = default_settings.NUTCH_DEDUP_NEAR_REPEATED,
        memory: int = default_settings.NUTCH_DEDUP_NEAR_MEMORY,
    ) -> None:
        if not 1 <= agreeing <= SIZE:
            raise ValueError(f"NUTCH_DEDUP_NEAR_AGREEING must be from 1 to {SIZE}, got {agreeing}")
        if not 1 <= repeated <= 255:
            raise ValueError(f"NUTCH_DEDUP_NEAR_REPEATED must be from 1 to 255, got {repeated}")
        self.agreeing = agreeing
        self._words_min = words_min
        self._pages_min = pages_min
        self._repeated = repeated
        self._boilerplate = Boilerplate(memory)

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return what NUTCH_DEDUP_NEAR_* describe; ValueError for one out of range."""

        def number(name: str) -> int:
            return settings.getint(name, getattr(default_settings, name))

        return cls(
            agreeing=number("NUTCH_DEDUP_NEAR_AGREEING"),
            words_min=number("NUTCH_DEDUP_NEAR_WORDS_MIN"),
            pages_min=number("NUTCH_DEDUP_NEAR_PAGES_MIN"),
            repeated=number("NUTCH_DEDUP_NEAR_REPEATED"),
            memory=number("NUTCH_DEDUP_NEAR_MEMORY"),
        )

    def sketch(self, text: str, *, title: str, host: str) -> bytes | None:
        """Return the page's sketch, and learn from it what ``host`` repeats.

        ``None`` while too few pages of the host are known: nobody can tell its template from what the page says. A
        page of few own words has a sketch without bands: it confirms or denies that two pages are one and finds none.
        The same pages in the same order give the same sketches; in another order, or divided among workers, those
        differ in the words that the template shares with few pages.
        """
        parts = shingles(text)
        names = _title_parts(title)
        features = np.concatenate((parts.runs, parts.places, names))
        is_own = self._boilerplate.counts(host, features) < self._repeated
        is_known = self._boilerplate.pages(host) >= self._pages_min
        self._boilerplate.learn(host, np.unique(features))
        if not is_known:
            return None
        runs, places, own_names = np.split(is_own, (len(parts.runs), len(parts.runs) + len(parts.places)))
        own_words = _are_own(runs, len(parts.words))
        own = Shingles(
            words=parts.words[own_words],
            beside=parts.beside[own_words],
            runs=parts.runs[runs],
            numbers=parts.numbers[places],
            places=parts.places[places],
            words_per_token=parts.words_per_token,
        )
        return self._sketch(parts, own, names[own_names]) + _text_digest(text)

    def bands(self, sketch: bytes) -> list[bytes]:
        """Return the digests, of 9 bytes, of which two near duplicates share at least one."""
        if sketch[:1] == _SHORT:
            return []
        starts = range(GUARD, GUARD + BANDS * _ROWS, _ROWS)
        return [
            bytes([number]) + sketch[1:GUARD] + sketch[start : start + _ROWS] for number, start in enumerate(starts)
        ]

    def is_near(self, one: bytes, other: bytes) -> bool:
        """Return whether two sketches are of one content; equal texts are, whatever was known of the template then."""
        if one[-TEXT_DIGEST_SIZE:] == other[-TEXT_DIGEST_SIZE:]:
            return True
        agreeing = sum(map(int.__eq__, one[GUARD:-TEXT_DIGEST_SIZE], other[GUARD:-TEXT_DIGEST_SIZE]))
        return one[:GUARD] == other[:GUARD] and agreeing >= self.agreeing

    def _sketch(self, page: Shingles, own: Shingles, names: Hashes) -> bytes:
        """Return the sketch of a page of which ``own`` and the parts ``names`` of its title are not the template's."""
        size = len(own.words) * own.words_per_token
        if size < self._words_min:
            return _SHORT + _digest(page.words, page.numbers) + bytes(SIZE)
        head = own.words[~own.beside][:_HEAD_WORDS]
        if size < _LONG_WORDS:
            return _MIDDLE + _digest(names[:1], head, own.numbers) + _features(own, power=_MIDDLE_POWER)
        numbers = own.numbers if len(own.numbers) > _NUMBERS_IGNORED_SHARE * len(own.words) else own.numbers[:0]
        return _LONG + _digest(names[:1] if len(names) else head, numbers) + _features(own, power=1)


def _features(own: Shingles, *, power: int) -> bytes:
    words, runs = np.unique(mixed(own.words)), np.unique(own.runs)
    return minhash(words, _OF_WORDS, power=power) + minhash(runs, _OF_RUNS, power=power)


def _title_parts(title: str) -> Hashes:
    """Return the parts of a title, the longest first: those that a site adds to each are learned as its template is."""
    parts = {" ".join(part.split()) for part in _TITLE_PARTS.split(title.lower())} - {""}
    in_order = sorted(parts, key=lambda part: (-len(part), part))
    hashes = [crc32(part.encode("utf-8", "surrogatepass")) for part in in_order]
    return mixed(np.array(hashes, np.uint64) + np.uint64(2**32))


def _are_own(runs: NDArray[np.bool_], words: int) -> NDArray[np.bool_]:
    """Return for each word whether all runs that it belongs to are the page's own."""
    edge = np.ones(SHINGLE_WORDS - 1, np.bool_)
    padded = np.concatenate((edge, runs, edge))
    own = np.ones(words, np.bool_)
    for place in range(SHINGLE_WORDS):
        own &= padded[place : place + words]
    return own


def _digest(*facts: Hashes) -> bytes:
    lengths = np.array([len(fact) for fact in facts], np.uint64)
    return crc32(np.concatenate((lengths, *facts)).tobytes()).to_bytes(GUARD - 1, "big")


def _text_digest(text: str) -> bytes:
    return crc32(" ".join(text.split()).encode("utf-8", "surrogatepass")).to_bytes(TEXT_DIGEST_SIZE, "big")
