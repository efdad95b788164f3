"""Lookup3Signature against Solr's own answers."""

from __future__ import annotations

from functools import reduce
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.settings import BaseSettings
from vectors import vector_rows

from nutchlike.signatures.lookup3 import Lookup3Signature, lookup3ycs64

ROWS = [row for row in vector_rows("hashes64.jsonl") if row["hash"] == "lookup3ycs64"]


def signature_of(text: str, content: bytes = b"", url: str = "http://a.test/") -> str:
    return Lookup3Signature.from_settings(BaseSettings()).calculate(text=text, content=content, url=url).hex()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_the_hash_is_solrs(row: dict[str, Any]) -> None:
    assert f"{reduce(lambda seed, piece: lookup3ycs64(piece, seed), row['pieces'], 0):016x}" == row["expected_hex"]


@pytest.mark.parametrize("row", [row for row in ROWS if len(row["pieces"]) == 1], ids=lambda row: row["id"])
def test_the_signature_of_a_text_is_solrs_of_a_document_with_one_field(row: dict[str, Any]) -> None:
    assert signature_of(row["pieces"][0]) == row["expected_hex"]


def test_an_empty_text_has_the_hash_that_lookup3_begins_with() -> None:
    assert f"{lookup3ycs64(''):016x}" == "deadbeeedeadbeef"


def test_a_page_without_text_is_signed_by_its_bytes_and_one_without_bytes_by_its_url() -> None:
    assert signature_of("", b"caf\xe9") == signature_of("café") != signature_of("", b"cafe")
    assert signature_of("", b"", url="http://a.test/") == signature_of("http://a.test/")
    assert signature_of(" ", b"body") == signature_of(" ")


def test_markup_and_url_do_not_matter_where_there_is_text() -> None:
    assert signature_of("one text", b"<p>one text", url="http://a.test/1") == signature_of("one text")


@given(st.lists(st.integers(0, 0xFFFF)))
def test_a_text_cut_into_utf16_units_has_the_hash_of_the_whole(units: list[int]) -> None:
    cut = "".join(map(chr, units))
    whole = cut.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    assert lookup3ycs64(cut) == lookup3ycs64(whole)


@given(st.text())
def test_any_text_has_a_signature_of_8_bytes(text: str) -> None:
    assert len(signature_of(text)) == 16
