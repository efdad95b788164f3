"""Whether a link stays on the site of its page."""

from __future__ import annotations

from nutchlike.urls.identity import host_key


def is_internal(from_url: str, to_url: str) -> bool:
    """Tell whether both URLs have the same host, whatever its case, the scheme, the port and the user info.

    A URL without a host is external to all. Source: Nutch's db.ignore.external.links, mode byHost.
    """
    try:
        return host_key(from_url) == host_key(to_url)
    except ValueError:
        return False
