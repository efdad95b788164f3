"""The table of cases that one crawl meets, each with what it shall make of them; recrawl_cases.py has the others."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

from scripted_site import REDIRECTS, TIMEOUT, Case, Page, Round, Row
from web import Answer, html, text_of

FETCHED = Row("db_fetched", items=1, signed=True)
UNSIGNED = Row("db_fetched")  # noindex
DUPLICATE = Row("db_duplicate", signed=True)
GONE = Row("db_gone", due=45.0)  # the interval grows by half
FORBIDDEN = replace(GONE, asked=0)
RETRY = Row("db_unfetched", due=1.0, retries=1)
WAITING = Row("db_unfetched", due=0.0, asked=0)
TEMP = Row("db_redir_temp")
PERM = Row("db_redir_perm")

ROBOTS: dict[str, Page] = {
    "/robots.txt": Answer(b"User-agent: *\nDisallow: /forbidden\nDisallow: /*/private\n", headers={}),
    "http://failing.test/robots.txt": Answer(b"", 500),
    "http://moved.test/robots.txt": Answer(b"", 301, headers={"Location": "/rules"}),
    "http://moved.test/rules": Answer(b"User-agent: mybot\nDisallow: /rules-elsewhere\n", headers={}),
    "http://open.test/robots.txt": Answer(b"User-agent: *\nDisallow: /\n", 403),
    "http://patient.test/robots.txt": Answer(b"User-agent: *\nCrawl-delay: 3600\n", headers={}),
}
PDF = b"%PDF-1.4\n<a href=/no>no</a> "


def page(path: str, *links: str, **changes: Any) -> Answer:
    """Return a page whose text no other has, with ``links``; ``changes`` are those of ``marked``."""
    return marked(path, *(f'<a href="{link}"></a>' for link in links), **changes)


def marked(path: str, *markup: str, head: str = "", text: str = "", status: int = 200, **headers: str) -> Answer:
    """Return a page with ``markup`` behind its text, that of the page ``text`` when it is given."""
    body = html(path, [], text=text_of(text or path), head=head).replace(b"</body>", "".join(markup).encode())
    return sent(body, status, **headers)


def sent(body: bytes, status: int = 200, *, cut_at: int | None = None, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(body, status, {"Content-Type": "text/html; charset=utf-8"} | named, cut_at=cut_at)


def moved(to: str, status: int = 302, **headers: str) -> Answer:
    return sent(b"", status, Location=to, **headers)


def refresh(content: str) -> str:
    return f'<meta http-equiv="refresh" content="{content}">'


def robots(content: str) -> str:
    return f'<meta name="robots" content="{content}">'


def canonical(url: str) -> str:
    return f'<link rel="canonical" href="{url}">'


def once_cookie_is_back(first: Answer, then: Answer) -> Page:
    return lambda request: then if "seen=1" in request.headers.get("Cookie", "") else first


def case(name: str, site: Mapping[str, Page], expected: Mapping[str, Row]) -> Case:
    return Case(name, [Round(site, expected)])


def bodies() -> Iterator[Case]:
    packed, text = gzip.compress(page("/gzip-cut").body), text_of("/text").encode()
    one = [
        ("plain text is a page without links", "/text", sent(text, Content_Type="text/plain"), FETCHED),
        ("a PDF is a page without links", "/pdf", sent(PDF + b"1", Content_Type="application/pdf"), FETCHED),
        ("a PDF that is called HTML is a PDF", "/pdf-as-html", sent(PDF + b"2"), FETCHED),
        ("a body that is empty has nothing to sign", "/empty", sent(b""), replace(FETCHED, signed=False)),
        ("206 that nobody asked for is a page", "/206", page("/206", status=206), FETCHED),
        ("204 is an empty page", "/204", Answer(b"", 204, {}), replace(FETCHED, signed=False)),
        ("gzip that breaks off is tried again", "/gzip-cut", sent(packed[:90], Content_Encoding="gzip"), RETRY),
        ("a body that breaks off is tried again", "/cut", replace(page("/cut", "/cut/link"), cut_at=300), RETRY),
    ]
    yield from (case(name, {path: answer}, {path: row}) for name, path, answer, row in one)
    said = page("/said-gzip", "/said-gzip/link", Content_Encoding="gzip")
    unsaid = page("/unsaid-gzip", "/unsaid-gzip/link")
    followed = [
        ("a page of HTML gives an item and its links", "/html", page("/html", "/html/link")),
        ("HTML of a type that says nothing is HTML", "/octets", page("/octets", "/octets/link", Content_Type="*/*")),
        ("HTML that is said to be gzip is HTML", "/said-gzip", said),
        ("gzip that is not said to be is read", "/unsaid-gzip", replace(unsaid, body=gzip.compress(unsaid.body))),
    ]
    for name, path, answer in followed:
        leaf = f"{path}/link"
        yield case(name, {path: answer, leaf: page(leaf)}, {path: FETCHED, leaf: FETCHED})
    # the connection that robots.txt came by may just have ended: what it gets no answer to is sent once more at once
    row, silent = replace(RETRY, asked=2), "http://silent.test/silent"
    yield case("no answer at all is tried again", {silent: sent(b"", cut_at=-1)}, {silent: row})
    slow = "http://slow.test/slow"
    yield case("an answer that does not come in time is tried again", {slow: Answer(wait=2 * TIMEOUT)}, {slow: RETRY})


def redirects() -> Iterator[Case]:
    for status, row in ((301, PERM), (302, TEMP), (303, TEMP), (307, TEMP), (308, PERM)):
        path, to = f"/{status}", f"/{status}/to"
        site = {path: moved(to, status), to: page(to)}
        yield case(f"{status} leads to a page of its own", site, {path: replace(row, to=to), to: FETCHED})
    ways = [
        ("a Location may be relative", "/relative/a", "b", "/relative/b", FETCHED),
        ("a Location's fragment is no part of a URL", "/fragment", "/fragment/b#part", "/fragment/b", FETCHED),
        ("a redirect to what is not there leaves a gone page", "/to-404", "/to-404/b", "/to-404/b", GONE),
        ("a redirect to what robots.txt forbids ends there", "/to-no", "/to-no/private", "/to-no/private", FORBIDDEN),
    ]
    for name, path, location, to, row in ways:
        site = {path: moved(location)} | ({to: page(to)} if row is FETCHED else {})
        yield case(name, site, {path: replace(TEMP, to=to), to: row})
    site = {"/to-noindex": moved("/to-noindex/b"), "/to-noindex/b": page("/to-noindex/b", head=robots("noindex"))}
    rows = {"/to-noindex": replace(TEMP, to="/to-noindex/b"), "/to-noindex/b": UNSIGNED}
    yield case("a redirect to a noindex page brings no item", site, rows)
    site = {
        "/to-copy": page("/to-copy", "/to-copy/a"),
        "/to-copy/a": moved("/to-copy/b"),
        "/to-copy/b": page("/to-copy"),
    }
    rows = {"/to-copy": FETCHED, "/to-copy/a": replace(TEMP, to="/to-copy/b"), "/to-copy/b": DUPLICATE}
    yield case("a redirect to a copy of a page brings no item", site, rows)
    nowhere = [
        ("a redirect without a Location leads nowhere", "/no-location", sent(b"", 302), TEMP),
        ("a Location that is no URL leads nowhere", "/no-url", moved("http://[bad/"), TEMP),
        ("a Location of javascript: leads nowhere", "/script", moved("javascript:void(0)", 301), PERM),
        ("300 is no redirect", "/300", moved("/300/b", 300), GONE),
    ]
    yield from (case(name, {path: answer}, {path: row}) for name, path, answer, row in nowhere)
    refused = [
        ("a redirect that leaves the site is not followed", "/away", "http://other.test/away/b"),
        ("a redirect to what a filter rejects is not followed", "/to-style", "/to-style/b.css"),
    ]
    for name, path, to in refused:
        yield case(name, {path: moved(to, 301), to: page(to)}, {path: replace(PERM, to=to)})
    steps = [f"/chain/{i}" for i in range(REDIRECTS + 1)]
    site = {a: moved(b) for a, b in pairwise(steps)} | {steps[-1]: page(steps[-1])}
    rows = {a: replace(TEMP, to=b) for a, b in pairwise(steps)} | {steps[-1]: FETCHED}
    yield case(f"a chain of {REDIRECTS} redirects is followed", site, rows)
    steps = [f"/long/{i}" for i in range(REDIRECTS + 2)]
    site = {a: moved(b) for a, b in pairwise(steps)} | {steps[-1]: page(steps[-1])}
    rows = {a: replace(TEMP, to=b) for a, b in pairwise(steps[:-1])} | {steps[-2]: replace(GONE, to=steps[-1])}
    yield case("the last page of a longer chain is gone", site, rows)
    site = {"/circle/1": moved("/circle/2"), "/circle/2": moved("/circle/1", 301)}
    rows = {"/circle/1": replace(TEMP, to="/circle/2"), "/circle/2": replace(GONE, to="/circle/1")}
    yield case("a page that closes a circle is gone", site, rows)
    row = replace(GONE, to="/self", asked=REDIRECTS + 1)
    yield case("a redirect to itself that never ends is gone", {"/self": moved("/self")}, {"/self": row})
    again = page("/again", head=refresh("0; url=/again"), Set_Cookie="never=1; Path=/again")
    yield case(
        "a refresh to itself with a cookie that never ends is a page",
        {"/again": again},
        {"/again": replace(FETCHED, asked=2)},
    )
    steps = [f"/refreshes/{i}" for i in range(REDIRECTS + 2)]
    site = {a: page(a, head=refresh(f"0; url={b}")) for a, b in pairwise(steps)} | {steps[-1]: page(steps[-1])}
    rows = {a: replace(TEMP, to=b) for a, b in pairwise(steps[:-1])} | {steps[-2]: replace(GONE, to=steps[-1])}
    yield case("the last page of a longer chain of refreshes is gone", site, rows)
    back = once_cookie_is_back(moved("/cookie", Set_Cookie="seen=1; Path=/cookie"), page("/cookie"))
    yield case(
        "a redirect to itself with a cookie is a page", {"/cookie": back}, {"/cookie": replace(FETCHED, asked=2)}
    )


def refreshes() -> Iterator[Case]:
    site = {"/now": page("/now", head=refresh("0; url=/now/b")), "/now/b": page("/now/b")}
    yield case("a refresh at once is a redirect", site, {"/now": replace(TEMP, to="/now/b"), "/now/b": FETCHED})
    site = {"/later": page("/later", head=refresh("60; url=/later/b")), "/later/b": page("/later/b")}
    yield case("a later refresh is a link of a page", site, {"/later": FETCHED, "/later/b": FETCHED})
    lost = page("/lost", head=refresh("0; url=/lost/b"), status=404)
    yield case("an error page that refreshes is an error", {"/lost": lost}, {"/lost": GONE})
    yield case(
        "a page that refreshes itself is a page", {"/live": page("/live", head=refresh("5"))}, {"/live": FETCHED}
    )


def statuses() -> Iterator[Case]:
    for status in (400, 401, 403, 404, 410, 451):
        path = f"/{status}"
        yield case(
            f"{status} is gone, and its links are not followed", {path: page(path, "/x", status=status)}, {path: GONE}
        )
    for status in (408, 425, 500, 502, 504):
        path = f"/{status}"
        yield case(f"{status} is tried again a day later", {path: page(path, "/x", status=status)}, {path: RETRY})
    for status, path, seconds in ((429, "http://busy.test/429", "600"), (503, "http://tired.test/503", "0")):
        answer = sent(b"", status, Retry_After=seconds)
        yield case(f"{status} with Retry-After {seconds} is tried again a day later", {path: answer}, {path: RETRY})
    row = Row("db_notmodified")
    yield case("304 that nobody asked for has not been modified", {"/304": Answer(b"", 304, {})}, {"/304": row})


def robots_txt() -> Iterator[Case]:
    rows = [
        ("what robots.txt forbids is gone and never asked for", "/forbidden", FORBIDDEN),
        ("a site without robots.txt allows all", "http://other.test/free", FETCHED),
        ("a site whose robots.txt is refused allows all", "http://open.test/refused", FETCHED),
        ("a site whose robots.txt fails is left alone, and its pages wait", "http://failing.test/held", WAITING),
        ("a robots.txt that has moved counts", "http://moved.test/rules-elsewhere", FORBIDDEN),
        ("a site that asks for too long a delay is not crawled", "http://patient.test/patient", FORBIDDEN),
    ]
    yield from (case(name, {path: page(path)}, {path: row}) for name, path, row in rows)


def directives() -> Iterator[Case]:
    noindex, both = {"head": robots("noindex")}, {"X_Robots_Tag": "noindex, nofollow"}
    rows = [
        ("noindex: no item, but links", "/noindex", noindex, UNSIGNED, True),
        ("nofollow: an item, but no links", "/nofollow", {"head": robots("nofollow")}, FETCHED, False),
        ("none: neither item nor links", "/none", {"head": robots("none")}, UNSIGNED, False),
        ("noarchive: item and links", "/noarchive", {"head": robots("noarchive")}, FETCHED, True),
        ("X-Robots-Tag counts as meta robots does", "/x-robots", both, UNSIGNED, False),
        ("X-Robots-Tag for our agent counts", "/x-ours", {"X_Robots_Tag": "mybot: noindex"}, UNSIGNED, True),
        ("X-Robots-Tag for another agent does not", "/x-other", {"X_Robots_Tag": "otherbot: none"}, FETCHED, True),
    ]
    for name, path, wish, row, is_followed in rows:
        leaf = f"{path}/link"
        site = {path: page(path, leaf, **wish), leaf: page(leaf)}
        yield case(name, site, {path: row} | ({leaf: FETCHED} if is_followed else {}))
    for rel, is_followed in (("nofollow", False), ("ugc", True), ("sponsored", True)):
        path, leaf = f"/rel-{rel}", f"/rel-{rel}/link"
        site = {path: marked(path, f'<a rel="{rel}" href="{leaf}"></a>'), leaf: page(leaf)}
        name = f"a link with rel={rel} is {'followed' if is_followed else 'not followed'}"
        yield case(name, site, {path: FETCHED} | ({leaf: FETCHED} if is_followed else {}))


def links() -> Iterator[Case]:
    site = {
        "/base": marked("/base", '<a href="b"></a>', head='<base href="/base/in/">'),
        "/base/in/b": page("/base/in/b"),
    }
    yield case("links start from the base of a page", site, {"/base": FETCHED, "/base/in/b": FETCHED})
    others = page(
        "/others", "#top", "mailto:a@b.test", "javascript:go()", "tel:1", "/others/b.jpg", "http://other.test/others"
    )
    yield case("what is no link to a page of the site is not followed", {"/others": others}, {"/others": FETCHED})
    site = {"/session": page("/session", "/session/b;jsessionid=1A?x=1"), "/session/b?x=1": page("/session/b")}
    yield case("a session id is no part of a URL", site, {"/session": FETCHED, "/session/b?x=1": FETCHED})
    yield case("a page whose item a pipeline fails on is tried again", {"/raise": page("/raise")}, {"/raise": RETRY})
    row = replace(FETCHED, items=0)
    yield case("a page whose item a pipeline drops is fetched", {"/drop": page("/drop")}, {"/drop": row})


def copies() -> Iterator[Case]:
    name = "a page that repeats another is its duplicate, and its links are followed"
    site = {"/copy/1": page("/copy/1", "/copy/2"), "/copy/2": page("/copy/1", "/copy/3"), "/copy/3": page("/copy/3")}
    yield case(name, site, {"/copy/1": FETCHED, "/copy/2": DUPLICATE, "/copy/3": FETCHED})

    text = {"text": "/canonical"}
    site = {
        "/canonical/1": marked("x", head=canonical("/canonical/2"), **text),
        "/canonical/2": marked("x", head=canonical("/canonical/2"), **text),
    }
    rows = {"/canonical/1": replace(DUPLICATE, items=1), "/canonical/2": FETCHED}
    yield case("of two copies the canonical one is kept", site, rows)
    site = {"/texts/1": page("/texts/1", head=canonical("/texts/2")), "/texts/2": page("/texts/2")}
    yield case("a canonical page of another text is another page", site, {"/texts/1": FETCHED, "/texts/2": FETCHED})
    site = {"/own": page("/own", head=canonical("/own"))}
    yield case("a page that is its own canonical one is a page", site, {"/own": FETCHED})
    text = {"text": "/mutual"}
    site = {
        "/mutual/1": marked("x", head=canonical("/mutual/2"), **text),
        "/mutual/2": marked("x", head=canonical("/mutual/1"), **text),
    }
    yield case("of copies that name each other the first is kept", site, {"/mutual/1": FETCHED, "/mutual/2": DUPLICATE})
    site = {"/old/1": page("/old/1", head=canonical("/old/2")), "/old/2": moved("/old/1", 301)}
    rows = {"/old/1": FETCHED, "/old/2": replace(PERM, to="/old/1")}
    yield case("a canonical URL that redirects back takes nothing away", site, rows)
    to = "http://other.test/named"
    site = {"/named": page("/named", head=canonical(to)), to: page("/named")}
    yield case("a canonical page of another site does not count", site, {"/named": FETCHED})
    site = {"/absent/1": page("/absent/1", head=canonical("/absent/2"))}
    yield case("a canonical page that is not there takes nothing away", site, {"/absent/1": FETCHED, "/absent/2": GONE})
    pdf = {"Content_Type": "application/pdf"}
    site = {
        "/header/1": sent(PDF + b"3", Link='</header/2>; rel="canonical"', **pdf),
        "/header/2": sent(PDF + b"3", **pdf),
    }
    rows = {"/header/1": replace(DUPLICATE, items=1), "/header/2": FETCHED}
    yield case("a Link header names a canonical page, too", site, rows)


CASES = [
    *bodies(),
    *redirects(),
    *refreshes(),
    *statuses(),
    *robots_txt(),
    *directives(),
    *links(),
    *copies(),
]
