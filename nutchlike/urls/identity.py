"""What makes two URLs the same page, and two pages the same host: one answer for the whole crawl."""

from __future__ import annotations

import mmh3


def url_id(url: str) -> bytes:
    """Return the 8 bytes that stand for a normalized ``url`` as CrawlDb key, in the seen test and as fingerprint.

    They are the first of the two 64-bit halves of MurmurHash3 x64 128 (seed 0) over the URL's UTF-8, as an
    unsigned little-endian number. Nothing is folded here: path case, the order of parameters and an empty
    ``?x=`` all count, so whatever shall be one page must be made one URL by a normalizer before.

    Raises ValueError for a URL with a lone surrogate, which no normalizer lets pass.
    """
    first_half, _ = mmh3.hash64(url.encode("utf-8"), seed=0, x64arch=True, signed=False)
    return first_half.to_bytes(8, "little")


def split_url(url: str) -> tuple[str, str]:
    """Return ``scheme://authority`` and the rest, which begins with ``/``, of a normalized ``url``.

    Raises ValueError for a text without ``://`` or without a slash after the authority.
    """
    slashes = url.find("://")
    slash = url.find("/", slashes + 3)
    if slashes < 1 or slash == -1:
        raise ValueError(f"no normalized URL: {url[:100]!r}, right is 'http://host/path'")
    return url[:slash], url[slash:]


def host_key(url: str) -> str:
    """Return the lower-case host of ``url`` without user info and port, an IPv6 literal without its brackets.

    This is the queue of Nutch's mode byHost. ``http``, ``https`` and all ports share it, ``www.`` does not.

    Raises ValueError for a URL without a host.
    """
    slashes = url.find("://")
    if slashes < 1:
        raise ValueError(f"no absolute URL: {url[:100]!r}, right is 'http://host/path'")
    start = slashes + 3
    end = len(url)
    for mark in "/?#":
        at = url.find(mark, start, end)
        if at != -1:
            end = at
    server = url[start:end].rpartition("@")[2]
    host = server[1:].partition("]")[0] if server.startswith("[") else server.partition(":")[0]
    if not host:
        raise ValueError(f"no host in {url[:100]!r}, right is 'http://host/path'")
    return host.lower()
