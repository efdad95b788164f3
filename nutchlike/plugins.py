"""Builds the classes that settings name by import path, in their order."""

from __future__ import annotations

from typing import Any

from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from nutchlike.checked_settings import get_int
from nutchlike.urls.chain import URLChain


def build_plugin(settings: BaseSettings, name: str) -> Any:
    """Return the plug-in that setting ``name`` names; ValueError, naming setting and value, when it cannot be built."""
    return _build(settings, name, settings[name])


def build_plugins(settings: BaseSettings, name: str) -> list[Any]:
    """Return the plug-ins that the list in setting ``name`` names, in its order.

    The list may be one import path, or several separated by commas (blanks around them do not count).
    Raises ValueError as ``build_plugin`` does.
    """
    paths = [path.strip() if isinstance(path, str) else path for path in settings.getlist(name)]
    return [_build(settings, name, path) for path in paths if path]


def build_url_chain(settings: BaseSettings) -> URLChain:
    """Return the normalizers and filters that the settings name, as one chain."""
    return URLChain(
        build_plugins(settings, "NUTCH_URL_NORMALIZERS"),
        build_plugins(settings, "NUTCH_URL_FILTERS"),
        max_length=get_int(settings, "NUTCH_DB_MAX_OUTLINK_LENGTH"),
    )


def check_plugins(settings: BaseSettings) -> None:
    """Build every plug-in that the settings name; ValueError for the first that cannot be built."""
    build_url_chain(settings)
    build_plugins(settings, "NUTCH_SCORING_FILTERS")
    for name in ("NUTCH_SIGNATURE_CLASS", "NUTCH_FETCH_SCHEDULE_CLASS"):
        build_plugin(settings, name)


def _build(settings: BaseSettings, name: str, path: Any) -> Any:
    try:
        return load_object(path).from_settings(settings)
    except (ImportError, NameError, ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"{name}: cannot build {path!r}: {error}") from error
