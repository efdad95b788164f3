"""The labelled pages of benchmarks/dedup.py: which content each shows was known before any method saw them.

Two pages show one content when a reader who has read one has nothing to gain from the other:

- an article of 150 to 900 words, and the same article fetched at another time (date, counters), as a print view (no
  menu, no sidebar), with its paragraphs in another order, mirrored on another host under another template, or with
  1, 5 or 10 % of its words edited anywhere;
- a short page and its exact copy.

Everything else is different content, however alike it looks: products of one template, variants of a product (one
description, another colour or size), price lists with other prices, the pages of a list (also those that have up to
half of their items in common), an article that quotes a third of another one, reference pages that describe two
functions in the same sentences, and short pages.

An edited article keeps its title: edits of the text are what it is about. The print view's title differs from the
article's as titles of print views do, a mirror's by the name of the site.

A ``Family`` of templates says what surrounds the content. ``PLAIN`` and ``MENU`` with seed 1 served for tuning.
``PORTAL`` was looked at once, with seeds 3 and 4, after which two rules were made stricter; ``BLOG``, and all families
with seeds above 4, had no part in it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from dedup_language import HAN, HINDI, LATIN, Language

COLOURS = "red blue green black white yellow orange purple grey brown silver golden".split()
TOPICS = 6


@dataclass(frozen=True)
class Page:
    """One page: ``content`` is its label, ``kind`` how it came about; ``main_text`` is for one that was HTML."""

    url: str
    host: str
    title: str
    text: str
    content: int
    kind: str
    main_text: str | None = None


@dataclass(frozen=True)
class Family:
    """What a host puts around the content; all numbers are words."""

    name: str
    menu: int
    menu_twice: bool
    footer: int
    sections: int  # parts of a host that have a sidebar of their own
    sidebar: int
    teasers: int  # words of changing text below the content


PLAIN = Family("plain", menu=60, menu_twice=True, footer=30, sections=1, sidebar=0, teasers=0)
MENU = Family("menu", menu=200, menu_twice=False, footer=10, sections=3, sidebar=30, teasers=0)
PORTAL = Family("portal", menu=120, menu_twice=False, footer=80, sections=6, sidebar=60, teasers=25)
BLOG = Family("blog", menu=30, menu_twice=False, footer=150, sections=4, sidebar=100, teasers=60)
FAMILIES = {family.name: family for family in (PLAIN, MENU, PORTAL, BLOG)}


class Host:
    """One site: its name, its language and its template."""

    def __init__(self, name: str, family: Family, language: Language, rng: random.Random) -> None:
        self.name = name
        self.family = family
        self.language = language
        self.rng = rng
        self.title = " ".join(language.names(rng, 2)).title()
        self._menu = self._labels(family.menu)
        self._footer = language.written(language.sentences(rng, family.footer, 0))
        self._sidebars = [self._labels(family.sidebar) for _ in range(family.sections)]

    def page(self, text: str, *, section: int | None = None) -> str:
        """Return ``text`` in the host's template."""
        rng, family = self.rng, self.family
        sidebar = self._sidebars[rng.randrange(family.sections) if section is None else section]
        teasers = self.language.written(self.language.sentences(rng, family.teasers, 1)) if family.teasers else ""
        parts = [self._menu, text, sidebar, teasers, self._menu if family.menu_twice else "", self._footer]
        return " ".join(part for part in parts if part)

    def _labels(self, words: int) -> str:
        return " ".join(self.language.names(self.rng, words)).title() if words else ""


class Web:
    """The pages of all hosts of one family, a pure function of ``seed``."""

    def __init__(self, family: Family, seed: int, *, size: int) -> None:
        self._rng = random.Random(f"{family.name} {seed}")
        self._size = size
        self._content = 0
        self._urls = 0
        languages = [Language(LATIN, self._rng, words=5000, topics=TOPICS) for _ in range(2)]
        languages += [Language(script, self._rng, words=4000, topics=TOPICS) for script in (HAN, HINDI)]
        self._hosts = [
            Host(f"h{number}.{family.name}{seed}.test", family, language, self._rng)
            for number, language in enumerate(language for language in languages for _ in range(2))
        ]

    def pages(self) -> list[Page]:
        """Return all pages in the order in which a crawl comes to them, which is any."""
        found = [page for number in range(len(self._hosts)) for page in self._pages_of_host(number)]
        self._rng.shuffle(found)
        return found

    def _pages_of_host(self, number: int) -> Iterator[Page]:
        host = self._hosts[number]
        mirror = self._hosts[number ^ 1]  # the other one of its language
        for _ in range(self._size):
            yield from self._article(host, mirror)
        for _ in range(self._size // 10):
            yield from self._quotation(host)
            yield from self._products(host)
            yield from self._variants(host)
            yield from self._price_lists(host)
            yield from self._list_pages(host)
            yield from self._references(host)
            yield from self._short_pages(host)

    def _article(self, host: Host, mirror: Host) -> Iterator[Page]:
        rng, language = self._rng, host.language
        content = self._new_content()
        sentences = language.sentences(
            rng, int(min(900, max(150, rng.lognormvariate(6.0, 0.5)))), rng.randrange(TOPICS)
        )
        section = rng.randrange(host.family.sections)
        title = self._name(host, 5)
        sentences[0] = [title, *sentences[0]]
        stamp = self._stamp()
        written = language.written(sentences)
        yield self._page(host, host.page(f"{stamp} {written}", section=section), content, "article", title)
        kinds = ("date", "print", "mirror", "order", "words 1 %", "words 5 %", "words 10 %")
        for kind in rng.sample(kinds, rng.choice((0, 0, 0, 1, 1, 2, 4))):
            if kind == "date":
                text = host.page(f"{self._stamp()} {written}", section=section)
            elif kind == "print":
                text = f"{stamp} {written}"
            elif kind == "mirror":
                yield self._page(mirror, mirror.page(f"{stamp} {written}"), content, kind, title)
                continue
            elif kind == "order":
                cut = rng.randrange(1, len(sentences))
                turned = language.written([*sentences[cut:], *sentences[:cut]])
                text = host.page(f"{stamp} {turned}", section=section)
            else:
                reworded = language.written(language.reworded(rng, sentences, int(kind.split()[1]) / 100))
                text = host.page(f"{stamp} {reworded}", section=section)
            yield self._page(host, text, content, kind, title)

    def _quotation(self, host: Host) -> Iterator[Page]:
        rng, language = self._rng, host.language
        quoted = language.sentences(rng, 400, 2)
        own = language.sentences(rng, 300, 2)
        start = rng.randrange(len(quoted) // 2)
        answer = [*own[:2], *quoted[start : start + len(quoted) // 3], *own[2:]]
        for sentences in (quoted, answer):
            yield self._page(
                host, host.page(language.written(sentences)), self._new_content(), "quotation", self._name(host, 5)
            )

    def _products(self, host: Host) -> Iterator[Page]:
        rng, language = self._rng, host.language
        for _ in range(10):
            name = self._name(host, 3)
            text = language.written(language.sentences(rng, rng.randint(10, 40), 3))
            text = f"{name} {text} {rng.randint(5, 900)}.{rng.randint(0, 99):02} EUR"
            yield self._page(host, host.page(text), self._new_content(), "product", name)

    def _variants(self, host: Host) -> Iterator[Page]:
        rng, language = self._rng, host.language
        name = self._name(host, 2)
        one_title = rng.random() < 0.3
        text = language.written(language.sentences(rng, rng.randint(30, 250), 3))
        sizes = [f"{litres} litre" for litres in range(2, 60)]
        for kind in rng.sample(sizes if rng.random() < 0.3 else COLOURS, rng.randint(2, 5)):
            variant = f"{name} {kind} {text} {name}, {kind}"
            title = name if one_title else f"{name} {kind}"
            yield self._page(host, host.page(variant, section=0), self._new_content(), "variant", title)

    def _price_lists(self, host: Host) -> Iterator[Page]:
        rng = self._rng
        rows = host.language.names(rng, rng.randint(20, 150))
        title = self._name(host, 2)
        for _ in range(3):
            text = " ".join(f"{row} {rng.randint(1, 900)}.{rng.randint(0, 99):02}" for row in rows)
            yield self._page(host, host.page(text, section=0), self._new_content(), "price list", title)

    def _list_pages(self, host: Host) -> Iterator[Page]:
        rng, language = self._rng, host.language
        items = [language.written(language.sentences(rng, 25, 4)) for _ in range(60)]
        step = rng.choice((5, 7, 10))  # 10 items a page: half of them, three or none in common with the next
        title = self._name(host, 2)
        for start in range(0, 50, step):
            text = " ".join(items[start : start + 10])
            yield self._page(host, host.page(text, section=0), self._new_content(), "list page", title)

    def _references(self, host: Host) -> Iterator[Page]:
        rng, language = self._rng, host.language
        shared = language.sentences(rng, rng.randint(100, 400), 5)
        for _ in range(rng.randint(2, 12)):
            function = language.names(rng, 1)[0]
            own = language.sentences(rng, rng.randint(40, 150), 5)
            sentences = [*own[:2], *shared, *own[2:]]
            text = language.written(
                [[function, *sentence] if rng.random() < 0.5 else sentence for sentence in sentences]
            )
            yield self._page(host, host.page(text, section=0), self._new_content(), "reference", function)

    def _short_pages(self, host: Host) -> Iterator[Page]:
        rng, language = self._rng, host.language
        for _ in range(4):
            content = self._new_content()
            text = language.written(language.sentences(rng, rng.randint(4, 25), 1))
            title = self._name(host, 3)
            for _ in range(rng.choice((1, 1, 2))):
                yield self._page(host, text, content, "short page", title)

    def _page(self, host: Host, text: str, content: int, kind: str, title: str) -> Page:
        self._urls += 1
        whole = f"Print | {title}" if kind == "print" else f"{title} - {host.title}"
        return Page(f"http://{host.name}/{self._urls}", host.name, whole, text, content, kind)

    def _name(self, host: Host, words: int) -> str:
        return " ".join(host.language.names(self._rng, words)).title()

    def _new_content(self) -> int:
        self._content += 1
        return self._content

    def _stamp(self) -> str:
        rng = self._rng
        day = f"{rng.randint(2015, 2026)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
        return f"{day} {rng.randint(0, 23):02}:{rng.randint(0, 59):02} {rng.randint(10, 9999)} visits"
