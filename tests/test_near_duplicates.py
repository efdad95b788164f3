"""Which pages of a host are near duplicates: the same article again, and never two products of one template."""

from __future__ import annotations

import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scrapy.settings import Settings

from nutchlike.signatures.near_duplicates import BANDS, GUARD, SIZE, SKETCH_SIZE, NearDuplicates
from nutchlike.signatures.signed_content import TEXT_DIGEST_SIZE

SYLLABLES = ("mar", "lan", "tor", "tel", "dig", "pon", "sur", "vey", "bro", "kas", "lim", "nor")
WORDS = [first + second + third for first in SYLLABLES for second in SYLLABLES for third in SYLLABLES[:6]]
HAN = [chr(code) for code in range(0x4E00, 0x4E00 + 600)]
HINDI = [first + second for first in "कखगघचछजटडतदनपफबभमयरलवशसह" for second in ("ा", "ि", "ी", "ु", "े", "ो", "्य", "ं")]
HOST = "a.test"


def words(seed: int, number: int, vocabulary: list[str] = WORDS) -> list[str]:
    weights = [1 / (rank + 3) for rank in range(len(vocabulary))]
    return random.Random(seed).choices(vocabulary, weights, k=number)


MENU = " ".join(random.Random(1).sample(WORDS, 200))


def page(content: str) -> str:
    return f"{MENU} {content} {MENU[:300]}"


def near_duplicates() -> NearDuplicates:
    """Return one that knows the host's template from 20 pages."""
    near = NearDuplicates()
    for number in range(20):
        near.sketch(page(" ".join(words(1000 + number, 300))), title=f"page {number} - Shop", host=HOST)
    return near


def edited(text: list[str], share: float, seed: int = 7) -> list[str]:
    rng = random.Random(seed)
    return [rng.choice(WORDS) if rng.random() < share else word for word in text]


def are_one(one: str, other: str, titles: tuple[str, str] = ("Same - Shop", "Same - Shop")) -> bool:
    """Return whether ``other``, seen second, finds and confirms ``one``."""
    near = near_duplicates()
    first = near.sketch(one, title=titles[0], host=HOST)
    second = near.sketch(other, title=titles[1], host=HOST)
    assert first is not None
    assert second is not None
    return bool(set(near.bands(first)) & set(near.bands(second))) and near.is_near(first, second)


ARTICLE = words(3, 500)
TEXT = " ".join(ARTICLE)


# SIG 109: what changes from fetch to fetch.
@pytest.mark.parametrize(
    "other",
    [
        page(f"Generated in 0.4567 s, 2027-12-31 23:59 {TEXT}"),
        TEXT,  # a print view
        page(" ".join(ARTICLE[250:] + ARTICLE[:250])),
        page(" ".join(edited(ARTICLE, 0.01))),
        page(" ".join(edited(ARTICLE, 0.05))),
    ],
    ids=["date", "print view", "order", "1 % edited", "5 % edited"],
)
def test_an_article_again_is_a_near_duplicate(other: str) -> None:
    assert are_one(page(f"Generated in 0.0123 s, 2026-01-02 10:11 {TEXT}"), other)


def test_two_articles_of_one_template_are_none() -> None:
    assert not are_one(page(TEXT), page(" ".join(words(4, 500))))


def test_an_article_that_quotes_a_third_of_another_is_none() -> None:
    assert not are_one(page(TEXT), page(" ".join([*words(4, 340), *ARTICLE[:160]])))


# SIG 103: nothing but the template in common.
def test_products_of_one_template_are_none() -> None:
    kettle = page("Red enamel kettle, 1.7 litre, stove-top whistle.")
    chess = page("Walnut chess board with drawers and felt base.")
    assert not are_one(kettle, chess)


# The same description below another name, of any length that products have.
@pytest.mark.parametrize("length", [10, 50, 120, 250])
def test_variants_of_a_product_are_none(length: int) -> None:
    description = " ".join(words(5, length))
    assert not are_one(page(f"Enamel kettle, red. {description}"), page(f"Enamel kettle, blue. {description}"))


def test_long_pages_with_other_titles_are_none() -> None:
    one = page(f"QMap iterator {TEXT}")
    assert not are_one(one, page(f"QHash iterator {TEXT}"), ("QMap iterator - Shop", "QHash iterator - Shop"))


# SIG 110: numbers that are the content.
def test_price_lists_with_other_prices_are_none() -> None:
    rng = random.Random(6)
    lists = [" ".join(f"{word} {rng.randint(1, 900)}" for word in words(6, 300)) for _ in range(2)]
    assert not are_one(page(lists[0]), page(lists[1]))


def test_a_number_is_content_in_a_page_of_few_words() -> None:
    description = " ".join(words(5, 150))
    assert not are_one(page(f"Kettle, 2 litre. {description}"), page(f"Kettle, 5 litre. {description}"))


# DUP 122: one template, some items in common.
@pytest.mark.parametrize("step", [5, 7, 10])
def test_pages_of_a_list_are_none(step: int) -> None:
    items = [" ".join(words(100 + number, 40)) for number in range(30)]
    assert not are_one(page(" ".join(items[:10])), page(" ".join(items[step : step + 10])))


@pytest.mark.parametrize(("vocabulary", "space"), [(HAN, ""), (HINDI, " ")], ids=["Chinese", "Hindi"])
def test_scripts_without_spaces_or_with_vowel_signs_are_read(vocabulary: list[str], space: str) -> None:
    text = words(8, 900, vocabulary)
    edit = [*text[:300], *words(9, 15, vocabulary), *text[315:]]
    assert are_one(page(space.join(text)), page(space.join(edit)))
    assert not are_one(page(space.join(text)), page(space.join(words(10, 900, vocabulary))))


def test_nothing_is_judged_before_a_host_is_known() -> None:
    near = NearDuplicates(pages_min=3)
    sketches = [near.sketch(page(" ".join(words(n, 300))), title="", host=HOST) for n in (1, 1, 2, 3, 4)]
    assert [sketch is None for sketch in sketches] == [True, True, True, True, False]
    assert near.sketch(page(TEXT), title="", host="b.test") is None


# A part of a host has a template of its own, which nobody has seen.
def test_what_many_pages_repeat_ends_as_template() -> None:
    near = near_duplicates()
    block = " ".join(words(11, 300))
    made = [near.sketch(page(f"{block} Kettle number {n}"), title="Kettle - Shop", host=HOST) for n in range(20)]
    assert near.bands(made[-1] or b"") == []


def test_a_page_fetched_again_and_again_stays_as_it_is() -> None:
    near = near_duplicates()
    sketches = {near.sketch(page(TEXT), title="Same - Shop", host=HOST) for _ in range(30)}
    assert len(sketches) == 1


def test_short_pages_confirm_each_other_when_words_and_numbers_are_the_same() -> None:
    near = near_duplicates()

    def sketch(content: str) -> bytes:
        made = near.sketch(page(content), title="Kettle - Shop", host=HOST)
        assert made is not None
        return made

    assert near.is_near(sketch("Kettle, 2 litre."), sketch("kettle 2 litre"))
    assert not near.is_near(sketch("Kettle, 2 litre."), sketch("Kettle, 5 litre."))


def test_the_same_pages_in_the_same_order_make_the_same_sketches() -> None:
    one, other = near_duplicates(), near_duplicates()
    assert one.sketch(page(TEXT), title="x", host=HOST) == other.sketch(page(TEXT), title="x", host=HOST)


sketches = st.binary(min_size=SKETCH_SIZE, max_size=SKETCH_SIZE)


@given(sketches, sketches, st.integers(0, SIZE))
def test_near_is_an_equal_guard_and_enough_equal_bytes(one: bytes, other: bytes, same: int) -> None:
    near = NearDuplicates(agreeing=48)
    assume(one[-TEXT_DIGEST_SIZE:] != other[-TEXT_DIGEST_SIZE:])
    mixture = one[: GUARD + same] + other[GUARD + same :]
    equal = sum(a == b for a, b in zip(one[GUARD : GUARD + SIZE], mixture[GUARD : GUARD + SIZE], strict=True))
    assert near.is_near(one, one)
    assert near.is_near(one, mixture) == near.is_near(mixture, one) == (equal >= 48)
    assert not near.is_near(one, bytes([one[0] ^ 1]) + one[1:-TEXT_DIGEST_SIZE] + other[-TEXT_DIGEST_SIZE:])


def test_equal_texts_are_near_whatever_was_known_of_the_template() -> None:
    early, late = NearDuplicates(pages_min=1), NearDuplicates(pages_min=1)
    early.sketch("first page", title="", host=HOST)
    for n in range(20):
        late.sketch(page(f"{TEXT} {n}"), title="", host=HOST)
    one, other = (near.sketch(page(TEXT), title="x", host=HOST) or b"" for near in (early, late))
    assert one != other
    assert early.is_near(one, other)


@given(sketches)
def test_bands_are_few_short_and_different(sketch: bytes) -> None:
    bands = NearDuplicates().bands(bytes(1) + sketch[1:])
    assert len(set(bands)) == BANDS == 6
    assert {len(band) for band in bands} == {9}


@given(st.text(max_size=300), st.text(max_size=50))
@settings(max_examples=50)
def test_any_text_and_title_have_a_sketch(text: str, title: str) -> None:
    near = NearDuplicates(pages_min=1, words_min=1)
    near.sketch("first page", title="", host=HOST)
    sketch = near.sketch(text, title=title, host=HOST)
    assert sketch is not None
    assert len(sketch) == SKETCH_SIZE


def test_settings_are_read_and_checked() -> None:
    assert NearDuplicates.from_settings(Settings({"NUTCH_DEDUP_NEAR_AGREEING": 60})).agreeing == 60
    with pytest.raises(ValueError, match="NUTCH_DEDUP_NEAR_AGREEING must be from 1 to 64, got 65"):
        NearDuplicates.from_settings(Settings({"NUTCH_DEDUP_NEAR_AGREEING": 65}))
    with pytest.raises(ValueError, match="NUTCH_DEDUP_NEAR_REPEATED must be from 1 to 255, got 256"):
        NearDuplicates(repeated=256)
