"""What a page's content is known by: its signature, and the key under which the page claims it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nutchlike.signatures.dedup_key import dedup_key, short_digest
from nutchlike.signatures.signature import Signature
from nutchlike.signatures.text_profile import TextProfileSignature

TEXT_DIGEST_SIZE = 4  # bytes, with which every sketch of a page ends: a digest of its text


@dataclass(frozen=True, slots=True)
class SignedContent:
    """``signature`` is what NUTCH_SIGNATURE_CLASS says, ``key`` what is compared when duplicates are dropped."""

    signature: bytes
    key: bytes


def sign(
    signature: Signature,
    *,
    text: str,
    title: str,
    content: bytes,
    url: str,
    main_text: Callable[[], str] | None = None,
) -> SignedContent:
    """Return what one page is known by; the other arguments are those of ``Signature.calculate``.

    The key is what the signature says, with care for TextProfile, which takes short and flat texts for one: of those
    ``main_text`` counts, which is asked for where it is needed (``None``: all of ``text``).
    """
    digest = signature.calculate(text=text, content=content, url=url)
    if isinstance(signature, TextProfileSignature):
        key = dedup_key(text, content=content, url=url, signature=signature, title=title, main_text=main_text)
        return SignedContent(digest, key)
    return SignedContent(digest, short_digest(b"s", digest))
