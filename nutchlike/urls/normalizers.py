"""The URL normalizers under their public names."""

from nutchlike.urls.ajax_normalizer import AjaxURLNormalizer
from nutchlike.urls.basic_normalizer import BasicURLNormalizer
from nutchlike.urls.host_normalizer import HostURLNormalizer
from nutchlike.urls.pass_normalizer import PassURLNormalizer
from nutchlike.urls.protocol_normalizer import ProtocolURLNormalizer
from nutchlike.urls.querystring_normalizer import QuerystringURLNormalizer
from nutchlike.urls.regex_normalizer import RegexURLNormalizer
from nutchlike.urls.slash_normalizer import SlashURLNormalizer

__all__ = [
    "AjaxURLNormalizer",
    "BasicURLNormalizer",
    "HostURLNormalizer",
    "PassURLNormalizer",
    "ProtocolURLNormalizer",
    "QuerystringURLNormalizer",
    "RegexURLNormalizer",
    "SlashURLNormalizer",
]
