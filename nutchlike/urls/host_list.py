"""A list of hosts, domains and public suffixes, as two of Nutch's filters share it."""

from __future__ import annotations

from nutchlike.urls.registered_domain import public_suffix, registered_domain
from nutchlike.urls.rule_text import numbered_lines
from nutchlike.urls.url_parts import java_trim, url_parts


class HostList:
    """Knows the entries of a rule text, one a line, trimmed and in lower case; ``#`` begins a comment line.

    An entry is a host, a registered domain (in the script that URLs have) or a public suffix (in punycode, with
    the ``*.`` or ``!`` of its rule in the public suffix list).
    """

    def __init__(self, rules: str | None, *, source: str, strict: bool) -> None:
        self._source = source
        self._lines: dict[str, int] = {}  # entry -> its line
        for number, line in numbered_lines(rules, source=source, strict=strict):
            if line.strip() and not line.startswith("#"):
                self._lines.setdefault(java_trim(line).lower(), number)

    def __len__(self) -> int:
        return len(self._lines)

    def entry_of(self, url: str) -> str | None:
        """Return the entry that ``url`` falls under as ``source:line``, the most general first, else ``None``.

        Raises ValueError when ``url`` is no URL.
        """
        host = url_parts(url).host.lower()
        for name in (public_suffix(host), java_trim(registered_domain(host)), host):
            line = None if name is None else self._lines.get(name)
            if line is not None:
                return f"{self._source}:{line}"
        return None
