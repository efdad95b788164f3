"""Requests to bytes and back, for the store: JSON that cannot execute anything and never changes a type.

The format is one JSON object: the version ``v``, the ``class`` as [module, qualified name] unless it is Request, the
URL, and each attribute that differs from its default. JSON itself holds None, bool, int of 64 bits, finite float, str,
and a dict with str keys; a JSON array is always a tag and its operands, for what JSON does not know (see ``_pack``).
"""

from __future__ import annotations

import base64
import datetime as dt
import inspect
import json
import math
import re
import sys
from collections.abc import Callable
from copy import copy
from decimal import Decimal
from functools import partial
from types import FunctionType, MethodType, ModuleType
from typing import Any

from scrapy import Spider
from scrapy.http import Headers, Request
from scrapy.http.request import NO_CALLBACK

VERSION = 1
NESTING_MAX = 100

_NO_CALLBACK_MARK = ["NO_CALLBACK"]
_PLAIN_META = frozenset({"depth", "is_start_request"})
_SURROGATE = re.compile("[\ud800-\udfff]")

_BY_NAME = ("callback", "errback")
_SET_AFTER_INIT: dict[str, Any] = {"method": "GET", "cookies": {}, "priority": 0, "dont_filter": False, "flags": []}
_DEFAULTS: dict[str, Any] = {"body": b"", "encoding": "utf-8", "meta": {}, "cb_kwargs": {}, **_SET_AFTER_INIT}


def encode_request(request: Request, *, spider: Spider) -> bytes:
    """Return ``request`` as bytes from which ``decode_request`` makes an equal one, types included.

    Supported values in meta, cb_kwargs, cookies and flags: None, bool, int, float, str, bytes, list, tuple, dict, set,
    frozenset, date, datetime and time (without a time zone, or with a fixed offset), timedelta, Decimal; of exactly
    these types. Callbacks are stored as names of methods of ``spider``.
    Raises ValueError, naming the URL and the attribute, for anything that would not come back as it is.
    """
    try:
        fields = _request_fields(request, spider)
    except ValueError as error:
        raise ValueError(f"request {request.url} cannot be stored: {error}") from None
    return json.dumps(fields, separators=(",", ":"), allow_nan=False).encode("ascii")


def decode_request(data: bytes, *, spider: Spider) -> Request:
    """Return the request that ``encode_request`` made ``data`` from, with its callbacks bound to ``spider``.

    Nothing is imported and no callback is called: the class must be a Request class of a module that is loaded.
    Raises ValueError, naming what is wrong, for unreadable data, an unknown class and a method that ``spider`` lacks.
    """
    try:
        fields = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"stored request is not readable: {error}, got {data[:40]!r}") from None
    version = fields.get("v") if isinstance(fields, dict) else None
    if type(version) is not int or version != VERSION:
        raise ValueError(f"stored request must have format version {VERSION}, got {version!r} in {data[:40]!r}")
    try:
        return _request_from(fields, spider)
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
        raise ValueError(f"stored request {fields.get('url')!r} cannot be loaded: {error}") from None


def is_plain(request: Request, *, spider: Spider) -> bool:
    """Tell whether ``request`` is a mere GET of its URL, of which no more than URL, depth and Referer matter."""
    return (
        type(request) is Request
        and request.method == "GET"
        and not request.body
        and not request.cookies
        and request.callback in (None, spider.parse)
        and request.errback is None
        and not request.cb_kwargs
        and not request.flags
        and request.priority == 0
        and not request.dont_filter
        and request.headers.keys() <= {b"Referer"}
        and request.meta.keys() <= _PLAIN_META
    )


def _request_fields(request: Request, spider: Spider) -> dict[str, Any]:
    fields: dict[str, Any] = {"v": VERSION, "url": _pack(request.url, "url")}
    cls = type(request)
    if cls is not Request:
        fields["class"] = [cls.__module__, cls.__qualname__]
        if _find_class(fields["class"]) is not cls:
            raise ValueError(f"its class {cls.__module__}.{cls.__qualname__} cannot be found by that name")
    for name in _BY_NAME:
        function = getattr(request, name)
        if function is not None:
            fields[name] = _method_name(function, spider, name)
    if request.headers:
        # Latin-1 gives each byte one character: usual headers stay readable, all others come back exactly.
        fields["headers"] = {
            key.decode("latin-1"): [value.decode("latin-1") for value in values]
            for key, values in dict.items(request.headers)
        }
    for name in cls.attributes:
        if name in ("url", "headers", *_BY_NAME):
            continue
        value = getattr(request, name)
        default = _DEFAULTS.get(name)
        if name not in _DEFAULTS or type(value) is not type(default) or value != default:
            fields[name] = _pack(value, name)
    return fields


def _request_from(fields: dict[str, Any], spider: Spider) -> Request:
    cls = _find_class(fields["class"]) if "class" in fields else Request
    if cls is None:
        raise ValueError(f"its class {fields['class']!r} is no Request class of a loaded module")
    values = {name: copy(default) for name, default in _DEFAULTS.items()}
    for name in fields.keys() - {"v", "class", "url", "headers"}:
        if name not in cls.attributes:
            raise ValueError(f"{cls.__qualname__} has no attribute {name!r}")
        values[name] = _method(fields[name], spider) if name in _BY_NAME else _unpack(fields[name])
    arguments = {name: value for name, value in values.items() if name not in _SET_AFTER_INIT}
    # The stored URL is escaped already, and escaping it again could change it.
    request = cls(url=_unpack(fields["url"]), **{**arguments, "meta": {"verbatim_url": True}})
    request.meta.clear()
    request.meta.update(values["meta"])
    # Set behind the constructors of JsonRequest and its kind, which have values of their own for these and for headers.
    for name in _SET_AFTER_INIT:
        setattr(request, name, values[name])
    request.headers = Headers(encoding=request.encoding)
    for key, header_values in fields.get("headers", {}).items():
        # Behind Headers too, whose normal form of a name is not stable for every byte.
        dict.__setitem__(request.headers, key.encode("latin-1"), [value.encode("latin-1") for value in header_values])
    return request


def _find_class(name: Any) -> type[Request] | None:
    """Return the Request class called [module, qualified name] if its module is loaded, else ``None``."""
    module, qualified_name = name
    found: Any = sys.modules.get(module)
    for part in qualified_name.split("."):
        if not isinstance(found, (ModuleType, type)):
            return None
        # Not getattr(): a module may import another when it is asked for a name.
        found = object.__getattribute__(found, "__dict__").get(part)
    return found if isinstance(found, type) and issubclass(found, Request) else None


def _method_name(function: Any, spider: Spider, field: str) -> Any:
    """Return the name under which ``spider`` has the method ``function``; ValueError when it has none."""
    if function is NO_CALLBACK:
        return _NO_CALLBACK_MARK
    if isinstance(function, MethodType):
        implementation = function.__func__
        for name in (getattr(implementation, "__name__", ""), *_names_of(implementation, spider)):
            if _find_method(name, spider) == function:
                return name
    shown = getattr(function, "__qualname__", type(function).__qualname__)
    raise ValueError(f"its {field} {shown!r} is no method of spider {spider.name!r}")


def _names_of(implementation: Any, spider: Spider) -> list[str]:
    """Return the names that the spider's classes give to ``implementation``, whatever its own name is."""
    return [
        name
        for cls in type(spider).__mro__
        for name, member in vars(cls).items()
        if getattr(member, "__func__", member) is implementation
    ]


def _method(name: Any, spider: Spider) -> Callable[..., Any]:
    if name == _NO_CALLBACK_MARK:
        return NO_CALLBACK
    method = _find_method(name, spider) if isinstance(name, str) else None
    if method is None:
        raise ValueError(f"spider {spider.name!r} has no method {name!r}")
    return method


def _find_method(name: str, spider: Spider) -> MethodType | None:
    """Return the bound method ``name`` of ``spider`` without running a property; ``None`` when there is none."""
    member = inspect.getattr_static(spider, name, None)
    if name.startswith("__") or not isinstance(member, (FunctionType, MethodType, classmethod)):
        return None
    method = getattr(spider, name)
    return method if isinstance(method, MethodType) else None


def _pack(value: Any, where: str, depth: int = 0) -> Any:
    """Return ``value`` as JSON values; ``where`` names it in the ValueError for what is not supported."""
    if depth > NESTING_MAX:
        raise ValueError(f"{where[:40]}... is nested deeper than {NESTING_MAX} levels, or holds itself")
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is str:
        # JSON would join two lone surrogates to one character.
        return ["str", _base64(value.encode("utf-8", "surrogatepass"))] if _SURROGATE.search(value) else value
    if kind is int:
        return value if value.bit_length() < 64 else ["int", hex(value)]
    if kind is float:
        return value if math.isfinite(value) else ["float", repr(value)]
    if kind is bytes:
        return ["bytes", _base64(value)]
    if kind is list or kind is tuple:
        return [kind.__name__, *(_pack(item, f"{where}[{i}]", depth + 1) for i, item in enumerate(value))]
    if kind is set or kind is frozenset:
        members = [_pack(item, f"a member of {where}", depth + 1) for item in value]
        return [kind.__name__, *sorted(members, key=json.dumps)]
    if kind is dict:
        items = [
            (_pack(key, f"a key of {where}", depth + 1), _pack(item, f"{where}[{key!r:.40}]", depth + 1))
            for key, item in value.items()
        ]
        if all(isinstance(key, str) for key, _ in items):
            return dict(items)
        return ["dict", *(part for item in items for part in item)]
    return _pack_time_or_decimal(value, where)


def _pack_time_or_decimal(value: Any, where: str) -> list[Any]:
    kind = type(value)
    if kind is dt.datetime or kind is dt.time:
        zone = value.tzinfo
        if zone is not None and (type(zone) is not dt.timezone or zone.tzname(None) != _unnamed(zone).tzname(None)):
            raise ValueError(f"{where} has the time zone {zone}; only UTC and fixed offsets without a name are kept")
        # apart from the time: fromisoformat takes an offset of less than a second for UTC
        offset = [] if zone is None else [_pack_offset(zone)]
        return [kind.__name__, value.replace(tzinfo=None).isoformat(), value.fold, *offset]
    if kind is dt.date:
        return ["date", value.isoformat()]
    if kind is dt.timedelta:
        return ["timedelta", value.days, value.seconds, value.microseconds]
    if kind is Decimal:
        return ["Decimal", str(value)]
    raise ValueError(
        f"{where} is a {kind.__module__}.{kind.__qualname__}, which would not come back as it is; give plain values"
    )


def _pack_offset(zone: dt.timezone) -> list[int]:
    offset = zone.utcoffset(None)
    return [offset.days, offset.seconds, offset.microseconds]


def _unpack_time(cls: type[Any], text: str, fold: int, offset: list[int] | None = None) -> Any:
    value = cls.fromisoformat(text).replace(fold=fold)
    return value if offset is None else value.replace(tzinfo=dt.timezone(dt.timedelta(*offset)))


def _unnamed(zone: dt.timezone) -> dt.timezone:
    return dt.timezone(zone.utcoffset(None))


def _unpack(packed: Any) -> Any:
    """Return the value that ``_pack`` made ``packed`` from; KeyError, TypeError or ValueError for anything else."""
    if isinstance(packed, dict):
        return {key: _unpack(item) for key, item in packed.items()}
    if isinstance(packed, list):
        return _UNPACKERS[packed[0]](*packed[1:])
    return packed


def _unpack_dict(*parts: Any) -> dict[Any, Any]:
    values = [_unpack(part) for part in parts]
    return dict(zip(values[::2], values[1::2], strict=True))


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


_UNPACKERS: dict[str, Callable[..., Any]] = {
    "str": lambda text: base64.b64decode(text, validate=True).decode("utf-8", "surrogatepass"),
    "int": lambda text: int(text, 16),
    "float": float,
    "bytes": lambda text: base64.b64decode(text, validate=True),
    "list": lambda *items: [_unpack(item) for item in items],
    "tuple": lambda *items: tuple(_unpack(item) for item in items),
    "set": lambda *items: {_unpack(item) for item in items},
    "frozenset": lambda *items: frozenset(_unpack(item) for item in items),
    "dict": _unpack_dict,
    "datetime": partial(_unpack_time, dt.datetime),
    "time": partial(_unpack_time, dt.time),
    "date": dt.date.fromisoformat,
    "timedelta": dt.timedelta,
    "Decimal": Decimal,
}
