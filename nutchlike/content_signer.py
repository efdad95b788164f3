"""ContentSigner: what a page is known by, as the settings have it, for crawls and commands alike."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import replace

from scrapy.settings import BaseSettings

from nutchlike.checked_settings import get_bool, get_group_mode
from nutchlike.deduplication import grouped_key
from nutchlike.plugins import build_near_duplicates, build_plugin
from nutchlike.signatures.signature import Signature
from nutchlike.signatures.signed_content import SignedContent, sign
from nutchlike.urls.identity import host_key

TEXT_VERSION = 1  # of what parsing makes of a page: raised when that becomes another text
# What makes other signatures of the same page when it is set otherwise.
_SIGNING = (
    "NUTCH_STRICT",
    "NUTCH_DEDUPLICATION_GROUP_MODE",
    "NUTCH_SIGNATURE_CLASS",
    "NUTCH_DB_SIGNATURE_TEXT_PROFILE_MIN_TOKEN_LEN",
    "NUTCH_DB_SIGNATURE_TEXT_PROFILE_QUANT_RATE",
    "NUTCH_DB_SIGNATURE_TEXT_PROFILE_SEC_SORT_LEX",
    "NUTCH_SIGNATURE_MURMUR_SEED",
    "NUTCH_SIGNATURE_SEMANTIC_SYNONYMS_FILE",
    "NUTCH_SIGNATURE_SEMANTIC_IDF_FILE",
    "NUTCH_SIGNATURE_SEMANTIC_WORDS",
    "NUTCH_SIGNATURE_SEMANTIC_HASH",
)


def signing_word(settings: BaseSettings) -> str:
    """Return four hex digits that are others when the settings make other signatures of the same pages."""
    values = "\n".join([str(TEXT_VERSION), *(str(settings.get(name)) for name in _SIGNING)])
    return f"{zlib.crc32(values.encode()) & 0xFFFF:04x}"


class ContentSigner:
    """Signs pages by NUTCH_SIGNATURE_CLASS; their keys differ where their groups do.

    With TextProfile the key of a short page is made of its main text, so that another clock in its footer is no change,
    and the same words under another menu are a copy. NUTCH_STRICT makes it of the whole text.
    """

    def __init__(self, settings: BaseSettings) -> None:
        """Raise ValueError, naming setting and value, for one that cannot be used."""
        self.signature: Signature = build_plugin(settings, "NUTCH_SIGNATURE_CLASS")
        self._strict = get_bool(settings, "NUTCH_STRICT")
        self._group_mode = get_group_mode(settings)
        self._near = build_near_duplicates(settings)

    def sign(
        self, *, text: str, title: str, content: bytes, url: str, main_text: Callable[[], str] | None = None
    ) -> SignedContent:
        """Return what one page is known by; the arguments are those of ``signed_content.sign``."""
        main_text = None if self._strict else main_text
        signed = sign(self.signature, text=text, title=title, content=content, url=url, main_text=main_text)
        return replace(signed, key=grouped_key(signed.key, url, self._group_mode))

    def sketch(self, *, text: str, title: str, url: str) -> bytes | None:
        """Return the sketch by which a page's near duplicates are found, and learn from it what its host repeats.

        ``None`` when they are not looked for (NUTCH_DEDUP_NEAR), or it can only be compared exactly.
        """
        if self._near is None or not text:
            return None
        sketch = self._near.sketch(text, title=title, host=host_key(url))
        if sketch is None:
            return None
        guard = self._near.guard  # pages of different groups never meet
        return sketch[: guard.start] + grouped_key(sketch[guard], url, self._group_mode) + sketch[guard.stop :]
