"""TextProfile: a signature that small changes of a page leave as it is."""

from __future__ import annotations

import codecs
import hashlib
import re
from collections import Counter
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Self

from nutchlike import default_settings
from nutchlike.contracts import SettingsReader
from nutchlike.java_numbers import as_int, float32
from nutchlike.signatures.java_letters import LETTERS_AND_DIGITS
from nutchlike.signatures.md5 import MD5Signature

_TOKEN = re.compile(f"[{LETTERS_AND_DIGITS}]+")
_NUMBER = re.compile(r"\d+")  # with digits beyond the Basic Multilingual Plane, which belong to no token
_OF_WORD_OR_NUMBER = re.compile(rf"[{LETTERS_AND_DIGITS}]|\d")
# ASCII, and code pages with typographic quotes and dashes and the letters of western Europe, of central Europe, and
# Cyrillic ones. More of them make the rest of the world's texts slower than they make theirs fast.
_CODE_PAGES = ("ascii", "cp1252", "cp1250", "cp1251")
_SEPARATORS_AS_BLANKS = "nutchlike.separators_as_blanks"


@dataclass(frozen=True, slots=True)
class ReadText:
    """A text, its distinct words, those of them that are long enough for the profile, and the profile.

    Words and ``tokens`` come by code point when the profile sorts by it, else in the order of first occurrence;
    ``counts`` are those of the tokens. ``numbers`` are the text's runs of digits in their order.
    """

    text: str
    words: list[str]
    tokens: list[str]
    counts: list[int]
    numbers: list[str]
    profile: str


class TextProfileSignature:
    """The MD5 digest of the words that a text repeats, with coarse counts.

    ``min_token_len``: tokens must be longer than so many characters. ``quant_rate``: counts are rounded down to
    multiples of this share of the highest count, and tokens below one multiple are dropped.
    ``sec_sort_lex``: tokens of equal count go by code point; False keeps the order of Java's ``HashMap``.

    The signature says little about a short text or one that repeats no word: all such texts share a few values.
    ``dedup_key`` knows when to trust it.

    Source: Nutch ``crawl.TextProfileSignature``, including its float32 arithmetic.
    """

    def __init__(self, min_token_len: int = 2, quant_rate: float = 0.01, sec_sort_lex: bool = True) -> None:
        self.min_token_len = min_token_len
        self.quant_rate = quant_rate
        self.sec_sort_lex = sec_sort_lex
        self._fallback = MD5Signature()
        self._last: ReadText | None = None

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the signature that NUTCH_DB_SIGNATURE_TEXT_PROFILE_* describe.

        Numbers may be written as Nutch's XML files allow: ``0x3``, ``0.05f``, spaces around.
        Raises ValueError for what is no number.
        """
        return cls(
            min_token_len=_whole_number(settings, "NUTCH_DB_SIGNATURE_TEXT_PROFILE_MIN_TOKEN_LEN"),
            quant_rate=_number(settings, "NUTCH_DB_SIGNATURE_TEXT_PROFILE_QUANT_RATE"),
            sec_sort_lex=settings.getbool(
                "NUTCH_DB_SIGNATURE_TEXT_PROFILE_SEC_SORT_LEX",
                default_settings.NUTCH_DB_SIGNATURE_TEXT_PROFILE_SEC_SORT_LEX,
            ),
        )

    def calculate(self, *, text: str, content: bytes, url: str) -> bytes:
        """Return 16 bytes; MD5Signature's answer for a page without text.

        A text of white space or short words alone is a text: its profile is "".
        """
        if not text:
            return self._fallback.calculate(text=text, content=content, url=url)
        return hashlib.md5(self.profile(text).encode("utf-8"), usedforsecurity=False).digest()

    def profile(self, text: str) -> str:
        """Return the lines ``token count`` that the signature digests, highest count first."""
        return self.read(text).profile

    def read(self, text: str) -> ReadText:
        """Return what the signature and the dedup key are made of; the text that was asked for last is kept."""
        last = self._last
        if last is None or last.text != text:
            counts, numbers = words_and_numbers(text)
            words = sorted(counts) if self.sec_sort_lex else list(counts)
            least = self.min_token_len
            tokens = [word for word in words if len(word) > least]
            if least < 0 and text and not _TOKEN.match(text[-1]):
                # Nutch looks at the token under construction once more when the text is over: "" is long enough here.
                tokens.insert(0 if self.sec_sort_lex else len(tokens), "")
                counts[""] = 1
            of_tokens = [counts[token] for token in tokens]
            profile = "\n".join([f"{token} {count}" for token, count in self._surviving(tokens, of_tokens)])
            self._last = last = ReadText(text, words, tokens, of_tokens, numbers, profile)
        return last

    def _surviving(self, tokens: list[str], counts: list[int]) -> list[tuple[str, int]]:
        """Return the tokens that quantization leaves, with their rounded counts, in the profile's order."""
        quantum = self._quantum(max(counts, default=0))
        left = [(t, c // quantum * quantum) for t, c in zip(tokens, counts, strict=True) if c >= quantum]
        if not self.sec_sort_lex:
            position = {token: place for place, token in enumerate(_hash_map_order(tokens))}
            left.sort(key=lambda kept: position[kept[0]])
        left.sort(key=itemgetter(1), reverse=True)  # equal counts stay in their order
        return left

    def _quantum(self, highest: int) -> int:
        """Return the step of the counts: ``Math.round((float) highest * (float) quant_rate)``, but 2 or 1 below 2."""
        quantum = as_int(float32(float32(highest) * float32(self.quant_rate)))
        if quantum >= 2:
            return quantum
        return 2 if highest > 1 else 1


def words_and_numbers(text: str) -> tuple[dict[str, int], list[str]]:
    """Return the text's runs of letters and digits in lower case, with counts, and its runs of digits in their order.

    Tables of single bytes do the work for texts whose letters fit in one; that takes half the time of an expression.
    """
    for code_page, tokens in _CODE_PAGE_TOKENS.items():
        try:
            page = text.encode(code_page, _SEPARATORS_AS_BLANKS)
        except UnicodeEncodeError:
            continue
        numbers = page.translate(_ASCII_DIGITS)  # these code pages have no others
        return Counter(page.translate(tokens).decode(code_page).split()), numbers.decode("ascii").split()
    return Counter(_lower_case(" ".join(_TOKEN.findall(text))).split()), _NUMBER.findall(text)


def _lower_case(text: str) -> str:
    """Return ``text`` in lower case, each character alone.

    ``str.lower`` looks at the neighbours of a capital sigma and makes two characters of U+0130; Java's
    ``Character.toLowerCase`` does neither.
    """
    return text.replace("\u03a3", "\u03c3").replace("\u0130", "i").lower()


def _blank_or_raise(error: UnicodeError) -> tuple[str, int]:
    """Put a blank for characters that the code page lacks; raise ``error`` when one is of a token or a number."""
    if not isinstance(error, UnicodeEncodeError) or _OF_WORD_OR_NUMBER.search(error.object, error.start, error.end):
        raise error
    return " ", error.end


def _code_page_tokens(code_page: str) -> bytes:
    """Return the table of ``code_page``'s bytes to what they are in a token; blanks for those that belong to none."""
    characters = bytes(range(256)).decode(code_page, "replace")
    return "".join(_lower_case(c) if _TOKEN.match(c) else " " for c in characters).encode(code_page)


codecs.register_error(_SEPARATORS_AS_BLANKS, _blank_or_raise)
_ASCII_DIGITS = bytes(c if chr(c) in "0123456789" else ord(" ") for c in range(256))
_CODE_PAGE_TOKENS = {code_page: _code_page_tokens(code_page) for code_page in _CODE_PAGES}


def _hash_map_order(words: list[str]) -> list[str]:
    """Return ``words`` in the order in which a ``java.util.HashMap`` that they were put into one by one gives them.

    The table starts with 16 buckets and doubles when it is three quarters full; a bucket keeps the order of arrival.
    (A bucket that more than 8 words share becomes a tree, with an order that no text of normal words sees.)
    """
    buckets = 16
    while len(words) > buckets * 3 // 4:
        buckets *= 2
    return sorted(words, key=lambda word: _spread_hash(word) & (buckets - 1))


def _spread_hash(word: str) -> int:
    """Return ``String.hashCode``, its high half mixed into the low half as ``HashMap`` does."""
    code = 0
    for character in word:
        code = (31 * code + ord(character)) & 0xFFFFFFFF
    return code ^ (code >> 16)


def _whole_number(settings: SettingsReader, name: str) -> int:
    value = _setting(settings, name)
    text = str(value).strip()
    try:
        return int(text, 16) if text.lower().removeprefix("-").startswith("0x") else int(text)
    except ValueError:
        raise ValueError(f"{name} must be a whole number such as 2, got {value!r}") from None


def _number(settings: SettingsReader, name: str) -> float:
    value = _setting(settings, name)
    text = str(value).strip()
    try:
        return float(text[:-1] if text[-1:] in ("f", "F", "d", "D") else text)
    except ValueError:
        raise ValueError(f"{name} must be a number such as 0.01, got {value!r}") from None


def _setting(settings: SettingsReader, name: str) -> Any:
    return settings.get(name, getattr(default_settings, name))
