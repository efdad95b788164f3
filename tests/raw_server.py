"""Servers on loopback that send exactly the bytes they are told to, broken ones too, and note what they were sent."""

from __future__ import annotations

import socket
import ssl
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Lock, Thread

HEAD_END = b"\r\n\r\n"


@dataclass(frozen=True)
class Script:
    """What is sent, and what becomes of the connection then: it is kept, closed, reset, or held without a word."""

    sent: bytes
    then: str = "close"  # or keep, reset, hold


class RawServer:
    """Answers every request with ``script``. ``requests`` are the bytes of each request.

    ``tls`` makes it one for https. A CONNECT is granted (unless ``refuses`` is what it is answered) and from then on
    bytes are passed on to where it wants to go, as a proxy does.
    """

    def __init__(self, script: Script, *, tls: ssl.SSLContext | None = None, refuses: bytes = b"") -> None:
        self.script = script
        self.requests: list[bytes] = []
        self.peers: list[str] = []  # addresses of the clients, one a connection
        self._tls = tls
        self._refuses = refuses
        self._open: list[socket.socket] = []
        self._lock = Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.url = f"{'https' if tls else 'http'}://{self.address}"
        Thread(target=self._accept, daemon=True).start()

    @property
    def connections(self) -> int:
        return len(self.peers)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            for connection in self._open:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
                connection.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, peer = self._listener.accept()
                with self._lock:
                    self.peers.append(peer[0])
                Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError, ConnectionError):
            if self._tls is not None:
                connection = self._tls.wrap_socket(connection, server_side=True)
            with self._lock:
                self._open.append(connection)
            while request := _request(connection):
                with self._lock:
                    self.requests.append(request)
                if request.startswith(b"CONNECT "):
                    self._tunnel(connection, request)
                    return
                connection.sendall(self.script.sent)
                if self.script.then == "hold":
                    return
                if self.script.then != "keep":
                    break
            if self.script.then == "reset":
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            elif self.script.then == "close":
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()

    def _tunnel(self, connection: socket.socket, request: bytes) -> None:
        if self._refuses:
            connection.sendall(self._refuses)
            connection.close()
            return
        host, port = request.split()[1].decode().rsplit(":", 1)
        with socket.create_connection((host, int(port))) as target:
            connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            back = Thread(target=_pass_on, args=(target, connection), daemon=True)
            back.start()
            _pass_on(connection, target)
            back.join()


@contextmanager
def raw_server(
    sent: bytes, *, then: str = "close", tls: ssl.SSLContext | None = None, refuses: bytes = b""
) -> Iterator[RawServer]:
    """Run such a server for the length of a test."""
    server = RawServer(Script(sent, then), tls=tls, refuses=refuses)
    try:
        yield server
    finally:
        server.close()


def _request(connection: socket.socket) -> bytes:
    data = b""
    while HEAD_END not in data:
        received = connection.recv(65536)
        if not received:
            return b""
        data += received
    head, _, body = data.partition(HEAD_END)
    lengths = [line[15:] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    missing = int(lengths[0]) - len(body) if lengths else 0
    while missing > 0:
        received = connection.recv(missing)
        if not received:
            break
        data += received
        missing -= len(received)
    return data


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
