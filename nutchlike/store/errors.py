"""Errors of the store that a person has to act on; Redis' own errors rise as they are."""

from __future__ import annotations


class StoreUnavailable(RuntimeError):
    """There is no store to work with; the message says what was looked for and the ways out."""
