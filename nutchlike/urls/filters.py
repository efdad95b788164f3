"""The URL filters under their public names."""

from nutchlike.urls.automaton_filter import AutomatonURLFilter
from nutchlike.urls.domain_denylist_filter import DomainDenylistURLFilter
from nutchlike.urls.domain_filter import DomainURLFilter
from nutchlike.urls.fast_filter import FastURLFilter
from nutchlike.urls.ignore_exempt_rules import IgnoreExemptRules
from nutchlike.urls.prefix_filter import PrefixURLFilter
from nutchlike.urls.regex_filter import RegexURLFilter
from nutchlike.urls.suffix_filter import SuffixURLFilter
from nutchlike.urls.validator_filter import ValidatorURLFilter

__all__ = [
    "AutomatonURLFilter",
    "DomainDenylistURLFilter",
    "DomainURLFilter",
    "FastURLFilter",
    "IgnoreExemptRules",
    "PrefixURLFilter",
    "RegexURLFilter",
    "SuffixURLFilter",
    "ValidatorURLFilter",
]
