"""The URL normalizers under their public names."""

from nutchlike.urls.basic_normalizer import BasicURLNormalizer

__all__ = ["BasicURLNormalizer"]
