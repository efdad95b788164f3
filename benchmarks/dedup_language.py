"""Made-up languages for benchmarks/dedup.py: words by Zipf's law, sentences, and small edits of a text."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

_LATIN = (
    "b c ch d f fl g gr h j k l m n p pl pr qu r s sh st t tr v w z".split(),
    "a e i o u ai ea ou".split(),
    ["", "", "", "n", "r", "s", "t", "l", "nd"],
)
_HINDI = (
    "क ख ग घ च छ ज ट ड त द न प फ ब भ म य र ल व श स ह".split(),
    ["", "ा", "ि", "ी", "ु", "े", "ो", "ौ"],
    ["", "", "", "ं", "्र", "्य"],
)
_HAN = [chr(code) for code in range(0x4E00, 0x4E00 + 1500)]
_FUNCTION_SHARE = 0.4  # of the words of a sentence


@dataclass(frozen=True)
class Script:
    """How a language is written: between words, at a sentence's end."""

    name: str
    space: str
    stop: str


LATIN = Script("latin", " ", ". ")
HAN = Script("han", "", "。")
HINDI = Script("hindi", " ", "। ")


class Language:
    """A vocabulary whose words are drawn by 1/rank: function words, words that all use, and words of one topic."""

    def __init__(self, script: Script, rng: random.Random, *, words: int, topics: int) -> None:
        self.script = script
        found: dict[str, None] = {}
        while len(found) < words:
            found[_word(script, rng)] = None
        vocabulary = list(found)
        self._function = vocabulary[:80]
        self._function_weights = _zipf(80)
        self._general = vocabulary[80:]
        self._general_weights = _zipf(len(self._general))
        self._topics = [rng.sample(self._general, 300) for _ in range(topics)]
        self._topic_weights = _zipf(300)

    def words(self, rng: random.Random, number: int, topic: int) -> list[str]:
        """Return ``number`` words of a running text about ``topic``."""
        function = rng.choices(self._function, cum_weights=self._function_weights, k=number)
        general = rng.choices(self._general, cum_weights=self._general_weights, k=number)
        special = rng.choices(self._topics[topic], cum_weights=self._topic_weights, k=number)
        chosen = []
        for three in zip(function, general, special, strict=True):
            place = rng.random()
            chosen.append(three[0] if place < _FUNCTION_SHARE else three[1] if place < 0.7 else three[2])
        return chosen

    def names(self, rng: random.Random, number: int) -> list[str]:
        """Return words as menus and products have them: without function words, each as likely as any other."""
        return rng.sample(self._general, number)

    def sentences(self, rng: random.Random, words: int, topic: int) -> list[list[str]]:
        """Return sentences of 6 to 22 words, of at least ``words`` words together."""
        found: list[list[str]] = []
        left = words
        while left > 0:
            found.append(self.words(rng, rng.randint(6, 22), topic))
            left -= len(found[-1])
        return found

    def written(self, sentences: Sequence[Sequence[str]]) -> str:
        """Return the sentences as a text."""
        return "".join(self.script.space.join(sentence).capitalize() + self.script.stop for sentence in sentences)

    def reworded(self, rng: random.Random, sentences: Sequence[Sequence[str]], share: float) -> list[list[str]]:
        """Return the sentences with ``share`` of their words replaced (half), followed by another, or left out."""
        edited = []
        for sentence in sentences:
            words: list[str] = []
            for word in sentence:
                if rng.random() >= share:
                    words.append(word)
                    continue
                kind = rng.random()
                if kind < 0.75:
                    words += rng.choices(self._general, cum_weights=self._general_weights)
                if kind >= 0.5 and kind < 0.75:
                    words.append(word)
            edited.append(words or list(sentence))
        return edited


def _word(script: Script, rng: random.Random) -> str:
    if script is HAN:
        return "".join(rng.choices(_HAN, k=rng.choice((1, 2, 2, 2, 3))))
    onsets, vowels, ends = _HINDI if script is HINDI else _LATIN
    return "".join(rng.choice(onsets) + rng.choice(vowels) + rng.choice(ends) for _ in range(rng.choice((1, 2, 2, 3))))


def _zipf(number: int) -> list[float]:
    return list(accumulate(1 / (rank + 2) for rank in range(number)))
