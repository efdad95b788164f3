"""A dictionary of synonyms, and what it makes of a text: base words in place of their variants."""

from __future__ import annotations

from collections.abc import Iterator

from ahocorasick_rs import AhoCorasick, MatchKind

from nutchlike.signatures.words import has_word, marked


class SynonymDictionary:
    """Finds base words and variants in marked texts, of several that begin at one place the longest.

    One line of ``text`` is a base word and its variants, parted by tabs, or by white space when the line has no tab
    (so words of several parts, ``New York``, need tabs). Empty lines, and those that begin with ``#``, say nothing.

    - In scripts with blanks only whole words match, any white space between them; where there are no blanks,
      characters do.
    - A word in lower case stands for its capitals too. One with a capital matches as it is written alone (``US`` is
      not ``us``), and such matches come first.
    - What was replaced is one word, and is not replaced again.
    """

    def __init__(self, text: str = "", *, source: str = "synonyms") -> None:
        """``source`` is what errors call the text.

        Raises ValueError, with the line's number, for a line without variants, an entry without a word, and one that
        stands under two base words.
        """
        bases = _bases(text.removeprefix("\ufeff"), source)
        self._as_written = _Finder({entry: base for entry, base in bases.items() if entry != entry.lower()})
        self._any_case = _Finder({entry: base for entry, base in bases.items() if entry == entry.lower()})

    def parts(self, marked_text: str) -> Iterator[tuple[str, bool]]:
        """Yield the text between matches, still marked, and base words; for these the second value is True."""
        position = 0
        for start, end, base in self._as_written.matches(marked_text):
            yield from self._parts_in_any_case(marked_text[position:start])
            yield base, True
            position = end
        yield from self._parts_in_any_case(marked_text[position:])

    def _parts_in_any_case(self, marked_text: str) -> Iterator[tuple[str, bool]]:
        position = 0
        for start, end, base in self._any_case.matches(marked_text.lower()):
            yield marked_text[position:start], False
            yield base, True
            position = end
        yield marked_text[position:], False


class _Finder:
    """Leftmost-longest matches of entries."""

    def __init__(self, bases: dict[str, str]) -> None:
        self._bases = list(bases.values())
        self._automaton = AhoCorasick(bases, MatchKind.LeftmostLongest) if bases else None

    def matches(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield start, end and base word of each match."""
        if self._automaton is not None:
            for index, start, end in self._automaton.find_matches_as_indexes(text):
                yield start, end, self._bases[index]


def _bases(text: str, source: str) -> dict[str, str]:
    """Return the base word of each entry, entries as ``marked`` writes them."""
    lines: dict[str, tuple[str, int]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        place = f"{source} line {number}"
        entries = [entry for entry in map(str.strip, line.split("\t") if "\t" in line else line.split()) if entry]
        if len(entries) < 2:
            raise ValueError(f"{place}: must be a base word and its variants, parted by tabs, got {line.strip()!r}")
        for entry in entries:
            pattern = marked(entry)
            if not has_word(pattern):
                raise ValueError(f"{place}: {entry!r} has no letter or digit to be found by")
            base, before = lines.setdefault(pattern, (entries[0], number))
            if before != number:
                raise ValueError(f"{place}: {entry!r} stands for {base!r} already, by line {before}")
    return {entry: base for entry, (base, _) in lines.items()}
