"""URLChain: every normalizer, then every filter, and one verdict with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, runtime_checkable

from nutchlike.contracts import URLFilter, URLNormalizer

CACHED_VERDICTS = 50_000  # raw URLs whose verdict an instance remembers


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the chain says about one raw URL.

    ``url`` is the normalized form of an accepted URL, and ``None`` for a rejected one. ``reason`` is empty for
    an accepted URL, else it names the plug-in and what it objected to, e.g.
    ``BasicURLNormalizer: bad port '99999'``.
    """

    url: str | None
    reason: str = ""


@runtime_checkable
class ExplainingFilter(Protocol):
    """A URL filter that can name the rule behind its decision."""

    def explain(self, url: str) -> tuple[bool, str]:
        """Return whether ``url`` is accepted, and the rule that decided, e.g. ``rules.txt:12``."""
        ...


class URLChain:
    """Normalizes and filters URLs, each part in the order given.

    ``max_length`` is in characters, -1 means no limit. It holds before any rule sees a URL, and again before
    the filters, for escapes make a URL longer. A normalizer's ValueError rejects the URL.

    Raises ValueError for a ``max_length`` that allows nothing.
    """

    def __init__(self, normalizers: Sequence[URLNormalizer], filters: Sequence[URLFilter], *, max_length: int) -> None:
        if max_length < 1 and max_length != -1:
            raise ValueError(f"max_length must be at least 1 character, or -1 for no limit, got {max_length}")
        self._normalizers = tuple(normalizers)
        self._filters = tuple(filters)
        self._max_length = max_length
        self._cached_verdict = lru_cache(maxsize=CACHED_VERDICTS)(self._verdict)

    def judge(self, url: str) -> Verdict:
        """Return the verdict on a raw ``url``; the same one whether it was asked before or not."""
        if self._is_too_long(url):  # here, so that the cache holds no giant either
            return self._too_long(url)
        return self._cached_verdict(url)

    def normalized(self, url: str) -> str | None:
        """Return the normalized form of ``url``, whatever the filters say; ``None`` when it is no URL."""
        try:
            for normalizer in self._normalizers:
                url = normalizer.normalize(url)
        except ValueError:
            return None
        return url

    def _verdict(self, url: str) -> Verdict:
        for normalizer in self._normalizers:
            try:
                url = normalizer.normalize(url)
            except ValueError as error:
                return Verdict(None, f"{type(normalizer).__name__}: {error}")
        if self._is_too_long(url):
            return self._too_long(url)
        for url_filter in self._filters:
            passed = url_filter.filter(url)
            if passed is None:
                return Verdict(None, _reason(url_filter, url))
            url = passed
        return Verdict(url)

    def _is_too_long(self, url: str) -> bool:
        return self._max_length != -1 and len(url) > self._max_length

    def _too_long(self, url: str) -> Verdict:
        return Verdict(None, f"too long: {len(url)} > {self._max_length} characters")


def _reason(url_filter: URLFilter, url: str) -> str:
    name = type(url_filter).__name__
    return f"{name}: {url_filter.explain(url)[1]}" if isinstance(url_filter, ExplainingFilter) else name
