"""Loads the Lua scripts: each is a file named by its verb, with the libraries that its head names put in."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import redis
from redis.commands.core import Script

_MARK = "--#libraries\n"


@cache
def script_source(verb: str) -> str:
    """Return the Lua text of ``lua/<verb>.lua`` with the libraries of its ``-- uses:`` line in place of the mark."""
    folder = files("nutchlike.store") / "lua"
    text = (folder / f"{verb}.lua").read_text(encoding="utf-8")
    uses = next((line for line in text.splitlines() if line.startswith("-- uses: ")), "")
    names = uses.removeprefix("-- uses: ").split()
    libraries = "".join((folder / "lib" / f"{name}.lua").read_text(encoding="utf-8") for name in names)
    return text.replace(_MARK, libraries)


class Scripts:
    """Runs scripts on the keys of one partition."""

    def __init__(self, client: redis.Redis, keys: Sequence[Sequence[str]]) -> None:
        self._client = client
        self._keys = [list(names) for names in keys]
        self._registered: dict[str, Script] = {}

    def run(self, partition: int, verb: str, *args: Any) -> Any:
        return self._script(verb)(keys=self._keys[partition], args=args)

    def run_all(self, calls: Sequence[tuple[int, str, Sequence[Any]]]) -> list[Any]:
        pipeline = self._client.pipeline(transaction=False)
        for partition, verb, args in calls:
            self._script(verb)(keys=self._keys[partition], args=args, client=pipeline)
        return pipeline.execute(raise_on_error=False)

    def _script(self, verb: str) -> Script:
        script = self._registered.get(verb)
        if script is None:
            script = self._registered[verb] = self._client.register_script(script_source(verb))
        return script


def checked(replies: list[Any]) -> list[Any]:
    """Return the replies of ``run_all``; raises the first that is an error."""
    for reply in replies:
        if isinstance(reply, redis.RedisError):
            raise reply
    return replies
