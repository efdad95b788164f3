"""What Nutch's plug-ins ask java.net.URL and java.lang.String for."""

from __future__ import annotations

from dataclasses import replace

from nutchlike.urls.java_url import JavaURL, parse_java_url

_TRIMMED = "".join(map(chr, range(0x21)))  # what String.trim removes


def java_trim(text: str) -> str:
    """Return ``text`` without the blanks and controls at its ends; a no-break space stays."""
    return text.strip(_TRIMMED)


def url_parts(url: str) -> JavaURL:
    """Return the parts of ``url`` as java.net.URL's getters do, blanks and controls at the ends ignored.

    A jar: URL has a query here, all that follows its last question mark.

    Raises ValueError where java.net.URL throws.
    """
    parts = parse_java_url(java_trim(url))
    if parts.protocol == "jar" and "?" in parts.path:
        path, _, query = parts.path.rpartition("?")
        return replace(parts, path=path, query=query)
    return parts


def utf16_units(text: str) -> str:
    """Return ``text`` with each astral character as its two surrogates, one character a Java ``char``."""
    if text.isascii() or max(text) <= "\uffff":
        return text
    data = text.encode("utf-16-le", "surrogatepass")
    return "".join(chr(data[at] | data[at + 1] << 8) for at in range(0, len(data), 2))


def port_suffix(parts: JavaURL) -> str:
    """Return ``:8080`` for a URL that names its port, else an empty text."""
    return "" if parts.port == -1 else f":{parts.port}"
