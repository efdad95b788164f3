"""The table of cases that need a page to be fetched again, each with what the crawls shall make of it one by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from scripted_site import REDIRECTS, Case, Page, Round, Row
from site_cases import DUPLICATE, FETCHED, GONE, PERM, RETRY, TEMP, marked, moved, page, robots, sent
from web import Answer

SAME = replace(FETCHED, db_status="db_notmodified", asked=2)
CHANGED = replace(FETCHED, asked=2, items=2)
LOST = replace(GONE, asked=2, items=1)
ERROR = sent(b"", 500)
NOT_HERE = sent(b"", 404)


def known_by_etag(path: str) -> Page:
    """Return a page that is sent to those alone who do not have it."""
    tag = '"one"'
    whole, same = page(path, ETag=tag), Answer(b"", 304, {"ETag": tag})
    return lambda request: same if request.headers["If-None-Match"] == tag else whole


def one_page(name: str, path: str, *rounds: tuple[Page, Row]) -> Case:
    return Case(name, [Round({path: answer}, {path: row}) for answer, row in rounds])


def with_clock(path: str, time: str) -> Answer:
    return marked(path, f"<footer>It is {time}</footer>")


def link_changes() -> Case:
    """Return the case of a page that has another link while its text is the same."""
    site: Mapping[str, Page] = {"/link": page("/link", "/link/a"), "/link/a": page("/link/a")}
    later: Mapping[str, Page] = {"/link": page("/link", "/link/b"), "/link/b": page("/link/b")}
    rows = {"/link": SAME, "/link/a": SAME, "/link/b": FETCHED}
    return Case(
        "a new link of an unchanged page is followed",
        [Round(site, {"/link": FETCHED, "/link/a": FETCHED}), Round(later, rows)],
    )


def copy_changes() -> Case:
    """Return the case of a duplicate that gets a text of its own."""
    site = {"/copy": page("/copy", "/copy/2"), "/copy/2": page("/copy")}
    rows = {"/copy": FETCHED, "/copy/2": DUPLICATE}
    return Case(
        "a duplicate that gets a text of its own is a page",
        [Round(site, rows), Round({"/copy/2": page("/copy/2")}, {"/copy": SAME, "/copy/2": replace(FETCHED, asked=2)})],
    )


def redirect_ends() -> Case:
    site, row = {"/was": moved("/was/to"), "/was/to": page("/was/to")}, replace(TEMP, to="/was/to")
    later = {"/was": replace(FETCHED, asked=2), "/was/to": SAME}
    return Case(
        "a redirect that turns into a page is one",
        [Round(site, {"/was": row, "/was/to": FETCHED}), Round({"/was": page("/was")}, later)],
    )


def redirect_begins() -> Case:
    later = {"/moves": moved("/moves/to", 301), "/moves/to": page("/moves/to")}
    rows = {"/moves": replace(PERM, to="/moves/to", asked=2, items=1), "/moves/to": FETCHED}
    return Case(
        "a page that turns into a redirect has no content any more",
        [Round({"/moves": page("/moves")}, {"/moves": FETCHED}), Round(later, rows)],
    )


def redirect_moves() -> Case:
    one, two = (
        {"/turn": moved("/turn/1"), "/turn/1": page("/turn/1")},
        {"/turn": moved("/turn/2", 301), "/turn/1": NOT_HERE},
    )
    row = replace(PERM, to="/turn/2", asked=2)
    return Case(
        "a redirect that leads elsewhere says so, and its old target may be gone",
        [
            Round(one, {"/turn": replace(TEMP, to="/turn/1"), "/turn/1": FETCHED}),
            Round(two | {"/turn/2": page("/turn/2")}, {"/turn": row, "/turn/1": LOST, "/turn/2": FETCHED}),
        ],
    )


def owner_moves() -> Case:
    """Return the case of a page that at last redirects to its copy, and of one that goes away and leaves its copy."""
    site = {"/owner": page("/owner", "/owner/2"), "/owner/2": page("/owner")}
    rows = {"/owner": replace(PERM, to="/owner/2", asked=4, items=1), "/owner/2": replace(SAME, asked=4)}
    return Case(
        "a copy comes out when the page that it repeats redirects to it",
        [
            Round(site, {"/owner": FETCHED, "/owner/2": DUPLICATE}),
            Round({"/owner": moved("/owner/2", 301)}, None),
            Round({}, None),
            Round({}, rows),
        ],
    )


CASES = [
    one_page(
        "a page that has nothing to say any more has no content",
        "/empties",
        (page("/empties"), FETCHED),
        (sent(b""), replace(CHANGED, signed=False)),
        (page("/empties"), replace(FETCHED, asked=3, items=3)),
    ),
    one_page(
        "a page that is to be indexed again comes out again",
        "/shows",
        (page("/shows"), FETCHED),
        (page("/shows", head=robots("noindex")), replace(FETCHED, asked=2, signed=False)),
        (page("/shows"), replace(FETCHED, asked=3, items=2)),
    ),
    one_page(
        "a page that turns into a circle of its own is gone",
        "/turns",
        (page("/turns"), FETCHED),
        (moved("/turns"), replace(LOST, to="/turns", asked=1 + REDIRECTS + 1)),
    ),
    redirect_moves(),
    owner_moves(),
    one_page(
        "a server that says 304 has an unchanged page",
        "/etag",
        (known_by_etag("/etag"), FETCHED),
        (known_by_etag("/etag"), SAME),
    ),
    one_page(
        "304 without a condition is unchanged, too", "/304", (page("/304"), FETCHED), (Answer(b"", 304, {}), SAME)
    ),
    one_page("the same text is unchanged", "/same", (page("/same"), FETCHED), (page("/same"), SAME)),
    one_page(
        "another main text is a change", "/change", (page("/change"), FETCHED), (page("/change", text="/x"), CHANGED)
    ),
    one_page(
        "a clock in the footer is no change",
        "/clock",
        (with_clock("/clock", "ten"), FETCHED),
        (with_clock("/clock", "eleven or so"), SAME),
    ),
    one_page("a page that is not there any more is gone", "/404", (page("/404"), FETCHED), (NOT_HERE, LOST)),
    one_page(
        "a gone page that comes back comes out again",
        "/back",
        (page("/back"), FETCHED),
        (NOT_HERE, LOST),
        (page("/back"), replace(FETCHED, due=45.0, asked=3, items=2)),
    ),
    one_page(
        "a page that stays away is asked for less and less often",
        "/away",
        (NOT_HERE, GONE),
        (NOT_HERE, replace(GONE, due=67.5, asked=2)),
        (NOT_HERE, replace(GONE, due=81.0, asked=3)),
    ),
    one_page(
        "a page that fails once keeps its content",
        "/fails",
        (page("/fails"), FETCHED),
        (ERROR, replace(RETRY, asked=2, items=1, signed=True)),
        (page("/fails"), replace(SAME, asked=3)),
    ),
    one_page(
        "a page that fails three times in a row is gone",
        "/broken",
        (ERROR, RETRY),
        (ERROR, replace(RETRY, retries=2, asked=2)),
        (ERROR, replace(GONE, retries=3, asked=3)),
    ),
    one_page(
        "a page that asks for noindex later has no content any more",
        "/hides",
        (page("/hides"), FETCHED),
        (page("/hides", head=robots("noindex")), replace(FETCHED, asked=2, signed=False)),
    ),
    link_changes(),
    copy_changes(),
    redirect_ends(),
    redirect_begins(),
]
