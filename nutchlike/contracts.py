"""The small interfaces that plug-ins and the ground floor agree on."""

from __future__ import annotations

from typing import Any, Protocol


class SettingsReader(Protocol):
    """What a plug-in may ask of the settings; Scrapy's ``Settings`` satisfies it."""

    def get(self, name: Any, default: Any = None) -> Any: ...

    def getbool(self, name: Any, default: bool = False) -> bool: ...

    def getint(self, name: Any, default: int = 0) -> int: ...

    def getfloat(self, name: Any, default: float = 0.0) -> float: ...

    def getlist(self, name: Any, default: list[Any] | None = None) -> list[Any]: ...


class URLNormalizer(Protocol):
    """Rewrites the many spellings of a URL to one."""

    def normalize(self, url: str) -> str:
        """Return the one spelling of ``url``; ValueError when it is no URL."""
        ...


class URLFilter(Protocol):
    """Decides whether a URL belongs to the crawl."""

    def filter(self, url: str) -> str | None:
        """Return ``url`` when it may be crawled, else ``None``."""
        ...
