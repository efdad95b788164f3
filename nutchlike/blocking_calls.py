"""Runs blocking calls beside the reactor: while the store is asked, or a seed list read, the crawl goes on."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from typing import Any, Generic, TypeVar

import redis
from scrapy.utils.asyncio import call_later, is_asyncio_available
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

logger = logging.getLogger(__name__)
HANGING_SECONDS = 5.0  # a crawl that was told to end waits so long for one call
WATCH_SECONDS = 1.0  # how often it is looked whether one hangs
T = TypeVar("T")


@dataclass(slots=True, eq=False)
class _Call(Generic[T]):
    """A call, who waits for its result, and since when it runs (monotonic seconds; 0.0 = not yet)."""

    work: Callable[[], T]
    answer: Deferred[T]
    in_reactor: Callable[..., Any]
    begun: float = 0.0


class BlockingCalls:
    """One thread that runs calls, first in, first out.

    The thread is a daemon: a call that hangs keeps no process alive. ``is_ending`` says whether the crawl was told to
    end; then a call that hangs is given up, and so are those that wait behind it.
    """

    def __init__(self, *, is_ending: Callable[[], bool]) -> None:
        self.is_ending = is_ending
        self._queue: SimpleQueue[_Call[Any] | None] = SimpleQueue()
        self._waiting: deque[_Call[Any]] = deque()
        self._given_up: _Call[Any] | None = None  # it keeps the thread busy, and nobody waits for it
        self._thread: Thread | None = None
        self._is_closed = False
        self._is_watched = False

    async def run(self, work: Callable[[], T]) -> T:
        """Return ``work()``, run when all calls are done that came before, or raise what it raises.

        Raises redis.TimeoutError when a call was given up, redis.ConnectionError after ``close``.
        """
        if self._is_closed:
            raise redis.ConnectionError("the crawl has left the store")
        if self._given_up is not None:
            raise _hangs()
        if self._thread is None:
            self._thread = Thread(target=self._work, daemon=True, name="blocking calls")
            self._thread.start()
        call = _Call(work, Deferred(), _calls_in_reactor())
        self._waiting.append(call)
        self._queue.put(call)
        self._watch_soon()
        return await maybe_deferred_to_future(call.answer)

    def close(self, *, patience: float = 0.0) -> bool:
        """Take no more calls; return whether all that came are over, after ``patience`` seconds at most."""
        if not self._is_closed:
            self._is_closed = True
            self._queue.put(None)
        if self._thread is not None and patience:
            self._thread.join(patience)
        return self._thread is None or not self._thread.is_alive()

    def _work(self) -> None:
        while (call := self._queue.get()) is not None:
            if call.answer.called:  # given up, or whoever waited was cancelled
                result, error = None, None
            else:
                result, error = _outcome(call)
            with suppress(RuntimeError):  # the loop is closed: the process ends
                call.in_reactor(self._settle, call, result, error)

    def _settle(self, call: _Call[T], result: T, error: Exception | None) -> None:
        if self._given_up is call:
            self._given_up = None
        if call in self._waiting:
            self._waiting.remove(call)
        if call.answer.called:
            return
        if error is not None:
            call.answer.errback(error)
        else:
            call.answer.callback(result)

    def _watch_soon(self) -> None:
        if not self._is_watched:
            self._is_watched = True
            call_later(WATCH_SECONDS, self._watch)

    def _watch(self) -> None:
        self._is_watched = False
        if not self._waiting:
            return
        first = self._waiting[0]
        if first.begun and time.monotonic() - first.begun > HANGING_SECONDS and self.is_ending():
            self._give_up(first)
        else:
            self._watch_soon()

    def _give_up(self, hanging: _Call[Any]) -> None:
        logger.error("The crawl ends and does not wait any longer: a call of the store hangs")
        self._given_up = hanging
        calls = list(self._waiting)
        self._waiting.clear()
        for call in calls:
            if not call.answer.called:
                call.answer.errback(_hangs())


def _outcome(call: _Call[T]) -> tuple[T | None, Exception | None]:
    call.begun = time.monotonic()
    try:
        return call.work(), None
    except Exception as error:  # noqa: BLE001  # whoever awaits gets it
        return None, error


def _hangs() -> redis.TimeoutError:
    return redis.TimeoutError(f"a call has not been answered for {HANGING_SECONDS:g} s, and the crawl ends")


def _calls_in_reactor() -> Callable[..., Any]:
    """Return what another thread calls to have a function called in the reactor's."""
    if is_asyncio_available():
        return asyncio.get_event_loop().call_soon_threadsafe
    from twisted.internet import reactor  # importing it installs one

    call_from_thread: Callable[..., Any] = reactor.callFromThread
    return call_from_thread
