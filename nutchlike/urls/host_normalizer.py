"""HostURLNormalizer: one name for the many of a host (Nutch: urlnormalizer-host)."""

from __future__ import annotations

import logging
from typing import Self

from nutchlike.contracts import SettingsReader
from nutchlike.urls.rule_text import UNNAMED, configured_rules, numbered_lines
from nutchlike.urls.url_parts import java_trim, url_parts

logger = logging.getLogger(__name__)


class HostURLNormalizer:
    """Replaces a host by the one that its rule names.

    A line of ``rules`` is a host, a space and the host (and port, if wanted) to put in its place. ``*.a.test``
    means all hosts below ``a.test``, but not ``a.test``; of several such patterns the shortest holds, and one
    with a single label such as ``*.test`` never does. Hosts count as written, so put them in lower case.
    ``source`` is what messages call the text.

    More spaces than one between the two do not count, and the host is looked for where the host stands. In
    Nutch the other spaces become part of the new host, and the first text equal to the host is replaced, be
    it the scheme or the user info. A byte order mark does not count, and a missing file is an error; in Nutch the
    one spoils the first line, the other means no rules. ``strict`` gives Nutch's way.

    Raises ValueError with ``source:line`` for a line without a space; a tab does not separate.
    """

    def __init__(self, rules: str, *, source: str = UNNAMED, strict: bool = False) -> None:
        self._strict = strict
        self._targets: dict[str, str] = {}
        for number, line in numbered_lines(rules, source=source, strict=strict):
            if not line.strip() or line.startswith("#"):
                continue
            text = java_trim(line)
            host, space, target = text.partition(" ")
            if not space:
                raise ValueError(f"{source}:{number}: a space must separate two hosts, got {text[:100]!r}")
            target = target if strict else java_trim(target)
            if any(map(str.isspace, target)):
                logger.warning("%s:%d: the host %r holds a blank, its URLs cannot be fetched", source, number, target)
            self._targets[host] = target

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the normalizer that NUTCH_URLNORMALIZER_HOSTS_RULES or, without it, ..._FILE describes.

        Raises ValueError for bad rules, and for a file that is missing, naming the places tried; with
        NUTCH_STRICT it means no rules.
        """
        rules, source = configured_rules(settings, "NUTCH_URLNORMALIZER_HOSTS")
        return cls(rules, source=source, strict=settings.getbool("NUTCH_STRICT"))

    def normalize(self, url: str) -> str:
        """Return ``url`` with its host replaced; ValueError when it is no URL or its host is nothing but dots."""
        parts = url_parts(url)
        target = self._target_of(parts.host)
        if target is None:
            return url
        start = 0
        if not self._strict:
            userinfo = "" if parts.userinfo is None else f"{parts.userinfo}@"
            start = url.index("//") + len("//") + len(userinfo)
        before, after = url[:start], url[start:]
        return before + after.replace(parts.host, target, 1)

    def _target_of(self, host: str) -> str | None:
        if host in self._targets:
            return self._targets[host]
        labels = host.rstrip(".").split(".")
        if host and labels == [""]:
            raise ValueError(f"the host {host[:100]!r} is nothing but dots")
        for start in range(len(labels) - 2, 0, -1):
            target = self._targets.get("*." + ".".join(labels[start:]))
            if target is not None:
                return target
        return None
