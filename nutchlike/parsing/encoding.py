"""The encoding in which a body of HTML is to be read."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding, read_bom

# Python's names of the encodings that browsers read (WHATWG Encoding Standard, section 4.2), and UTF-32, which w3lib
# finds by its byte order mark. A label such as ``idna`` or ``unicode_escape`` names a codec of Python, not of the web.
_WEB_ENCODING_NAMES = (
    "utf-8 utf-16-be utf-16-le utf-32-be utf-32-le"
    " cp866 cp874 cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258"
    " iso8859-2 iso8859-3 iso8859-4 iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-10 iso8859-13 iso8859-14"
    " iso8859-15 iso8859-16 koi8-r koi8-u mac-roman mac-cyrillic"
    " gb18030 big5hkscs euc_jp iso2022_jp cp932 cp949"
)
_WEB_ENCODINGS = frozenset(_WEB_ENCODING_NAMES.split())
# Where a head stops to be searched for a declaration; heads of this size consist of inline scripts and styles.
_HEAD_BYTES = 262_144
# What a head is searched for. Comments, scripts and styles are matched so that nothing is found inside them.
_HEAD_PART = re.compile(
    rb"""<!--.*?(?:-->|\Z) | <(script|style)\b.*?(?:</\1\s*>|\Z)
       | (?P<declaration> <meta[\s/][^<>]*> | <\?xml\s[^<>]*> ) | (?P<body> <body[\s>] )""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class FoundEncoding:
    """The Python name of an encoding, always one that ``bytes.decode`` knows, and what it was told by."""

    name: str
    source: str


def declared_encoding(body: bytes, content_type: str) -> str:
    """Return the name of the encoding of ``body``, as ``found_encoding`` finds it."""
    return found_encoding(body, content_type).name


def found_encoding(body: bytes, content_type: str) -> FoundEncoding:
    """Return the encoding of ``body``.

    The first that speaks is believed: the byte order mark, the charset of the Content-Type header (also where the
    bytes contradict it: the text is then rubbish, but the same rubbish at each fetch), the meta tag or XML
    declaration within the first 262,144 bytes, in the head and outside comments and scripts. Names that no browser
    knows are passed over. Narrow Chinese, Japanese, Korean and Latin labels mean their supersets, as in browsers:
    gb2312 is gb18030, ISO-8859-1 is cp1252. When nothing speaks: UTF-8 if the bytes are UTF-8 throughout (a last
    character may be cut), else cp1252.
    """
    bom_encoding, _ = read_bom(body)
    if bom_encoding:
        return FoundEncoding(bom_encoding, "byte order mark")
    header_encoding = _web_encoding(http_content_type_encoding(content_type))
    if header_encoding:
        return FoundEncoding(header_encoding, "Content-Type")
    meta_encoding = _web_encoding(_head_encoding(body[:_HEAD_BYTES]))
    if meta_encoding:
        # A declaration that was read as ASCII cannot be right about two bytes a character.
        name = "utf-8" if meta_encoding.startswith(("utf-16", "utf-32")) else meta_encoding
        return FoundEncoding(name, "declaration in the page")
    return FoundEncoding("utf-8" if _is_utf8(body) else "cp1252", "bytes")


def _web_encoding(name: str | None) -> str | None:
    if name in ("utf-16", "utf-32"):
        name += "-le"
    return name if name in _WEB_ENCODINGS else None


def _head_encoding(head: bytes) -> str | None:
    """Return what a meta tag or XML declaration of ``head`` names, however far down it is.

    w3lib reads the tag; it would search only the first 4,096 bytes, and in scripts too.
    """
    for part in _HEAD_PART.finditer(head):
        if part["body"]:
            break
        declared = html_body_declared_encoding(part["declaration"]) if part["declaration"] else None
        if declared:
            return declared
    return None


def _is_utf8(body: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(body, final=False)
    except UnicodeDecodeError:
        return False
    return True
