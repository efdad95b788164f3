"""Whole-text matching of dk.brics expressions, in time that grows with the text only."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from nutchlike.urls.brics_syntax import parse_brics_regex
from nutchlike.urls.brics_terms import ANY_TEXT, MAX_UNIT, NOTHING, Term, char_ranges, derivative, has_empty_text
from nutchlike.urls.url_parts import utf16_units

MAX_STATES = 5_000  # states that an automaton keeps; with more it starts over, from where it is
_KEPT_UNITS = 0x100  # characters with a transition of their own, others share that of their range


@dataclass(slots=True, eq=False)
class _State:
    term: Term
    accepts: bool
    is_final_word: bool  # whatever follows changes nothing
    following: dict[str, _State] = field(default_factory=dict)


class BricsAutomaton:
    """Accepts the texts that a dk.brics expression describes from end to end.

    States are made when a text first needs them, so an expression whose whole automaton would be huge loads at
    once. Characters are UTF-16 units, as in Java.

    Raises ValueError for a bad expression, see ``parse_brics_regex``.
    """

    def __init__(self, pattern: str) -> None:
        term = parse_brics_regex(utf16_units(pattern))
        borders = {0} | {border for low, high in char_ranges(term) for border in (low, high + 1)}
        self._borders = sorted(borders - {MAX_UNIT + 1})
        self._states: dict[Term, _State] = {}
        self._start = self._state(term)

    def accepts(self, text: str) -> bool:
        """Tell whether all of ``text`` is in the language."""
        state = self._start
        for unit in utf16_units(text):
            state = state.following.get(unit) or self._step(state, unit)
            if state.is_final_word:
                break
        return state.accepts

    def _step(self, state: _State, unit: str) -> _State:
        # All characters of a range lead to the same state, so its first one stands for them
        first = chr(self._borders[bisect_right(self._borders, ord(unit)) - 1])
        target = state.following.get(first)
        if target is None:
            target = self._state(derivative(state.term, ord(first)))
            state.following[first] = target
        if ord(unit) < _KEPT_UNITS:
            state.following[unit] = target
        return target

    def _state(self, term: Term) -> _State:
        state = self._states.get(term)
        if state is None:
            if len(self._states) >= MAX_STATES:
                self._start_over()
            state = _State(term, has_empty_text(term), term in (NOTHING, ANY_TEXT))
            self._states[term] = state
        return state

    def _start_over(self) -> None:
        for state in self._states.values():
            state.following.clear()
        self._states = {self._start.term: self._start}
