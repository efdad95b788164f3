"""Which links count: internal ones, and several from one page or domain (Nutch: ``link.ignore.*``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nutchlike.contracts import SettingsReader
from nutchlike.default_settings import (
    NUTCH_LINK_IGNORE_INTERNAL_DOMAIN,
    NUTCH_LINK_IGNORE_INTERNAL_HOST,
    NUTCH_LINK_IGNORE_LIMIT_DOMAIN,
    NUTCH_LINK_IGNORE_LIMIT_PAGE,
)
from nutchlike.urls.registered_domain import registered_domain
from nutchlike.urls.url_parts import url_parts

LINKS_AT_ONCE = 1 << 21  # links that first_inlinks sorts at a time


def same_host(url: str, other: str) -> bool:
    """Tell whether two URLs have one host, whatever its case and the scheme, port and user info; no URL has none."""
    try:
        return _host(url) == _host(other)
    except ValueError:
        return False


def page_key(url: str) -> str:
    """Return what counts as one page: ``url`` in lower case without its query (``URLUtil.getPage``).

    Raises ValueError for what is no URL.
    """
    lowered = url.lower()
    query = url_parts(lowered).query
    return lowered if query is None else lowered.replace(f"?{query}", "")


@dataclass(frozen=True, slots=True)
class LinkRules:
    """The links of the web graph that LinkRank goes by.

    A link to the page's own host or domain is not one; of several links to one page (without its query) or to one
    domain the first is. Of the links to a page, the first from each page or domain counts.
    Source: Nutch ``scoring.webgraph.WebGraph`` and ``LinkRank``.
    """

    ignore_internal_host: bool = NUTCH_LINK_IGNORE_INTERNAL_HOST
    ignore_internal_domain: bool = NUTCH_LINK_IGNORE_INTERNAL_DOMAIN
    limit_page: bool = NUTCH_LINK_IGNORE_LIMIT_PAGE
    limit_domain: bool = NUTCH_LINK_IGNORE_LIMIT_DOMAIN

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the rules of NUTCH_LINK_IGNORE_…."""
        return cls(
            settings.getbool("NUTCH_LINK_IGNORE_INTERNAL_HOST", NUTCH_LINK_IGNORE_INTERNAL_HOST),
            settings.getbool("NUTCH_LINK_IGNORE_INTERNAL_DOMAIN", NUTCH_LINK_IGNORE_INTERNAL_DOMAIN),
            settings.getbool("NUTCH_LINK_IGNORE_LIMIT_PAGE", NUTCH_LINK_IGNORE_LIMIT_PAGE),
            settings.getbool("NUTCH_LINK_IGNORE_LIMIT_DOMAIN", NUTCH_LINK_IGNORE_LIMIT_DOMAIN),
        )

    def stored(self, url: str, outlinks: Iterable[str]) -> list[str]:
        """Return the outlinks of page ``url`` that belong to the graph, each once, in their order.

        An outlink that is no URL does not. Raises ValueError when ``url`` is no URL.
        """
        host = _host(url)
        domain = registered_domain(host)
        kept: list[str] = []
        seen: set[str] = set()
        for outlink in dict.fromkeys(outlinks):
            try:
                to_host, key = _host(outlink), self.end_key(outlink)
            except ValueError:
                continue
            is_internal = (self.ignore_internal_host and to_host == host) or (
                self.ignore_internal_domain and registered_domain(to_host) == domain
            )
            if not is_internal and key not in seen:
                seen.add(key)
                kept.append(outlink)
        return kept

    def end_key(self, url: str) -> str:
        """Return what of ``url`` must differ for two links to count: its domain, its page, or all of it.

        Pages of two domains differ, so the limit by domain includes the one by page. Raises ValueError for no URL.
        """
        if self.limit_domain:
            return registered_domain(_host(url))
        return page_key(url) if self.limit_page else url


def first_inlinks(targets: NDArray[Any], source_keys: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which links count: of those with the same target and the same source key, the first.

    Both are whole numbers >= 0, one a link; a key stands for the ``end_key`` of the link's source. Beside them it needs
    about 4 bytes a link, 16 a page and 200 MB, more only where one page has more than LINKS_AT_ONCE links.
    """
    first = np.zeros(len(targets), np.bool_)
    if not len(targets):
        return first
    keys = int(source_keys.max()) + 1
    for low, high in _target_ranges(targets):
        links = np.flatnonzero((targets >= low) & (targets < high))
        pairs = (targets[links].astype(np.int64) - low) * keys + source_keys[links]
        first[links[np.unique(pairs, return_index=True)[1]]] = True
    return first


def _target_ranges(targets: NDArray[Any]) -> Iterator[tuple[int, int]]:
    """Yield ranges of targets, the end not included, with about LINKS_AT_ONCE links each."""
    inlinks = np.zeros(int(targets.max()) + 1, np.int64)
    for start in range(0, len(targets), LINKS_AT_ONCE):
        np.add.at(inlinks, targets[start : start + LINKS_AT_ONCE], 1)
    links_so_far = np.cumsum(inlinks)
    low, done = 0, 0
    while low < len(links_so_far):
        high = max(low + 1, int(np.searchsorted(links_so_far, done + LINKS_AT_ONCE, side="right")))
        yield low, high
        low, done = high, int(links_so_far[high - 1])


def _host(url: str) -> str:
    return url_parts(url).host.lower()
