"""A TCP proxy on loopback that makes a server seem far away."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

CHUNK = 1 << 16  # bytes


class DelayingProxy:
    """Forwards to a server's unix socket; each byte arrives ``delay`` seconds after it was sent, both ways.

    Order is kept, and any number of bytes is under way at a time: it is the distance that costs, not the width.
    """

    def __init__(self, socket: Path, *, delay: float) -> None:
        self.port = 0
        self._socket = socket
        self._delay = delay
        self._loop = asyncio.new_event_loop()
        self._is_listening = Event()
        self._ending = asyncio.Event()
        self._connections: set[asyncio.Task[None]] = set()
        self._thread = Thread(target=lambda: self._loop.run_until_complete(self._serve()), daemon=True)
        self._thread.start()
        self._is_listening.wait()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    def close(self) -> None:
        """Cut all connections and stop listening."""
        self._loop.call_soon_threadsafe(self._ending.set)
        self._thread.join()
        self._loop.close()

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._connect, "127.0.0.1", 0, limit=CHUNK)
        self.port = server.sockets[0].getsockname()[1]
        self._is_listening.set()
        await self._ending.wait()
        server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            far_reader, far_writer = await asyncio.open_unix_connection(str(self._socket), limit=CHUNK)
            try:
                async with asyncio.TaskGroup() as directions:
                    directions.create_task(self._forward(reader, far_writer))
                    directions.create_task(self._forward(far_reader, writer))
            finally:
                far_writer.close()
        except* OSError:
            pass  # one side is gone: the other hears of it by the close
        finally:
            writer.close()
            self._connections.discard(task)

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on what comes, and then that it has ended."""
        under_way: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

        async def deliver() -> None:
            while True:
                due, data = await under_way.get()
                await asyncio.sleep(due - self._loop.time())
                if not data:
                    writer.close()
                    return
                writer.write(data)
                await writer.drain()

        async with asyncio.TaskGroup() as group:
            group.create_task(deliver())
            while True:
                data = await reader.read(CHUNK)
                under_way.put_nowait((self._loop.time() + self._delay, data))
                if not data:
                    break


@contextmanager
def delaying_proxy(socket: Path, *, delay: float) -> Iterator[DelayingProxy]:
    """Run a proxy for the length of a test."""
    proxy = DelayingProxy(socket, delay=delay)
    try:
        yield proxy
    finally:
        proxy.close()
