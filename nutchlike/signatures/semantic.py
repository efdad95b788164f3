"""SemanticFingerprint: one signature for texts that tell the same in other words."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Self

from nutchlike import default_settings
from nutchlike.contracts import SettingsReader
from nutchlike.signatures.idf import IdfTable
from nutchlike.signatures.lookup3 import lookup3ycs64
from nutchlike.signatures.murmur import murmur_hash64a
from nutchlike.signatures.synonyms import SynonymDictionary
from nutchlike.signatures.words import Word, WordKind, base_word, marked, words_of
from nutchlike.urls.rule_files import read_rule_file

# Says for the words of a text, as they are written and in their order, which are names and which are nouns.
Tagger = Callable[[Sequence[str]], Sequence[WordKind]]

HASHES: dict[str, Callable[[str], bytes]] = {
    "md5": lambda text: hashlib.md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest(),
    "murmur": lambda text: murmur_hash64a(text.encode("utf-8", "surrogatepass")).to_bytes(8, "big"),
    "lookup3": lambda text: lookup3ycs64(text).to_bytes(8, "big"),
}
# Numbers that may differ between two texts that tell the same, as in dedup_key: times and counters of a page are few,
# in a price list numbers are the content.
_NUMBERS_IGNORED_SHARE = 0.03
# Words from which on a text may be known by a bag of them, even if it has no more different ones than are chosen: as in
# dedup_key. Below it, pages of a manual say other things with the same words.
_BAG_MIN = 300
_PREFIX = "NUTCH_SIGNATURE_SEMANTIC_"


class SemanticFingerprint:
    """The digest of the words that say most about a text, synonyms being one word.

    Each variant in the text is replaced by its base word, each word is weighed by how often it stands there times how
    rare it is (TF*IDF), more when it is a name or a noun, and the ``best`` heaviest are digested in the order of their
    characters. Of equal weights the first by code point is taken. Numbers are none of these words: they all count, in
    their order, when they are more than 3 % of the text, and else not at all.

    A text of less than 300 words with no more than ``best`` different ones leaves nothing to choose. All its words that
    have a weight are digested in their order, with its numbers and signs (+, !, €): short texts are one only when they
    are equal up to synonyms, words that weigh nothing, case, white space and the punctuation of sentences. A text
    without such a word is digested as it is, a page without text by its body, one without a body by its URL. None of
    these can equal another.

    Fingerprints can be compared when all that made them is the same: dictionary, IDF table, settings, and the
    versions of ``regex`` and ``rjieba``, which know scripts and Chinese words.
    """

    def __init__(
        self,
        synonyms: SynonymDictionary | None = None,
        idf: IdfTable | None = None,
        *,
        best: int = default_settings.NUTCH_SIGNATURE_SEMANTIC_WORDS,
        hash_name: str = default_settings.NUTCH_SIGNATURE_SEMANTIC_HASH,
        name_weight: float = default_settings.NUTCH_SIGNATURE_SEMANTIC_NAME_WEIGHT,
        noun_weight: float = default_settings.NUTCH_SIGNATURE_SEMANTIC_NOUN_WEIGHT,
        tagger: Tagger | None = None,
    ) -> None:
        """``hash_name`` is one of ``HASHES``. ``name_weight`` and ``noun_weight`` are factors; those of Chinese are
        known, those of other languages when there is a ``tagger``.

        Raises ValueError, which names the setting, for what is out of range.
        """
        if best < 1:
            raise ValueError(f"NUTCH_SIGNATURE_SEMANTIC_WORDS must be at least 1, got {best}")
        if hash_name not in HASHES:
            raise ValueError(f"NUTCH_SIGNATURE_SEMANTIC_HASH must be one of {', '.join(HASHES)}, got {hash_name!r}")
        for name, weight in (("NAME", name_weight), ("NOUN", noun_weight)):
            if not 0 <= weight < math.inf:
                raise ValueError(f"NUTCH_SIGNATURE_SEMANTIC_{name}_WEIGHT must be at least 0, got {weight}")
        self._synonyms = synonyms or SynonymDictionary()
        self._idf = idf or IdfTable()
        self._best = best
        self._hash = HASHES[hash_name]
        self._factors = {WordKind.NAME: name_weight, WordKind.NOUN: noun_weight, WordKind.OTHER: 1.0}
        self._tagger = tagger

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the fingerprint that NUTCH_SIGNATURE_SEMANTIC_* describe; files are looked up like rule files.

        Raises ValueError for a file that is not there or has a wrong line, and for values out of range.
        """
        return cls(
            _synonyms(settings),
            _idf(settings),
            best=_setting(settings, "WORDS", int, "a whole number such as 100"),
            hash_name=_setting(settings, "HASH", str, "a name"),
            name_weight=_setting(settings, "NAME_WEIGHT", float, "a number such as 2.0"),
            noun_weight=_setting(settings, "NOUN_WEIGHT", float, "a number such as 1.5"),
            tagger=_tagger(settings),
        )

    def calculate(self, *, text: str, content: bytes, url: str) -> bytes:
        """Return 16 bytes with md5, 8 with the others."""
        words = self._words(text)
        if (best := self._best_words(words)) is not None:
            return self._hash("\n".join(("best", *best, *_numbers(words))))
        if row := self._row(words):
            return self._hash("\n".join(("row", *row)))
        if plain := " ".join(text.split()):
            return self._hash(f"text\n{plain}")
        if content:
            return self._hash(f"content\n{hashlib.md5(content, usedforsecurity=False).hexdigest()}")
        return self._hash(f"url\n{url}")

    def words(self, text: str) -> list[str]:
        """Return the words of ``text`` in their order and in lower case, base words in place of their variants."""
        return [word.key for word in self._words(text) if word.kind is not WordKind.SIGN]

    def best_words(self, text: str) -> list[str] | None:
        """Return the words that are digested, in the order of their characters; ``None`` for a text too short to choose
        from, which is digested word by word."""
        return self._best_words(self._words(text))

    def _words(self, text: str) -> list[Word]:
        words: list[Word] = []
        for part, is_base in self._synonyms.parts(marked(text)):
            if is_base:
                words.append(base_word(part))
            else:
                words.extend(words_of(part))
        return words

    def _best_words(self, words: list[Word]) -> list[str] | None:
        weights = self._weights(words)
        if len(weights) <= self._best and len(words) < _BAG_MIN:
            return None
        return sorted(sorted(weights, key=lambda word: (-weights[word], word))[: self._best])

    def _row(self, words: list[Word]) -> list[str]:
        """Return the words that have a weight, numbers and signs, in their order; none when there are only signs."""
        row = [word for word in words if self._idf.of(word.key) > 0]
        return [word.key for word in row] if any(word.kind is not WordKind.SIGN for word in row) else []

    def _weights(self, words: list[Word]) -> dict[str, float]:
        """Return the weight of each word that has one; the sums do not depend on the words' order."""
        kinds = self._kinds(words)
        counts = Counter(zip((word.key for word in words), kinds, strict=True))
        frequencies: dict[str, float] = {}
        for kind, factor in self._factors.items():
            for (key, counted), count in counts.items():
                if counted is kind:
                    frequencies[key] = frequencies.get(key, 0.0) + factor * count
        weights = {key: frequency * self._idf.of(key) for key, frequency in frequencies.items()}
        return {key: weight for key, weight in weights.items() if weight > 0 and not _is_number(key)}

    def _kinds(self, words: list[Word]) -> list[WordKind]:
        """Return what each word is; the tagger is asked for those whose script says nothing."""
        unknown = [word.written for word in words if word.kind is None]
        answers = list(self._tagger(unknown)) if self._tagger else [WordKind.OTHER] * len(unknown)
        if len(answers) != len(unknown):
            raise ValueError(f"the tagger must answer for each of {len(unknown)} words, got {len(answers)} answers")
        rest = iter(answers)
        return [next(rest) if word.kind is None else word.kind for word in words]


def _is_number(word: str) -> bool:
    return not word[0].isalpha() and not any(map(str.isalpha, word))


def _numbers(words: list[Word]) -> list[str]:
    """Return the numbers that belong to the fingerprint beside the best words."""
    numbers = [word.key for word in words if word.kind is not WordKind.SIGN and _is_number(word.key)]
    return numbers if len(numbers) > _NUMBERS_IGNORED_SHARE * len(words) else []


def _synonyms(settings: SettingsReader) -> SynonymDictionary:
    name = settings.get(f"{_PREFIX}SYNONYMS_FILE", default_settings.NUTCH_SIGNATURE_SEMANTIC_SYNONYMS_FILE)
    if not name:
        return SynonymDictionary()
    text, source = read_rule_file(name, conf_dir=settings.get("NUTCH_CONF_DIR"))
    return SynonymDictionary(text, source=source)


def _idf(settings: SettingsReader) -> IdfTable:
    default = None
    if settings.get(f"{_PREFIX}IDF_DEFAULT") is not None:
        default = _setting(settings, "IDF_DEFAULT", float, "a number such as 1.0")
        if not 0 <= default < math.inf:
            raise ValueError(f"{_PREFIX}IDF_DEFAULT must be at least 0, got {default}")
    name = settings.get(f"{_PREFIX}IDF_FILE", default_settings.NUTCH_SIGNATURE_SEMANTIC_IDF_FILE)
    if not name:
        return IdfTable(default=default)
    text, source = read_rule_file(name, conf_dir=settings.get("NUTCH_CONF_DIR"))
    return IdfTable.parse(text, source=source, default=default)


def _tagger(settings: SettingsReader) -> Tagger | None:
    path = settings.get(f"{_PREFIX}TAGGER", default_settings.NUTCH_SIGNATURE_SEMANTIC_TAGGER)
    if not path:
        return None
    module, _, name = str(path).rpartition(".")
    try:
        tagger: Tagger = getattr(import_module(module), name)
    except (ValueError, ImportError, AttributeError) as error:
        raise ValueError(f"{_PREFIX}TAGGER must be the import path of a function, got {path!r}: {error}") from None
    return tagger


def _setting(settings: SettingsReader, name: str, to: Callable[[Any], Any], right: str) -> Any:
    value = settings.get(_PREFIX + name, getattr(default_settings, _PREFIX + name))
    try:
        return to(value)
    except (TypeError, ValueError):
        raise ValueError(f"{_PREFIX}{name} must be {right}, got {value!r}") from None
