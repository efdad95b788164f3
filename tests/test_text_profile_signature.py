"""TextProfileSignature against Nutch's own answers, and what it is and is not good for."""

from __future__ import annotations

import base64
import itertools
import math
import os
import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.settings import BaseSettings
from vectors import vector_rows

from nutchlike.parsing.html import parse_html
from nutchlike.signatures.java_letters import LETTERS_AND_DIGITS
from nutchlike.signatures.text_profile import TextProfileSignature, words_and_numbers

# Where Nutch throws, its Content object is null, which ``bytes`` cannot be.
ROWS = [row for row in vector_rows("text_profile_signature.jsonl") if row["expected"]]

EMPTY_PROFILE = "d41d8cd98f00b204e9800998ecf8427e"


def from_properties(properties: dict[str, str]) -> TextProfileSignature:
    """Return the signature for Nutch's properties, written as its XML files write them."""
    settings = {"NUTCH_" + name.upper().replace(".", "_"): value for name, value in properties.items()}
    return TextProfileSignature.from_settings(BaseSettings(settings))


def signature_of(text: str) -> str:
    return TextProfileSignature().calculate(text=text, content=b"", url="http://a.test/").hex()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_the_signature_is_nutchs(row: dict[str, Any]) -> None:
    signature = from_properties(row["conf"])
    # A null parse has no text, which is what "" says here.
    text = "" if row.get("parse_null") else row["text"] or ""
    content = base64.b64decode(row["content_b64"] or "")
    assert signature.calculate(text=text, content=content, url=row["url"]).hex() == row["expected"]
    if row["profile"] is not None:
        assert signature.profile(text) == row["profile"]


def test_letters_and_digits_are_those_of_java_17() -> None:
    table = vector_rows("java_char_tables.json")[0]
    java = {chr(c) for first, last in table["is_letter_or_digit_ranges"] for c in range(first, last + 1)}
    ours = set(re.findall(f"[{LETTERS_AND_DIGITS}]", "".join(map(chr, range(sys.maxunicode + 1)))))
    assert ours == java


def test_lower_case_is_that_of_java_17() -> None:
    table = vector_rows("java_char_tables.json")[0]
    lower = {chr(c): chr(to) for c, to in table["to_lower_case"]}
    letters = re.findall(f"[{LETTERS_AND_DIGITS}]", "".join(map(chr, range(0x10000))))
    wrong = [c for c in letters if list(words_and_numbers("Ж" + c)[0]) != ["ж" + lower.get(c, c)]]
    assert wrong == []


# SIG 103: the menu repeats, the goods do not, so the profile is the menu.
def test_pages_that_differ_in_words_used_once_share_a_signature() -> None:
    menu = "Home Shop Cart Help Home Shop Cart Help "
    kettle = menu + "Red enamel kettle, 1.7 litre, stove-top whistle."
    chess = menu + "Walnut chess board with drawers and felt base."
    assert TextProfileSignature().profile(kettle) == "cart 2\nhelp 2\nhome 2\nshop 2"
    assert signature_of(kettle) == signature_of(chess)
    assert signature_of(kettle).startswith("86476939730f")


# SIG 104: short words make no profile; what to do about it is dedup_key's matter.
@pytest.mark.parametrize("text", ["ok go", "it is 42", "--- !!! ---", " "])
def test_texts_of_short_words_have_the_empty_profile(text: str) -> None:
    assert signature_of(text) == EMPTY_PROFILE


# SIG 106: vowel signs part a Hindi word into tokens of one letter.
def test_a_hindi_text_has_the_empty_profile_as_in_nutch() -> None:
    assert signature_of("हिन्दी हिन्दी भाषा भाषा") == EMPTY_PROFILE


# SIG 107
def test_the_order_of_words_does_not_matter() -> None:
    words = ["delta", "alpha", "charlie", "bravo"]
    assert len({signature_of(" ".join(order)) for order in itertools.permutations(words)}) == 1


def test_the_signature_is_the_same_in_each_process() -> None:
    script = (
        "from nutchlike.signatures.text_profile import TextProfileSignature as S\n"
        "for lex in (True, False):\n"
        "    s = S(sec_sort_lex=lex)\n"
        "    print(s.calculate(text='delta alpha charlie bravo echo foxtrot', content=b'', url='').hex())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=Path(__file__).resolve().parents[1],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1
    assert len(outputs.pop().split()) == 2


# SIG 109: a clock line, and paragraphs in another order.
def test_an_article_keeps_its_signature_when_its_clock_and_its_order_of_paragraphs_change() -> None:
    words = random.Random(109).choices([f"{a}{b}" for a in ("mar", "lan", "tor") for b in ("tel", "dig", "pon")], k=500)
    paragraphs = [" ".join(words[start : start + 100]) for start in range(0, 500, 100)]
    first = "\n".join([*paragraphs, "Generated in 0.0123 s, 2026-01-02 10:11"])
    second = "\n".join([*reversed(paragraphs), "Generated in 0.4567 s, 2027-12-31 23:59"])
    assert signature_of(first) == signature_of(second)


# SIG 110
def test_pages_that_differ_in_a_number_used_once_share_a_signature() -> None:
    assert signature_of("Ticket ticket number number 1001 open") == signature_of(
        "Ticket ticket number number 1002 open"
    )


# SIG 112: the title is no part of the text, so it may differ too.
def test_an_article_keeps_its_signature_when_its_scripts_and_styles_change() -> None:
    def served(nonce: str, state: str, colour: str, title: str) -> str:
        body = f"""<title>{title}</title><style nonce={nonce}>p {{ color: {colour} }}</style>
            <script nonce={nonce}>window.state = {state}</script><!-- built for {nonce} -->
            <p>Kettles boil water. Water boils in kettles.<noscript>{state}</noscript>
            <template><p>{state}</p></template>
            <script type="application/json">{state}</script>"""
        return signature_of(parse_html(body.encode(), url="http://a.test/", encoding="utf-8").text)

    assert served("abc", '{"user": 1}', "red", "A") == served("xyz", '{"user": "someone else"}', "blue", "B")


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("NUTCH_DB_SIGNATURE_TEXT_PROFILE_MIN_TOKEN_LEN", "two"),
        ("NUTCH_DB_SIGNATURE_TEXT_PROFILE_MIN_TOKEN_LEN", "2.5"),
        ("NUTCH_DB_SIGNATURE_TEXT_PROFILE_QUANT_RATE", "1 %"),
        ("NUTCH_DB_SIGNATURE_TEXT_PROFILE_QUANT_RATE", ""),
    ],
)
def test_a_setting_that_is_no_number_is_named_in_the_error(setting: str, value: str) -> None:
    with pytest.raises(ValueError, match=f"{setting} must be .* got '{value}'"):
        TextProfileSignature.from_settings(BaseSettings({setting: value}))


# As Hadoop reads numbers.
@pytest.mark.parametrize(
    ("length", "rate", "expected"),
    [
        (" 3 ", "0.05f", (3, 0.05)),
        ("0x3", "1e-3", (3, 0.001)),
        ("-0x1", "Infinity", (-1, float("inf"))),
        (4, 1, (4, 1)),
    ],
)
def test_numbers_may_be_written_as_in_nutchs_files(length: object, rate: object, expected: tuple[int, float]) -> None:
    signature = TextProfileSignature.from_settings(
        BaseSettings(
            {
                "NUTCH_DB_SIGNATURE_TEXT_PROFILE_MIN_TOKEN_LEN": length,
                "NUTCH_DB_SIGNATURE_TEXT_PROFILE_QUANT_RATE": rate,
            }
        )
    )
    assert (signature.min_token_len, signature.quant_rate) == expected


def test_a_quantum_that_is_no_number_is_2() -> None:
    assert TextProfileSignature(quant_rate=math.nan).profile("abc abc def") == "abc 2"


@given(st.text(), st.integers(-1, 4), st.floats(width=32), st.booleans())
def test_any_text_has_a_signature(text: str, length: int, rate: float, lex: bool) -> None:
    signature = TextProfileSignature(length, rate, lex)
    assert len(signature.calculate(text=text, content=b"", url="")) == 16


def one_by_one(text: str) -> tuple[list[tuple[str, int]], list[str]]:
    """Find words and numbers by one expression each, and put each character of the words in lower case alone."""
    words = re.findall(f"[{LETTERS_AND_DIGITS}]+", text)
    counts = Counter("".join("i" if c == "\u0130" else c.lower() for c in word) for word in words)
    return list(counts.items()), re.findall(r"\d+", text)


def found(text: str) -> tuple[list[tuple[str, int]], list[str]]:
    """Return words with their counts in order, and numbers."""
    words, numbers = words_and_numbers(text)
    return list(words.items()), numbers


# What each way of finding them is made for: ASCII, one byte a letter, that with other signs, any letters.
@pytest.mark.parametrize(
    "characters",
    [
        "aZ09 ._\x00\x1c\x85",
        "aÀéÿŸŠœªµß1 \u2019\u2014\xa0",
        "aÉ \u2192\u2264\U0001f600\u200b\x81\ud800",
        "aŁłżÖ \u2192\u2019",
        "aЖжЁё \u2192\u2019",
        "aÉłЖσΣİı字 \u2192\u2019",
    ],
    ids=["ASCII", "western", "western and signs", "central", "Cyrillic", "any letters"],
)
def test_words_and_numbers_are_those_that_plain_expressions_find(characters: str) -> None:
    @given(st.text(alphabet=characters, max_size=80))
    def check(text: str) -> None:
        assert found(text) == one_by_one(text)

    check()


@given(st.text())
def test_words_and_numbers_of_any_text_are_those_that_plain_expressions_find(text: str) -> None:
    assert found(text) == one_by_one(text)


def test_every_character_ends_or_continues_a_word_as_a_plain_expression_says() -> None:
    wrong = [c for c in map(chr, range(0x20000)) if found(f"A{c}b1") != one_by_one(f"A{c}b1")]
    assert wrong == []
