"""URLChain: every normalizer, then every filter, and one verdict with its reason."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol, runtime_checkable

from nutchlike.contracts import URLFilter, URLNormalizer

CACHED_VERDICTS = 50_000  # raw URLs whose verdict an instance remembers
MOST_PASSES = 4  # of the normalizers over one URL; ours are done after two, three at the most


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the chain says about one raw URL.

    ``url`` is the normalized form of an accepted URL, and ``None`` for a rejected one. ``reason`` is empty for
    an accepted URL, else it names the plug-in and what it objected to, e.g.
    ``BasicURLNormalizer: bad port '99999'``. ``rule`` is what of it does not depend on the URL, for counters: the
    plug-in, and the rule's place where a rule decided.
    """

    url: str | None
    reason: str = ""
    rule: str = field(default="", compare=False)


@runtime_checkable
class ExplainingFilter(Protocol):
    """A URL filter that can name the rule behind its decision; the chain asks it in place of ``filter``."""

    def explain(self, url: str) -> tuple[bool, str]:
        """Return whether ``url`` is accepted, and the rule that decided, e.g. ``rules.txt:12``."""
        ...


class URLChain:
    """Normalizes and filters URLs, each part in the order given.

    ``max_length`` is in characters, -1 means no limit. It holds before any rule sees a URL, and again before
    the filters, for escapes make a URL longer. A normalizer's ValueError rejects the URL.

    The normalizers run again until a pass changes nothing, ``passes`` times at most: what one takes away may be
    work for the one before, as in ``/.;sid=1/``, and a normalized URL must not change when it is met again. Nutch
    makes one pass (urlnormalizer.loop.count).

    Raises ValueError for a ``max_length`` that allows nothing, and for no pass at all.
    """

    def __init__(
        self,
        normalizers: Sequence[URLNormalizer],
        filters: Sequence[URLFilter],
        *,
        max_length: int,
        passes: int = MOST_PASSES,
    ) -> None:
        if max_length < 1 and max_length != -1:
            raise ValueError(f"max_length must be at least 1 character, or -1 for no limit, got {max_length}")
        if passes < 1:
            raise ValueError(f"passes must be at least 1, got {passes}")
        self._normalizers = tuple(normalizers)
        self._filters = tuple((url_filter, _explaining(url_filter)) for url_filter in filters)
        self._max_length = sys.maxsize if max_length == -1 else max_length
        self._passes = passes
        self._cached_verdict = lru_cache(maxsize=CACHED_VERDICTS)(self._verdict)

    def judge(self, url: str) -> Verdict:
        """Return the verdict on a raw ``url``; the same one whether it was asked before or not."""
        if len(url) > self._max_length:  # here, so that the cache holds no giant either
            return self._too_long(url)
        return self._cached_verdict(url)

    def normalized(self, url: str) -> str | None:
        """Return the normalized form of ``url``, whatever the filters say; ``None`` when it is no URL."""
        try:
            return self._normalized(url)
        except ValueError:
            return None

    def _normalized(self, url: str) -> str:
        """Return the normalized ``url``; ValueError that names the normalizer which refused it."""
        for _ in range(self._passes):
            before = url
            for normalizer in self._normalizers:
                try:
                    url = normalizer.normalize(url)
                except ValueError as error:
                    raise ValueError(f"{type(normalizer).__name__}: {error}") from None
            if url == before:
                break
        return url

    def _verdict(self, url: str) -> Verdict:
        try:
            url = self._normalized(url)
        except ValueError as error:
            return Verdict(None, str(error), rule=str(error).partition(":")[0])
        if len(url) > self._max_length:
            return self._too_long(url)
        for url_filter, explaining in self._filters:
            if explaining is not None:  # once, for a search may be long
                accepted, reason = explaining.explain(url)
                if not accepted:
                    reason = f"{type(url_filter).__name__}: {reason}"
                    return Verdict(None, reason, rule=reason)
            else:
                passed = url_filter.filter(url)
                if passed is None:
                    return Verdict(None, type(url_filter).__name__, rule=type(url_filter).__name__)
                url = passed
        return Verdict(url)

    def _too_long(self, url: str) -> Verdict:
        return Verdict(None, f"too long: {len(url)} > {self._max_length} characters", rule="too long")


def _explaining(url_filter: URLFilter) -> ExplainingFilter | None:
    """Return ``url_filter`` when its ``explain`` speaks for its ``filter``: not where a subclass changed that alone."""
    for owner in type(url_filter).__mro__:
        if "explain" in vars(owner):
            return url_filter if isinstance(url_filter, ExplainingFilter) else None
        if "filter" in vars(owner):
            return None
    return None
