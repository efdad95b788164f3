"""SoloTask: work that awaits the store, never twice at a time."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from typing import Any

from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred

logger = logging.getLogger(__name__)


class SoloTask:
    """Runs ``work`` in the background when it is told to, unless it runs already."""

    def __init__(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._work = work
        self._waiting: list[Deferred[None]] = []
        self.is_running = False

    def start(self) -> None:
        """Begin; nothing happens while it runs."""
        if not self.is_running:
            self.is_running = True
            deferred_from_coro(self._run())

    async def finished(self) -> None:
        """Return when it does not run any more."""
        while self.is_running:
            done: Deferred[None] = Deferred()
            self._waiting.append(done)
            await maybe_deferred_to_future(done)

    async def _run(self) -> None:
        try:
            await self._work()
        except Exception:
            logger.exception("Unexpected error in the background")
        finally:
            self.is_running = False
            waiting, self._waiting = self._waiting, []
            for done in waiting:
                if not done.called:
                    done.callback(None)
