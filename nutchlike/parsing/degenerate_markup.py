"""Markup that makes an HTML parser slow, and a flat version of it that does not.

The parsing rules of HTML open each unclosed formatting element again in each new paragraph, so n of them and n
paragraphs make n * n nodes (3,000 ``<font>`` that nobody closes: 5 seconds and 4 million nodes), and the search for
open paragraphs walks up the whole nest. Broken templates produce such pages.
"""

from __future__ import annotations

import re

# "The list of active formatting elements" of the HTML standard, without ``a`` and ``nobr``, which close themselves.
_FORMATTING = frozenset({"b", "big", "code", "em", "font", "i", "s", "small", "strike", "strong", "tt", "u"})
_NEVER_LEFT_OPEN = (
    "area base br col embed hr img input link meta param source track wbr"
    " a nobr p li dd dt td th tr tbody thead tfoot option optgroup rt rp head body html colgroup caption"
)
_CLOSES_ITSELF = frozenset(_NEVER_LEFT_OPEN.split())
_KEPT = "a|area|base|frame|iframe|link|meta|noscript|script|style|template|textarea|title"

_TAG = re.compile(r"<(/?)([a-z][^\s/>]*)", re.IGNORECASE)
# Written without IGNORECASE, under which no search can run ahead to the next "<".
_FORMATTING_START = re.compile(r"<[bceifstuBCEFISTU](?:[\s/>]|[iI][gG]|[oO][dDnN]|[mM]|[tT])")
_ROOT_TAG = re.compile(r"<(?:[hH][tT][mM][lL]|[bB][oO][dD][yY])(?=[\s/])")
_FORMATTING_TAG = re.compile(rf"</?(?:{'|'.join(sorted(_FORMATTING))})(?=[\s/>])[^>]*>", re.IGNORECASE)
_OTHER_TAG = re.compile(rf"</?(?!(?:{_KEPT})[\s/>])[a-z][^>]*>", re.IGNORECASE)

# A page with fewer tags takes less than 0.2 s however they nest; most pages have fewer and are not looked at.
_TAGS_UNSUSPECTED = 2_000
_REOPENED_MAX = 4_000_000  # formatting elements left open, times tags in the page
_DEPTH_MAX = 5_000  # elements left open
_WALKED_MAX = 500_000_000  # elements left open, times tags in the page: each end tag may walk up to the first of them
_TAGS_COUNTED = 40_000  # from here on, elements are not taken as closed because the page has enough end tags
# All attributes of all <html> come together on one element, those of <body> on another.
_ROOT_TAGS_MAX = 20
_ROOT_TAGS_UNSUSPECTED = 50_000  # characters


def is_degenerate(html: str) -> bool:
    """Return True when a standard parser would need far more time and memory than the size of ``html`` says."""
    if len(html) > _ROOT_TAGS_UNSUSPECTED and len(_ROOT_TAG.findall(html)) > _ROOT_TAGS_MAX:
        return True
    tags = html.count("<")
    if tags < _TAGS_UNSUSPECTED:
        return False
    if tags < _TAGS_COUNTED:
        left_open_at_least = tags - 2 * html.count("</")
        if left_open_at_least < _DEPTH_MAX and len(_FORMATTING_START.findall(html)) * tags < _REOPENED_MAX:
            return False
    formatting, others = _most_open(html)
    depth = formatting + others
    return formatting * tags >= _REOPENED_MAX or depth >= _DEPTH_MAX or depth * tags >= _WALKED_MAX


def flattened(html: str) -> str:
    """Return ``html`` with only the tags that carry links, directives or hidden text; a space where others were.

    Formatting tags go without a space, because they stand inside words.
    """
    last = html.rfind(">") + 1
    # Beyond the last ">" each search for the end of a tag would run to the end of the page.
    return _OTHER_TAG.sub(" ", _FORMATTING_TAG.sub("", html[:last])) + html[last:]


def _most_open(html: str) -> tuple[int, int]:
    """Return how many formatting elements, and how many others, are open at the worst place of ``html``."""
    spelled: dict[str, str] = {}
    open_elements: dict[str, int] = {}
    formatting = others = most_formatting = most_others = 0
    for slash, written in _TAG.findall(html):
        name = spelled.get(written)
        if name is None:
            lower = written.lower()
            name = spelled[written] = "" if lower in _CLOSES_ITSELF else lower
        if not name:
            continue
        count = open_elements.get(name, 0)
        if slash:
            if not count:
                continue
            open_elements[name] = count - 1
            if name in _FORMATTING:
                formatting -= 1
            else:
                others -= 1
            continue
        open_elements[name] = count + 1
        if name in _FORMATTING:
            formatting += 1
            if formatting > most_formatting:
                most_formatting = formatting
        else:
            others += 1
            if others > most_others:
                most_others = others
    return most_formatting, most_others
