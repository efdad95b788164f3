"""Tags with so many attributes that an HTML parser takes minutes for them, cut before it sees them.

A parser looks each new attribute of a tag up among those that the tag has already, so 64,000 attributes (400 kB) take
15 seconds. No author writes hundreds; a quote that nobody closed, or malice, does.
"""

from __future__ import annotations

import re

# 16 MB of tags that are just not cut take 2 seconds; authors' tags have less than 50 attributes.
_ATTRIBUTES_MAX = 500
# Tags up to this long are not looked at: they cannot have many more attributes than that.
_STRIDE = 1_500  # characters
_READ_AGAIN_MAX = 8  # characters read for attributes, times the length of the page

# White space may stand between "=" and the quote; taking it alone for that is right too often to look further.
_BEFORE_A_VALUE = frozenset("= \t\n\f\r")

_TAG_START = re.compile(r"</?[a-zA-Z]")
# "Tokenization" of the HTML standard: a tag's name, then attributes, each value in quotes or without.
_SOME_ATTRIBUTES = re.compile(
    r"""</?[a-zA-Z][^\s/>]*+(?:[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)?+)?+)"""
    rf"{{0,{_ATTRIBUTES_MAX}}}+[\s/]*+"
)
_LONG_TAG = re.compile(rf"</?[a-zA-Z][^>]{{{_STRIDE}}}")


def without_attribute_floods(html: str) -> str:
    """Return ``html`` with each tag ended after 500 attributes; what followed them there stands as text.

    Pages without such a tag, which is all but broken ones, come back as they are. Where a page is built to make even
    the search for such tags long, all its quotation marks go.
    """
    cuts: set[int] = set()
    read = 0
    for start, end in _suspected(html):
        for tag in _TAG_START.finditer(html, start, end):
            attributes = _SOME_ATTRIBUTES.match(html, tag.start())
            after = attributes.end() if attributes else tag.end()
            read += after - tag.start()
            if after < len(html) and html[after] != ">":
                cuts.add(after)
        if read > _READ_AGAIN_MAX * len(html):
            return _LONG_TAG.sub(r"\g<0> >", html.replace('"', "").replace("'", ""))
    return _with_tags_ended(html, sorted(cuts)) if cuts else html


def _suspected(html: str) -> list[tuple[int, int]]:
    """Return the stretches of ``html`` in which each tag starts that is much longer than ``_STRIDE``.

    A long tag holds one of the ``>`` that are looked at here, which are never further apart than that, between quotes,
    or it has none for as long. Short of reading the whole page as a parser does, the mark before a ``>`` tells: the
    value that it stands in was opened by ``="``.
    """
    stretches = []
    double = single = here = 0
    last = len(html) - _STRIDE
    rfind = html.rfind
    while here < last:
        there = rfind(">", here + 1, here + _STRIDE)
        if there < 0:
            there = html.find(">", here + _STRIDE)
            if there < 0:
                break
            stretches.append((here, there))
        double = max(rfind('"', here, there), double)
        single = max(rfind("'", here, there), single)
        if html[double - 1 : double] in _BEFORE_A_VALUE or html[single - 1 : single] in _BEFORE_A_VALUE:
            stretches.append((here, there))
        here = there
    return stretches


def _with_tags_ended(html: str, cuts: list[int]) -> str:
    # The space keeps the end of a tag from being the end of a comment, in case that this is one.
    return " >".join(html[start:end] for start, end in zip([0, *cuts], [*cuts, len(html)], strict=True))
