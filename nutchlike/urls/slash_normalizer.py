"""SlashURLNormalizer: paths with or without a slash at the end, host by host (Nutch: urlnormalizer-slash)."""

from __future__ import annotations

from typing import Self

from nutchlike.contracts import SettingsReader
from nutchlike.urls.rule_text import UNNAMED, configured_rules, numbered_lines
from nutchlike.urls.url_parts import java_trim, port_suffix, url_parts

_EXTENSION_MAX = 6  # characters, the dot included; a dot within so many from the end begins an extension


class SlashURLNormalizer:
    """Adds the slash at the end of paths on some hosts, and takes it away on others.

    A line of ``rules`` is a host, blanks or a tab, and ``+`` to add the slash or ``-`` (in fact anything else)
    to take it away. Hosts count as written, so put them in lower case. ``/`` itself stays, and so does a path
    whose last dot is among its last six characters, for it seems to name a file. ``source`` is what errors
    call the text.

    A changed URL loses user info and fragment, in Nutch the port too, which then names another server.
    A byte order mark does not count, and a missing file is an error; in Nutch the one spoils the first line, the
    other means no rules. ``strict`` gives Nutch's way; it also takes the first space for the separator, even
    behind a tab.

    Raises ValueError with ``source:line`` for a line of one word.
    """

    def __init__(self, rules: str, *, source: str = UNNAMED, strict: bool = False) -> None:
        self._strict = strict
        self._has_slash: dict[str, bool] = {}
        for number, line in numbered_lines(rules, source=source, strict=strict):
            if not line.strip() or line.startswith("#"):
                continue
            text = java_trim(line)
            host, separator, sign = text.partition(" " if " " in text else "\t")
            if not separator:
                raise ValueError(f"{source}:{number}: right is 'host +' or 'host -', got {text[:100]!r}")
            self._has_slash[host if strict else java_trim(host)] = java_trim(sign) == "+"

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the normalizer that NUTCH_URLNORMALIZER_SLASHES_RULES or, without it, ..._FILE describes.

        Raises ValueError for bad rules, and for a file that is missing, naming the places tried; with
        NUTCH_STRICT it means no rules.
        """
        rules, source = configured_rules(settings, "NUTCH_URLNORMALIZER_SLASHES")
        return cls(rules, source=source, strict=settings.getbool("NUTCH_STRICT"))

    def normalize(self, url: str) -> str:
        """Return ``url`` with its path as the rule of its host wants it; ValueError when it is no URL."""
        parts = url_parts(url)
        has_slash = self._has_slash.get(parts.host)
        path = parts.path
        if has_slash is None or len(path) < 2 or path.endswith("/") == has_slash:
            return url
        if not has_slash:
            path = path[:-1]
        elif _has_extension(path):
            return url
        else:
            path += "/"
        port = "" if self._strict else port_suffix(parts)
        query = "" if parts.query is None else f"?{parts.query}"
        return f"{parts.protocol}://{parts.host}{port}{path}{query}"


def _has_extension(path: str) -> bool:
    dot = path.rfind(".")
    return dot != -1 and len(path) >= _EXTENSION_MAX and dot >= len(path) - _EXTENSION_MAX
