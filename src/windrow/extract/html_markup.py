"""A web page read: its words, its headings, what it says of itself. For the readers of HTML, XML and mail."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from windrow.extract.meta_names import fact_named
from windrow.extract.tags import Tag, tokens
from windrow.extract.text_files import line_of, tidy
from windrow.model.held_file import Heading

MOST_FACTS = 200
MOST_HEADINGS = 2000
LOOKED_AT_CHARACTERS = 4000
LEAST_SHARE = 0.2  # of all words that must be outside of the navigation for it to be left out
_UNSEEN_LIST = "script style title textarea xmp iframe noembed noframes template noscript svg select canvas"
_UNSEEN = frozenset(_UNSEEN_LIST.split())
_NAVIGATION = frozenset(("nav",))
# Scripts of these types are no programs: slides are written in them, which a program on the page lays out.
_WRITTEN = frozenset(("text/template", "text/x-template", "text/markdown", "text/x-markdown"))
_BREAKS_LIST = (
    "address article aside blockquote body br caption center dd details dir div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html li main menu nav ol option p "
    "pre section summary table tbody tfoot thead tr ul"
)
_BREAKS = frozenset(_BREAKS_LIST.split())
_PARAGRAPHS_LIST = "p h1 h2 h3 h4 h5 h6 blockquote table ul ol dl pre hr article section"
_PARAGRAPHS = frozenset(_PARAGRAPHS_LIST.split())
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_SPACE = re.compile(r"\s+")
_LISTED = re.compile(r"[,;]")
_NESTED = _UNSEEN | _NAVIGATION


@dataclass(slots=True)
class Page:
    """What a page gave."""

    text: str = ""
    title: str = ""
    language: str = ""
    software: str = ""
    said: list[tuple[str, str]] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)

    def facts(self) -> list[tuple[str, str]]:
        """What the page says: its own metadata before its title, which is often the site's name too."""
        known = {name for name, _ in self.said}
        first = [heading.title for heading in self.headings if heading.level == 1][:1]
        title = self.title or "".join(first)
        last = [("title", title), ("language", self.language)]
        return self.said + [(name, words) for name, words in last if words and name not in known]


def read_page(markup: str) -> Page:
    """Read a page."""
    is_xml = "http://www.w3.org/1999/xhtml" in markup[:LOOKED_AT_CHARACTERS]
    return _Reading().take(markup, is_xml=is_xml)


class _Reading:
    """The page as far as it was read."""

    def __init__(self, *, is_within: bool = False) -> None:
        """`is_within`: of what is written in a script, where lines count and no further scripts do."""
        self.page = Page()
        self.is_within = is_within
        self.is_written = False  # is what stands in the script at hand for people?
        self.words: list[str] = []
        self.menus: list[tuple[int, list[str]]] = []  # what stands in the navigation, and where that would go
        self.inside: list[str] = []  # elements in which text is treated otherwise, the innermost last
        self.preformatted = int(is_within)
        self.heading: tuple[int, int] | None = None  # level, and the place in `words` where it began

    def take(self, markup: str, *, is_xml: bool = False) -> Page:
        """Read all of it."""
        for token in tokens(markup, is_xml=is_xml):
            if isinstance(token, str):
                self.take_text(token)
            else:
                self.take_tag(token)
        return self.done()

    def take_text(self, text: str) -> None:
        inner = self.inside[-1] if self.inside else ""
        if inner == "title" and "svg" not in self.inside and not self.page.title:
            self.page.title = line_of(text)
        elif inner == "nav":
            self.menus[-1][1].append(_SPACE.sub(" ", text))
        elif inner == "script" and self.is_written and len(self.inside) == 1:
            self.words.append(f"\n\n{_Reading(is_within=True).take(text).text}\n\n")
        elif inner not in _UNSEEN:
            self._put(text if self.preformatted else _SPACE.sub(" ", text))

    def _put(self, text: str) -> None:
        if not self.preformatted and (not self.words or self.words[-1].endswith(("\n", "\t", " "))):
            text = text.lstrip(" ")
        if text:
            self.words.append(text)

    def take_tag(self, tag: Tag) -> None:
        if tag.name in _NESTED:
            self._nest(tag)
        if self.inside and self.inside[-1] in _UNSEEN and tag.name not in _NESTED:
            return
        if tag.name == "meta":
            self._take_meta(tag.attributes)
        elif tag.name == "html" and not tag.is_end:
            language = tag.attributes.get("lang") or tag.attributes.get("xml:lang", "")
            self.page.language = self.page.language or line_of(language)
        elif tag.name == "pre":
            self.preformatted = max(0, self.preformatted + (-1 if tag.is_end else 1))
        self._lay_out(tag)

    def _nest(self, tag: Tag) -> None:
        if tag.name == "script":
            kind = tag.attributes.get("type", "").strip().lower()
            self.is_written = kind in _WRITTEN and not self.is_within
        if not tag.is_end:
            if len(self.inside) < 100:
                self.inside.append(tag.name)
                if tag.name in _NAVIGATION:
                    self.menus.append((len(self.words), []))
        elif tag.name in self.inside:
            while self.inside.pop() != tag.name:
                pass

    def _lay_out(self, tag: Tag) -> None:
        name = tag.name
        if self.inside and self.inside[-1] == "nav":
            if name in _BREAKS:
                self.menus[-1][1].append("\n")
            return
        if name in _BREAKS:
            self.words.append("\n\n" if name in _PARAGRAPHS else "\n")
        elif name in ("td", "th") and self.words and not self.words[-1].endswith(("\n", "\t")):
            self.words.append("\t")  # where a cell begins or ends: the one or the other is often left out
        if name in _HEADINGS:
            self._take_heading(tag)

    def _take_heading(self, tag: Tag) -> None:
        if not tag.is_end:
            self.heading = (_HEADINGS[tag.name], len(self.words))
        elif self.heading is not None:
            level, start = self.heading
            title = line_of("".join(self.words[start : start + 1000]))
            if title and len(self.page.headings) < MOST_HEADINGS:
                self.page.headings.append(Heading(title, level))
            self.heading = None

    def _take_meta(self, attributes: dict[str, str]) -> None:
        name = attributes.get("name") or attributes.get("property") or attributes.get("http-equiv", "")
        content = attributes.get("content", "")
        if name.lower() == "generator":
            self.page.software = line_of(content)
        fact = fact_named(name)
        if fact is None or len(self.page.said) >= MOST_FACTS:
            return
        values = _LISTED.split(content[:20_000])[:MOST_FACTS] if "keyword" in name.lower() else [content]
        self.page.said += [(fact, words) for value in values if (words := line_of(value))]

    def done(self) -> Page:
        """The page, with what stood in its navigation only where there is hardly anything else."""
        size = sum(map(len, self.words))
        in_menus = sum(len(words) for _, menu in self.menus for words in menu)
        if size < LEAST_SHARE * (size + in_menus):
            for place, menu in reversed(self.menus):
                self.words.insert(place, "".join(menu))
        self.page.text = tidy("".join(self.words))
        return self.page
