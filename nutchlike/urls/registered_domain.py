"""The part of a host that its owner registered, by the public suffix list."""

from __future__ import annotations

from functools import cache, lru_cache

import tldextract

from nutchlike.urls.host_names import to_ascii_2003

CACHED_HOSTS = 20_000  # hosts whose suffix is remembered


def registered_domain(host: str) -> str:
    """Return the domain one level below the ICANN suffix: ``a.co.uk`` for ``www.a.co.uk``.

    ``host`` is lower-case; the answer is written as the host is, without its root dot. A host that is an
    address, a bare suffix, under an unknown top-level domain or has an empty label is its own domain, as in
    Nutch. The list is the one that tldextract carries; nothing is downloaded.
    """
    return _domain_and_suffix(host)[0]


def public_suffix(host: str) -> str | None:
    """Return the rule of the public suffix list that holds for a lower-case ``host``, in punycode.

    That is ``co.uk``, but also ``*.ck`` for ``x.ck`` and ``!www.ck`` for ``www.ck``, as Nutch has it. ``None``
    under an unknown top-level domain.
    """
    return _domain_and_suffix(host)[1]


@lru_cache(maxsize=CACHED_HOSTS)
def _domain_and_suffix(host: str) -> tuple[str, str | None]:
    labels = host.removesuffix(".").split(".")
    ascii_labels = [_ascii_label(label) for label in labels]
    for start in range(len(labels)):
        rule = _rule_at(ascii_labels, start)
        if rule is None:
            continue
        # An exception rule is the domain itself, any other leaves it to the label before
        first = start if rule.startswith("!") else start - 1
        if first < 0 or "" in labels:
            return host, rule
        return ".".join(labels[first:]), rule
    return host, None


def _rule_at(labels: list[str], start: int) -> str | None:
    """Return the rule for exactly the labels from ``start`` on; the longest match is found first by the caller."""
    rules = _icann_rules()
    name = ".".join(labels[start:])
    parent = ".".join(labels[start + 1 :])
    if f"!{name}" in rules:
        return f"!{name}"
    if name in rules:
        return name
    return f"*.{parent}" if parent and f"*.{parent}" in rules else None


def _ascii_label(label: str) -> str:
    if label.isascii():
        return label
    try:
        return to_ascii_2003(label)
    except ValueError:
        return label


@cache
def _icann_rules() -> frozenset[str]:
    extractor = tldextract.TLDExtract(cache_dir=None, suffix_list_urls=())
    return frozenset(".".join(map(_ascii_label, rule.split("."))) for rule in extractor.tlds)
