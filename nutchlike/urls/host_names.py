"""Host names between their Unicode and their ASCII (punycode) forms, by IDNA 2003 and by UTS 46."""

from __future__ import annotations

import re
import unicodedata
from encodings import idna as idna2003

import idna

MAX_LABEL = 63  # octets, RFC 1035 section 2.3.4
MAX_HOST = 253  # octets without the root dot, RFC 1035 section 2.3.4

_DOTS = re.compile("[.\u3002\uff0e\uff61]")  # RFC 3490 section 3.1
_ACE_PREFIX = "xn--"


def to_ascii_2003(host: str) -> str:
    """Return ``host`` with each non-ASCII label in punycode, by IDNA 2003 (ß becomes ss).

    Raises ValueError for a label that has no ASCII form or is longer than 63 octets. Source: RFC 3490.
    """
    return ".".join(_label_to_ascii_2003(label) for label in _DOTS.split(host))


def to_unicode_2003(host: str) -> str:
    """Return ``host`` with each ``xn--`` label as text, by IDNA 2003.

    A label that does not survive the way there and back stays as it is. Source: RFC 3490.
    """
    return ".".join(_label_to_unicode_2003(label) for label in _DOTS.split(host))


def to_ascii_2008(host: str) -> str:
    """Return ``host`` with each non-ASCII label in punycode, by UTS 46 non-transitional (ß stays ß).

    Raises ValueError for a character that UTS 46 disallows and for a label that is empty after the
    mapping, malformed, or longer than 63 octets.
    """
    labels = [_label_to_ascii_2008(label) for label in _uts46_mapped(host).split(".")]
    if any(not label for label in labels[:-1]):
        raise ValueError(f"host {host!r} has an empty label")
    return ".".join(labels)


def to_unicode_2008(host: str) -> str:
    """Return ``host`` with each ``xn--`` label as text, by UTS 46 non-transitional.

    Raises ValueError for a label that is no punycode or encodes what UTS 46 would not write so.
    """
    return ".".join(_label_to_unicode_2008(label) for label in _uts46_mapped(host).split("."))


def ascii_length(label: str) -> int:
    """Return how many octets ``label`` takes in a DNS query, whether IDNA allows it or not."""
    if label.isascii():
        return len(label)
    return len(_ACE_PREFIX) + len(label.encode("punycode"))


def _label_to_ascii_2003(label: str) -> str:
    if not label:
        return label
    _check_convertible(label)
    try:
        return idna2003.ToASCII(label).decode("ascii")
    except UnicodeError as error:
        raise ValueError(f"host label {label!r} has no ASCII form in IDNA 2003: {error}") from None


def _check_convertible(label: str) -> None:
    """Raise ValueError for a label that cannot get short enough: punycode takes quadratic time."""
    if len(label) > MAX_HOST:
        raise ValueError(f"a host label has {len(label)} characters, at most {MAX_LABEL} octets are allowed")


def _label_to_unicode_2003(label: str) -> str:
    try:
        return str(idna2003.ToUnicode(label))
    except UnicodeError:
        return label


def _uts46_mapped(host: str) -> str:
    try:
        return idna.uts46_remap(host, std3_rules=False, transitional=False)
    except UnicodeError as error:
        raise ValueError(f"host {host!r} is not allowed by UTS 46: {error}") from None


def _label_to_ascii_2008(label: str) -> str:
    _check_label_2008(label)
    _check_convertible(label)
    if not label.isascii():
        label = _ACE_PREFIX + label.encode("punycode").decode("ascii")
    if len(label) > MAX_LABEL:
        raise ValueError(f"host label {label!r} has {len(label)} octets, at most {MAX_LABEL} are allowed")
    return label


def _label_to_unicode_2008(label: str) -> str:
    if not label.startswith(_ACE_PREFIX):
        return label
    try:
        decoded = label[len(_ACE_PREFIX) :].encode("ascii").decode("punycode")
    except UnicodeError:
        raise ValueError(f"host label {label!r} is no punycode") from None
    if decoded.isascii() or _uts46_mapped(decoded) != decoded:
        raise ValueError(f"host label {label!r} encodes {decoded!r}, which UTS 46 does not write so")
    _check_label_2008(decoded)
    return decoded


def _check_label_2008(label: str) -> None:
    """Raise ValueError when ``label`` breaks a validity rule of UTS 46 section 4.1."""
    if label.startswith(_ACE_PREFIX) or not label:
        return
    if label[0] == "-" or label[-1] == "-" or label[2:4] == "--":
        raise ValueError(f"host label {label!r} has a hyphen at its start, its end, or in places 3 and 4")
    if unicodedata.category(label[0]).startswith("M"):
        raise ValueError(f"host label {label!r} starts with a combining mark")
