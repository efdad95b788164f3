"""How much text a second TextProfile digests on one core, beside a plain count of words.

Run ``python benchmarks/text_profile.py`` from the project's folder. Texts are the same in every run: words of a made-up
vocabulary in Zipf's frequencies, with punctuation, capitals and numbers. A megabyte is a million bytes of UTF-8.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from statistics import median
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from nutchlike.signatures.text_profile import TextProfileSignature

SEED = 20_240_229
ROUNDS = 5
VOCABULARY = 20_000  # words
PAGE_SIZES = (1_000, 5_000, 50_000)  # characters
TEXT_SIZE = 1_500_000  # characters of each kind and page size
GOAL = 25.0  # MB a second

ENGLISH = "e t a o i n s r h l d c u m f p g w y b v k x j q z".split()
FRENCH = [*"e s a i t n r u l o d c m p v q f b g h j x y z".split(), *"é è à ç ê".split()]
POLISH = [*"a i o e z n r w s t c y k d p m u l j b g h f".split(), *"ł ą ę ó ś ż ć ń".split()]
RUSSIAN = "о е а и н т с р в л к м д п у я ы ь г з б ч й х ж ш ю ц щ э ф".split()


def main() -> None:
    print(f"{'text':36} {'page':>7} {'TextProfile':>12} {'Counter':>9}   MB/s, median of {ROUNDS} rounds")
    slowest = min(compare(name, size, page) for size in PAGE_SIZES for name, page in KINDS.items())
    print(f"slowest {slowest:.1f} MB/s, goal {GOAL:.0f}: {'met' if slowest >= GOAL else 'missed'}")


def compare(name: str, size: int, page: Callable[[random.Random, int], str]) -> float:
    """Print one line and return TextProfile's speed."""
    rng = random.Random(SEED)
    pages = [page(rng, size) for _ in range(TEXT_SIZE // size)]
    signature = TextProfileSignature()
    contestants = (lambda text: signature.calculate(text=text, content=b"", url=""), plain_count)
    rounds = [[megabytes_a_second(contestant, pages) for contestant in contestants] for _ in range(ROUNDS)]
    ours, plain = (median(column) for column in zip(*rounds, strict=True))
    print(f"{name:36} {size:7,} {ours:12.1f} {plain:9.1f}")
    return ours


def plain_count(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.lower()))


def megabytes_a_second(contestant: Callable[[str], object], pages: list[str]) -> float:
    size = sum(len(page.encode()) for page in pages)
    start = process_time()
    for page in pages:
        contestant(page)
    return size / 1e6 / (process_time() - start)


def spaced(letters: list[str], *, signs: tuple[str, ...] = ()) -> Callable[[random.Random, int], str]:
    """Return what makes pages of words from ``letters``; each of ``signs`` stands at one word of fifty."""
    rng = random.Random(SEED)
    weights = list(accumulate(1 / rank for rank in range(1, len(letters) + 1)))
    words = ["".join(rng.choices(letters, cum_weights=weights, k=length(rng))) for _ in range(VOCABULARY)]
    frequencies = list(accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))

    def page(rng: random.Random, size: int) -> str:
        chosen = rng.choices(words, cum_weights=frequencies, k=size // 4)
        return " ".join(dressed(rng, word, signs) for word in chosen)[:size]

    return page


def length(rng: random.Random) -> int:
    return min(14, max(1, round(rng.gauss(6, 2.5))))


def dressed(rng: random.Random, word: str, signs: tuple[str, ...]) -> str:
    """Return ``word`` as it may stand in a sentence: with a capital, a comma, a full stop, a number, a sign."""
    chance = rng.random()
    if chance < 0.07:
        return word.capitalize()
    if chance < 0.14:
        return word + ("," if chance < 0.11 else ".")
    if chance < 0.16:
        return f"{word} {rng.randrange(2000)}"
    if signs and chance < 0.16 + 0.02 * len(signs):
        return f"{rng.choice(signs)}{word}"
    return word


def unspaced(rng: random.Random, size: int) -> str:
    """Return Han characters in the frequencies of Zipf's law, a full-width comma after some twelve."""
    weights = list(accumulate(1 / rank for rank in range(1, 3_001)))
    characters = rng.choices(range(0x4E00, 0x4E00 + 3_000), cum_weights=weights, k=size)
    return "".join(chr(c) + ("\uff0c" if rng.random() < 1 / 12 else "") for c in characters)[:size]


KINDS: dict[str, Callable[[random.Random, int], str]] = {
    "English": spaced(ENGLISH),
    "English, typographic quotes, dashes": spaced(ENGLISH, signs=("\u2019", "\u201c", "\u2014", "\xa0")),
    "English, arrows and bullets": spaced(ENGLISH, signs=("\u2192", "\u25cf")),
    "French": spaced(FRENCH, signs=("\u2019", "\xab")),
    "Polish": spaced(POLISH),
    "Russian": spaced(RUSSIAN),
    "Chinese": unspaced,
}

if __name__ == "__main__":
    main()
