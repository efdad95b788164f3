"""The part of a host that its owner registered, by the public suffix list."""

from __future__ import annotations

from functools import cache

import tldextract


def registered_domain(host: str) -> str:
    """Return the domain one level below the ICANN suffix: ``a.co.uk`` for ``www.a.co.uk``.

    ``host`` is lower-case. A host that is an address, a bare suffix or under an unknown top-level domain is
    its own domain, as in Nutch. The list is the one that tldextract carries; nothing is downloaded.
    """
    return _extractor()(host).top_domain_under_public_suffix or host


@cache
def _extractor() -> tldextract.TLDExtract:
    return tldextract.TLDExtract(cache_dir=None, suffix_list_urls=())
