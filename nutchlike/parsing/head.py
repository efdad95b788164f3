"""What the head of a page says: its title, what its links are relative to, and what its author asks of crawlers."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

from nutchlike.parsing.references import ReferenceResolver

# Thousands of titles in thousands of open elements would take seconds.
_ANCESTORS_SEEN = 100
# The shared declarative refresh steps of the HTML standard: seconds, a separator, the URL with or without "url=".
_REFRESH = re.compile(
    r"""\s*(?:\d[\d.]*|\.[\d.]*)(?:\s*[;,]\s*|\s+)(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|([^"'].*))""",
    re.IGNORECASE | re.DOTALL,
)
_TOKEN_SEPARATOR = re.compile(r"[\s,;]+")


class Head:
    """What the title, base, meta and link elements of a page say; the HTML standard lets the first of each kind count.

    ``url`` is the page's absolute address, ``encoding`` its Python codec; ``robots_names`` are the names of metas, in
    small letters, that speak to us.
    """

    def __init__(self, nodes: list[LexborNode], url: str, encoding: str, robots_names: frozenset[str]) -> None:
        self._robots_names = robots_names
        self.resolver = _resolver(nodes, url, encoding)
        self.title = ""
        self.canonical: str | None = None
        self.refresh: str | None = None
        self.robots: list[str] = []
        for node in nodes:
            if node.tag == "title":
                self.title = self.title or _title(node)
            elif node.tag == "meta":
                self._read_meta(node)
            elif node.tag == "link" and self.canonical is None and _is_canonical_link(node):
                self.canonical = self.resolver.absolute(_attribute(node, "href"))

    def _read_meta(self, node: LexborNode) -> None:
        content = _attribute(node, "content")
        if content and _attribute(node, "name").strip().lower() in self._robots_names:
            self.robots.append(content)
        elif (
            self.refresh is None
            and _attribute(node, "http-equiv").strip().lower() == "refresh"
            and not _is_inside(node, "noscript")
        ):
            match = _REFRESH.match(content)
            if match:
                self.refresh = self.resolver.absolute(match[1] or match[2] or match[3] or "")


def _resolver(head: list[LexborNode], url: str, encoding: str) -> ReferenceResolver:
    """Return the resolver for the first base element that has an href, or for ``url`` when that is no URL."""
    page = ReferenceResolver(url, encoding=encoding)
    for node in head:
        if node.tag == "base" and "href" in node.attributes:
            base = page.absolute(_attribute(node, "href"))
            return ReferenceResolver(base, encoding=encoding) if base else page
    return page


def _is_canonical_link(node: LexborNode) -> bool:
    """Return whether a link names the canonical URL; in the body anybody may have written it, in a comment, say."""
    return "canonical" in tokens(_attribute(node, "rel")) and _is_inside(node, "head")


def _title(node: LexborNode) -> str:
    return "" if _is_inside(node, "svg") else " ".join(node.text().split())


def _attribute(node: LexborNode, name: str) -> str:
    """Return the attribute's value; "" when it has none or is not there."""
    return node.attrs.get(name) or ""


def tokens(value: str) -> set[str]:
    """Return the words of an attribute that holds a list, in small letters."""
    return set(_TOKEN_SEPARATOR.split(value.lower()))


def _is_inside(node: LexborNode, tag: str) -> bool:
    """Return True when one of the nearest 100 elements around ``node`` is a ``tag``; none is sought farther out."""
    parent = node.parent
    for _ in range(_ANCESTORS_SEEN):
        if parent is None or parent.tag == tag:
            break
        parent = parent.parent
    return parent is not None and parent.tag == tag
