"""A body of any kind, read as a crawl reads it."""

from __future__ import annotations

from w3lib.encoding import to_unicode

from nutchlike.parsing.content import is_binary, is_html
from nutchlike.parsing.directives import FOR_ALL
from nutchlike.parsing.encoding import declared_encoding
from nutchlike.parsing.html import ANCHOR_LENGTH, ParsedPage, parse_html


def parse_page(
    body: bytes,
    *,
    url: str,
    content_type: str,
    anchor_length: int = ANCHOR_LENGTH,
    robots_names: frozenset[str] = frozenset({FOR_ALL}),
) -> ParsedPage | None:
    """Return what a page says, ``None`` for one that is no HTML.

    ``content_type`` is the whole header, "" when there is none; ``url`` the page's absolute address;
    ``anchor_length`` and ``robots_names`` as in ``parse_html``.
    """
    if not is_html(content_type, body):
        return None
    return parse_html(
        body,
        url=url,
        encoding=declared_encoding(body, content_type),
        anchor_length=anchor_length,
        robots_names=robots_names,
    )


def plain_text(body: bytes) -> str:
    """Return the text of a body that is no HTML, white space collapsed; "" for what is no text at all."""
    if is_binary(body):
        return ""
    return " ".join(to_unicode(body, declared_encoding(body, "")).removeprefix("\ufeff").split())
