"""The words of a text in any script: what stands between white space, what a dictionary finds where there is none."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

import regex  # type: ignore[import-untyped]  # it ships no types
import rjieba

# Scripts that part no words by blanks. U+30FC lengthens a vowel in both kinds of kana.
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\u30fc\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_OPEN, _CLOSE = "\x02", "\x03"
# Punctuation that writers place as they like, with Chinese commas and stops; other signs say something: a + b, !a, 5 €.
_SENTENCE_SIGNS = r"""\p{Pd}\p{Pi}\p{Pf}\p{Ps}\p{Pe}.,;:'"\u3001\u3002"""
# The word boundaries of Unicode Standard Annex 29, which ``(?w)`` makes of ``\b``.
_SPACED_WORD = regex.compile(rf"(?wV1)\b(?=\w)[^{_UNSPACED}]+?\b")
_UNSPACED_CHARACTER = regex.compile(f"[{_UNSPACED}]")
_WORD = regex.compile(
    rf"{_OPEN}([^{_CLOSE}]+){_CLOSE}"
    r"|(\p{Han}+)|([\p{Hiragana}\u30fc]+|[\p{Katakana}\u30fc]+|[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+)"
    rf"|([^\w\s{_OPEN}{_SENTENCE_SIGNS}]+)"
)
_SPELLINGS = str.maketrans({"\u2019": "'", "\u0130": "i", _OPEN: " ", _CLOSE: " "})


class WordKind(Enum):
    """What a word names, as far as somebody can tell."""

    NAME = "name"
    NOUN = "noun"
    OTHER = "other"
    SIGN = "sign"  # no word: +, !=, €


class Word(NamedTuple):
    """One word of a text.

    ``key`` is what it counts as: lower case, or a base word as the dictionary writes it. ``kind`` is ``None`` in
    scripts whose words only the user's tagger knows.
    """

    written: str
    key: str
    kind: WordKind | None


def marked(text: str) -> str:
    """Return ``text`` with the words of scripts that have blanks in marks, by which alone a synonym can be bounded.

    White space becomes single blanks; ligatures, full-width and half-width characters and typographic apostrophes
    their plain spelling (NFKC). Lower-casing the result keeps every character's place.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    plain = " ".join(text.translate(_SPELLINGS).split())
    return str(_SPACED_WORD.sub(rf"{_OPEN}\g<0>{_CLOSE}", plain))


def has_word(marked_text: str) -> bool:
    """Return whether there is any word in a marked text."""
    return _OPEN in marked_text or _UNSPACED_CHARACTER.search(marked_text) is not None


def words_of(marked_text: str) -> Iterator[Word]:
    """Yield the words of a marked text in their order, and the signs that are no punctuation of sentences.

    Han characters go to jieba's dictionary of Chinese. In Thai, Lao, Khmer, Burmese and kana a run of characters is
    one word: they need dictionaries of their own.
    """
    for spaced, han, run, sign in _WORD.findall(marked_text):
        if spaced:
            yield Word(spaced, spaced.lower(), None)
        elif han:
            for word, tag in rjieba.tag(han):
                yield Word(word, word, _kind(tag))
        elif run:
            yield Word(run, run, WordKind.OTHER)
        else:
            yield Word(sign, sign, WordKind.SIGN)


def base_word(base: str) -> Word:
    """Return a base word of the synonyms; what it is, in Chinese, its last part says."""
    kind = None
    if _UNSPACED_CHARACTER.search(base):
        kind = _kind(rjieba.tag(base)[-1][1])
    return Word(base, base, kind)


def _kind(tag: str) -> WordKind:
    """Return what ICTCLAS's ``tag`` says: nr, ns, nt and nz are people, places, organizations and other names."""
    if tag[:2] in ("nr", "ns", "nt", "nz"):
        return WordKind.NAME
    return WordKind.NOUN if tag.startswith("n") else WordKind.OTHER
