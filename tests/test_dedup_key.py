"""When two pages may be taken for one: what the key keeps apart, and what it lets pass."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nutchlike.signatures.dedup_key import dedup_key
from nutchlike.signatures.text_profile import TextProfileSignature

SYLLABLES = ("mar", "lan", "tor", "tel", "dig", "pon", "sur", "vey", "bro", "kas")
WORDS = [first + second for first in SYLLABLES for second in SYLLABLES]
CLOCK = "Generated in 0.0123 s, 2026-01-02 10:11"
LATER = "Generated in 0.4567 s, 2027-12-31 23:59"


def key_of(text: str, content: bytes = b"", url: str = "http://a.test/") -> bytes:
    return dedup_key(text, content=content, url=url, signature=TextProfileSignature())


def profile_of(text: str) -> bytes:
    return TextProfileSignature().calculate(text=text, content=b"", url="http://a.test/")


def article(seed: int, words: int = 500) -> list[str]:
    """Return words in the uneven frequencies of natural language."""
    return random.Random(seed).choices(WORDS, [1 / rank for rank in range(1, len(WORDS) + 1)], k=words)


# SIG 103: a menu that stands on each page.
def test_short_pages_with_one_menu_have_different_keys() -> None:
    menu = "Home Shop Cart Help Home Shop Cart Help "
    kettle = menu + "Red enamel kettle, 1.7 litre, stove-top whistle."
    chess = menu + "Walnut chess board with drawers and felt base."
    assert profile_of(kettle) == profile_of(chess)
    assert key_of(kettle) != key_of(chess)


# SIG 103 again, where the number of words alone would not tell.
def test_long_pages_with_one_menu_have_different_keys() -> None:
    menu = " ".join(WORDS)
    kettle = f"{menu} Red enamel kettle with a stove-top whistle. {menu}"
    chess = f"{menu} Walnut chess board with drawers and felt base. {menu}"
    assert profile_of(kettle) == profile_of(chess)
    assert key_of(kettle) != key_of(chess)


# SIG 104: nothing but the empty profile in common.
def test_texts_with_the_empty_profile_have_different_keys() -> None:
    pages = [("ok go", "1"), ("it is 42", "2"), ("--- !!! ---", "3"), ("", "4"), ("", "5")]
    keys = {key_of(text, url=f"http://a.test/{path}") for text, path in pages}
    assert len(keys) == len(pages)


# SIG 106: scripts whose vowel signs part words, so that tokens are few or fragments.
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("हिन्दी हिन्दी भाषा भाषा " * 80, "भारत भारत देश देश " * 80),
        ("มนุษย์ทั้งหลายเกิดมามีอิสระ " * 100, "น้ำขึ้นให้รีบตักอย่าปล่อยทิ้ง " * 100),
        ("الْعَرَبِيَّةُ لُغَةٌ " * 100, "الْقَلَمُ كِتَابٌ " * 100),
    ],
    ids=["Hindi", "Thai", "vocalised Arabic"],
)
def test_texts_that_tokens_do_not_fit_are_compared_exactly(one: str, other: str) -> None:
    assert key_of(one) != key_of(other)
    assert key_of(one) != key_of(f"{one}!")


# SIG 110: numbers are the only difference.
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ticket ticket number number 1001 open", "Ticket ticket number number 1002 open"),
        (
            " ".join(f"{word} {price}.50" for price, word in enumerate(WORDS, 100)),
            " ".join(f"{word} {price}.50" for price, word in enumerate(WORDS, 101)),
        ),
        (
            " ".join(f"{word} {price}" for price, word in enumerate(WORDS * 4, 1000)),
            " ".join(f"{word} {price}" for price, word in enumerate(WORDS * 4, 1001)),
        ),
        (" ".join(article(1, 200)) + " price 25 EUR", " ".join(article(1, 200)) + " price 35 EUR"),
    ],
    ids=["ticket", "price list", "long price list", "page of one product"],
)
def test_pages_that_differ_in_numbers_have_different_keys(one: str, other: str) -> None:
    assert key_of(one) != key_of(other)


# SIG 109: what changes from fetch to fetch in a long text is let pass.
def test_an_article_keeps_its_key_when_its_clock_changes() -> None:
    text = " ".join(article(2))
    assert key_of(f"{text} {CLOCK}") == key_of(f"{text} {LATER}")


@pytest.mark.parametrize(
    "rewritten",
    [
        lambda words: words[250:] + words[:250],
        lambda words: [word.title() for word in words],
        lambda words: [word + "," for word in words],
    ],
    ids=["paragraphs in another order", "capitals", "punctuation"],
)
def test_an_article_keeps_its_key_when_its_words_stay(rewritten: object) -> None:
    assert callable(rewritten)
    words = article(3)
    assert key_of(" ".join(words)) == key_of(" ".join(rewritten(words)))


def test_an_article_has_another_key_when_one_word_is_new() -> None:
    words = article(4)
    assert key_of(" ".join(words)) != key_of(" ".join([*words, "unheard"]))


def test_runs_of_white_space_do_not_matter() -> None:
    assert key_of("one  short\r\n\ttext\u00a0here ") == key_of("one short text here")


def test_pages_without_text_are_compared_by_their_bytes() -> None:
    assert key_of(" ", b"%PDF-1", "http://a.test/1") == key_of("", b"%PDF-1", "http://a.test/2")
    assert key_of("", b"%PDF-1") != key_of("", b"%PDF-2")


def test_pages_without_anything_are_nobodys_duplicates() -> None:
    assert key_of("", url="http://a.test/1") != key_of("", url="http://a.test/2")


def test_rules_never_share_a_key() -> None:
    assert key_of("same") != key_of("", b"same") != key_of("", url="same")


@given(st.text(), st.binary())
def test_any_page_has_a_key_of_8_bytes(text: str, content: bytes) -> None:
    assert len(key_of(text * 40, content)) == 8


def test_reference_pages_that_say_other_things_in_the_same_words_are_told_apart() -> None:
    # two overloads of one operator, as a manual of some library has them: 100 words and more, the operands exchanged
    page = "Synopsis template typename {} typename {} operator {} const {} a const {} b Description for action {} {} "
    menu = "Home Libraries People FAQ More Distributed under the licence of the library see accompanying file " * 8
    one = menu + page.format("Left", "Right", "times", "Left", "Right", "Left", "Right") * 3
    other = menu + page.format("Left", "Right", "times", "Right", "Left", "Right", "Left") * 3
    assert sorted(one.split()) == sorted(other.split())
    assert key_of(one) != key_of(other)
