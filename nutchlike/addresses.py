"""Addresses: where hosts are, as Scrapy's resolver says, for queues that are made by address."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from typing import Any

from scrapy.utils.datatypes import LocalCache
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IResolutionReceiver
from zope.interface import implementer

MOST = 100_000  # hosts that are remembered; the oldest goes first


class Addresses:
    """Remembers one address a host. Of several the least one counts, for servers give them in changing order."""

    def __init__(self) -> None:
        self._known: LocalCache[str, str | None] = LocalCache(MOST)

    def of(self, host: str) -> str | None:
        """Return the address of ``host``, ``None`` when nobody asked for it or there was no answer."""
        return self._known.get(host)

    async def learn(self, hosts: Iterable[str]) -> None:
        """Ask for the hosts that were not asked for before, all at the same time."""
        asked = {host: _ask(host) for host in self._new(hosts)}
        for host, answer in asked.items():
            found: list[str] = await maybe_deferred_to_future(answer)
            self._known[host] = min(found, default=None)

    def learn_now(self, hosts: Iterable[str]) -> None:
        """Ask for them one after the other, where no reactor runs."""
        for host in self._new(hosts):
            self._known[host] = _resolve_now(host)

    def _new(self, hosts: Iterable[str]) -> list[str]:
        return [host for host in dict.fromkeys(hosts) if host and host not in self._known]


def _resolve_now(host: str) -> str | None:
    try:
        found = socket.getaddrinfo(host, None, socket.AF_INET, socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return None
    return min((str(address[0]) for *_, address in found), default=None)


def _ask(host: str) -> Deferred[list[str]]:
    """Return the addresses of ``host``, none when there is no answer."""
    # at import time there may be no reactor yet, and importing it would install the wrong one
    from twisted.internet import reactor

    receiver = _Receiver()
    try:
        reactor.nameResolver.resolveHostName(receiver, host)
    except UnicodeError:  # no name that DNS can be asked for
        return succeed([])
    return receiver.answer


@implementer(IResolutionReceiver)
class _Receiver:
    def __init__(self) -> None:
        self.answer: Deferred[list[str]] = Deferred()
        self._found: list[str] = []

    def resolutionBegan(self, resolution: Any) -> None:  # noqa: N802  # Twisted's name
        """Nothing to do before the first answer."""

    def addressResolved(self, address: Any) -> None:  # noqa: N802  # Twisted's name
        self._found.append(address.host)

    def resolutionComplete(self) -> None:  # noqa: N802  # Twisted's name
        self.answer.callback(self._found)
