"""The dictionary of synonyms: what it finds in a text, and which lines it refuses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nutchlike.signatures.semantic import SemanticFingerprint
from nutchlike.signatures.synonyms import SynonymDictionary
from nutchlike.signatures.words import marked


def words(dictionary: str, text: str) -> list[str]:
    return SemanticFingerprint(SynonymDictionary(dictionary)).words(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("An automobile, a motor car", ["an", "car", "a", "car"]),
        ("AUTOMOBILE Motor\r\n Car", ["car", "car"]),
        # part of a word, or of a word that blanks do not end
        ("automobiles motor cart supermotor car", ["automobiles", "motor", "cart", "supermotor", "car"]),
        ("automobile's", ["automobile's"]),
        # punctuation parts what one variant must hold together
        ("motor, car", ["motor", "car"]),
    ],
)
def test_whole_words_are_replaced_whatever_the_white_space_between_them(text: str, expected: list[str]) -> None:
    assert words("car\tautomobile\tmotor car", text) == expected


def test_the_longest_of_several_entries_that_begin_at_one_place_is_taken() -> None:
    dictionary = "metropolis\tnew york city\nstate\tnew york\nfresh\tnew"
    assert words(dictionary, "new york city, new york, new yorker") == ["metropolis", "state", "fresh", "yorker"]


def test_the_leftmost_of_two_entries_that_overlap_is_taken() -> None:
    assert words("one\ta b\ntwo\tb c d", "a b c d") == ["one", "c", "d"]


def test_entries_may_follow_each_other_at_once() -> None:
    assert words("car\tauto", "auto auto-auto") == ["car", "car", "car"]


def test_an_entry_with_a_capital_stands_for_what_is_written_like_it_alone() -> None:
    dictionary = "America\tUS\tUnited States\nwe\tus"
    assert words(dictionary, "US us Us united states United States") == [
        "America",
        "we",
        "we",
        "united",
        "states",
        "America",
    ]


def test_what_was_replaced_is_not_replaced_again() -> None:
    assert words("new york\tNYC\ncity\tnew\tyork", "NYC new") == ["new york", "city"]


def test_where_no_blanks_part_words_characters_are_replaced() -> None:
    assert words("汽车\t轿车\t小汽车\n北京大学\t北大", "他买小汽车,在北大.") == ["他", "买", "汽车", "在", "北京大学"]
    assert words("รถยนต์\tรถเก๋ง", "ซื้อรถเก๋ง") == ["ซื้อ", "รถยนต์"]
    assert words("T-shirt\tT恤", "T恤") == ["T-shirt"]


def test_full_width_and_plain_characters_are_one_spelling() -> None:
    assert words("New York\tNYC", "ＮＹＣ") == words("New York\tＮＹＣ", "NYC") == ["New York"]


def test_the_typographic_apostrophe_and_accents_in_two_characters_are_plain_spelling() -> None:
    assert words("cafe\tcafé\nnot\tcan't", "cafe\u0301 can\u2019t") == ["cafe", "not"]


def test_a_line_without_a_tab_is_parted_by_white_space_and_comments_say_nothing() -> None:
    assert words("\ufeff# cars\n\n  car  auto   automobile \n", "auto automobile car") == ["car", "car", "car"]


@pytest.mark.parametrize(
    ("dictionary", "message"),
    [
        ("car\tauto\nbus", "own.txt line 2: must be a base word and its variants, parted by tabs, got 'bus'"),
        ("car\t\t", "own.txt line 1: must be a base word and its variants, parted by tabs, got 'car'"),
        ("# cars\ncar\t--", "own.txt line 2: '--' has no letter or digit to be found by"),
        ("car\tauto\n\nbus\tAuto\tauto", "own.txt line 3: 'auto' stands for 'car' already, by line 1"),
        ("car\tauto\nvehicle\tcar", "own.txt line 2: 'car' stands for 'car' already, by line 1"),
    ],
)
def test_a_line_that_cannot_be_used_is_an_error_with_its_number(dictionary: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        SynonymDictionary(dictionary, source="own.txt")


@given(st.text(alphabet="abAB -'汽车\u2019ſ\u0130Σßé\x02\x03\ud800"))
def test_nothing_between_synonyms_is_lost(text: str) -> None:
    parts = list(SynonymDictionary("ab\ta b\n车\t汽\nAB\tBA").parts(marked(text)))
    assert [part for part, is_base in parts if is_base] == [
        word for word in words("ab\ta b\n车\t汽\nAB\tBA", text) if word in ("ab", "车", "AB")
    ]
    if not any(is_base for _, is_base in parts):
        assert "".join(part for part, _ in parts) == marked(text)
    assert len(marked(text).lower()) == len(marked(text))
