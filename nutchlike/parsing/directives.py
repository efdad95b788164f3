"""What a page asks of crawlers in meta robots and X-Robots-Tag: noindex, nofollow, noarchive."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

DIRECTIVES = frozenset({"noindex", "nofollow", "noarchive"})
FOR_ALL = "robots"  # the name of a meta that speaks to all crawlers
_NONE = {"noindex", "nofollow"}  # what ``none`` stands for
_SEPARATOR = re.compile(r"[\s,;]+")
# "name:" before a directive names whom this and the following ones are for, or the directive has a value of its own.
_NAME = re.compile(r"\s*([\w*.-]+)\s*:(.*)", re.DOTALL)
_WITH_VALUE = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
_AGENT_END = re.compile(r"[\s/;,()]")


def agent_name(user_agent: str) -> str:
    """Return the name by which pages speak to a crawler, in small letters: ``nutchlike`` of ``Nutchlike/0.1 (+…)``."""
    return _AGENT_END.split(user_agent.strip(), maxsplit=1)[0].lower()


@dataclass(frozen=True, slots=True)
class RobotsDirectives:
    """Reads the wishes that are ``obeyed``, some of DIRECTIVES; ``agent`` is as ``agent_name`` returns it.

    Metas called ``robots`` and those called like the agent count together, as do headers for all and for the agent; of
    two that contradict each other the stricter one holds, so ``index``, ``follow`` and ``all`` say nothing, nor does a
    word that is unknown. ``none`` is noindex and nofollow. Words are parted by commas, semicolons or white space.

    With ``strict``, as in Nutch's parse-html, no header and no meta for one agent counts, and a directive is found
    inside other words, too. (Nutch also takes ``pragma: no-cache`` for noarchive.)
    Source: developers.google.com/search/docs/crawling-indexing/robots-meta-tag; Nutch ``HTMLMetaProcessor``.
    """

    obeyed: frozenset[str] = DIRECTIVES
    agent: str = ""
    strict: bool = False

    @property
    def meta_names(self) -> frozenset[str]:
        """The names, in small letters, of the metas that count."""
        return frozenset({FOR_ALL} if self.strict or not self.agent else {FOR_ALL, self.agent})

    def read(self, metas: Iterable[str], headers: Iterable[str]) -> frozenset[str]:
        """Return the obeyed wishes of a page, from the contents of its metas and the values of its X-Robots-Tags."""
        if self.strict:
            said = {word for content in metas for word in (*DIRECTIVES, "none") if word in content.lower()}
        else:
            said = {word for content in metas for word in _SEPARATOR.split(content.lower())}
            for value in headers:
                said |= self._words_of_header(value.lower())
        return frozenset(said | _NONE if "none" in said else said) & self.obeyed

    def _words_of_header(self, value: str) -> set[str]:
        """Return what a header asks of our agent; a proxy may have made one of several, with commas between."""
        words: set[str] = set()
        name = FOR_ALL
        for part in value.split(","):
            named = _NAME.fullmatch(part)
            if named is not None:
                if named[1] in _WITH_VALUE:
                    continue
                name, part = named[1], named[2]
            if name in {FOR_ALL, "*", self.agent}:
                words.update(_SEPARATOR.split(part))
        return words
