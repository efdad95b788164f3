"""Worker names: which process holds a lease, and whether it is known to be dead."""

from __future__ import annotations

import os
import socket
from pathlib import Path


def worker_name() -> str:
    """Return this process's name: machine, process id and start time, so that a reused id is another worker."""
    pid = os.getpid()
    return f"{_machine()}/{pid}/{_started(pid)}"


def is_dead_here(worker: str) -> bool:
    """Return whether ``worker`` ran on this machine and is gone; ``False`` also means "cannot be judged from here"."""
    machine, _, rest = worker.rpartition("/")[0].rpartition("/")
    started = worker.rpartition("/")[2]
    if machine != _machine() or not rest.isdigit():
        return False
    return _started(int(rest)) != started


def _machine() -> str:
    """Name the space in which a process id means something: host, and on Linux its boot and pid namespace."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        namespace = os.readlink("/proc/self/ns/pid")
    except OSError:
        return socket.gethostname()
    return f"{socket.gethostname()}/{boot}/{namespace}"


def _started(pid: int) -> str:
    """Return a process's start time (clock ticks), ``alive`` where the system does not tell, ``""`` when it is gone."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        status = ""
    if status:
        fields = status.rpartition(")")[2].split()
        return "" if fields[0] == "Z" else fields[19]
    if Path("/proc/self/stat").exists():
        return ""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return ""
    except PermissionError:
        return "alive"
    return "alive"
