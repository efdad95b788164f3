"""The key under which a page claims its content: equal keys mean that one of two pages may be dropped.

TextProfile alone is no such key. It forgets every word that occurs once, so a menu that stands twice on each page of a
shop hides the products between. Measured on 300 made-up product pages whose menu of 60 words stands twice around a
description of 30 words: they have 28 TextProfiles, and with a menu of 200 words around 10 only 3 or 4. No bound on the
share of words that survive quantization helps: here two thirds do, in an article of 500 words only one third.
So the key for a long text of words adds what TextProfile forgets, except what changes from fetch to fetch: a few
numbers. With it the 300 pages have 300 keys. Among 6,566 pages of manuals one group shares a key though its texts
differ: by one namespace in 1,398 words.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from operator import mul

from nutchlike.signatures.text_profile import TextProfileSignature

DEDUP_KEY_SIZE = 8  # bytes
# Tokens in a text below which it is compared exactly: a bag of so few words says little about their meaning. With 100
# in place of 300, twelve groups of pages of the Boost manual shared a key that documented other things in the same
# words (a * b and b * a, or types that differ in punctuation alone).
_TOKENS_MIN = 300
# Share of the text's characters (white space aside) that its tokens must cover. Measured on 1,735 pages of the manuals
# of Python, PostgreSQL, Node.js and libxslt: 0.66 at least. Hindi has 0.04, decomposed Vietnamese 0.2, Thai 0.55: their
# vowel signs end a token, and the fragments say little.
_COVERAGE_MIN = 0.6
# Numbers that may differ between two fetches of one page: 3 % of its tokens. "Generated in 0.0123 s, 2026-01-02 10:11"
# has 7, an article of 500 words about 400 tokens. In a price list, and on the page of one product, numbers are the
# content.
_NUMBERS_IGNORED_SHARE = 0.03

_NUMBER = re.compile(r"\d+")


def dedup_key(
    text: str,
    *,
    content: bytes,
    url: str,
    signature: TextProfileSignature,
    title: str = "",
    main_text: Callable[[], str] | None = None,
) -> bytes:
    """Return 8 bytes, a digest of what one of these rules makes of the page.

    - ``p``: a text of at least 300 tokens that cover 60 % of its characters, by its TextProfile, its distinct words
      of any length and its numbers in their order; without the numbers when they are at most 3 % of the tokens. The
      numbers of the title always count: "Kettle, 2 litre" and "Kettle, 5 litre" under a long menu are two products.
      Order, repetition within TextProfile's rounding, punctuation and case do not count.
    - ``t``: a shorter text, or one in a script that tokens do not fit, by its characters, runs of white space as one;
      where ``main_text`` is given, what that returns counts: the text without what stands around it.
    - ``c``: a page without text by the body's bytes.
    - ``u``: a page without text or body by its URL, which makes it no other page's duplicate.

    Long pages that differ in a few numbers alone (an id, a price) share a key; so do pages that say the same words in
    another order.
    """
    if text and not text.isspace():
        informative = _informative(text, signature, title)
        if informative is None:
            exact = text if main_text is None else main_text()
            return short_digest(b"t", _encoded(" ".join(exact.split())))
        return short_digest(b"p", _encoded(informative))
    return short_digest(b"c", content) if content else short_digest(b"u", _encoded(url))


def _informative(text: str, signature: TextProfileSignature, title: str) -> str | None:
    """Return what identifies ``text`` as a bag of words, or ``None`` when words are not what it is made of."""
    read = signature.read(text)
    token_count = sum(read.counts)
    if token_count < _TOKENS_MIN:
        return None
    covered = sum(map(mul, map(len, read.tokens), read.counts))
    if covered < _COVERAGE_MIN * len(text) and covered < _COVERAGE_MIN * len("".join(text.split())):
        return None
    numbers = read.numbers if len(read.numbers) > _NUMBERS_IGNORED_SHARE * token_count else []
    distinct = sorted([word for word in read.words if not word.isdecimal()] if read.numbers else read.words)
    named = _NUMBER.findall(title)
    return "\n".join((read.profile, " ".join(distinct), " ".join(numbers), *named))


def short_digest(rule: bytes, content: bytes) -> bytes:
    """Return 8 bytes for ``content`` under a rule: among ten million contents two share them once in 300,000 crawls."""
    return hashlib.md5(rule + content, usedforsecurity=False).digest()[:DEDUP_KEY_SIZE]


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
