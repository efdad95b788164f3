"""A body of HTML read once: title, visible text, outlinks and what its author asks of crawlers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode
from w3lib.encoding import to_unicode

from nutchlike.parsing.attribute_flood import without_attribute_floods
from nutchlike.parsing.degenerate_markup import flattened, is_degenerate
from nutchlike.parsing.directives import FOR_ALL
from nutchlike.parsing.head import Head, tokens
from nutchlike.parsing.main_text import (
    ASIDE_ROLES,
    ASIDE_TAGS,
    mark_asides,
    may_have_aside_roles,
    unmarked,
    without_asides,
)
from nutchlike.parsing.name_flood import has_name_flood, with_read_attributes_only
from nutchlike.parsing.references import ReferenceResolver

# A long base makes each of a million short references long; no page of the web has so many.
_OUTLINK_CHARACTERS_MAX = 50_000_000
_OUTLINKS_MAX = 200_000  # two seconds of work
# Broken tables nest a few links in others; the text of thousands of nested ones is that of the page, each time.
_NESTED_LINKS_READ = 50
_HIDDEN = (
    'dialog:not([open]), body [hidden]:not([hidden="until-found" i]),'
    ' body [style*="display:none" i], body [style*="display: none" i],'
    ' body [style*="visibility:hidden" i], body [style*="visibility: hidden" i]'
)
_FRAMES = frozenset({"frame", "iframe"})
_ROLES = {
    "head": "title base meta link",
    "link": "a area frame iframe",
    "code": "script style title",
    "aside": ASIDE_TAGS,
    "unseen": "noscript template iframe noframes noembed video audio canvas",
    # What a word may run through. All other elements end a word, unknown ones too.
    "inline": "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark nobr q s samp small span"
    " strike strong sub sup time tt u var wbr",
}
# The comments that server-side rendering of React, Vue and Lit leaves inside words and sentences.
_EMPTY_COMMENT = re.compile(r"<!--[ \[\]]?-->")
_ROLES_OF_TAG: dict[str | None, list[str]] = {}
for _role, _tags in _ROLES.items():
    for _tag in _tags.split():
        _ROLES_OF_TAG.setdefault(_tag, []).append(_role)
_NO_RELS: frozenset[str] = frozenset()

ANCHOR_LENGTH = 1000  # characters

RELS = frozenset({"nofollow", "ugc", "sponsored"})  # what a link says of its own worth


class Outlink(NamedTuple):
    """A link to another document: absolute URL without fragment, the text of the link, and which of RELS it has.

    A page may link to one URL more than once: then ``rel`` holds what all these links have.
    """

    url: str
    anchor: str = ""
    rel: frozenset[str] = _NO_RELS


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """What one HTML page says.

    ``text`` is the visible text with white space collapsed; the title is not part of it. ``marked_text`` has marks
    around what is not main text (main_text.py), "" when there is no such thing. ``base`` is the URL that references
    were resolved against. ``canonical`` and ``refresh`` are absolute URLs from rel=canonical and http-equiv=refresh, or
    ``None``. ``robots`` are the contents of the metas that speak to robots (``directives.RobotsDirectives`` reads
    them); what is asked for a link alone is ``Outlink.rel``.
    """

    title: str
    text: str
    outlinks: tuple[Outlink, ...]
    base: str
    canonical: str | None = None
    refresh: str | None = None
    robots: tuple[str, ...] = ()
    marked_text: str = field(default="", repr=False)

    def main_text(self) -> str:
        """Return ``text`` without navigation, footers and clocks, by which a change of the page is judged."""
        return without_asides(self.marked_text) if self.marked_text else self.text


def parse_html(
    body: bytes,
    *,
    url: str,
    encoding: str,
    anchor_length: int = ANCHOR_LENGTH,
    robots_names: frozenset[str] = frozenset({FOR_ALL}),
) -> ParsedPage:
    """Return what the HTML in ``body`` says; any bytes are HTML of some kind.

    ``url`` is the page's absolute address, ``encoding`` a Python codec as ``declared_encoding`` returns it; bytes
    that do not fit it become U+FFFD. ``anchor_length`` characters of the text of a link are kept; 0: none is read.
    ``robots_names`` are the names of metas, in small letters, that speak to us.

    Text: scripts, styles, comments, noscript, template, frames' contents and elements hidden by the ``hidden``
    attribute or an inline style are left out. Elements that a word can run through (``<b>``, ``<span>``, ``<a>``)
    do not part words, all others and two links in a row do.

    Outlinks: ``href`` of a and area, ``src`` of frame and iframe, hidden ones and those in noscript included, in
    document order, up to 200,000 of them; the first of several links to one URL stands for all. Nutch also takes
    link, img and script, and form on request; those are parts of the page or actions, not documents to crawl. A
    reference that is no URL is left out alone.

    Raises ValueError when Python knows no ``encoding``.
    """
    html = _decoded(body, encoding)
    if has_name_flood(html):
        html = with_read_attributes_only(flattened(html))
    elif is_degenerate(html):
        html = flattened(html)
    html = without_attribute_floods(html)
    tree = LexborHTMLParser(html, options=LexborDocumentOptions.WO_EVENTS)
    elements = _elements(tree)
    head = Head(elements["head"], url, encoding, robots_names)
    for node in elements["code"]:
        node.decompose()
    links = [node for node in elements["link"] if node.parent is not None]  # a drawing's title may have held some
    outlinks = _outlinks(tree, links, head.resolver, anchor_length)
    if _EMPTY_COMMENT.search(html):
        _remove_comments(tree)
    asides = elements["aside"] + (tree.css(ASIDE_ROLES) if may_have_aside_roles(html) else [])
    has_asides = mark_asides([node for node in asides if node.parent is not None], html)
    text = _visible_text(tree, elements)
    return ParsedPage(
        title=head.title,
        text=_collapsed(unmarked(text) if has_asides else text),
        marked_text=text if has_asides else "",
        outlinks=outlinks,
        base=head.resolver.base,
        canonical=head.canonical,
        refresh=head.refresh,
        robots=tuple(head.robots),
    )


def _elements(tree: LexborHTMLParser) -> dict[str, list[LexborNode]]:
    """Return the elements of each of _ROLES in document order, found in one walk; each selector would take as long."""
    found: dict[str, list[LexborNode]] = {role: [] for role in _ROLES}
    root = tree.root
    for node in () if root is None else root.traverse():
        for role in _ROLES_OF_TAG.get(node.tag, ()):
            found[role].append(node)
    return found


def _outlinks(
    tree: LexborHTMLParser, nodes: list[LexborNode], resolver: ReferenceResolver, anchor_length: int
) -> tuple[Outlink, ...]:
    outlinks: dict[str, Outlink] = {}
    seen: dict[str, str | None] = {"": None}
    room = _OUTLINK_CHARACTERS_MAX
    nested = tree.css("a a") if anchor_length and len(nodes) > _NESTED_LINKS_READ else ()
    unread = {node.mem_id for node in nested} if len(nested) > _NESTED_LINKS_READ else ()
    for node in nodes:
        attributes = node.attributes
        reference = (attributes.get("src" if node.tag in _FRAMES else "href") or "").partition("#")[0]
        target = seen[reference] if reference in seen else resolver.absolute(reference)
        seen[reference] = target
        if target is None:
            continue
        rel = attributes.get("rel")
        rels = RELS & tokens(rel) if rel else _NO_RELS
        if target in outlinks:
            if outlinks[target].rel:
                outlinks[target] = outlinks[target]._replace(rel=outlinks[target].rel & rels)
            continue
        room -= len(target)
        if room < 0 or len(outlinks) == _OUTLINKS_MAX:
            break
        is_read = anchor_length and node.tag != "iframe" and not (unread and node.mem_id in unread)
        anchor = _collapsed(node.text(separator=" "))[:anchor_length] if is_read else ""
        outlinks[target] = Outlink(target, anchor, rels)
    return tuple(outlinks.values())


def _visible_text(tree: LexborHTMLParser, elements: dict[str, list[LexborNode]]) -> str:
    """Return the text that a reader sees, its white space as it is. The tree is used up by it."""
    for node in elements["unseen"]:
        node.decompose()
    for node in tree.css(_HIDDEN):
        node.decompose()
    for node in tree.css("a + a"):
        node.insert_before(" ")
    for node in elements["inline"]:
        node.unwrap(delete_empty=True)
    body = tree.body
    if body is None:
        return ""
    body.merge_text_nodes()
    return body.text(separator=" ")


def _remove_comments(tree: LexborHTMLParser) -> None:
    root = tree.root
    for node in [] if root is None else [node for node in root.traverse() if node.is_comment_node]:
        node.decompose()


def _decoded(body: bytes, encoding: str) -> str:
    try:
        return to_unicode(body, encoding).removeprefix("\ufeff")
    except LookupError:
        raise ValueError(f"encoding must be one of Python's codecs for text, got {encoding!r}") from None


def _collapsed(text: str) -> str:
    return " ".join(text.split())
