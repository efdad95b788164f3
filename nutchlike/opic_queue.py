"""OpicQueue: SCHEDULER_QUEUE_CLASS of plain scrapy-redis, ordered by OPIC score."""

from __future__ import annotations

import json
import logging
import sys

import redis
from scrapy import Request, Spider
from scrapy_redis.queue import Base

from nutchlike.request_codec import decode_request, encode_request
from nutchlike.request_meta import make_link_text_plain
from nutchlike.seeds import SCORE_KEY
from nutchlike.store.connection import check_client
from nutchlike.store.scripts import Scripts

logger = logging.getLogger(__name__)

SHOWN = 10  # troubles of a kind that the log names; the rest is counted
_NUMBER_BYTES = 8  # in front of each stored request: push_request.lua


class OpicQueue(Base):  # type: ignore[misc]  # scrapy-redis has no types
    """A queue for scrapy-redis's own scheduler: highest score first, equal scores first in first out.

    The score of a request is ``meta["nutch.score"]`` where that is a finite number, else ``Request.priority``. Requests
    are JSON (``request_codec``), never pickle, and equal ones are kept apart. A stored request that cannot be read
    moves to the sorted set ``<queue key>:dead``, where it keeps its score.

    As with scrapy-redis's own queues, what a worker has popped is gone when it is killed.
    """

    def __init__(self, server: redis.Redis, spider: Spider, key: str, serializer: object = None) -> None:
        """Check the server; ``key`` may hold ``%(spider)s``, ``serializer`` (SCHEDULER_SERIALIZER) has no effect.

        Raises ValueError for a client that decodes replies, StoreUnavailable for a server that cannot be used.
        """
        super().__init__(server, spider, key, serializer=json)  # the default would be pickle; none is used here
        check_client(server)
        if serializer is not None:
            logger.warning("SCHEDULER_SERIALIZER has no effect: OpicQueue stores requests as JSON of its own")
        self.dead_key = f"{self.key}:dead"
        self._pushes_key = f"{self.key}:pushes"
        self._scripts = Scripts(server, [[self.key, self._pushes_key]])
        self._troubles: dict[str, int] = {}

    def __len__(self) -> int:
        return int(self.server.zcard(self.key))

    def push(self, request: Request) -> None:
        """Store a request; one that cannot be stored is refused with an error in the log, and the spider goes on."""
        try:
            data = self._encode_request(request)
        except ValueError as error:
            self._report("refused", f"Refused: {error}")
            return
        self._scripts.run(0, "push_request", repr(-score_of(request)), data)

    def pop(self, timeout: float = 0) -> Request | None:
        """Return the best request, taken out in one atomic step, or ``None``; it never waits for one."""
        while popped := self.server.zpopmin(self.key):
            member, rank = popped[0]
            try:
                return self._decode_request(member)
            except ValueError as error:
                self.server.zadd(self.dead_key, {member: rank})
                self._report("dead_letters", f"Dead letter, kept in {self.dead_key}: {error}")
        return None

    def clear(self) -> None:
        """Forget all requests that wait; dead letters stay for a person to look at."""
        self.server.delete(self.key, self._pushes_key)

    def _encode_request(self, request: Request) -> bytes:
        make_link_text_plain(request)
        return encode_request(request, spider=self.spider)

    def _decode_request(self, encoded_request: bytes) -> Request:
        return decode_request(encoded_request[_NUMBER_BYTES:], spider=self.spider)

    def _report(self, what: str, text: str) -> None:
        """Count a trouble; the log names the first of its kind."""
        crawler = getattr(self.spider, "crawler", None)  # a spider has none before a crawl
        if crawler is not None:
            crawler.stats.inc_value(f"nutch/opic_queue/{what}")
        seen = self._troubles[what] = self._troubles.get(what, 0) + 1
        if seen <= SHOWN:
            logger.error("%s", text, extra={"spider": self.spider})


def score_of(request: Request) -> float:
    """Return the finite number by which ``request`` is ordered."""
    score = request.meta.get(SCORE_KEY)
    most = sys.float_info.max
    if isinstance(score, (int, float)) and not isinstance(score, bool) and abs(score) <= most:
        return float(score)
    return float(max(-most, min(request.priority, most)))
