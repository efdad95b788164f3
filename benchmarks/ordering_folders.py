"""Webs that exist: the link graph of a folder of HTML files, and of a file that a web generator wrote."""

from __future__ import annotations

import json
import re
from pathlib import Path
from posixpath import commonpath, dirname, join, normpath
from urllib.parse import unquote

from ordering_graphs import Web, web_of

_HREF = re.compile(rb"<a\b[^>]*?\bhref\s*=\s*[\"']?([^\"'\s>]+)", re.IGNORECASE)


def folder_web(folder: Path) -> Web:
    """Return the web of all HTML files below ``folder``; crawls begin at its ``index.html``, or at its first file.

    The folders of the first two levels stand for hosts (levels that hold one folder and nothing else do not count).
    """
    files = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.html") if path.is_file())
    if not files:
        raise ValueError(f"{folder} must hold HTML files, found none")
    home = "index.html" if "index.html" in files else min(files, key=lambda path: (path.count("/"), path))
    files.sort(key=lambda path: path != home)
    number = {path: i for i, path in enumerate(files)}
    shared = len(Path(commonpath([dirname(path) for path in files])).parts)
    hosts = [Path(path).parts[shared:-1][:2] for path in files]
    names = {host: i for i, host in enumerate(dict.fromkeys(hosts))}
    links = [_targets(folder, path, number) for path in files]
    return web_of(folder.name, links, [names[host] for host in hosts])


def _targets(folder: Path, path: str, number: dict[str, int]) -> set[int]:
    found = set()
    for raw in _HREF.findall((folder / path).read_bytes()):
        href = unquote(raw.decode("utf-8", "replace")).split("#")[0].split("?")[0]
        if not href or ":" in href or href.startswith("//"):
            continue
        target = normpath(join(path, "..", href)) if not href.startswith("/") else normpath(href[1:])
        for candidate in (target, join(target, "index.html")):
            if candidate in number:
                found.add(number[candidate])
                break
    return found


def written_web(path: Path) -> Web:
    """Return the web of a JSON file with ``edges`` (targets of each page) and ``host`` (name of each page's host)."""
    data = json.loads(path.read_text(encoding="utf-8"))
    names = {name: i for i, name in enumerate(dict.fromkeys(data["host"]))}
    return web_of(path.stem, [set(targets) for targets in data["edges"]], [names[name] for name in data["host"]])
