"""Which URLs share one queue, one clock and one limit (Nutch: fetcher.queue.mode)."""

from __future__ import annotations

from collections.abc import Callable

from nutchlike.urls.registered_domain import registered_domain

BY_HOST = "byHost"
BY_DOMAIN = "byDomain"
BY_IP = "byIP"
MODES = (BY_HOST, BY_DOMAIN, BY_IP)


class QueueKeys:
    """Names the queue of a host (``host_key``): the host, its registered domain, or its address.

    ``address_of`` gives the address of a host name where it is known, else ``None``: then the name stands for it. Only
    byIP asks for it.

    Raises ValueError for a mode that is not one of MODES.
    """

    def __init__(self, mode: str, address_of: Callable[[str], str | None]) -> None:
        if mode not in MODES:
            raise ValueError(f"NUTCH_FETCHER_QUEUE_MODE must be one of {', '.join(MODES)}, got {mode!r}")
        self.mode = mode
        self._address_of = address_of

    def of(self, host: str) -> str:
        """Return the name of the queue."""
        if self.mode == BY_DOMAIN:
            return registered_domain(host)
        if self.mode == BY_IP:
            return self._address_of(host) or host
        return host
