"""MD5Signature against Nutch's own answers."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import pytest
from vectors import vector_rows

from nutchlike.signatures.md5 import MD5Signature

# Nutch's null Content object has no counterpart: ``content`` is bytes.
ROWS = [row for row in vector_rows("md5_signatures.jsonl") if not row.get("content_object_null")]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_the_signature_is_nutchs(row: dict[str, Any]) -> None:
    content = base64.b64decode(row["content_b64"] or "")
    signature = MD5Signature().calculate(text=row["text"] or "", content=content, url=row["url"])
    assert signature.hex() == row["expected_md5"]


# SIG 113: what the signatures of the text are for.
def test_other_bytes_with_the_same_text_make_another_signature() -> None:
    def signature_of(body: bytes) -> bytes:
        return MD5Signature().calculate(text="one text", content=body, url="http://a.test/")

    assert signature_of(b"<p class=x id=y>one text") != signature_of(b"<p id=y class=x>one text")


def test_a_page_without_bytes_is_signed_by_its_url_in_utf8() -> None:
    signature = MD5Signature().calculate(text="", content=b"", url="http://bücher.test/")
    assert signature == hashlib.md5("http://bücher.test/".encode()).digest()


def test_a_lone_surrogate_in_the_url_does_not_raise() -> None:
    assert len(MD5Signature().calculate(text="", content=b"", url="http://a.test/\ud800")) == 16
