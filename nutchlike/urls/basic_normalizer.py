"""BasicURLNormalizer: one spelling for the many of a URL (Nutch: urlnormalizer-basic)."""

from __future__ import annotations

import ipaddress
import re
from typing import Self

from nutchlike.contracts import SettingsReader
from nutchlike.urls.host_names import (
    MAX_HOST,
    MAX_LABEL,
    ascii_length,
    to_ascii_2003,
    to_ascii_2008,
    to_unicode_2003,
    to_unicode_2008,
)
from nutchlike.urls.nutch_basic import normalize_as_nutch

_DEFAULT_PORTS = {"http": 80, "https": 443, "ftp": 21}

# A URL that this matches is already normalized: lower-case host, no port, no escape, no fragment, no
# empty or dotted segment. Possessive, so that a mismatch costs one pass.
_CLEAN = re.compile(
    r"https?://(?=[^/]{1,253}/)(?:[a-z0-9_-]{1,63}+\.)*+[a-z0-9_-]{1,63}+(?=/)"
    r"(?:/[A-Za-z0-9_~!$&'()*+,;=:@-][A-Za-z0-9._~!$&'()*+,;=:@-]*+)*+/?+"
    r"(?:\?[A-Za-z0-9._~!$&'()*+,;=:@/?-]*+)?+"
)
_INNER_REMOVED = str.maketrans("", "", "\t\n\r")  # WHATWG URL standard, basic URL parser
# What a copied link carries at its ends: controls, every Unicode blank, zero-width characters, BOM
_OUTER_REMOVED = "".join(map(chr, range(0x21))) + (
    "\x7f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b"
    "\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
)
_SCHEME = re.compile(r"(?:url:)?(https?|ftp)://", re.IGNORECASE)
_AUTHORITY_END = re.compile(r"[/?#]")
_HOST_ESCAPES = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
# Forbidden domain code points of the WHATWG URL standard; U+FFFD stands for bytes that were no UTF-8
_FORBIDDEN_IN_HOST = re.compile('[\\x00-\\x20"#%/:<>?@\\[\\\\\\]^`{|}\\x7f-\\xa0\ud800-\udfff\ufffd]|\\s')
_SURROGATES = re.compile("[\ud800-\udfff]")
# One pass over a path or query: an escape, or one character that needs one (a stray % included)
_ESCAPES_AND_UNSAFE = re.compile(r"%[0-9A-Fa-f]{2}|[^!$&'()*+,\-./0-9:;=?@A-Z\\_a-z~]")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")  # RFC 3986 2.3
_HOST_FORMS = ("", "toascii", "tounicode")


class BasicURLNormalizer:
    """Lower-cases scheme and host, drops default port, user info and fragment, repairs escapes, folds paths.

    ``host_idn`` is Nutch's ``toAscii``, ``toUnicode`` or empty (hosts stay as written), ``idna2008`` picks
    UTS 46 instead of IDNA 2003 for it; ``trim_trailing_dot`` takes the root dot off the host. Query
    parameters keep their order, for servers may read it.

    By default a second pass changes nothing, and what nobody can fetch is refused. Nutch differs there: it
    keeps empty hosts, ``a..test``, ``http:x``, labels over 63 octets, any port, IPv6 zones, and blanks, ``%``, ``@``
    and ``^`` in a host; drops the host of ``http://a@b@c.test/``; escapes inner tabs and newlines and a NBSP at the
    end; keeps ``/..?x``, makes ``/../..b`` ``/b`` (here ``/..b``), leaves dot segments beside a backslash, writes
    ``?`` for a lone surrogate (here the escaped U+FFFD); and takes file: and jar: too. ``strict`` gives Nutch's
    results.

    Raises ValueError for an unknown ``host_idn`` unless ``strict`` (Nutch ignores it).
    """

    def __init__(
        self,
        *,
        host_idn: str = "",
        idna2008: bool = False,
        trim_trailing_dot: bool = False,
        strict: bool = False,
    ) -> None:
        form = host_idn.strip().lower()
        if form not in _HOST_FORMS and not strict:
            raise ValueError(f"host_idn must be 'toAscii', 'toUnicode' or empty, got {host_idn!r}")
        self._form = form
        self._to_ascii = to_ascii_2008 if idna2008 else to_ascii_2003
        self._to_unicode = to_unicode_2008 if idna2008 else to_unicode_2003
        self._trim_trailing_dot = trim_trailing_dot
        self._strict = strict

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the normalizer that the NUTCH_URLNORMALIZER_BASIC_HOST_* settings and NUTCH_STRICT describe.

        Raises ValueError that names the setting for an unknown NUTCH_URLNORMALIZER_BASIC_HOST_IDN.
        """
        try:
            return cls(
                host_idn=settings.get("NUTCH_URLNORMALIZER_BASIC_HOST_IDN") or "",
                idna2008=settings.getbool("NUTCH_URLNORMALIZER_BASIC_HOST_IDNA2008"),
                trim_trailing_dot=settings.getbool("NUTCH_URLNORMALIZER_BASIC_HOST_TRIM_TRAILING_DOT"),
                strict=settings.getbool("NUTCH_STRICT"),
            )
        except ValueError as error:
            raise ValueError(f"NUTCH_URLNORMALIZER_BASIC_HOST_IDN: {error}") from None

    def normalize(self, url: str) -> str:
        """Return the one spelling of ``url``; ValueError when it is no URL that can be fetched."""
        if _CLEAN.fullmatch(url) and (self._form != "tounicode" or "xn--" not in url):
            return url
        if self._strict:
            return normalize_as_nutch(url, self._rewritten_host)
        return self._normalized(url)

    def _normalized(self, url: str) -> str:
        url = url.translate(_INNER_REMOVED).strip(_OUTER_REMOVED)
        match = _SCHEME.match(url)
        if match is None:
            raise ValueError(f"no http, https or ftp URL: {url[:100]!r}, right is 'http://host/path'")
        scheme = match[1].lower()
        end = _AUTHORITY_END.search(url, match.end())
        split = len(url) if end is None else end.start()
        userinfo, at_sign, server = url[match.end() : split].rpartition("@")
        host, port = self._host_and_port(server, _DEFAULT_PORTS[scheme])
        user = _escaped(userinfo) + at_sign if scheme == "ftp" else ""
        path, question_mark, query = url[split:].partition("#")[0].partition("?")
        path = _folded(_escaped(path))
        return f"{scheme}://{user}{host}{port}{path}{question_mark}{_escaped(query)}"

    def _host_and_port(self, server: str, default_port: int) -> tuple[str, str]:
        """Return host and port, the latter as it stands in the URL: empty or ``:8080``."""
        if server.startswith("["):
            literal, bracket, tail = server[1:].partition("]")
            if not bracket or (tail and tail[0] != ":"):
                raise ValueError(f"bad IPv6 host {server[:100]!r}, right is '[2001:db8::1]:8080'")
            return f"[{_checked_ipv6(literal)}]", _checked_port(tail[1:], default_port)
        host, _, port = server.partition(":")
        if "%" in host:
            host = _HOST_ESCAPES.sub(_decoded_run, host)
        if len(host) > MAX_HOST + 1:  # before any punycode, which takes quadratic time
            raise ValueError(f"the host {host[:100]!r} is too long, at most {MAX_HOST} octets are allowed")
        host = self._rewritten_host(host.lower())
        _check_host(host)
        return host, _checked_port(port, default_port)

    def _rewritten_host(self, host: str) -> str:
        """Return a decoded lower-case host in the configured form."""
        if self._form == "toascii" and not host.isascii():
            host = self._to_ascii(host)
        elif self._form == "tounicode" and "xn--" in host:
            host = self._to_unicode(host)
        if self._trim_trailing_dot and host.endswith("."):
            return host[:-1]
        return host


def _checked_ipv6(literal: str) -> str:
    """Return the lower-case address; a zone (``%eth0``) means something on one machine only and is refused."""
    try:
        ipaddress.IPv6Address(literal.partition("%")[0])
    except ValueError:
        raise ValueError(f"bad IPv6 host '[{literal[:100]}]', right is '[2001:db8::1]'") from None
    if "%" in literal:
        raise ValueError(f"IPv6 host '[{literal[:100]}]' has a zone, which no other machine knows")
    return literal.lower()


def _checked_port(port: str, default_port: int) -> str:
    if not port:
        return ""
    if not (port.isascii() and port.isdigit()) or len(port.lstrip("0")) > 5 or int(port) > 65535:
        raise ValueError(f"bad port {port[:20]!r}, right is a number up to 65535")
    number = int(port)
    return "" if number == default_port else f":{number}"


def _check_host(host: str) -> None:
    """Raise ValueError unless ``host`` could be looked up; ``_`` and ``--`` are fine, as servers use them."""
    if not host:
        raise ValueError("no host, right is 'http://host/path'")
    bad = _FORBIDDEN_IN_HOST.search(host)
    if bad is not None:
        raise ValueError(f"bad character {bad[0]!r} in the host {host[:100]!r}")
    labels = host.removesuffix(".").split(".")
    lengths = [ascii_length(label) for label in labels]
    if 0 in lengths:
        raise ValueError(f"the host {host[:100]!r} has an empty label (a dot too many)")
    if max(lengths) > MAX_LABEL:
        raise ValueError(f"a label of the host {host[:100]!r} has {max(lengths)} octets, right is up to {MAX_LABEL}")
    if sum(lengths) + len(lengths) - 1 > MAX_HOST:
        raise ValueError(f"the host {host[:100]!r} is too long, at most {MAX_HOST} octets are allowed")


def _decoded_run(run: re.Match[str]) -> str:
    return bytes.fromhex(run[0].replace("%", "")).decode("utf-8", "replace")


def _escaped(text: str) -> str:
    """Return ``text`` with each character escaped that needs it, and no other; a stray ``%`` becomes ``%25``."""
    return _ESCAPES_AND_UNSAFE.sub(_escape_or_decode, text)


def _escape_or_decode(match: re.Match[str]) -> str:
    found = match[0]
    if len(found) == 3:
        character = chr(int(found[1:], 16))
        return character if character in _UNRESERVED else found.upper()
    if _SURROGATES.match(found):
        found = "\ufffd"  # a lone surrogate has no UTF-8; WHATWG's encoder writes the replacement character
    return "".join(f"%{byte:02X}" for byte in found.encode("utf-8"))


def _folded(path: str) -> str:
    """Return ``path`` without empty and dot segments; ``..`` above the root is dropped (RFC 3986 section 5.2.4)."""
    if "//" not in path and "/." not in path:
        return path or "/"
    kept: list[str] = []
    for segment in path.split("/"):
        if segment == "..":
            del kept[-1:]
        elif segment not in ("", "."):
            kept.append(segment)
    is_folder = bool(kept) and path.endswith(("/", "/.", "/.."))
    return "/" + "/".join(kept) + ("/" if is_folder else "")
