"""Which of several pages with one content is kept, and which are its duplicates (Nutch: DeduplicationJob)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from nutchlike.crawldatum import CrawlDatum, DbStatus
from nutchlike.java_numbers import float32
from nutchlike.urls.identity import host_key
from nutchlike.urls.java_url import url_decoded
from nutchlike.urls.registered_domain import registered_domain
from nutchlike.urls.url_parts import utf16_units

GROUP_MODES = ("none", "host", "domain")
COMPARED_STATUSES = frozenset({DbStatus.DB_FETCHED, DbStatus.DB_NOTMODIFIED})
_NEEDED = ("score", "fetchTime", "urlLength")
Name = TypeVar("Name", bound=Hashable)


def compare_order(text: str, *, strict: bool = False) -> list[str]:
    """Return the names in a list with commas such as ``score,fetchTime,urlLength``; blanks around them do not count.

    With ``strict`` as in Nutch: what is no name, one with blanks around it too, is passed over later. Raises ValueError
    for a list that lacks one of the three, or else has a name that nothing is compared by.
    """
    names = text.split(",") if strict else [name.strip() for name in text.split(",")]
    if any(needed not in text for needed in _NEEDED):
        raise ValueError(f"must contain {', '.join(_NEEDED)}, got {text!r}")
    if not strict and (unknown := [name for name in names if name not in _COMPARE]):
        raise ValueError(f"must be made of {', '.join(_COMPARE)}, got {unknown[0]!r} in {text!r}")
    return names


def content_group(content: bytes, url: str, mode: str) -> bytes:
    """Return what pages must share to be compared: the content alone, or its host or domain too."""
    if mode == "none":
        return content
    try:
        host = host_key(url)
    except ValueError:  # file:, data:
        host = ""
    return content + (registered_domain(host) if mode == "domain" else host).encode()


def grouped_key(key: bytes, url: str, mode: str) -> bytes:
    """Return the dedup key, as long as ``key``, that a page claims where copies are compared within groups."""
    if mode == "none":
        return key
    return hashlib.md5(content_group(key, url, mode), usedforsecurity=False).digest()[: len(key)]


class Keeper:
    """Decides between two copies by ``names`` in their order; the first that tells them apart does.

    ``score``: the higher one is kept, as float32; ``fetchTime``: the later one; ``urlLength``: the shorter URL, in
    UTF-16 units without its percent-encoding; ``httpsOverHttp``: https. Names that are none of these are passed over.
    When all are equal the URL that comes first by code points is kept, or neither, with ``ties`` False.

    ``strict`` is Nutch, where the result depends on the order of the pages: when all are equal neither is a duplicate,
    and https is preferred only where nothing else in the two URLs differs.
    """

    def __init__(self, names: Iterable[str], *, strict: bool = False, ties: bool = True) -> None:
        table = _COMPARE | {"httpsOverHttp": _by_scheme_of_one_url} if strict else _COMPARE
        self._compare = [table[name] for name in names if name in table] + [_by_text] * (ties and not strict)

    def better(self, page: CrawlDatum, other: CrawlDatum) -> int:
        """Return a positive number when ``page`` is to be kept, a negative one for ``other``, 0 for both."""
        return next((decision for compare in self._compare if (decision := compare(page, other))), 0)


@dataclass(slots=True)
class Copies(Generic[Name]):
    """Pages with one content, met one after the other: the one that is kept so far, and the names of its duplicates.

    A page that is as good as the kept one is neither, and is compared with no other.
    """

    name: Name
    kept: CrawlDatum
    duplicates: list[Name] = field(default_factory=list)

    def add(self, name: Name, page: CrawlDatum, keeper: Keeper) -> None:
        """Compare one more page with the one that is kept."""
        decision = keeper.better(self.kept, page)
        if decision > 0:
            self.duplicates.append(name)
        elif decision < 0:
            self.duplicates.append(self.name)
            self.name, self.kept = name, page


def _sign(page: float, other: float) -> int:
    return (page > other) - (page < other)  # NaN is equal to all


def _by_score(page: CrawlDatum, other: CrawlDatum) -> int:
    return _sign(float32(page.score), float32(other.score))


def _by_fetch_time(page: CrawlDatum, other: CrawlDatum) -> int:
    return _sign(page.fetch_time, other.fetch_time)


def _by_scheme(page: CrawlDatum, other: CrawlDatum) -> int:
    return page.url.startswith("https://") - other.url.startswith("https://")


def _by_scheme_of_one_url(page: CrawlDatum, other: CrawlDatum) -> int:
    return _is_https_of(page.url, other.url) - _is_https_of(other.url, page.url)


def _is_https_of(url: str, other: str) -> bool:
    return url.startswith("https://") and other.startswith("http://") and url[8:] == other[7:]


def _by_url_length(page: CrawlDatum, other: CrawlDatum) -> int:
    return _sign(_url_length(other.url), _url_length(page.url))


def _url_length(url: str) -> int:
    with suppress(ValueError):  # a bare %: the URL counts as it is
        url = url_decoded(url)
    return len(utf16_units(url))


def _by_text(page: CrawlDatum, other: CrawlDatum) -> int:
    return (page.url < other.url) - (page.url > other.url)


_COMPARE: dict[str, Callable[[CrawlDatum, CrawlDatum], int]] = {
    "score": _by_score,
    "fetchTime": _by_fetch_time,
    "httpsOverHttp": _by_scheme,
    "urlLength": _by_url_length,
}
COMPARED_BY = tuple(_COMPARE)
