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

    def __init__(self, client: redis.Redis, keys: Sequence[str]) -> None:
        self._client = client
        self._keys = list(keys)
        self._registered: dict[str, Script] = {}

    def run(self, verb: str, *args: Any, client: Any = None) -> Any:
        """Run ``lua/<verb>.lua`` with ``args`` as ARGV and return its reply.

        Floats must come as ``repr`` text. ``client`` may be a pipeline: then the reply comes with ``execute()``.
        """
        script = self._registered.get(verb)
        if script is None:
            script = self._registered[verb] = self._client.register_script(script_source(verb))
        return script(keys=self._keys, args=args, client=client)
