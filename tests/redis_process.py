"""A Redis server of one's own, which may be killed and started again."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import redis

from nutchlike.store.server_binary import binary_for


class Server:
    """A redis-server with an append-only file, on a unix socket."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.socket = folder / "redis.sock"
        self.url = f"unix://{self.socket}"
        self.start()

    def start(self) -> None:
        program = str(binary_for(self.folder).path)
        options = ["--port", "0", "--unixsocket", str(self.socket), "--dir", str(self.folder), "--appendonly", "yes"]
        self.process = subprocess.Popen([program, *options, "--save", ""], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        while True:
            try:
                self.client().ping()
            except redis.ConnectionError:
                assert time.monotonic() < deadline
                time.sleep(0.02)
            else:
                return

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def client(self) -> redis.Redis:
        return redis.Redis(unix_socket_path=str(self.socket))
