"""Nutch's BasicURLNormalizer to the letter, for NUTCH_STRICT: the corners that its JVM gives it included."""

from __future__ import annotations

import re
from collections.abc import Callable

from nutchlike.urls.java_url import (
    DEFAULT_PORTS,
    JavaURL,
    check_java_host,
    is_java_uri,
    normalize_java_path,
    parse_java_url,
    url_decoded,
)

_OUTER_BLANKS = "".join(map(chr, range(0x21)))  # what Java's String.trim removes
_HEX_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNSAFE = re.compile(r"%(?![0-9A-Fa-f]{2})|[\x00-\x20\"<>\[\]^`{|}\x7f-\U0010ffff]")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def normalize_as_nutch(url: str, rewrite_host: Callable[[str], str]) -> str:
    """Return what Nutch's BasicURLNormalizer returns for ``url``.

    ``rewrite_host`` gets the decoded, lower-case host and returns it in the configured form.
    It differs from our default where Nutch lets pass what nobody can fetch (an empty host, port 99999,
    ``a..test``) or is not idempotent (``/../..b`` loses its dots). Raises ValueError where Nutch throws.
    """
    if url == "":
        return url
    url = url.strip(_OUTER_BLANKS)
    parsed = parse_java_url(url)
    host, port, file = parsed.host, parsed.port, parsed.file
    is_server_protocol = parsed.protocol in ("http", "https", "ftp")
    changed = not url.startswith(parsed.protocol)
    if is_server_protocol:
        if parsed.authority is not None:
            host = rewrite_host(_decoded_lower_host(host))
        if port == DEFAULT_PORTS[parsed.protocol]:
            port = -1
        changed = changed or host != parsed.authority or parsed.ref is not None
    userinfo = None if parsed.protocol in ("http", "https") else parsed.userinfo
    if parsed.protocol != "jar" and not file.startswith("/"):
        file = _escaped(f"/{file}")
    else:
        file = _escaped(file)
        if parsed.protocol != "jar":
            file = _without_dot_segments(_authority(userinfo, host, port), file)
    if not changed and file == parsed.file:
        return url
    return _rebuilt(parsed, userinfo, host, port, file)


def _decoded_lower_host(host: str) -> str:
    return (url_decoded(host) if "%" in host else host).lower()


def _escaped(file: str) -> str:
    """Decode what needs no escape, then escape what does: two passes, so that ``%4%31`` becomes ``%41``."""
    return _UNSAFE.sub(_percent_encoded, _HEX_ESCAPE.sub(_decoded_if_unreserved, file))


def _decoded_if_unreserved(match: re.Match[str]) -> str:
    character = chr(int(match[1], 16))
    return character if character in _UNRESERVED else match[0].upper()


def _percent_encoded(match: re.Match[str]) -> str:
    encoded = match[0].encode("utf-8", "replace")
    if encoded == b"?":  # a lone surrogate has no UTF-8: Java writes a literal question mark
        return "?"
    return "".join(f"%{byte:02X}" for byte in encoded)


def _without_dot_segments(authority: str, file: str) -> str:
    path, question_mark, query = file.partition("?")
    if not ("//" in path or "/." in path) or not is_java_uri(authority, file):
        return file
    file = normalize_java_path(path) + question_mark + query
    start = 0
    # Nutch looks at the fourth character of the whole file each time, not at the one after this "/..".
    while file.startswith("/..", start) and (start + 3 == len(file) or file[3] == "/"):
        start += 3
    file = file[start:]
    return file if file.startswith("/") else f"/{file}"


def _authority(userinfo: str | None, host: str, port: int) -> str:
    if ":" in host and not host.startswith("["):
        host = f"[{host}]"
    authority = host if port == -1 else f"{host}:{port}"
    return authority if userinfo is None else f"{userinfo}@{authority}"


def _rebuilt(parsed: JavaURL, userinfo: str | None, host: str, port: int, file: str) -> str:
    check_java_host(host)
    authority = _authority(userinfo, host, port)
    return f"{parsed.protocol}:{'//' + authority if authority else ''}{file}"
