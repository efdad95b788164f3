"""Links that a page names in its HTTP headers (RFC 8288)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from nutchlike.parsing.references import ReferenceResolver

# Section 3: a reference, then parameters, whose values may be quoted. What does not fit ends a link.
_LINK = re.compile(r"""<([^<>]*)>((?:\s*;\s*[^\s"=;,<>]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s",;<>]*))?)*+)""")
_PARAMETER = re.compile(r""";\s*([^\s"=;,<>]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",;<>]*)))?""")


def canonical_of_headers(headers: Iterable[bytes], *, url: str) -> str | None:
    """Return the absolute URL that the first Link header with ``rel=canonical`` names, ``None`` when none does.

    ``headers`` are the values of all Link headers, ``url`` is the page's absolute address. A link that speaks of
    another page (``anchor``) does not count.
    """
    for header in headers:
        for reference, parameters in _LINK.findall(_decoded(header)):
            given: dict[str, str] = {}
            for name, quoted, bare in _PARAMETER.findall(parameters):
                given.setdefault(name.lower(), quoted or bare)  # section 3.3: the first rel counts
            if "canonical" in given.get("rel", "").lower().split() and "anchor" not in given:
                target = ReferenceResolver(url).absolute(reference)
                if target is not None:
                    return target
    return None


def _decoded(header: bytes) -> str:
    try:
        return header.decode()
    except UnicodeDecodeError:
        return header.decode("latin-1")
