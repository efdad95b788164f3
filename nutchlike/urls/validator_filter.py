"""ValidatorURLFilter: accepts what looks like a URL on a public host (Nutch: urlfilter-validator)."""

from __future__ import annotations

import re
from typing import Self

from nutchlike.contracts import SettingsReader

_PRINTABLE = re.compile(r"[\x21-\x7e]+")
_URL = re.compile(
    r"[A-Za-z]+://"
    r"(?P<host>[A-Za-z0-9-]++(?:\.[A-Za-z0-9-]++)*+)(?::[0-9]{1,5})?"
    r"(?P<path>(?:/[\w:@&=+,.!/~*'%$;()-]*+)?)"
    r"(?:\?[^#]*+)?(?:#.*+)?",
    re.ASCII,
)
_ADDRESS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")
_DOMAIN = re.compile(r"[^.]+(?:\.[^.]+)*\.[A-Za-z][A-Za-z0-9-]+")


class ValidatorURLFilter:
    """Accepts a URL of ASCII letters with any alphabetic scheme, a host with a dot or an IPv4 address, a plain path.

    Rejected are user info, IPv6, hosts without a dot or with a last label of one character or with a digit in
    front, ``_`` in hosts, ports of more than five digits, characters in the path that need escaping, and
    paths with about as many ``..`` as folders.
    """

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the filter; no setting changes it."""
        return cls()

    def filter(self, url: str) -> str | None:
        """Return ``url`` when it is valid, else ``None``."""
        return url if url and _is_valid(url) else None


def _is_valid(url: str) -> bool:
    if _PRINTABLE.fullmatch(url) is None:
        return False
    match = _URL.fullmatch(url)
    return match is not None and _is_public_host(match["host"]) and _has_folders_for_dots(match["path"])


def _is_public_host(host: str) -> bool:
    if _ADDRESS.fullmatch(host):
        return all(int(part) <= 255 for part in host.split("."))
    return _DOMAIN.fullmatch(host) is not None


def _has_folders_for_dots(path: str) -> bool:
    """Tell whether ``path`` has more single slashes than ``..``, the first slash not counted, overlaps counted."""
    return ".." not in path or path.count("/") - _count(path, "//") - 1 > _count(path, "..")


def _count(text: str, token: str) -> int:
    return sum(text.startswith(token, at) for at in range(len(text)))
