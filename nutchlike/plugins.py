"""Builds the classes that settings name by import path, in their order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from inspect import signature
from typing import TYPE_CHECKING, Any

from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from nutchlike.checked_settings import get_bool, get_int
from nutchlike.scoring.chain import ScoringChain
from nutchlike.store.content_index import ContentIndex, IndexPlace
from nutchlike.urls.chain import MOST_PASSES, URLChain

if TYPE_CHECKING:
    from nutchlike.signatures.near_duplicates import NearDuplicates

_CONTENT_INDEX = "NUTCH_SIGNATURE_STORE_CLASS"
SCOPE_DEFAULT, SCOPE_INJECT, SCOPE_OUTLINK = "default", "inject", "outlink"


def build_plugin(settings: BaseSettings, name: str) -> Any:
    """Return the plug-in that setting ``name`` names; ValueError, naming setting and value, when it cannot be built."""
    return _build(settings, name, settings[name])


def build_plugins(settings: BaseSettings, name: str) -> list[Any]:
    """Return the plug-ins that the list in setting ``name`` names, in its order.

    The list may be one import path, or several separated by commas (blanks around them do not count).
    Raises ValueError as ``build_plugin`` does.
    """
    return [_build(settings, name, path) for path in _paths(settings, name)]


def build_url_chain(settings: BaseSettings, *, scope: str = SCOPE_DEFAULT) -> URLChain:
    """Return the normalizers and filters that the settings name, as one chain.

    ``scope`` is where the URLs come from, by Nutch's names (``inject``, ``outlink``, ``default``): a normalizer may
    have rules of its own for it.
    """
    name = "NUTCH_URL_NORMALIZERS"
    return URLChain(
        [_build(settings, name, path, scope=scope) for path in _paths(settings, name)],
        build_plugins(settings, "NUTCH_URL_FILTERS"),
        max_length=get_int(settings, "NUTCH_DB_MAX_OUTLINK_LENGTH"),
        passes=_passes(settings),
    )


def build_scoring_chain(settings: BaseSettings) -> ScoringChain:
    """Return the scoring filters that the settings name, as one chain; ValueError when there is none."""
    filters = build_plugins(settings, "NUTCH_SCORING_FILTERS")
    if not filters:
        raise ValueError("NUTCH_SCORING_FILTERS must name a scoring filter, got none")
    return ScoringChain(filters)


def build_content_index(settings: BaseSettings, place: IndexPlace) -> ContentIndex:
    """Return the index of contents that the settings name; ValueError when it cannot be built there."""
    path = settings[_CONTENT_INDEX]
    with _named(_CONTENT_INDEX, path):
        index: ContentIndex = load_object(path).from_settings(settings, place)
    return index


def build_near_duplicates(settings: BaseSettings) -> NearDuplicates | None:
    """Return what makes and compares sketches of pages; ``None`` when near duplicates are not looked for."""
    if not get_bool(settings, "NUTCH_DEDUP_NEAR"):
        return None
    from nutchlike.signatures import near_duplicates  # loads numpy, which a crawl without need not wait for

    return near_duplicates.NearDuplicates.from_settings(settings)


def _passes(settings: BaseSettings) -> int:
    """Return how often the normalizers run over a URL at most."""
    name = "NUTCH_URLNORMALIZER_LOOP_COUNT"
    if settings.get(name) is not None:
        return get_int(settings, name)
    return 1 if get_bool(settings, "NUTCH_STRICT") else MOST_PASSES


def _paths(settings: BaseSettings, name: str) -> list[Any]:
    paths = [path.strip() if isinstance(path, str) else path for path in settings.getlist(name)]
    return [path for path in paths if path]


def check_plugins(settings: BaseSettings) -> None:
    """Build every plug-in that the settings name; ValueError for the first that cannot be built."""
    build_url_chain(settings)
    build_scoring_chain(settings)
    for name in ("NUTCH_SIGNATURE_CLASS", "NUTCH_FETCH_SCHEDULE_CLASS"):
        build_plugin(settings, name)
    path = settings[_CONTENT_INDEX]
    with _named(_CONTENT_INDEX, path):
        load_object(path).from_settings  # noqa: B018  # it is built when the store is there


def _build(settings: BaseSettings, name: str, path: Any, *, scope: str | None = None) -> Any:
    with _named(name, path):
        from_settings = load_object(path).from_settings
        if scope is not None and "scope" in signature(from_settings).parameters:
            return from_settings(settings, scope=scope)
        return from_settings(settings)


@contextmanager
def _named(name: str, path: Any) -> Iterator[None]:
    """Let what goes wrong name the setting and its value."""
    try:
        yield
    except (ImportError, NameError, ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"{name}: cannot build {path!r}: {error}") from error
