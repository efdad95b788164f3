"""Tells the main text of a page from what stands around it: navigation, footers, and clocks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from selectolax.lexbor import LexborNode

MAIN_TEXT_MIN = 200  # characters; a page with less of its own says too little without what stands around it
ASIDE_TAGS = "nav footer time"
ASIDE_ROLES = "[role=navigation i], [role=contentinfo i]"

_ASIDES_MAX = 1000  # of one page; a forum has a time for each post
# Noncharacters of Unicode, which no text has but by mistake.
_OPEN, _CLOSE, _OPEN_MOMENT, _CLOSE_MOMENT = "\ufdd0", "\ufdd1", "\ufdd2", "\ufdd3"
_MARKS = (_OPEN, _CLOSE, _OPEN_MOMENT, _CLOSE_MOMENT)
_MARK = re.compile(f"([{''.join(_MARKS)}])")
_MOMENT = re.compile(f"{_OPEN_MOMENT}[^{_CLOSE_MOMENT}]*{_CLOSE_MOMENT}")


def may_have_aside_roles(html: str) -> bool:
    """Return whether it is worth to look for ASIDE_ROLES."""
    return "avigation" in html or "ontentinfo" in html


def mark_asides(nodes: Sequence[LexborNode], html: str) -> bool:
    """Put marks around ``nodes``, of the tree that ``html`` became: nav and footer, by tag or role, and time elements.

    Returns whether there are any. Where a time element has a datetime, that counts in place of its words: "5 minutes
    ago" is another text at each fetch, an event that was put off has another time.
    """
    if not nodes or len(nodes) > _ASIDES_MAX or any(mark in html for mark in _MARKS):
        return False
    for node in nodes:
        moment = node.attributes.get("datetime") if node.tag == "time" else None
        if moment and not _MARK.search(moment):
            node.insert_before(f"{_OPEN_MOMENT} {moment} {_CLOSE_MOMENT}")
        node.insert_before(_OPEN)
        node.insert_after(_CLOSE)
    return True


def unmarked(marked: str) -> str:
    """Return the whole text of a page, of its text with marks."""
    if _OPEN_MOMENT in marked:
        marked = _MOMENT.sub("", marked)
    return marked.replace(_OPEN, "").replace(_CLOSE, "")


def without_asides(marked: str) -> str:
    """Return the main text of a page, white space collapsed, of its text with marks.

    Where that is shorter than MAIN_TEXT_MIN all of the text is.
    """
    kept: list[str] = []
    asides = 0
    for piece in _MARK.split(marked):
        if piece in (_OPEN, _CLOSE):
            asides += 1 if piece == _OPEN else -1
        elif not asides and piece not in (_OPEN_MOMENT, _CLOSE_MOMENT):
            kept.append(piece)
    main_text = " ".join("".join(kept).split())
    return main_text if len(main_text) >= MAIN_TEXT_MIN else " ".join(unmarked(marked).split())
