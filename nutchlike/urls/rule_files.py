"""Where a rule file is: in Nutch's conf folder first, then beside the user, in the package last."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

CONF_PACKAGE = "nutchlike.conf"


class NoRuleFile(ValueError):
    """There is no such file, or nothing in it; Nutch takes both for no rules in places."""


def read_rule_file(name: str, *, conf_dir: str | None = None) -> tuple[str, str]:
    """Return the text of the rule file ``name`` and how to call the file in messages.

    An absolute ``name`` is that file. Any other is looked up in ``conf_dir``, in the working folder, then among the
    package's own rule files (with or without ``conf/`` before it), which also works inside a zipped egg.

    Raises NoRuleFile that lists every place tried when there is no such file, and that names the file when it is
    empty; ValueError when it cannot be read or is not UTF-8: no rules must never come to mean "accept all".
    """
    if not name.strip():
        raise ValueError("the name of a rule file is empty, right is e.g. 'regex-urlfilter.txt'")
    tried: list[str] = []
    for place, source in _places(name, conf_dir):
        if not place.is_file():
            tried.append(source)
            continue
        try:
            text = place.read_bytes().decode("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"rule file {source} is not UTF-8: {error}") from None
        except OSError as error:
            raise ValueError(f"cannot read rule file {source}: {error.strerror or error}") from None
        if not text.strip("\ufeff \t\r\n"):
            raise NoRuleFile(f"rule file {source} is empty, it must hold at least one rule")
        return text, source
    raise NoRuleFile(f"no rule file {name!r}, tried {', '.join(tried)}")


def _places(name: str, conf_dir: str | None) -> list[tuple[Path | Traversable, str]]:
    """Return each candidate and its name in messages; folders are absolute, as they depend on the start."""
    path = Path(name)
    if path.is_absolute():
        return [(path, str(path))]
    in_package = name.removeprefix("conf/")
    folders = [Path.cwd() / conf_dir, Path.cwd()] if conf_dir else [Path.cwd()]
    return [
        *((folder / path, str(folder / path)) for folder in folders),
        (files(CONF_PACKAGE).joinpath(in_package), f"{CONF_PACKAGE.replace('.', '/')}/{in_package}"),
    ]
