"""Processes that share a server, and questions about processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from nutchlike.store.embedded import EmbeddedServer

ROOT = Path(__file__).resolve().parents[1]

_ATTACH_AND_WAIT = """
import signal, sys
from pathlib import Path
from nutchlike.store.embedded import EmbeddedServer
signal.signal(signal.SIGINT, signal.default_int_handler)  # a test run in the background inherits that it is ignored
server = EmbeddedServer.attach(Path(sys.argv[1]))
print(server.client().info()["run_id"], flush=True)
{then}
sys.stdout.flush()
sys.stdin.readline()
server.detach()
"""


class User:
    """Another process that uses the store; it stays until it is told to leave, or killed.

    ``run_id`` is that of its server; ``then`` is code that it runs once it is attached.
    """

    def __init__(self, folder: Path, *, then: str = "") -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _ATTACH_AND_WAIT.format(then=then), folder],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.run_id = self.read_line()

    def read_line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def leave(self) -> None:
        self.process.communicate("\n", timeout=30)

    def send(self, number: int) -> None:
        """Send a signal to its process group, as the terminal does, and wait for its end."""
        os.killpg(self.process.pid, number)
        self.process.communicate(timeout=30)


def eventually(is_true: Callable[[], bool], seconds: float = 10.0) -> bool:
    deadline = time.monotonic() + seconds
    while not (answer := is_true()) and time.monotonic() < deadline:
        os.sched_yield()
    return answer


def exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def pid_of(server: EmbeddedServer) -> int:
    return int(server.client().info()["process_id"])


def run_id_of(server: EmbeddedServer) -> str:
    return str(server.client().info()["run_id"])


def kill_server(server: EmbeddedServer) -> None:
    pid = pid_of(server)
    os.kill(pid, signal.SIGKILL)
    assert eventually(lambda: not exists(pid))
