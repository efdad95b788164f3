"""One redis-server process: where its socket is, its configuration, starting, asking and stopping it.

Who may start or stop it, and when, is decided in ``embedded.py``.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import logging
import os
import signal
import stat
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from nutchlike.store.errors import StoreUnavailable
from nutchlike.store.server_binary import ServerBinary

logger = logging.getLogger(__name__)

LOG_FILE = "redis.log"
LOG_BYTES_MAX = 10_000_000  # a longer log is emptied at the next start
SOCKET_BYTES_MAX = 103  # macOS allows 103 bytes in a socket's path, Linux 107
POLL_SECONDS = 0.01

_CONFIG_FILE = "redis.conf"
_PID_FILE = "redis.pid"
_ANSWER_SECONDS = 5.0  # for one question; a long script can keep the server busy
_STOP_SECONDS = 10.0  # for a clean shutdown, then SIGTERM
_TERMINATE_SECONDS = 5.0  # for SIGTERM
_VANISH_SECONDS = 1.0  # for the process to be collected by its parent

_CONFIG = """\
# Written at each start of the server; changes here are lost.
port 0
unixsocket "{socket}"
unixsocketperm 700
protected-mode yes
daemonize no
logfile {log}
pidfile {pid}
appendonly yes
appendfsync everysec
aof-load-truncated yes
save ""
maxmemory-policy noeviction
hash-max-ziplist-entries 512
hash-max-ziplist-value 512
"""


@dataclass(frozen=True, slots=True)
class ServerState:
    """What a running server says about itself; ``has_folder`` is false when its folder was deleted."""

    pid: int
    is_loading: bool
    has_folder: bool


def socket_path_for(folder: Path) -> Path:
    """Return where the server of ``folder`` listens: below it, or in the temporary folder when that path is too long.

    Raises StoreUnavailable when no place has a path that is short enough.
    """
    name = f"nutchlike-{os.getuid()}-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]}"
    places = [folder / "run", Path(tempfile.gettempdir(), name), Path("/tmp", name)]
    for place in places:
        path = place / "redis.sock"
        if len(os.fsencode(path)) <= SOCKET_BYTES_MAX:
            return path
    raise StoreUnavailable(
        f"no folder for the store's socket has a path of at most {SOCKET_BYTES_MAX} bytes: tried "
        f"{', '.join(map(str, places))}; set TMPDIR to a shorter one"
    )


def check_private(folder: Path) -> None:
    """Return when only this user can enter ``folder``, or when there is none.

    Raises StoreUnavailable when another user owns it or may enter it, or when it is a symbolic link.
    """
    try:
        found = folder.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or stat.S_IMODE(found.st_mode) & 0o077:
        raise StoreUnavailable(
            f"{folder} must be a folder of user {os.getuid()} with mode 0700, for the store's socket; got "
            f"{stat.filemode(found.st_mode)} of user {found.st_uid}: remove it, or correct it with chown and chmod"
        )


def ask(socket_path: Path) -> ServerState | None:
    """Return the state of the server that listens on ``socket_path``; ``None`` when none answers."""
    client = _control_client(socket_path)
    try:
        said = client.info()
        served = cast(dict[str, str], client.config_get("dir"))
    except (redis.RedisError, OSError):
        return None
    finally:
        client.close()
    return ServerState(
        pid=int(said["process_id"]), is_loading=bool(said.get("loading")), has_folder=any(served.values())
    )


def is_served(folder: Path) -> bool:
    """Whether a server process that was started for ``folder`` is alive, reachable or not.

    The server's output goes to a file whose lock it inherits and nobody else holds: the system frees it with the
    server's end, however that came, and a process id that is given again cannot be mistaken for it.
    """
    try:
        log = os.open(folder / LOG_FILE, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(log, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(log)
    return False


def start(binary: ServerBinary, folder: Path, socket_path: Path) -> subprocess.Popen[bytes]:
    """Start ``binary`` on ``folder``; the caller makes sure that no other server runs there.

    It is in a session of its own, so that Ctrl-C does not reach it, and inherits nothing but its log.
    """
    with contextlib.suppress(FileExistsError):
        socket_path.parent.mkdir(mode=0o700)
    check_private(socket_path.parent)
    socket_path.unlink(missing_ok=True)
    (folder / _PID_FILE).unlink(missing_ok=True)  # what a killed server has left names nobody now
    quoted = str(socket_path).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    (folder / _CONFIG_FILE).write_bytes(os.fsencode(_CONFIG.format(socket=quoted, log=LOG_FILE, pid=_PID_FILE)))
    log = os.open(folder / LOG_FILE, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        fcntl.flock(log, fcntl.LOCK_EX)  # waits for nothing but another process' short look in is_served
        if os.fstat(log).st_size > LOG_BYTES_MAX:
            os.ftruncate(log, 0)
        process = subprocess.Popen(
            [binary.path, _CONFIG_FILE],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={**os.environ, "LC_ALL": "C"},  # Redis refuses to start in a locale that is not installed
            start_new_session=True,
            umask=0o077,
        )
    finally:
        os.close(log)
    # The server may end long before this process: without somebody waiting it would stay as a zombie.
    threading.Thread(target=process.wait, name="redis-server", daemon=True).start()
    return process


def stop(folder: Path, socket_path: Path) -> None:
    """Shut the server down, if there is one, with its data on the disk; returns when it is gone.

    One that stays in spite of SHUTDOWN and SIGTERM is left, with a warning.
    """
    state = ask(socket_path)
    if state is None and not is_served(folder):
        return
    pid = state.pid if state is not None else noted_pid(folder)

    def is_gone() -> bool:
        return not is_served(folder) and ask(socket_path) is None

    if state is not None:
        _shut_down(socket_path)
    if (state is None or not wait_until(is_gone, _STOP_SECONDS)) and pid is not None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGTERM)
    if not wait_until(is_gone, _TERMINATE_SECONDS):
        logger.warning("redis-server (process %s) of %s does not stop", pid, folder)
        return
    # Its files are closed; the process itself goes a moment later (never, where nobody collects orphans).
    wait_until(lambda: pid is None or not _exists(pid), _VANISH_SECONDS)
    with contextlib.suppress(OSError):
        socket_path.parent.rmdir()
    logger.info("Stopped redis-server (process %s) of %s", pid, folder)


def noted_pid(folder: Path) -> int | None:
    """Return the server's process id from the file that it keeps; of meaning only while ``is_served``."""
    with contextlib.suppress(FileNotFoundError, ValueError):
        return int((folder / _PID_FILE).read_text(encoding="ascii"))
    return None


def log_tail(folder: Path, *, lines: int = 12) -> str:
    """Return the last lines of the server's log, at most ``lines``."""
    with contextlib.suppress(FileNotFoundError), (folder / LOG_FILE).open("rb") as log:
        log.seek(max(0, log.seek(0, os.SEEK_END) - 200 * lines))
        return "\n".join(log.read().decode(errors="replace").splitlines()[-lines:])
    return "(no log)"


def wait_until(is_true: Callable[[], bool], seconds: float) -> bool:
    """Ask ``is_true`` again and again for at most ``seconds``; return its last answer."""
    deadline = time.monotonic() + seconds
    while not (answer := is_true()) and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
    return answer


def _control_client(socket_path: Path) -> redis.Redis:
    return redis.Redis(unix_socket_path=str(socket_path), socket_timeout=_ANSWER_SECONDS, retry=Retry(NoBackoff(), 0))


def _shut_down(socket_path: Path) -> None:
    client = _control_client(socket_path)
    try:
        client.shutdown()
    except (redis.RedisError, OSError) as error:
        logger.warning("redis-server refused to shut down: %s", error)
    finally:
        client.close()


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # the number belongs to somebody else's process by now
        return False
    return True
