"""MurmurSignature against answers of the reference program."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.settings import BaseSettings
from vectors import vector_rows

from nutchlike.signatures.murmur import MurmurSignature, murmur_hash64a

ROWS = [row for row in vector_rows("hashes64.jsonl") if row["hash"] == "MurmurHash64A"]


def from_seed(seed: Any) -> MurmurSignature:
    return MurmurSignature.from_settings(BaseSettings({"NUTCH_SIGNATURE_MURMUR_SEED": seed}))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_the_hash_is_that_of_the_reference_program(row: dict[str, Any]) -> None:
    data = bytes.fromhex(row["bytes_hex"])
    signature = from_seed(row["seed"])
    assert murmur_hash64a(data, row["seed"]) == int(row["expected_hex"], 16) == row["expected_signed"] % 2**64
    assert signature.calculate(text="", content=data, url="").hex() == row["expected_hex"]
    if "text" in row:
        assert signature.calculate(text=row["text"], content=b"", url="").hex() == row["expected_hex"]


def test_a_page_is_signed_by_its_text_else_its_bytes_else_its_url() -> None:
    def signature_of(text: str, content: bytes, url: str) -> bytes:
        return MurmurSignature().calculate(text=text, content=content, url=url)

    assert signature_of("é", b"body", "http://a.test/") == signature_of("", "é".encode(), "http://b.test/")
    assert signature_of("", b"", "http://a.test/") == signature_of("", b"http://a.test/", "")
    assert signature_of(" ", b"body", "") == signature_of(" ", b"", "") != signature_of("", b"body", "")


def test_another_seed_makes_another_signature() -> None:
    values = {from_seed(seed).calculate(text="one", content=b"", url="") for seed in (0, "1", "0xe17a1465", 2**64 - 1)}
    assert len(values) == 4


@pytest.mark.parametrize("seed", [-1, 2**64, "one", "1.5", ""])
def test_a_seed_that_is_no_number_of_64_bits_is_an_error(seed: object) -> None:
    with pytest.raises(ValueError, match=f"NUTCH_SIGNATURE_MURMUR_SEED must be .* got '?{seed}"):
        from_seed(seed)


@given(st.text())
def test_any_text_has_a_signature_of_8_bytes(text: str) -> None:
    assert len(MurmurSignature().calculate(text=text, content=b"", url="")) == 8
