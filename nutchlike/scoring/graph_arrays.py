"""GraphArrays: the pages and links of a web graph as arrays that LinkRank works on."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nutchlike.scoring.link_rules import LinkRules, first_inlinks, page_key
from nutchlike.urls.identity import host_key, split_url, url_id
from nutchlike.urls.registered_domain import registered_domain

LINKS_AT_ONCE = 1 << 20  # links that are worked on at a time, in a few temporary arrays
ID_SIZE = 8  # bytes
_ID = np.dtype("<u8")


class GraphArrays:
    """The pages of a graph, numbered from 0 in the order of their ids, and the links that the rules leave.

    ``pages`` are a key (bytes of one length, which end with the page's 8-byte id) and a normalized URL each; of several
    with one id the first counts. Memory: 30 bytes a page (twice that while they are read) and 9 bytes a link.
    """

    def __init__(self, pages: Iterable[tuple[bytes, str]], rules: LinkRules) -> None:
        self._rules = rules
        self.links_read = 0
        self._sources, self._targets = array("i"), array("i")
        keys, hosts, domains, page_keys = bytearray(), array("i"), array("i"), bytearray()
        codes: dict[str, int] = {}  # of hosts and domains
        sites: dict[str, tuple[int, int]] = {}
        key = b""
        for key, url in pages:
            site = split_url(url)[0]
            if site not in sites:
                host = host_key(url)
                sites[site] = codes.setdefault(host, len(codes)), codes.setdefault(registered_domain(host), len(codes))
            keys += key
            hosts.append(sites[site][0])
            domains.append(sites[site][1])
            if rules.limit_page and not rules.limit_domain:
                page_keys += url_id(page_key(url))
        size = max(len(key), ID_SIZE)
        ids = np.frombuffer(keys, np.uint8).reshape(-1, size)[:, -ID_SIZE:].copy().view(_ID).ravel()
        self._ids, first = np.unique(ids, return_index=True)
        self._keys = np.frombuffer(keys, np.dtype((np.void, size)))[first]
        self._hosts = np.frombuffer(hosts, np.int32)[first]
        self._domains = np.frombuffer(domains, np.int32)[first]
        self._ends: NDArray[Any] | None = None  # of each page: what must differ for two links to count
        if rules.limit_domain:
            self._ends = self._domains
        if page_keys:
            self._ends = np.unique(np.frombuffer(page_keys, _ID)[first], return_inverse=True)[1]
        self._has_links = np.zeros(len(first), np.bool_)

    def __len__(self) -> int:
        return len(self._ids)

    def key(self, page: int) -> bytes:
        """Return the key of a page."""
        return bytes(self._keys[page].tobytes())

    @property
    def sources(self) -> NDArray[np.int32]:
        """The page that each link leads from."""
        return np.frombuffer(self._sources, np.int32)

    @property
    def targets(self) -> NDArray[np.int32]:
        """The page that each link leads to."""
        return np.frombuffer(self._targets, np.int32)

    def read_links(self, lists: Iterable[tuple[bytes, bytes]]) -> None:
        """Add the links of pages: the id of each, and the ids of its outlinks, one after the other.

        Links from and to unknown pages are left out, as are those that the rules have no use for. Of several lists of
        one page the first counts.
        """
        sources: list[bytes] = []
        targets: list[bytes] = []
        size = 0
        for source, ids in lists if len(self) else ():
            sources.append(source)
            targets.append(ids)
            size += len(ids)
            if size >= LINKS_AT_ONCE * ID_SIZE:
                self._add(sources, targets)
                sources, targets, size = [], [], 0
        if sources:
            self._add(sources, targets)

    def counted(self) -> NDArray[np.bool_] | None:
        """Return which links count when a page counts one inlink from a page or domain; ``None``: all."""
        if self._ends is None:
            return None
        sources, targets = self.sources, self.targets
        counted = np.zeros(len(targets), np.bool_)
        step = max(len(self) * LINKS_AT_ONCE // max(len(targets), 1), 1)
        for low in range(0, len(self), step):
            some = np.flatnonzero((targets >= low) & (targets < low + step))
            counted[some] = first_inlinks(targets[some], self._ends[sources[some]])
        return counted

    def _add(self, source_ids: list[bytes], lists: list[bytes]) -> None:
        numbers, known = self._numbers(source_ids)
        known &= ~self._has_links[numbers]
        is_first = np.zeros(len(numbers), np.bool_)
        is_first[np.unique(numbers, return_index=True)[1]] = True
        known &= is_first
        self._has_links[numbers[known]] = True
        lengths = [len(ids) // ID_SIZE for ids in lists]
        sources, use = np.repeat(numbers, lengths), np.repeat(known, lengths)
        targets, known = self._numbers(lists)
        self.links_read += int(use.sum())
        use &= known
        if self._rules.ignore_internal_host:
            use &= self._hosts[sources] != self._hosts[targets]
        if self._rules.ignore_internal_domain:
            use &= self._domains[sources] != self._domains[targets]
        sources, targets = sources[use], targets[use]
        if self._ends is not None:
            use = first_inlinks(sources, self._ends[targets])  # the other way round: one link from a page to a domain
            sources, targets = sources[use], targets[use]
        self._sources.frombytes(sources.astype(np.int32).tobytes())
        self._targets.frombytes(targets.astype(np.int32).tobytes())

    def _numbers(self, ids: list[bytes]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return the number of the page of each id, and whether there is one: if not, the number means nothing."""
        wanted = np.frombuffer(b"".join(ids), _ID)
        numbers = np.minimum(np.searchsorted(self._ids, wanted), len(self) - 1)
        return numbers, self._ids[numbers] == wanted
