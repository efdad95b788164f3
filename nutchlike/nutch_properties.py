"""The settings that Nutch's properties stand for, where the names alone do not say it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from nutchlike import default_settings
from nutchlike.contracts import SettingsReader
from nutchlike.nutch_conf import Property, read_nutch_conf, setting_name
from nutchlike.nutch_plugins import URL_PLUGIN_PROPERTIES, url_plugins

_SIGNATURES = {
    "org.apache.nutch.crawl.MD5Signature": "nutchlike.signatures.md5.MD5Signature",
    "org.apache.nutch.crawl.TextMD5Signature": "nutchlike.signatures.text_md5.TextMD5Signature",
    "org.apache.nutch.crawl.TextProfileSignature": "nutchlike.signatures.text_profile.TextProfileSignature",
}
_SCHEDULES = {
    f"org.apache.nutch.crawl.{name}": f"nutchlike.fetch_schedules.{name}"
    for name in ("DefaultFetchSchedule", "AdaptiveFetchSchedule", "MimeAdaptiveFetchSchedule")
}
_AGENT_NAME = "http.agent.name"
_AGENT_DETAILS = ("http.agent.description", "http.agent.url", "http.agent.email")
_AGENT = (_AGENT_NAME, "http.agent.version", *_AGENT_DETAILS)
_NOT_PROPERTIES = {"NUTCH_CONF_DIR"}


@dataclass(frozen=True, slots=True)
class ConfSettings:
    """Setting -> value, as nutch-default.xml (``defaults``) and nutch-site.xml (``site``) have it.

    ``unread`` are the properties of nutch-site.xml that no setting stands for, in their order.
    """

    defaults: dict[str, Any]
    site: dict[str, Any]
    unread: tuple[str, ...]


def configured_conf(settings: SettingsReader, *, environ: Mapping[str, str]) -> ConfSettings | None:
    """Return what the folder NUTCH_CONF_DIR says, ``None`` when that is not set; see ``read_nutch_conf``.

    Raises ValueError for what cannot be read, and for a value that cannot be used, with file and line.
    """
    folder = settings.get("NUTCH_CONF_DIR")
    if folder is None or str(folder) == "":
        return None
    try:
        return settings_of(read_nutch_conf(str(folder), environ=environ))
    except ValueError as error:
        raise ValueError(f"NUTCH_CONF_DIR: {error}") from None


def settings_of(conf: Mapping[str, Property]) -> ConfSettings:
    """Return the settings that the properties ``conf`` stand for.

    A property is the setting of its name where there is such a one. Besides, db.signature.class and
    db.fetch.schedule.class become import paths, http.agent.* the USER_AGENT, http.timeout (ms) DOWNLOAD_TIMEOUT
    (s), http.content.limit DOWNLOAD_MAXSIZE. Of plugin.includes, plugin.excludes, urlfilter.order and
    urlnormalizer.order come the URL plug-ins, when nutch-site.xml has one of the four; else ours stay.

    Raises ValueError, with file and line, for a value that cannot be used.
    """
    result = ConfSettings({}, {}, ())
    read: set[str] = set()
    for name, found in conf.items():
        setting = setting_name(name)
        if setting in _KNOWN and setting not in _NOT_PROPERTIES:
            _add(result, setting, _as_default(setting, found.value), [found])
            read.add(name)
        elif name in _TRANSLATED:
            target, translate = _TRANSLATED[name]
            _add(result, target, translate(name, found), [found])
            read.add(name)
    if _AGENT_NAME in conf and conf[_AGENT_NAME].value:
        agent = {name: conf[name] for name in _AGENT if name in conf}
        _add(result, "USER_AGENT", _user_agent(agent), agent.values())
        read.update(agent)
    if any(name in conf and conf[name].is_site for name in URL_PLUGIN_PROPERTIES):
        result.site.update(url_plugins(conf))
        read.update(URL_PLUGIN_PROPERTIES)
    unread = tuple(name for name, found in conf.items() if found.is_site and name not in read)
    return ConfSettings(result.defaults, result.site, unread)


def _add(result: ConfSettings, setting: str, value: Any, origin: Iterable[Property]) -> None:
    target = result.site if any(found.is_site for found in origin) else result.defaults
    target[setting] = value


def _as_default(setting: str, value: str) -> str:
    """Return ``value`` as Scrapy reads it: Hadoop also takes booleans in capitals, ``0x10`` and ``1.5f``."""
    default = _KNOWN[setting]
    if isinstance(default, bool) or (default is None and value.lower() in {"true", "false"}):
        return value.lower()
    if isinstance(default, int) and re.fullmatch(r"[+-]?0[xX][0-9a-fA-F]+", value):
        return str(int(value, 16))
    if isinstance(default, float) and re.fullmatch(r"[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?[fFdD]", value):
        return value[:-1]
    return value


def _user_agent(agent: Mapping[str, Property]) -> str:
    """Return name/version (description; URL; address). Nutch leaves a ``; `` in front of an empty part, this not."""
    version = agent["http.agent.version"].value if "http.agent.version" in agent else ""
    name = f"{agent[_AGENT_NAME].value}/{version}" if version else agent[_AGENT_NAME].value
    details = [agent[part].value for part in _AGENT_DETAILS if part in agent and agent[part].value]
    return f"{name} ({'; '.join(details)})" if details else name


def _signature_class(name: str, found: Property) -> str:
    if found.value not in _SIGNATURES:
        raise ValueError(f"{found.source}: {name} must be one of {', '.join(_SIGNATURES)}, got {found.value!r}")
    return _SIGNATURES[found.value]


def _schedule_class(name: str, found: Property) -> str:
    if found.value not in _SCHEDULES:
        known = ", ".join(_SCHEDULES)
        raise ValueError(f"{found.source}: {name} must be one of {known}, got {found.value!r}")
    return _SCHEDULES[found.value]


def _seconds(name: str, found: Property) -> float:
    milliseconds = _whole_number(name, found)
    if milliseconds <= 0:
        raise ValueError(f"{found.source}: {name} must be more than 0 milliseconds, got {found.value!r}")
    return milliseconds / 1000


def _max_size(name: str, found: Property) -> int:
    """Return the limit in bytes, 0 for none; a page above it is not kept, where Nutch keeps its beginning."""
    return max(0, _whole_number(name, found))


def _whole_number(name: str, found: Property) -> int:
    try:
        return int(found.value)
    except ValueError:
        raise ValueError(f"{found.source}: {name} must be a whole number, got {found.value!r}") from None


_KNOWN: dict[str, Any] = {name: value for name, value in vars(default_settings).items() if name.startswith("NUTCH_")}
_TRANSLATED: dict[str, tuple[str, Callable[[str, Property], Any]]] = {
    "db.signature.class": ("NUTCH_SIGNATURE_CLASS", _signature_class),
    "db.fetch.schedule.class": ("NUTCH_FETCH_SCHEDULE_CLASS", _schedule_class),
    "http.timeout": ("DOWNLOAD_TIMEOUT", _seconds),
    "http.content.limit": ("DOWNLOAD_MAXSIZE", _max_size),
}
