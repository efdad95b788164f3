"""The rules of a filter or normalizer: where the settings say they are, and their lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nutchlike import default_settings
from nutchlike.contracts import SettingsReader
from nutchlike.urls.rule_files import NoRuleFile, read_rule_file

UNNAMED = "<rules>"  # what messages call rules that came as text
NO_RULE = "no rule matched"

_LINE_ENDS = re.compile(r"\r\n|\r|\n")


def numbered_lines(rules: str | None, *, source: str, strict: bool) -> Iterator[tuple[int, str]]:
    """Yield the lines of ``rules`` with their numbers, from 1.

    A byte order mark is taken off unless ``strict``: Nutch reads it as part of the first line. ``None`` stands
    for a rule file that is not there: no lines where Nutch goes on without it (``strict``), else a ValueError.
    """
    if rules is None:
        if not strict:
            raise ValueError(f"{source}: the rules are missing, give a text (an empty one for no rules)")
        return
    text = rules if strict else rules.removeprefix("\ufeff")
    yield from enumerate(_LINE_ENDS.split(text), start=1)


def configured_rules(settings: SettingsReader, prefix: str, *, may_be_missing: bool = True) -> tuple[str, str]:
    """Return the rules that ``<prefix>_RULES`` holds or ``<prefix>_FILE`` names, and how to call them in messages.

    The rules beat the file; the file of default_settings.py stands where neither is set. With NUTCH_STRICT, and
    where Nutch only logs a missing file (``may_be_missing``), a file that is missing or empty means no rules.

    Raises ValueError that names the setting, and the places tried, for a file that cannot be read.
    """
    rules = settings.get(f"{prefix}_RULES")
    if rules is not None:
        return str(rules), f"{prefix}_RULES"
    name = settings.get(f"{prefix}_FILE") or getattr(default_settings, f"{prefix}_FILE")
    try:
        return rules_of_file(settings, f"{prefix}_FILE", name)
    except NoRuleFile:
        if may_be_missing and settings.getbool("NUTCH_STRICT"):
            return "", name
        raise


def rules_of_file(settings: SettingsReader, setting: str, name: str) -> tuple[str, str]:
    """Return the rules of the file ``name``, which ``setting`` gave, and how to call them in messages.

    Raises as ``read_rule_file`` does, the setting named.
    """
    try:
        return read_rule_file(name, conf_dir=_conf_dir(settings))
    except ValueError as error:
        raise type(error)(f"{setting}: {error}") from None


def _conf_dir(settings: SettingsReader) -> str | None:
    folder = settings.get("NUTCH_CONF_DIR")
    return str(folder) if folder else None
