"""StoredURL: one URL on its way into the store, with what the scripts need to know of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from nutchlike.urls.identity import host_key, split_url, url_id


@dataclass(frozen=True)
class StoredURL:
    """A normalized URL and, for a request that is more than a plain GET, the request.

    ``id`` is 8 bytes: ``url_id(url)`` for what is identified by its URL. ``request`` is the encoded request, empty
    for a plain GET; ``priority`` moves it in its host's queue; ``once`` means that the record is forgotten when the
    request was done (a request that asked not to be filtered). ``metadata`` is a JSON object or empty.
    """

    url: str
    id: bytes
    metadata: bytes = b""
    request: bytes = b""
    priority: int = 0
    once: bool = False

    @classmethod
    def plain(cls, url: str, *, metadata: bytes = b"") -> StoredURL:
        """Return what stands for a plain GET of a normalized URL."""
        return cls(url=url, id=url_id(url), metadata=metadata)

    @cached_property
    def host(self) -> str:
        """The host of the URL (``host_key``); ValueError for what has none."""
        return host_key(self.url)

    @cached_property
    def _site_and_path(self) -> tuple[str, str]:
        return split_url(self.url)

    def place(self, queue_of: Callable[[str], str] = str) -> list[bytes | str]:
        """Return id, site, path and queue, as scripts expect them; ``queue_of`` names the queue of a host.

        Raises ValueError for what has no host.
        """
        return [self.id, *self._site_and_path, queue_of(self.host)]

    def injected(
        self,
        queue_of: Callable[[str], str],
        *,
        cash: float,
        fetch_interval: int,
        score_given: bool = False,
        interval_given: bool = False,
        origin: str = "",
        changed_at: int = 0,
    ) -> list[bytes | str | int]:
        """Return the arguments of inject.lua for this URL, which no page links to; for their meaning see Seed."""
        given = [int(score_given), int(interval_given)]
        return [*self.place(queue_of), repr(cash), fetch_interval, *given, *self.extras(), origin, changed_at]

    def extras(self) -> list[bytes | str | int]:
        """Return metadata, priority, request and once, as scripts expect them."""
        return [self.metadata, self.priority, self.request, "1" if self.once else "0"]
