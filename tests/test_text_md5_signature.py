"""TextMD5Signature against Nutch's own answers."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vectors import vector_rows

from nutchlike.parsing.html import parse_html
from nutchlike.signatures.text_md5 import TextMD5Signature

# Rows without an answer are those where Nutch's parse or Content object is null, which ``str`` and ``bytes`` cannot be.
ROWS = [row for row in vector_rows("md5_signatures.jsonl") if row["expected_text_md5"]]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_the_signature_is_nutchs(row: dict[str, Any]) -> None:
    content = base64.b64decode(row["content_b64"] or "")
    signature = TextMD5Signature().calculate(text=row["text"] or "", content=content, url=row["url"])
    assert signature.hex() == row["expected_text_md5"]


# SIG 113: markup, line ends and no-break spaces differ, the words do not.
@pytest.mark.parametrize(
    "other",
    [
        b"<p id='y' class='x'>Same words here.</p>",
        b"<p class=x id=y>Same\r\n   words here.</p>\r\n",
        b"<p class=x id=y>Same&nbsp;words here.</p>",
        b"<div><p>Same <b>words</b> here.</div><script>1</script>",
    ],
)
def test_pages_of_one_text_share_a_signature_whatever_their_markup(other: bytes) -> None:
    def signature_of(body: bytes) -> bytes:
        page = parse_html(body, url="http://a.test/", encoding="utf-8")
        return TextMD5Signature().calculate(text=page.text, content=body, url="http://a.test/")

    assert signature_of(other) == signature_of(b"<p class=x id=y>Same words here.</p>")


@given(st.text())
def test_any_text_has_a_signature(text: str) -> None:
    assert len(TextMD5Signature().calculate(text=text, content=b"", url="")) == 16
