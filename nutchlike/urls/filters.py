"""The URL filters under their public names."""

from nutchlike.urls.regex_filter import RegexURLFilter

__all__ = ["RegexURLFilter"]
