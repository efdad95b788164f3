"""Pages with so many different names of tags and attributes that an HTML parser takes minutes for them.

lexbor keeps the names that it does not know in a table of fixed size: 64,000 cost a second, twice as many cost four.
"""

from __future__ import annotations

import re

_NAMES_MAX = 50_000
# A page this short has no room for names that cost more than some seconds, and most pages are as short.
_CHARACTERS_UNSUSPECTED = 700_000

_TAG_NAME = re.compile(r"</?([a-zA-Z][^\s/>]*+)")
_ATTRIBUTE = re.compile(r"""[\s/]*+([^\s/>][^\s/>=]*+)(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)?+)?+""")
_TAG = re.compile(rf"</?[a-zA-Z][^\s/>]*+((?:{_ATTRIBUTE.pattern.replace('([', '(?:[', 1)})*+)")
_WHOLE_TAG = re.compile(r"<(/?[a-z][^\s/>]*+)([^>]*+)>", re.IGNORECASE)
_READ_ATTRIBUTE = re.compile(
    r"""(?<=[\s/"'])(?:(?:href|src|rel|content|name|http-equiv)\s*+=\s*+(?:"[^"]*"|'[^']*'|[^\s"']+))""", re.IGNORECASE
)


def has_name_flood(html: str) -> bool:
    """Return True when ``html`` has more than 50,000 different names of tags and attributes."""
    if len(html) < _CHARACTERS_UNSUSPECTED or _different_words(html) < _NAMES_MAX:
        return False
    names = set(_TAG_NAME.findall(html))
    for tag in _TAG.finditer(html):
        if tag[1]:
            names.update(_ATTRIBUTE.findall(tag[1]))
        if len(names) > _NAMES_MAX:
            return True
    return len(names) > _NAMES_MAX


def with_read_attributes_only(html: str) -> str:
    """Return ``html`` with those attributes alone that links and directives are read from."""
    return _WHOLE_TAG.sub(lambda tag: f"<{tag[1]} {' '.join(_READ_ATTRIBUTE.findall(tag[2]))}>", html)


def _different_words(html: str) -> int:
    """Return at least the number of different names in the tags of ``html``, text and values counted with them."""
    for mark in "\"'/<":
        html = html.replace(mark, " ")
    return len(set(html.split()))
