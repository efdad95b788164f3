"""The droppers that benchmarks/dedup.py compares: each sees pages in crawl order and names an earlier one or none."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Protocol

import mmh3
from dedup_pages import Page

from nutchlike.signatures.dedup_key import dedup_key
from nutchlike.signatures.md5 import MD5Signature
from nutchlike.signatures.near_duplicates import NearDuplicates
from nutchlike.signatures.signature import Signature
from nutchlike.signatures.text_md5 import TextMD5Signature
from nutchlike.signatures.text_profile import TextProfileSignature

_WORD = re.compile(r"\w+")
_SIMHASH_BITS = 64
_PERMUTATIONS = 128


class Dropper(Protocol):
    """Takes pages one by one."""

    def owner(self, number: int, page: Page) -> int:
        """Return the number of the earlier page that ``page`` repeats, or its own ``number`` when it is kept."""
        ...


class ByDigest:
    """Takes pages of one digest for one content."""

    def __init__(self, signature: Signature) -> None:
        self._signature = signature
        self._owners: dict[bytes, int] = {}

    def owner(self, number: int, page: Page) -> int:
        content = page.text.encode("utf-8", "surrogatepass")
        digest = self._signature.calculate(text=page.text, content=content, url=page.url)
        return self._owners.setdefault(digest, number)


class BySimHash:
    """Takes pages for one whose SimHashes, over counted words, differ in few bits.

    Source: Manku, Jain, Das Sarma, "Detecting near-duplicates for web crawling", WWW 2007 (64 bits, 3 may differ).
    """

    def __init__(self, bits: int) -> None:
        self._bits = bits
        self._owners: list[tuple[int, int]] = []

    def owner(self, number: int, page: Page) -> int:
        sketch = _simhash(page.text)
        for other, kept in self._owners:
            if (sketch ^ other).bit_count() <= self._bits:
                return kept
        self._owners.append((sketch, number))
        return number


class ByDatasketch:
    """Takes pages for one whose sets of three-word shingles (characters, where words are not parted) are alike.

    The datasketch package with its defaults; a candidate counts when its estimated similarity reaches the threshold.
    """

    def __init__(self, threshold: float) -> None:
        datasketch = import_module("datasketch")
        self._threshold = threshold
        self._new = datasketch.MinHash
        self._index = datasketch.MinHashLSH(threshold=threshold, num_perm=_PERMUTATIONS)
        self._sketches: dict[int, object] = {}

    def owner(self, number: int, page: Page) -> int:
        sketch = self._new(num_perm=_PERMUTATIONS)
        sketch.update_batch([shingle.encode("utf-8") for shingle in _shingles(page.text)])
        for other in sorted(self._index.query(sketch)):
            if sketch.jaccard(self._sketches[other]) >= self._threshold:
                return int(other)
        self._index.insert(number, sketch)
        self._sketches[number] = sketch
        return number


class Cascade:
    """Our dropper: the exact key, confirmed by sketches where both pages have one, then near duplicates."""

    def __init__(self) -> None:
        self._profile = TextProfileSignature()
        self._near = NearDuplicates()
        self._owners: dict[bytes, int] = {}
        self._sketches: dict[int, bytes | None] = {}
        self._bands: defaultdict[bytes, list[int]] = defaultdict(list)

    def owner(self, number: int, page: Page) -> int:
        sketch = self._near.sketch(page.text, title=page.title, host=page.host)
        key = key_of(page, self._profile)
        owner = self._owners.get(key)
        if owner is not None and self._is_confirmed(owner, sketch):
            return owner
        if sketch is not None:
            for band in self._near.bands(sketch):
                for other in self._bands[band]:
                    if self._near.is_near(self._sketches[other] or b"", sketch):
                        return other
            for band in self._near.bands(sketch):
                self._bands[band].append(number)
        self._owners.setdefault(key, number)
        self._sketches[number] = sketch
        return number

    def _is_confirmed(self, owner: int, sketch: bytes | None) -> bool:
        other = self._sketches[owner]
        return sketch is None or other is None or self._near.is_near(other, sketch)


class KeyAlone:
    """The first step of our dropper, as it is without near duplicates."""

    def __init__(self) -> None:
        self._profile = TextProfileSignature()
        self._owners: dict[bytes, int] = {}

    def owner(self, number: int, page: Page) -> int:
        key = key_of(page, self._profile)
        return self._owners.setdefault(key, number)


def key_of(page: Page, profile: TextProfileSignature) -> bytes:
    """Return the key by which a crawl knows a page."""
    main = page.main_text
    main_text = None if main is None else lambda: main
    return dedup_key(page.text, content=b"", url=page.url, signature=profile, title=page.title, main_text=main_text)


def droppers() -> dict[str, Callable[[], Dropper]]:
    """Return what there is to compare, by name; what is not installed is left out."""
    found: dict[str, Callable[[], Dropper]] = {
        "MD5": lambda: ByDigest(MD5Signature()),
        "TextMD5": lambda: ByDigest(TextMD5Signature()),
        "TextProfile": lambda: ByDigest(TextProfileSignature()),
    }
    if semantic := _class("nutchlike.signatures.semantic", "SemanticFingerprint"):
        found["semantic fingerprint"] = lambda: ByDigest(semantic())
    found["SimHash, 3 bits of 64"] = lambda: BySimHash(3)
    if _class("datasketch", "MinHash"):
        found["datasketch, 0.8"] = lambda: ByDatasketch(0.8)
        found["datasketch, 0.5"] = lambda: ByDatasketch(0.5)
        found["datasketch, 0.95"] = lambda: ByDatasketch(0.95)
    found["nutchlike, key alone"] = KeyAlone
    found["nutchlike, cascade"] = Cascade
    return found


def _class(module: str, name: str) -> Callable[[], Signature] | None:
    try:
        found: Callable[[], Signature] = getattr(import_module(module), name)
    except ImportError:
        return None
    return found


def _shingles(text: str) -> Sequence[str]:
    words = _WORD.findall(text.lower())
    if len(words) * 12 < len(text):
        return list({text[start : start + 5] for start in range(max(1, len(text) - 4))})
    return list({" ".join(words[start : start + 3]) for start in range(max(1, len(words) - 2))})


def _simhash(text: str) -> int:
    votes = [0] * _SIMHASH_BITS
    for word, count in Counter(_WORD.findall(text.lower())).items():
        digest = mmh3.hash64(word, signed=False)[0]
        for bit in range(_SIMHASH_BITS):
            votes[bit] += count if digest >> bit & 1 else -count
    return sum(1 << bit for bit, vote in enumerate(votes) if vote > 0)
