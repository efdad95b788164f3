"""What a match is replaced with, in the notation of Java's Matcher.replaceAll."""

from __future__ import annotations

import re
from dataclasses import dataclass

from nutchlike.urls.java_pattern import JavaPattern

_PART = re.compile(r"\\(?P<escaped>[\s\S])|\$(?P<number>[0-9]+)|\$\{(?P<name>[A-Za-z][A-Za-z0-9]*)\}|(?P<text>[^\\$]+)")


@dataclass(frozen=True, slots=True)
class JavaReplacement:
    """Texts and numbers of groups, in order."""

    parts: tuple[str | int, ...]


def parse_java_replacement(text: str, pattern: JavaPattern) -> JavaReplacement:
    """Return the replacement that ``text`` describes for the matches of ``pattern``.

    ``$1`` (as many digits as name a group) and ``${name}`` stand for groups; a backslash takes the
    next character as it is.
    Raises ValueError for a group that the pattern has not, and for a ``$`` or a backslash without the rest.
    """
    parts: list[str | int] = []
    at = 0
    while at < len(text):
        part = _PART.match(text, at)
        if part is None:
            raise ValueError(rf"bad substitution {text!r}: write '\$' or '\\' for the character at {at + 1}")
        at = part.end()
        if part["number"]:
            number, rest = _largest_group(part["number"], pattern.groups)
            if number > pattern.groups:
                raise ValueError(f"bad substitution {text!r}: no group {number}, there are {pattern.groups}")
            parts += [number, rest]
        elif part["name"]:
            if part["name"] not in pattern.names:
                raise ValueError(f"bad substitution {text!r}: no group with the name {part['name']!r}")
            parts.append(pattern.names[part["name"]])
        else:
            parts.append(part["escaped"] or part["text"])
    return JavaReplacement(tuple(parts))


def _largest_group(digits: str, groups: int) -> tuple[int, str]:
    """Return the number of as many ``digits`` as still name a group, at least one, and the digits left."""
    length = 1
    while length < len(digits) and int(digits[: length + 1]) <= groups:
        length += 1
    return int(digits[:length]), digits[length:]


def replace_all(pattern: JavaPattern, replacement: JavaReplacement, text: str) -> str:
    """Return ``text`` with each match of ``pattern`` replaced; a group that took no part is empty.

    Raises SearchTooLong.
    """
    out: list[str] = []
    end = 0
    for match in pattern.matches(text):
        start, after = match.span()
        out.append(text[end:start])
        for part in replacement.parts:
            if isinstance(part, str):
                out.append(part)
            else:
                low, high = match.span(part)
                out.append(text[low:high] if low >= 0 else "")
        end = after
    return "".join([*out, text[end:]]) if out else text
