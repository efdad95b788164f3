"""Loads the Lua scripts: each is a file named by its verb, with the libraries that its head names put in."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import redis
from redis.exceptions import NoScriptError

from nutchlike.store.errors import NoAnswer
from nutchlike.store.nodes import Client, Command, Nodes

Call = tuple[int, str, Sequence[Any]]  # partition, verb, arguments
_Ask = Callable[[list[tuple[int, Command]]], tuple[list[Any], set[int]]]

_MARK = "--#libraries\n"
_LOADS_MAX = 3  # how often one batch may find that a node has lost its scripts


@cache
def script_source(verb: str) -> str:
    """Return the Lua text of ``lua/<verb>.lua`` with the libraries of its ``-- uses:`` line in place of the mark."""
    folder = files("nutchlike.store") / "lua"
    text = (folder / f"{verb}.lua").read_text(encoding="utf-8")
    uses = next((line for line in text.splitlines() if line.startswith("-- uses: ")), "")
    names = uses.removeprefix("-- uses: ").split()
    libraries = "".join((folder / "lib" / f"{name}.lua").read_text(encoding="utf-8") for name in names)
    return text.replace(_MARK, libraries)


@cache
def script_digest(verb: str) -> str:
    """Return the name under which Redis knows the script: the SHA-1 digest of its text, in hex."""
    return hashlib.sha1(_text(verb), usedforsecurity=False).hexdigest()


def _text(verb: str) -> bytes:
    return script_source(verb).encode()


class Scripts:
    """Runs scripts, each on the keys of one partition: ``partitions`` has the names that a script gets as KEYS.

    Arguments are the script's ARGV; floats must come as ``repr`` text.

    A call that ends with a broken connection (ConnectionError, TimeoutError, NoAnswer) may have been done or not, and
    is not repeated here; with any other error it was not done. To repeat one is safe, since a script is atomic and:
    complete, release, renew and bury find that the lease is gone, do nothing and say so (a page that was completed
    is then counted as stale, though nothing was lost); inject with ``keep``, claim_signature, claim_confirmed,
    claim_filtered, settle_contents, recount and rebuild end in the same state (inject says that nothing was new). Two
    do more when repeated: lease hands out other URLs (the first ones wait for the end of their leases), and claim_host
    lets the host rest once more.
    """

    def __init__(self, client: Client, partitions: Sequence[Sequence[str]]) -> None:
        self._keys = [list(names) for names in partitions]
        self._nodes = Nodes(client, [names[0] for names in partitions])

    def run(self, partition: int, verb: str, *args: Any) -> Any:
        """Run ``lua/<verb>.lua`` and return its reply; RedisError when there is none."""
        reply = self.run_all([(partition, verb, args)])[0]
        if isinstance(reply, redis.RedisError):
            raise reply
        return reply

    def run_all(self, calls: Sequence[Call]) -> list[Any]:
        """Run many calls in one round trip; return the reply of each, or the ``redis.ResponseError`` that it got.

        One that a node did not answer gets NoAnswer, a ResponseError too.

        Raises ``redis.ConnectionError`` or ``redis.TimeoutError`` when no node answered.
        """
        return self._run(calls, lambda commands: (self._nodes.ask(commands), set()))[0]

    def ask(self, commands: Sequence[tuple[int, Command]]) -> list[Any]:
        """Return the answers to plain commands, each on keys of one partition, in one round trip.

        Raises RedisError, the first that is an answer.
        """
        return checked(self._nodes.ask(commands)) if commands else []

    def run_all_replicated(self, calls: Sequence[Call]) -> tuple[list[Any], set[int]]:
        """As ``run_all``, for calls that write; also return the partitions where no replica has confirmed the writes.

        There a failover may still take them back (Nodes.ask_replicated). What must not be forgotten elsewhere before it
        is safe here is run with this: only then an outbox is emptied, or a list of seeds.
        """
        return self._run(calls, self._nodes.ask_replicated)

    def run_safely(self, calls: Sequence[Call]) -> list[Any]:
        """Run calls that nobody would repeat, and return their replies once no failover can take them back.

        Raises RedisError, also when a replica did not confirm in time: then the calls may have been done.
        """
        replies, unconfirmed = self.run_all_replicated(calls)
        checked(replies)
        if unconfirmed:
            raise NoAnswer(f"no replica has confirmed what was written to partitions {sorted(unconfirmed)}")
        return replies

    def _run(self, calls: Sequence[Call], ask: _Ask) -> tuple[list[Any], set[int]]:
        replies, unconfirmed = ask([self._command(call) for call in calls])
        for _ in range(_LOADS_MAX):
            # a node that is new, was restarted or has taken over does not know a script: then nothing was done
            lost = [index for index, reply in enumerate(replies) if isinstance(reply, NoScriptError)]
            if not lost:
                break
            missing = dict.fromkeys(calls[index][:2] for index in lost)
            again: list[Any]
            try:
                self._nodes.ask([(partition, ("SCRIPT LOAD", _text(verb))) for partition, verb in missing])
                again, late = ask([self._command(calls[index]) for index in lost])
            except (redis.ConnectionError, redis.TimeoutError) as error:
                if len(lost) == len(calls):
                    raise
                again, late = [NoAnswer(str(error)) for _ in lost], set()
            unconfirmed |= late
            for index, reply in zip(lost, again, strict=True):
                replies[index] = reply
        return replies, unconfirmed

    def _command(self, call: Call) -> tuple[int, Command]:
        partition, verb, args = call
        keys = self._keys[partition]
        return partition, ("EVALSHA", script_digest(verb), len(keys), *keys, *args)


def checked(replies: list[Any]) -> list[Any]:
    """Return the replies of ``run_all``; raises the first that is an error."""
    for reply in replies:
        if isinstance(reply, redis.RedisError):
            raise reply
    return replies
