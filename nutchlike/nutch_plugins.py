"""Which URL normalizers and filters Nutch's plug-in properties switch on, and in which order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nutchlike.nutch_conf import Property
from nutchlike.urls.java_pattern import JavaPattern

_INCLUDES = "plugin.includes"
_EXCLUDES = "plugin.excludes"
_FILTER_ORDER = "urlfilter.order"
_NORMALIZER_ORDER = "urlnormalizer.order"
URL_PLUGIN_PROPERTIES = (_INCLUDES, _EXCLUDES, _FILTER_ORDER, _NORMALIZER_ORDER)

# Plug-in id -> (Nutch's class behind org.apache.nutch., the class here). The order is that of a chain without one.
_NORMALIZERS = {
    "urlnormalizer-basic": ("net.urlnormalizer.basic.BasicURLNormalizer", "BasicURLNormalizer"),
    "urlnormalizer-regex": ("net.urlnormalizer.regex.RegexURLNormalizer", "RegexURLNormalizer"),
    "urlnormalizer-pass": ("net.urlnormalizer.pass.PassURLNormalizer", "PassURLNormalizer"),
    "urlnormalizer-ajax": ("net.urlnormalizer.ajax.AjaxURLNormalizer", "AjaxURLNormalizer"),
    "urlnormalizer-host": ("net.urlnormalizer.host.HostURLNormalizer", "HostURLNormalizer"),
    "urlnormalizer-protocol": ("net.urlnormalizer.protocol.ProtocolURLNormalizer", "ProtocolURLNormalizer"),
    "urlnormalizer-querystring": ("net.urlnormalizer.querystring.QuerystringURLNormalizer", "QuerystringURLNormalizer"),
    "urlnormalizer-slash": ("net.urlnormalizer.slash.SlashURLNormalizer", "SlashURLNormalizer"),
}
_FILTERS = {
    "urlfilter-validator": ("urlfilter.validator.UrlValidator", "ValidatorURLFilter"),
    "urlfilter-prefix": ("urlfilter.prefix.PrefixURLFilter", "PrefixURLFilter"),
    "urlfilter-suffix": ("urlfilter.suffix.SuffixURLFilter", "SuffixURLFilter"),
    "urlfilter-domain": ("urlfilter.domain.DomainURLFilter", "DomainURLFilter"),
    "urlfilter-domaindenylist": ("urlfilter.domaindenylist.DomainDenylistURLFilter", "DomainDenylistURLFilter"),
    "urlfilter-fast": ("urlfilter.fast.FastURLFilter", "FastURLFilter"),
    "urlfilter-regex": ("urlfilter.regex.RegexURLFilter", "RegexURLFilter"),
    "urlfilter-automaton": ("urlfilter.automaton.AutomatonURLFilter", "AutomatonURLFilter"),
}
# What holds where neither file says it, as in Nutch
_BUILT_IN = {
    _INCLUDES: "urlfilter-(regex|validator)|urlnormalizer-(pass|regex|basic)",
    _NORMALIZER_ORDER: " ".join(
        f"org.apache.nutch.{_NORMALIZERS[f'urlnormalizer-{name}'][0]}" for name in ("basic", "regex")
    ),
}


def url_plugins(conf: Mapping[str, Property]) -> dict[str, Any]:
    """Return NUTCH_URL_NORMALIZERS and NUTCH_URL_FILTERS for the four properties URL_PLUGIN_PROPERTIES.

    On are the plug-ins whose whole id plugin.includes fits and plugin.excludes does not. With urlfilter.order,
    those run that it names; with urlnormalizer.order those first, then the others. A class that is named and
    not on is left out, as in Nutch.

    Raises ValueError, with file and line, for a bad expression and for a class that is not one of these.
    """
    return {
        "NUTCH_URL_NORMALIZERS": [
            f"nutchlike.urls.normalizers.{name}"
            for name in _chain(conf, _NORMALIZERS, _NORMALIZER_ORDER, keeps_unnamed=True)
        ],
        "NUTCH_URL_FILTERS": [
            f"nutchlike.urls.filters.{name}" for name in _chain(conf, _FILTERS, _FILTER_ORDER, keeps_unnamed=False)
        ],
    }


def _chain(
    conf: Mapping[str, Property], plugins: Mapping[str, tuple[str, str]], order: str, *, keeps_unnamed: bool
) -> list[str]:
    active = [name for plugin, (_, name) in plugins.items() if _is_on(conf, plugin)]
    named = _named(conf, plugins, order)
    unnamed = active if keeps_unnamed or not named else []
    return list(dict.fromkeys([name for name in named if name in active] + unnamed))


def _named(conf: Mapping[str, Property], plugins: Mapping[str, tuple[str, str]], order: str) -> list[str]:
    known = {f"org.apache.nutch.{nutch_class}": name for nutch_class, name in plugins.values()}
    names = _property(conf, order).value.split()
    for name in names:
        if name not in known:
            raise ValueError(f"{_property(conf, order).source}: {order} has {name!r}, known are {', '.join(known)}")
    return [known[name] for name in names]


def _is_on(conf: Mapping[str, Property], plugin: str) -> bool:
    return _fits(conf, _INCLUDES, plugin) and not _fits(conf, _EXCLUDES, plugin)


def _fits(conf: Mapping[str, Property], name: str, plugin: str) -> bool:
    """Tell whether the expression of property ``name`` describes the whole of ``plugin``."""
    expression = _property(conf, name)
    try:
        return JavaPattern(f"^(?:{expression.value})$", source=expression.source).found_in(plugin)
    except ValueError as error:
        raise ValueError(f"{expression.source}: {name}: {error}") from None


def _property(conf: Mapping[str, Property], name: str) -> Property:
    return conf.get(name, Property(_BUILT_IN.get(name, ""), "Nutch's own value", is_site=False))
