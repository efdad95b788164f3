"""Outbox: brings what one partition owes to others, so that a kill between two calls neither loses nor doubles it.

A message is written by the script that took the cash away, and stays until the other partition has taken it. They are
numbered: brought twice, one counts once.
"""

from __future__ import annotations

import logging
import struct
from typing import Any

from nutchlike.store.keys import CrawlKeys
from nutchlike.store.scripts import Call, Scripts, checked

logger = logging.getLogger(__name__)
MESSAGES = 100  # brought from one partition to another with one call, and
MESSAGE_BYTES = 60_000  # all together, or one: some 1,000 links, 30 ms
EVERYTHING = 2**31
DIVIDE_SECONDS = 1.0  # between two divisions of the virtual page's cash, with few partitions


class Outbox:
    """The messages between the partitions of a crawl; with one partition there are none."""

    def __init__(self, keys: CrawlKeys, scripts: Scripts) -> None:
        self._keys = keys
        self._scripts = scripts
        self._partitions = range(len(keys))

    def deliver(self, *, now: float) -> int:
        """Bring all messages to where they belong; return how many URLs became known by them."""
        discovered = 0
        while len(self._keys) > 1 and (waiting := self._waiting()):
            calls: list[Call] = [
                (to, "receive", [repr(now), source, first, len(self._keys), *messages])
                for source, to, first, messages in waiting
            ]
            replies, unconfirmed = self._scripts.run_all_replicated(calls)
            arrived: list[Call] = []
            for (source, to, _, _), (taken, new, lost) in zip(waiting, checked(replies), strict=True):
                discovered += int(new)
                if lost:
                    logger.error("Partition %d lost %d messages of partition %d in a failover", to, lost, source)
                if to not in unconfirmed:
                    arrived.append((source, "delivered", [to, int(taken)]))
            checked(self._scripts.run_all(arrived))
            if not arrived:
                break
        return discovered

    def divide(self, *, now: float) -> None:
        """Divide the virtual page's cash among all pages, where it is time for that, and bring it there."""
        if len(self._keys) == 1:
            return
        known = [int(float(value or 0)) for value in self._totals("known")]
        every = DIVIDE_SECONDS * max(1.0, len(self._keys) ** 2 / 256)
        calls: list[Call] = [(p, "share_out", [repr(now), repr(every), p, *known]) for p in self._partitions]
        if any(checked(self._scripts.run_all(calls))):
            self.deliver(now=now)

    def cash(self) -> float:
        """Return the cash that is on its way: in messages that were not taken yet, and in the pools."""
        on_its_way = sum(float(value or 0) for value in self._totals("pool"))
        waiting = self._waiting(most=EVERYTHING, size=EVERYTHING) if len(self._keys) > 1 else ()
        for source, to, first, messages in waiting:
            name = self._keys.partitions[to].name("inbox")
            taken = int(self._scripts.ask([(to, ("HGET", name, source))])[0] or 0)
            on_its_way += sum(struct.unpack_from(">d", message)[0] for message in messages[max(taken - first, 0) :])
        return on_its_way

    def _waiting(self, *, most: int = MESSAGES, size: int = MESSAGE_BYTES) -> list[tuple[int, int, int, list[bytes]]]:
        """Return (from, to, number of the first message, messages) for each pair of partitions with messages.

        What a failover could still take back is left where it is: it must not arrive before it is sure to have left.
        """
        calls: list[Call] = [(p, "outbox", [len(self._keys), most, size]) for p in self._partitions]
        replies, unconfirmed = self._scripts.run_all_replicated(calls)
        return [
            (source, int(to), int(first), messages)
            for source, rows in enumerate(checked(replies))
            if source not in unconfirmed
            for to, first, messages in rows
        ]

    def _totals(self, name: str) -> list[Any]:
        names = [keys.name("totals") for keys in self._keys.partitions]
        return self._scripts.ask([(number, ("HGET", key, name)) for number, key in enumerate(names)])
