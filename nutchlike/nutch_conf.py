"""Reads the XML of a folder with Nutch's configuration: nutch-default.xml, then nutch-site.xml."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from xml.parsers import expat

DEFAULT_FILE = "nutch-default.xml"
SITE_FILE = "nutch-site.xml"

_PROPERTY_DEPTH = 2  # <configuration><property>
_FIELD_DEPTH = 3  # <configuration><property><name>
_MOST_EXPANSIONS = 20  # of one value; Hadoop's Configuration.MAX_SUBST
_REFERENCE = re.compile(r"\$\{([^}$ ]+)\}")
_ENVIRONMENT = re.compile(r"env\.(?P<name>[^:-]+)(?:(?P<operator>:?-)(?P<otherwise>.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Property:
    """A property's value, expanded, and where it was read: ``source`` is ``folder/file:line``."""

    value: str
    source: str
    is_site: bool  # of nutch-site.xml, so that the user chose it


def setting_name(name: str) -> str:
    """Return the setting of Nutch's property ``name``: ``a.b-c.d`` is ``NUTCH_A_B_C_D``."""
    return f"NUTCH_{name.replace('.', '_').replace('-', '_').upper()}"


def read_nutch_conf(folder: str | Path, *, environ: Mapping[str, str]) -> dict[str, Property]:
    """Return the properties of both files in ``folder`` by name; those of nutch-site.xml replace the others.

    A file that is not there has no properties. Values are trimmed, and ``${other.property}``, ``${env.NAME}``,
    ``${env.NAME-text}`` and ``${env.NAME:-text}`` expanded as Hadoop does: a reference to nothing stays as it is,
    and so does a value that refers to itself (a longer circle is an error in Hadoop, once the value is asked for).
    ``environ`` is what ``env`` refers to. Java's system properties are unknown here, ``final`` and XInclude do not
    count.

    Raises ValueError, with file and line, for a missing folder, a file that cannot be read, and XML that is
    none or declares an entity.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise ValueError(f"no folder {str(folder)!r}, right is Nutch's conf, which holds {SITE_FILE}")
    properties: dict[str, Property] = {}
    for name in (DEFAULT_FILE, SITE_FILE):
        file = folder / name
        if file.exists():
            properties |= _read_properties(file, is_site=name == SITE_FILE)
    return {name: replace(read, value=_expanded(name, properties, environ)) for name, read in properties.items()}


def _read_properties(file: Path, *, is_site: bool) -> dict[str, Property]:
    reader = _Reader(str(file), is_site)
    try:
        reader.parser.Parse(file.read_bytes(), True)
    except OSError as error:
        raise ValueError(f"cannot read {file}: {error.strerror or error}") from None
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise ValueError(f"{file}:{reader.parser.CurrentLineNumber}: not Nutch's XML: {error}") from None
    return reader.properties


class _Reader:
    """What the parser tells, gathered property by property; the last of one name counts."""

    def __init__(self, file: str, is_site: bool) -> None:
        self.properties: dict[str, Property] = {}
        self._file = file
        self._is_site = is_site
        self._path: list[str] = []
        self._fields: dict[str, str] = {}
        self._line = 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.EntityDeclHandler = self._refuse_entity

    def _refuse_entity(self, name: str, *_: object) -> None:
        raise ValueError(f"it declares the entity {name!r}, write the text itself")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._path.append(tag)
        if len(self._path) == 1 and tag != "configuration":
            raise ValueError(f"the outermost element is <{tag[:100]}>, right is <configuration>")
        if self._is_in_property() and len(self._path) == _PROPERTY_DEPTH:
            self._fields = dict(attributes)  # Hadoop's short form: <property name="…" value="…"/>
            self._line = self.parser.CurrentLineNumber
        elif self._is_in_property() and len(self._path) == _FIELD_DEPTH:
            self._fields[tag] = ""

    def _characters(self, text: str) -> None:
        if self._is_in_property() and len(self._path) == _FIELD_DEPTH:
            self._fields[self._path[-1]] += text

    def _end(self, _tag: str) -> None:
        if self._is_in_property() and len(self._path) == _PROPERTY_DEPTH:
            name, value = self._fields.get("name", "").strip(), self._fields.get("value")
            if name and value is not None:
                self.properties[name] = Property(value.strip(), f"{self._file}:{self._line}", self._is_site)
        self._path.pop()

    def _is_in_property(self) -> bool:
        return len(self._path) >= _PROPERTY_DEPTH and self._path[_PROPERTY_DEPTH - 1] == "property"


def _expanded(name: str, properties: Mapping[str, Property], environ: Mapping[str, str]) -> str:
    """Return the value of ``name`` with its references replaced from the left, each result read again."""
    value = properties[name].value
    for _ in range(_MOST_EXPANSIONS):
        reference = _REFERENCE.search(value)
        target = None if reference is None else _referred(reference[1], properties, environ)
        if reference is None or target is None:
            return value
        if reference[0] in target:
            break
        value = value[: reference.start()] + target + value[reference.end() :]
    return properties[name].value


def _referred(variable: str, properties: Mapping[str, Property], environ: Mapping[str, str]) -> str | None:
    match = _ENVIRONMENT.fullmatch(variable)
    if match is None:
        return properties[variable].value if variable in properties else None
    value = environ.get(match["name"])
    is_missing = value is None or (value == "" and match["operator"] == ":-")
    return match["otherwise"] if is_missing else value
