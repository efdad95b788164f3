"""Java's reading of a URL, as far as Nutch's results depend on it: java.net.URL, java.net.URI, URLDecoder."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

DEFAULT_PORTS = {"http": 80, "https": 443, "ftp": 21, "file": -1, "jar": -1}

_PROTOCOL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_PORT = re.compile(r"[+-]?\d{1,10}")
_IPV6_SCOPE = re.compile(r"%[^\s\[\]]+")
# Controls and the slash, and the characters whose compatibility form holds one of : / ? # @
_REFUSED_IN_HOST = re.compile(
    "[\\x00-\\x1f\\x7f/\u2047\u2048\u2049\u2100\u2101\u2105\u2106\u2a74\ufe55\ufe56\ufe5f\ufe6b"
    "\uff03\uff0f\uff1a\uff1f\uff20]"
)
_REFUSED_IN_USERINFO = re.compile(r"[\x00-\x1f\x7f/]")
_URI_AUTHORITY = re.compile(r"(?:[A-Za-z0-9_\-!.~'()*$,;:@&=+]|%[0-9A-Fa-f]{2}|[^\x00-\xa0\s])*")
_URI_IPV6_AUTHORITY = re.compile(r"(?:[^@\[\]]*@)?\[([^\[\]]+)\](?::[0-9]*)?")
_ESCAPE = re.compile(r"(?:%[0-9A-Fa-f]{2})+")


@dataclass(frozen=True, slots=True)
class JavaURL:
    """The parts that java.net.URL sees.

    ``port`` is -1 when there is none; ``authority``, ``userinfo``, ``query`` and ``ref`` are ``None`` when
    their delimiter is missing.
    """

    protocol: str
    authority: str | None
    userinfo: str | None
    host: str
    port: int
    path: str
    query: str | None
    ref: str | None

    @property
    def file(self) -> str:
        """Path and query, as Java's ``getFile``."""
        return self.path if self.query is None else f"{self.path}?{self.query}"


def parse_java_url(url: str) -> JavaURL:
    """Return the parts of an already trimmed ``url``.

    Raises ValueError where java.net.URL of JDK 17 throws: no or unknown protocol, bad port, bad host.
    """
    spec = url[4:] if url[:4].lower() == "url:" else url
    match = _PROTOCOL.match(spec)
    if match is None:
        raise ValueError(f"no protocol in {url[:100]!r}, a URL starts like 'http://'")
    protocol = match[1].lower()
    if protocol not in DEFAULT_PORTS:
        raise ValueError(f"unknown protocol {protocol!r}, known are {', '.join(DEFAULT_PORTS)}")
    rest, hash_mark, fragment = spec[match.end() :].partition("#")
    ref = fragment if hash_mark else None
    if protocol == "jar":
        inner, separator, _ = rest.partition("!/")
        if not separator:
            raise ValueError(f"no '!/' in the jar URL {url[:100]!r}")
        parse_java_url(inner)
        return JavaURL(protocol, None, None, "", -1, rest, None, ref)
    rest, question_mark, query_text = rest.partition("?")
    query = query_text if question_mark else None
    authority: str | None = None
    userinfo: str | None = None
    host, port = "", -1
    if rest.startswith("//") and not rest.startswith("////"):
        authority, slash, path = rest[2:].partition("/")
        rest = slash + path
        if authority.count("@") <= 1:
            before, at_sign, server = authority.rpartition("@")
            userinfo = before if at_sign else None
            host, port = _host_and_port(server)
    check_java_host(host)
    if userinfo is not None and _REFUSED_IN_USERINFO.search(userinfo):
        raise ValueError(f"bad character in the user info of {url[:100]!r}")
    return JavaURL(protocol, authority, userinfo, host, port, rest, query, ref)


def check_java_host(host: str) -> None:
    """Raise ValueError when java.net.URL refuses ``host`` for one of its characters."""
    bad = _REFUSED_IN_HOST.search(host)
    if bad is not None:
        raise ValueError(f"bad character {bad[0]!r} in the host {host!r}")


def url_decoded(text: str) -> str:
    """Return ``text`` without percent-encoding, as URLDecoder gives it: ``+`` is a space, bad UTF-8 is U+FFFD.

    Raises ValueError for a ``%`` without two hex digits.
    """
    decoded = _ESCAPE.sub(lambda run: "\x00" * (len(run[0]) // 3), text)
    if "%" in decoded:
        raise ValueError(f"bad percent-encoding in {text!r}, right is '%25' for a percent sign")
    return _ESCAPE.sub(
        lambda run: bytes.fromhex(run[0].replace("%", "")).decode("utf-8", "replace"), text.replace("+", " ")
    )


def is_java_uri(authority: str, file: str) -> bool:
    """Tell whether java.net.URI parses a URL of this authority and this already escaped file."""
    if "\\" in file:
        return False
    ipv6 = _URI_IPV6_AUTHORITY.fullmatch(authority)
    if ipv6 is not None:
        return _is_ipv6_literal(ipv6[1])
    return _URI_AUTHORITY.fullmatch(authority) is not None


def normalize_java_path(path: str) -> str:
    """Return an absolute path as java.net.URI's ``normalize`` does: ``..`` above the root stays."""
    kept: list[str] = []
    ends_in_folder = path.endswith("/")
    segments = [segment for segment in path.split("/") if segment]
    for place, segment in enumerate(segments, start=1):
        if segment == "." or (segment == ".." and kept and kept[-1] != ".."):
            if segment == "..":
                kept.pop()
            ends_in_folder = ends_in_folder or place == len(segments)
        else:
            kept.append(segment)
    return "/" + "/".join(kept) + ("/" if ends_in_folder and kept else "")


def _host_and_port(server: str) -> tuple[str, int]:
    if server.startswith("["):
        literal, bracket, tail = server[1:].partition("]")
        if not bracket or not _is_ipv6_literal(literal) or (tail and tail[0] != ":"):
            raise ValueError(f"bad IPv6 literal {server!r}, right is '[2001:db8::1]:8080'")
        return f"[{literal}]", _port(tail[1:])
    host, _, port = server.partition(":")
    return host, _port(port)


def _port(text: str) -> int:
    if not text:
        return -1
    port = int(text) if _PORT.fullmatch(text) else -2
    if not -1 <= port < 2**31:
        raise ValueError(f"bad port {text!r}")
    return port


def _is_ipv6_literal(text: str) -> bool:
    address, percent, _ = text.partition("%")
    if percent and _IPV6_SCOPE.fullmatch(text[len(address) :]) is None:
        return False
    try:
        ipaddress.IPv6Address(address)
    except ValueError:
        return False
    return True
