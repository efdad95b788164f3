"""PassURLNormalizer: leaves URLs as they are (Nutch: urlnormalizer-pass)."""

from __future__ import annotations

from typing import Self

from nutchlike.contracts import SettingsReader


class PassURLNormalizer:
    """Returns each URL as it came; for a place in a list of normalizers that must hold one."""

    @classmethod
    def from_settings(cls, settings: SettingsReader) -> Self:
        """Return the normalizer; no setting changes it."""
        return cls()

    def normalize(self, url: str) -> str:
        """Return ``url``, whatever it is."""
        return url
