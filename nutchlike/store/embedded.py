"""The embedded store: a private redis-server that the processes of one project share.

Two files hold the locks. Whoever uses the server keeps ``users.lock`` shared; whoever starts, joins or leaves it holds
``server.lock`` alone meanwhile. The system frees the locks of a process that was killed, so no count can go wrong.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import logging
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import redis

from nutchlike.store import server_process
from nutchlike.store.errors import StoreUnavailable
from nutchlike.store.server_binary import binary_for, record_version
from nutchlike.store.server_process import POLL_SECONDS, ask, is_served, log_tail, noted_pid, wait_until

logger = logging.getLogger(__name__)

_SOCKET_TIMEOUT = 30.0  # seconds
_LEAVE_SECONDS = 30.0  # how long a leaving process waits for one that starts or stops the server
_SERVER_LOCK = "server.lock"
_USERS_LOCK = "users.lock"
_SOCKET_NOTE = "socket-path"  # for processes whose TMPDIR differs from that of the one that started the server


class EmbeddedServer:
    """A private redis-server in ``folder``, shared by the processes of one project."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.socket_path = server_process.socket_path_for(folder)
        self._process_id = os.getpid()
        self._leaving = threading.Lock()
        self._is_attached = True
        self._server_lock = os.open(folder / _SERVER_LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        self._users_lock = os.open(folder / _USERS_LOCK, os.O_RDWR | os.O_CREAT, 0o600)

    @classmethod
    def attach(cls, folder: Path, *, start_timeout: float = 60.0) -> Self:
        """Return the server of ``folder``, joined if it runs and started if not; it accepts commands.

        ``start_timeout`` (seconds) is for a server that does not answer; one that is loading its data is waited for.

        Raises StoreUnavailable when there is no server program, when the folder cannot be used, or when the
        server does not start; the message has the end of its log.
        """
        folder = folder.expanduser().resolve()
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            server = cls(folder)
        except OSError as error:
            raise StoreUnavailable(f"the store's folder {folder} cannot be used: {error}") from error
        atexit.register(server.detach)
        try:
            server._join(start_timeout)
        except OSError as error:
            server.detach()
            raise StoreUnavailable(f"the store's folder {folder} cannot be used: {error}") from error
        except BaseException:
            server.detach()
            raise
        return server

    def client(self, **kwargs: Any) -> redis.Redis:
        """Return a client of the server; ``kwargs`` are those of ``redis.Redis``. Answers are bytes."""
        return redis.Redis(
            **{"socket_timeout": _SOCKET_TIMEOUT, "decode_responses": False, **kwargs},
            unix_socket_path=str(self.socket_path),
        )

    def detach(self) -> None:
        """Leave the server; the last one to leave stops it and returns when it is gone. Again is no error."""
        with self._leaving:
            if not self._is_attached:
                return
            self._is_attached = False
        atexit.unregister(self.detach)
        # A forked child shares its parent's locks: to free them is the parent's affair.
        if os.getpid() == self._process_id:
            self._leave()
        os.close(self._users_lock)
        os.close(self._server_lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.detach()

    def _join(self, start_timeout: float) -> None:
        while True:
            has_started = self._find_or_start(start_timeout)
            if self._has_loaded(start_timeout):
                return
            if has_started:
                raise StoreUnavailable(
                    f"redis-server ended, or fell silent, before it had loaded the data in {self.folder}; "
                    f"its log ends:\n{log_tail(self.folder)}"
                )
            # Somebody else's server ended meanwhile: now this process starts one and sees for itself.

    def _find_or_start(self, start_timeout: float) -> bool:
        """Have a server that answers, loading or not; return whether it had to be started."""
        with self._alone(start_timeout) as is_alone:
            if not is_alone:
                raise StoreUnavailable(
                    f"another process has been starting or stopping the redis-server of {self.folder} for more than "
                    f"{start_timeout:g} seconds"
                )
            fcntl.flock(self._users_lock, fcntl.LOCK_SH)
            deadline = time.monotonic() + start_timeout
            while not self._is_answering():
                if not is_served(self.folder):
                    self._start(start_timeout)
                    return True
                # Served but silent: it was killed a moment ago, or is busy, or somebody deleted its socket.
                if time.monotonic() > deadline:
                    raise StoreUnavailable(
                        f"a redis-server for {self.folder} is running (process {noted_pid(self.folder)}) but has not "
                        f"answered on its socket for {start_timeout:g} seconds: end that process and try again"
                    )
                time.sleep(POLL_SECONDS)
            return False

    def _is_answering(self) -> bool:
        """Whether this folder's server answers; sets ``socket_path`` to where it does."""
        places = [server_process.socket_path_for(self.folder)]
        with contextlib.suppress(FileNotFoundError):
            places.append(Path(os.fsdecode((self.folder / _SOCKET_NOTE).read_bytes())))
        for place in dict.fromkeys(places):
            server_process.check_private(place.parent)
            state = ask(place)
            if state is not None and state.has_folder:
                self.socket_path = place
                return True
            if state is not None:
                logger.warning("Stopping redis-server (process %d), whose folder was deleted", state.pid)
                server_process.stop(self.folder, place)
        return False

    def _start(self, start_timeout: float) -> None:
        binary = binary_for(self.folder)
        self.socket_path = server_process.socket_path_for(self.folder)
        (self.folder / _SOCKET_NOTE).write_bytes(os.fsencode(self.socket_path))
        process = server_process.start(binary, self.folder, self.socket_path)
        wait_until(lambda: ask(self.socket_path) is not None or not is_served(self.folder), start_timeout)
        if ask(self.socket_path) is None:
            process.kill()  # no client has written yet, so nothing is lost
            process.wait()
            raise StoreUnavailable(f"{binary} did not start in {self.folder}; its log ends:\n{log_tail(self.folder)}")
        record_version(self.folder, binary.version)
        logger.info("Started %s in %s", binary, self.folder)

    def _has_loaded(self, start_timeout: float) -> bool:
        """Wait for the server to load its data; return whether it did, not ending and not silent for too long."""
        answered = time.monotonic()
        while (state := ask(self.socket_path)) is None or state.is_loading:
            if state is not None:
                answered = time.monotonic()
            elif not is_served(self.folder) or time.monotonic() > answered + start_timeout:
                return False
            time.sleep(POLL_SECONDS)
        return True

    def _leave(self) -> None:
        with self._alone(_LEAVE_SECONDS) as is_alone:
            if not is_alone:
                logger.warning("Left the redis-server of %s running: another process holds its lock", self.folder)
            elif self._is_last():
                if self._is_in_place():
                    server_process.stop(self.folder, self.socket_path)
                else:
                    logger.warning("%s was deleted while in use; its redis-server may still run", self.folder)
            fcntl.flock(self._users_lock, fcntl.LOCK_UN)  # closing is not enough: a forked child has a copy

    def _is_last(self) -> bool:
        try:
            fcntl.flock(self._users_lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _is_in_place(self) -> bool:
        """Whether the folder is still the one that was attached, so that the socket's server is this one's."""
        with contextlib.suppress(FileNotFoundError):
            return os.path.samestat(os.fstat(self._users_lock), (self.folder / _USERS_LOCK).stat())
        return False

    @contextlib.contextmanager
    def _alone(self, seconds: float) -> Iterator[bool]:
        """Hold ``server.lock``; yields whether it was to be had within ``seconds``."""

        def is_locked() -> bool:
            try:
                fcntl.flock(self._server_lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            return True

        is_alone = wait_until(is_locked, seconds)
        try:
            yield is_alone
        finally:
            if is_alone:
                fcntl.flock(self._server_lock, fcntl.LOCK_UN)
