"""Whether a body is HTML: the label is heard first, then the bytes may object."""

from __future__ import annotations

import re

_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_XML_TYPES = frozenset({"text/xml", "application/xml"})
# Labels that servers give to what they do not know.
_TYPES_THAT_SAY_NOTHING = frozenset(
    {"", "application/octet-stream", "binary/octet-stream", "application/unknown", "unknown/unknown", "*/*"}
)

_BINARY_MAGIC = (
    b"%PDF-",
    b"%!PS",
    b"{\\rtf",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"BZh",
    b"7z\xbc\xaf\x27\x1c",
    b"Rar!\x1a\x07",
    b"\xfd7zXZ\x00",
    b"\x89PNG\r\n\x1a\n",
    b"GIF87a",
    b"GIF89a",
    b"\xff\xd8\xff",
    b"RIFF",
    b"OggS",
    b"ID3",
    b"fLaC",
    b"wOFF",
    b"wOF2",
    b"\x7fELF",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
)
_BOM_OF_WIDE_TEXT = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_UTF8_BOM = b"\xef\xbb\xbf"
# How many bytes at the start decide; a NUL further down is a slip of the author, as in many old pages.
_BYTES_THAT_DECIDE = 1024

# Atomic groups: a comment that ended is not tried longer, else a body of comments takes exponential time.
_HTML_START = re.compile(
    rb"""(?> \s | <!--(?>.*?-->) | <\?xml[^>]*> )*+
    <(?: !doctype\s+html | (?: html | head | body | title | meta | link | base | script | style | frameset | iframe
       | h1 | div | table | font | p | a | b | br )(?=[\s/>]) )""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_XHTML_ROOT = re.compile(
    rb"(?> \s | <!--(?>.*?-->) | <\?[^>]*> | <!doctype\s+html\b[^>]*> )*+ <html[\s>]",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)


def media_type(content_type: str) -> str:
    """Return the type of a Content-Type header in lower case, without parameters; "" when it names none.

    Of several headers that a server joined with commas the first counts.
    """
    return re.split("[;,]", content_type, maxsplit=1)[0].strip().lower()


def is_labelled_html(content_type: str) -> bool:
    """Return whether a Content-Type header says that a body is HTML."""
    return media_type(content_type) in _HTML_TYPES


def is_html(content_type: str, body: bytes) -> bool:
    """Return True when ``body`` is to be parsed as HTML.

    1. A body that starts with the magic bytes of another format, or has a NUL among its first 1024 bytes, is not HTML,
       whatever its label (UTF-16 and UTF-32 with a byte order mark may have NULs).
    2. text/html and application/xhtml+xml are HTML.
    3. text/xml and application/xml are HTML when the root element is ``html``.
    4. A missing label, or one that says nothing (application/octet-stream, a word without a slash), is HTML when the
       body starts like HTML, after white space, comments and an XML declaration.
    5. Any other label (text/plain, application/pdf, application/json) is believed.
    """
    if is_binary(body):
        return False
    label = media_type(content_type)
    if label in _HTML_TYPES:
        return True
    start = _start_as_ascii(body)
    if label in _XML_TYPES:
        return _XHTML_ROOT.match(start) is not None
    if label in _TYPES_THAT_SAY_NOTHING or "/" not in label:
        return _HTML_START.match(start) is not None
    return False


def is_binary(body: bytes) -> bool:
    """Return True when ``body`` is of a format that is no text, as rule 1 of ``is_html`` has it."""
    if body.startswith(_BOM_OF_WIDE_TEXT):
        return False
    start = body[:_BYTES_THAT_DECIDE]
    return b"\x00" in start or start.removeprefix(_UTF8_BOM).lstrip().startswith(_BINARY_MAGIC)


def _start_as_ascii(body: bytes) -> bytes:
    """Return the first bytes that decide, without the byte order mark and the NULs of wide text."""
    if body.startswith(_BOM_OF_WIDE_TEXT):
        return body[: 4 * _BYTES_THAT_DECIDE].lstrip(b"\xff\xfe\x00").replace(b"\x00", b"")
    return body[: 4 * _BYTES_THAT_DECIDE].removeprefix(_UTF8_BOM)
