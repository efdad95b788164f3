"""SimilarityScoringFilter: links of pages that read like a given text come first."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Self

from nutchlike.contracts import SettingsReader
from nutchlike.default_settings import (
    NUTCH_COSINE_GOLDSTANDARD_FILE,
    NUTCH_SCORING_SIMILARITY_MODEL,
    NUTCH_SCORING_SIMILARITY_NGRAMS,
    NUTCH_SCORING_SIMILARITY_STOPWORD_FILE,
    NUTCH_STRICT,
)
from nutchlike.scoring.scoring_filter import Distribution, ScoredPage, ScoringFilter
from nutchlike.urls.rule_files import read_rule_file

_WORD = re.compile(r"\w+")


class SimilarityScoringFilter(ScoringFilter):
    """Scales what a page gives by the cosine between its words and those of a gold standard text.

    It stands behind an OPIC filter: each share is multiplied by the similarity (0 to 1), and where a page spends its
    cash the rest goes to the virtual page. With ``strict`` an outlink's score is the similarity itself, whatever came
    before, as in Nutch. Words count as they are written but for case, in any script; Nutch also stems English.
    Source: Nutch ``scoring.similarity.cosine``.
    """

    def __init__(
        self,
        gold_standard: str,
        *,
        stop_words: Iterable[str] = (),
        ngrams: tuple[int, int] = (1, 1),
        strict: bool = False,
    ) -> None:
        """``ngrams`` are the least and the most words that count as one term.

        Raises ValueError when those are not in order, or when the gold standard has no term.
        """
        self._least, self._most = ngrams
        if not 1 <= self._least <= self._most:
            raise ValueError(f"NUTCH_SCORING_SIMILARITY_NGRAMS must be two numbers like 1,2 in order, got {ngrams!r}")
        self._stop_words = frozenset(word.strip().casefold() for word in stop_words)
        self._gold = self._terms(gold_standard)
        self._gold_norm = _norm(self._gold)
        if not self._gold:
            raise ValueError("the gold standard must hold words that are no stop words, got none")
        self._strict = strict

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the filter with the texts that NUTCH_COSINE_GOLDSTANDARD_FILE and NUTCH_SCORING_SIMILARITY_… name.

        Raises ValueError for a model other than cosine, and for a file that is not there.
        """
        model = settings.get("NUTCH_SCORING_SIMILARITY_MODEL", NUTCH_SCORING_SIMILARITY_MODEL)
        if model != "cosine":
            raise ValueError(f"NUTCH_SCORING_SIMILARITY_MODEL must be cosine, got {model!r}")
        conf_dir = settings.get("NUTCH_CONF_DIR")
        gold_file = settings.get("NUTCH_COSINE_GOLDSTANDARD_FILE", NUTCH_COSINE_GOLDSTANDARD_FILE)
        stop_file = settings.get("NUTCH_SCORING_SIMILARITY_STOPWORD_FILE", NUTCH_SCORING_SIMILARITY_STOPWORD_FILE)
        gold_standard, _ = read_rule_file(gold_file, conf_dir=conf_dir)
        stop_words, _ = read_rule_file(stop_file, conf_dir=conf_dir)
        return cls(
            gold_standard,
            stop_words=stop_words.splitlines(),
            ngrams=_ngrams(settings.getlist("NUTCH_SCORING_SIMILARITY_NGRAMS", NUTCH_SCORING_SIMILARITY_NGRAMS)),
            strict=settings.getbool("NUTCH_STRICT", NUTCH_STRICT),
        )

    def similarity(self, text: str) -> float:
        """Return the cosine, from 0 to 1, between the terms of ``text`` and of the gold standard."""
        terms = self._terms(text)
        if not terms:
            return 0.0
        product = sum(count * self._gold[term] for term, count in terms.items())
        return min(1.0, product / (_norm(terms) * self._gold_norm))

    def distribute(self, page: ScoredPage, distribution: Distribution) -> Distribution:
        similarity = self.similarity(page.text)
        if self._strict:
            return replace(distribution, scores=[similarity] * len(distribution.outlinks))
        return replace(distribution, scores=[score * similarity for score in distribution.scores])

    def _terms(self, text: str) -> Counter[str]:
        words = [word for word in _WORD.findall(text.casefold()) if word not in self._stop_words]
        return Counter(
            " ".join(words[start : start + length])
            for length in range(self._least, self._most + 1)
            for start in range(len(words) - length + 1)
        )


def _norm(terms: Counter[str]) -> float:
    return math.sqrt(sum(count * count for count in terms.values()))


def _ngrams(values: list[object]) -> tuple[int, int]:
    """Return the least and the most; one number is both."""
    try:
        numbers = [int(str(value)) for value in values]
        least, most = numbers if len(numbers) > 1 else (numbers[0], numbers[0])
    except (ValueError, IndexError):
        raise ValueError(
            f"NUTCH_SCORING_SIMILARITY_NGRAMS must be one number, or two like 1,2, got {values!r}"
        ) from None
    return least, most
