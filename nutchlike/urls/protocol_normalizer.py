"""ProtocolURLNormalizer: one scheme for all URLs of a host (Nutch: urlnormalizer-protocol)."""

from __future__ import annotations

import logging
import re
from typing import Self

from nutchlike.contracts import SettingsReader
from nutchlike.urls.java_url import DEFAULT_PORTS
from nutchlike.urls.rule_text import UNNAMED, configured_rules, numbered_lines
from nutchlike.urls.url_parts import java_trim, url_parts

logger = logging.getLogger(__name__)

_BLANKS = re.compile(r"[ \t\n\x0b\f\r]+")
_SCHEME = re.compile(r"[a-z](?:[a-z0-9$\-_@.&!*\"'(),]|%[0-9a-f]{2})*")  # RFC 1630, lower-cased


class ProtocolURLNormalizer:
    """Gives the URLs of a host the scheme that its rule says, usually https.

    A line of ``rules`` is a host and a scheme, between them blanks or tabs. ``*.a.test`` means ``a.test`` and
    all hosts below; a rule for the host itself goes first, then the longest pattern; of two rules for one host
    the later holds. Hosts count as written, so put them in lower case. A line that is not two words, or whose
    second is no scheme, is skipped with a warning. ``source`` is what warnings call the text.

    A URL with a port is left alone. A changed URL loses user info and fragment.

    A byte order mark does not count, and a missing file is an error. In Nutch the one spoils the first line, the
    other means no rules; ``strict`` gives that.
    """

    def __init__(self, rules: str, *, source: str = UNNAMED, strict: bool = False) -> None:
        self._hosts: dict[str, str] = {}
        self._suffixes: dict[str, str] = {}
        for number, line in numbered_lines(rules, source=source, strict=strict):
            text = java_trim(line)
            if text and not text.startswith("#"):
                self._add(text, f"{source}:{number}")

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the normalizer that NUTCH_URLNORMALIZER_PROTOCOLS_RULES or, without it, ..._FILE describes.

        Raises ValueError for a file that is missing, naming the places tried; with NUTCH_STRICT it means no rules.
        """
        rules, source = configured_rules(settings, "NUTCH_URLNORMALIZER_PROTOCOLS")
        return cls(rules, source=source, strict=settings.getbool("NUTCH_STRICT"))

    def normalize(self, url: str) -> str:
        """Return ``url`` with the scheme of its host's rule.

        Raises ValueError when it is no URL, and when the rule's scheme is none that a URL here can have.
        """
        parts = url_parts(url)
        if parts.port != -1:
            return url
        scheme = self._scheme_of(parts.host)
        if scheme is None or scheme == parts.protocol:
            return url
        if scheme not in DEFAULT_PORTS:
            known = ", ".join(DEFAULT_PORTS)
            raise ValueError(f"the rule for {parts.host!r} asks for the scheme {scheme!r}, known are {known}")
        return f"{scheme}:{'//' if parts.host else ''}{parts.host}{parts.file}"

    def _add(self, line: str, where: str) -> None:
        words = _BLANKS.split(line)
        if len(words) != 2 or _SCHEME.fullmatch(words[1].lower()) is None:
            logger.warning("%s: rule skipped, right is 'host https', got %r", where, line[:100])
            return
        host, scheme = words[0], words[1].lower()
        if host.startswith("*."):
            self._suffixes[host[1:]] = scheme
            host = host[2:]
        self._hosts[host] = scheme

    def _scheme_of(self, host: str) -> str | None:
        scheme = self._hosts.get(host)
        dot = host.find(".") if self._suffixes else -1
        while scheme is None and dot != -1:
            scheme = self._suffixes.get(host[dot:])
            dot = host.find(".", dot + 1)
        return scheme
