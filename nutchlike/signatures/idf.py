"""How rare words are: a table of inverse document frequencies, from a file or counted in documents."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from statistics import median
from typing import Self

_DOCUMENTS = "#documents"
_ANY_OTHER = "*"


class IdfTable:
    """The weight of each word: 0 for one that never counts, more the rarer it is."""

    def __init__(self, values: Mapping[str, float] | None = None, *, default: float | None = None) -> None:
        """``default`` is the weight of words outside the table; ``None`` is the median of the weights above 0 in it,
        or 1.0 when there are none: such words are neither known to be frequent nor worth more than a rare one.

        Raises ValueError for a weight that is no number of at least 0.
        """
        self._values = {word.lower(): value for word, value in (values or {}).items()}
        positive = [value for value in self._values.values() if value > 0]
        self.default = default if default is not None else median(positive) if positive else 1.0
        if wrong := [value for value in (*self._values.values(), self.default) if not 0 <= value < math.inf]:
            raise ValueError(f"an IDF must be a number of at least 0, got {wrong[0]!r}")

    @classmethod
    def parse(cls, text: str, *, source: str, default: float | None = None) -> Self:
        """Return the table that a file holds: lines ``word<TAB>IDF``, or what ``DocumentCounts.table`` writes.

        A line ``*<TAB>IDF`` says what words outside the table weigh, where ``default`` does not. Empty lines, and those
        that begin with ``#``, say nothing; of two lines for one word the last counts.
        Raises ValueError, with ``source`` and the line's number, for any other line.
        """
        if text.removeprefix("\ufeff").startswith(_DOCUMENTS):
            counts = DocumentCounts.parse(text, source=source)
            return cls(counts.idf(), default=counts.idf_of_unseen if default is None else default)
        values = {}
        for place, word, number in _entries(text, source):
            value = _number(number)
            if not 0 <= value < math.inf:
                raise ValueError(f"{place}: an IDF must be a number of at least 0, got {number!r}")
            values[word] = value
        rest = values.pop(_ANY_OTHER, None)
        return cls(values, default=rest if default is None else default)

    def of(self, word: str) -> float:
        """Return the weight of ``word``, whatever its case."""
        return self._values.get(word.lower(), self.default)


class DocumentCounts:
    """Counts in how many documents each word stands.

    The IDF of a word is ln((documents + 1) / (documents with it + 1)): 0 for a word that stands in all of them, such as
    a menu's in the pages of one site.
    """

    def __init__(self, documents: int = 0, counts: Mapping[str, int] | None = None) -> None:
        self.documents = documents
        self.counts = Counter(counts or {})

    def add(self, words: Iterable[str]) -> None:
        """Count one document with its ``words``, each of them once."""
        self.documents += 1
        self.counts.update(set(words))

    def add_counts(self, other: DocumentCounts) -> None:
        """Count what ``other`` counted too, in other documents."""
        self.documents += other.documents
        self.counts.update(other.counts)

    @property
    def idf_of_unseen(self) -> float:
        """The IDF of a word that stands in none of the documents."""
        return math.log(self.documents + 1)

    def idf(self) -> dict[str, float]:
        """Return the IDF of each word that was counted."""
        return {word: math.log((self.documents + 1) / (count + 1)) for word, count in self.counts.items()}

    def table(self, *, least: int = 1) -> str:
        """Return the counts as the text of a file, words of fewer than ``least`` documents left out.

        The first line is ``#documents<TAB>number``, the others ``word<TAB>number``, the most frequent first.
        """
        kept = sorted((-count, word) for word, count in self.counts.items() if count >= least)
        lines = [f"{_DOCUMENTS}\t{self.documents}", *(f"{word}\t{-count}" for count, word in kept)]
        return "\n".join(lines) + "\n"

    @classmethod
    def parse(cls, text: str, *, source: str) -> Self:
        """Return the counts that ``table`` wrote; ValueError, with ``source`` and the line's number, for any others."""
        first = text.removeprefix("\ufeff").partition("\n")[0]
        documents = _number(first.removeprefix(_DOCUMENTS))
        if not first.startswith(_DOCUMENTS) or not documents.is_integer() or documents < 0:
            raise ValueError(f"{source} line 1: must be {_DOCUMENTS}, a tab and a whole number, got {first!r}")
        counts = {}
        for place, word, number in _entries(text, source):
            count = _number(number)
            if not count.is_integer() or not 0 <= count <= documents:
                raise ValueError(f"{place}: must be a number of documents, 0 to {documents:.0f}, got {number!r}")
            counts[word] = int(count)
        return cls(int(documents), counts)


def _entries(text: str, source: str) -> Iterator[tuple[str, str, str]]:
    """Yield for each line how to call it, its word and its number; the last white space is what parts them."""
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.rsplit(maxsplit=1)
        if len(fields) != 2:
            raise ValueError(f"{source} line {number}: must be a word, a tab and a number, got {line.strip()!r}")
        yield f"{source} line {number}", fields[0].strip(), fields[1]


def _number(text: str) -> float:
    """Return the number that ``text`` is, NaN when it is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan
