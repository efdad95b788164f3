"""The canonical URL that HTTP headers name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nutchlike.parsing.link_header import canonical_of_headers

PAGE = "http://h.test/folder/page?x=1"


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([b"<http://h.test/c>; rel=canonical"], "http://h.test/c"),
        ([b'</c>; rel="canonical"'], "http://h.test/c"),
        ([b"<c?y=1#part>;REL = 'x' ; rel=canonical"], None),  # the first rel counts
        ([b'<c?y=1#part> ; title="a, <b>; rel=next" ; Rel = "Alternate CANONICAL"'], "http://h.test/folder/c?y=1"),
        # Several links in one header, and several headers
        ([b'</n>; rel=next, </c>; rel="canonical"', b"</d>; rel=canonical"], "http://h.test/c"),
        ([b"</style.css>; rel=preload; as=style", b"</d>; rel=canonical"], "http://h.test/d"),
        # A reference that is no URL leaves the next one
        ([b"<javascript:x>; rel=canonical, </c>; rel=canonical"], "http://h.test/c"),
        ([b"<>; rel=canonical"], None),
        # The link of another page
        ([b'</c>; rel=canonical; anchor="/other"'], None),
        # Not the word
        ([b"</c>; rel=canonicals"], None),
        ([b"</canonical>; title=canonical"], None),
        ([b"</c>; rel"], None),
        ([b"/c; rel=canonical"], None),
        ([], None),
        # Bytes as they come
        (["</caf\u00e9>; rel=canonical".encode()], "http://h.test/caf\u00e9"),
        (["</caf\u00e9>; rel=canonical".encode("latin-1")], "http://h.test/caf\u00e9"),
    ],
)
def test_the_first_canonical_link_counts(headers: list[bytes], expected: str | None) -> None:
    assert canonical_of_headers(headers, url=PAGE) == expected


@given(st.lists(st.binary(max_size=60)))
def test_of_any_headers_comes_a_url_that_can_be_fetched_or_nothing(headers: list[bytes]) -> None:
    found = canonical_of_headers([*headers, b"</last>; rel=canonical"], url=PAGE)
    assert found is not None
    assert found.startswith(("http:", "https:", "ftp:", "file:"))
    if not any(b"canonical" in header.lower() for header in headers):
        assert canonical_of_headers(headers, url=PAGE) is None
        assert found == "http://h.test/last"


@pytest.mark.parametrize(
    "part", [b"<a>;", b"<a>; rel", b'<a>; x="', b"<", b";a=", b'<a>; rel="\\', b"<a>" + b";a" * 20]
)
def test_a_long_header_is_read_in_time_that_grows_with_its_length(part: bytes) -> None:
    assert canonical_of_headers([b"<a>" + part * 20_000], url=PAGE) is None
