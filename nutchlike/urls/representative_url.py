"""Which of two URLs stands for a page to which one of them redirects (Nutch: URLUtil.chooseRepr)."""

from __future__ import annotations

from nutchlike.urls.java_url import JavaURL
from nutchlike.urls.registered_domain import registered_domain
from nutchlike.urls.url_parts import url_parts, utf16_units


def choose_repr(src: str, dst: str, *, is_temporary: bool) -> str:
    """Return the one of ``src``, which redirects, and ``dst``, its target, that people know the page by.

    In another registered domain it is the target. A site's root stands for where it redirects. Else a permanent
    redirect has moved the page to its target, and of a temporary one the shorter URL is kept: that with fewer path
    segments, then characters (UTF-16 units), on one host, that with fewer host labels on two; equals keep ``src``.
    The target, too, when one of the two is no URL.
    """
    try:
        source, target = url_parts(src), url_parts(dst)
    except ValueError:
        return dst
    if registered_domain(source.host.lower()) != registered_domain(target.host.lower()):
        return dst
    if not is_temporary:
        return src if _is_root(source) else dst
    if _is_root(source) != _is_root(target):
        return src if _is_root(source) else dst
    if source.host == target.host and not _is_root(source):
        return dst if _path_length(target) < _path_length(source) else src
    return dst if _labels(target) < _labels(source) else src


def _is_root(url: JavaURL) -> bool:
    return url.file in ("", "/")


def _path_length(url: JavaURL) -> tuple[int, int]:
    """Return segments of path and query, slashes at their end aside, and UTF-16 units."""
    return url.file.rstrip("/").count("/"), len(utf16_units(url.file))


def _labels(url: JavaURL) -> int:
    return url.host.rstrip(".").count(".")
