"""What a text is cut into: words, runs of words and numbers, in every script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nutchlike.signatures.shingles import shingles


def test_case_and_punctuation_do_not_count() -> None:
    one, other = shingles("The quick brown fox jumps."), shingles("the QUICK, brown - fox (jumps)")
    assert one.runs.tolist() == other.runs.tolist()
    assert len(one.runs) == 3


@pytest.mark.parametrize("number", ["1001", "2026-01-02", "0x1f", "१००"])
def test_what_holds_a_digit_is_a_number_and_in_no_run(number: str) -> None:
    with_number, without = shingles(f"ticket {number} is open"), shingles("ticket is open")
    assert with_number.runs.tolist() == without.runs.tolist()
    assert len(with_number.numbers) == number.count("-") + 1
    assert len(without.numbers) == 0


def test_a_number_has_another_place_behind_another_word() -> None:
    one, other = shingles("price 12 euro"), shingles("weight 12 euro")
    assert one.numbers.tolist() == other.numbers.tolist()
    assert one.places.tolist() != other.places.tolist()


# SIG 106: marks belong to the word that they stand in.
def test_a_vowel_sign_does_not_end_a_word() -> None:
    assert len(shingles("हिन्दी भाषा की किताब").words) == 4
    assert shingles("की किताब यहाँ").runs.tolist() != shingles("का किताब यहाँ").runs.tolist()


@pytest.mark.parametrize("text", ["北京是中国的首都", "東京は日本の首都です", "กรุงเทพมหานครเป็นเมืองหลวง"])
def test_neighbours_are_words_where_no_space_parts_words(text: str) -> None:
    parts = shingles(text)
    assert len(parts.words) == len(text) - 1
    assert parts.words_per_token == pytest.approx(0.55)


@given(st.text(max_size=200))
def test_any_text_can_be_cut_and_places_match_numbers(text: str) -> None:
    parts = shingles(text)
    assert len(parts.runs) == max(0, len(parts.words) - 2)
    assert len(parts.places) == len(parts.numbers)
    assert 0.5 < parts.words_per_token <= 1


@given(st.lists(st.sampled_from(["alpha", "beta", "12", "gamma", "x1"]), max_size=30))
def test_ascii_is_cut_as_any_other_text_is(words: list[str]) -> None:
    text = " ".join(words)
    assert shingles(text).words.tolist() == shingles(f"{text} \u201c\u201d").words.tolist()


@given(st.characters(codec="utf-8"))
def test_lone_surrogates_take_no_other_word_away(character: str) -> None:
    plain, with_surrogates = shingles(f"one {character} two"), shingles(f"one \ud800 {character} \udfff two")
    assert {*plain.words.tolist()} <= {*with_surrogates.words.tolist()}
    assert plain.numbers.tolist() == with_surrogates.numbers.tolist()
