"""Parse HTML and other markup: tokens, text, headings, and metadata of a page. For HTML, XML and mail."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from windrow.extract.text_decoding import fact_line, tidy_lines
from windrow.model.document import Heading
from windrow.model.file_content import STATED_FACTS

# Markup is tokenized without building a tree, so that the depth of nesting costs nothing; each character is
# examined about once. What is opened and never closed (a comment, a tag, a script) continues to the end, as
# in browsers.

MAX_ATTRIBUTES = 100
_TAG = re.compile(r"<(/?)([A-Za-z_][^\s/>]*+)")
_ATTRIBUTE = re.compile(
    r"""[\s/]*+([^\s/>=][^\s/>=]*+)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|(?!["'])([^\s>]*+)))?+"""
)
_TAG_END = re.compile(r"[\s/]*+>")
_DOCTYPE_END = re.compile(r"\]\s*+>")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
# Elements whose content has no tags; browsers have a few more, which are hardly ever used.
RAW = frozenset(("script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes"))
_RAW_ENDS = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in RAW}


class Tag(NamedTuple):
    """An opening or closing tag; its name is in lower case."""

    name: str
    is_end: bool
    attributes: dict[str, str]


def unescape(text: str) -> str:
    """Return the text with entities resolved; unknown ones stay."""
    return _ENTITY.sub(lambda found: html.unescape(found[0]), text) if "&" in text else text


def tokens(page: str, *, raw: frozenset[str] = RAW, is_xml: bool = False) -> Iterator[Tag | str]:
    """Yield the tags and texts of a page in order. `raw` are the elements whose content has no tags.

    With `is_xml` a tag that ends in a slash closes itself; HTML ignores the slash.
    """
    position = start = 0
    while (position := page.find("<", position)) >= 0:
        tag = _TAG.match(page, position)
        if tag is None and not page.startswith(("<!", "<?"), position):
            position += 1
            continue
        if start < position:
            yield unescape(page[start:position])
        if tag is None:
            text, position = _declaration(page, position)
            if text:
                yield text
        else:
            name = tag[2].lower()
            attributes, position = _attributes(page, tag.end())
            if position < 0:
                return
            yield Tag(name, bool(tag[1]), attributes)
            if is_xml and not tag[1] and page.endswith("/>", 0, position):
                yield Tag(name, True, {})
            elif name in raw and not tag[1]:
                end = _RAW_ENDS[name].search(page, position)
                close = end.start() if end else len(page)
                yield (
                    unescape(page[position:close]) if name in ("title", "textarea") else page[position:close]
                )
                position = close
        start = position
    if start < len(page):
        yield unescape(page[start:])


def _declaration(page: str, position: int) -> tuple[str, int]:
    """Return the text of a comment, declaration or instruction ("" except for CDATA), and where it ends."""
    if page.startswith("<![CDATA[", position):
        end = _end(page, "]]>", position + 9)
        return page[position + 9 : max(end - 3, position + 9)], end
    if page.startswith("<!--", position):
        return "", _end(page, "-->", position + 4)
    if page.startswith("<?", position):
        return "", _end(page, ">", position + 2)
    end = _end(page, ">", position)
    inner = page.find("[", position, end)
    if inner < 0:
        return "", end
    closed = _DOCTYPE_END.search(page, inner)
    return "", closed.end() if closed else len(page)


def _end(page: str, mark: str, position: int) -> int:
    found = page.find(mark, position)
    return found + len(mark) if found >= 0 else len(page)


def _attributes(page: str, position: int) -> tuple[dict[str, str], int]:
    """Return a tag's attributes, the first of each name, and where it ends; -1 if it never ends."""
    found: dict[str, str] = {}
    while attribute := _ATTRIBUTE.match(page, position):
        if len(found) < MAX_ATTRIBUTES:
            name, double, single, bare = attribute.groups()
            found.setdefault(name.lower(), unescape(double or single or bare or ""))
        position = attribute.end()
    end = _TAG_END.match(page, position)
    return found, end.end() if end else -1


# The meaning of meta tag names: DC.*, DCTERMS.*, citation_* and older ones.

_PLAIN = {
    "author": "creator",
    "description": "description",
    "keywords": "subject",
    "language": "language",
    "content-language": "language",
    "copyright": "rights",
    "rights": "rights",
    "publisher": "publisher",
    "date": "date",
    "last-modified": "modified",
    "geo.placename": "coverage",
    "article:published_time": "date",
    "article:modified_time": "modified",
    "article:author": "creator",
    "article:tag": "subject",
}
_TERMS = {
    "abstract": "description",
    "alternative": "title",
    "available": "date",
    "bibliographiccitation": "source",
    "created": "date",
    "dateaccepted": "date",
    "datesubmitted": "date",
    "issued": "date",
    "modified": "modified",
    "valid": "date",
    "extent": "format",
    "medium": "format",
    "accessrights": "rights",
    "license": "rights",
    "rightsholder": "rights",
    "spatial": "coverage",
    "temporal": "coverage",
    "tableofcontents": "description",
    "hasformat": "relation",
    "haspart": "relation",
    "hasversion": "relation",
    "isformatof": "relation",
    "ispartof": "relation",
    "isreferencedby": "relation",
    "isreplacedby": "relation",
    "isversionof": "relation",
    "references": "relation",
    "replaces": "relation",
}
_CITATION = {
    "title": "title",
    "author": "creator",
    "authors": "creator",
    "editor": "contributor",
    "abstract": "description",
    "keywords": "subject",
    "keyword": "subject",
    "publisher": "publisher",
    "dissertation_institution": "publisher",
    "technical_report_institution": "publisher",
    "date": "date",
    "online_date": "date",
    "publication_date": "date",
    "year": "date",
    "doi": "identifier",
    "isbn": "identifier",
    "issn": "identifier",
    "pmid": "identifier",
    "conference": "source",
    "conference_title": "source",
    "inbook_title": "source",
    "journal_title": "source",
    "language": "language",
    "pdf_url": "relation",
    "fulltext_html_url": "relation",
}
_SCHEMES = ("dc", "dcterms", "dct")


def fact_for_meta_name(name: str, known: Collection[str] = STATED_FACTS) -> str | None:
    """Return the fact (one of `known`) that a meta tag states, else None."""
    small = name.strip().lower()
    if small.startswith("citation_"):
        return _CITATION.get(small.removeprefix("citation_"))
    scheme, dot, rest = small.replace(":", ".").partition(".")
    if not dot or scheme not in _SCHEMES:
        return _PLAIN.get(small)
    first, _, qualifier = rest.partition(".")
    words = (_TERMS.get(qualifier), first, _TERMS.get(first))
    return next((word for word in words if word in known), None)


MAX_FACTS = 200
MAX_HEADINGS = 2000
LOOKED_AT_CHARACTERS = 4000
MIN_CONTENT_SHARE = 0.2  # of all text that must be outside the navigation for the navigation to be left out
_UNSEEN_LIST = "script style title textarea xmp iframe noembed noframes template noscript svg select canvas"
_UNSEEN = frozenset(_UNSEEN_LIST.split())
_NAVIGATION = frozenset(("nav",))
# Scripts of these types contain text, such as slides in Markdown that a program lays out.
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
    """The content of a page."""

    text: str = ""
    title: str = ""
    language: str = ""
    software: str = ""
    said: list[tuple[str, str]] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)

    def facts(self) -> list[tuple[str, str]]:
        """Return the facts that a page states, metadata before its title.

        The title is often the name of the site.
        """
        known = {name for name, _ in self.said}
        first = [heading.title for heading in self.headings if heading.level == 1][:1]
        title = self.title or "".join(first)
        last = [("title", title), ("language", self.language)]
        return self.said + [(name, words) for name, words in last if words and name not in known]


def read_page(markup: str) -> Page:
    is_xml = "http://www.w3.org/1999/xhtml" in markup[:LOOKED_AT_CHARACTERS]
    return _Reading().take(markup, is_xml=is_xml)


class _Reading:
    def __init__(self, *, is_within: bool = False) -> None:
        """`is_within`: for text in a script, where lines count and scripts are not nested."""
        self.page = Page()
        self.is_within = is_within
        self.is_written = False  # the current script contains text for people
        self.words: list[str] = []
        self.menus: list[tuple[int, list[str]]] = []  # text of the navigation, and where it would be inserted
        self.inside: list[str] = []  # elements whose text is treated differently, the innermost last
        self.preformatted = int(is_within)
        self.heading: tuple[int, int] | None = None  # level, and the index in `words` where it began

    def take(self, markup: str, *, is_xml: bool = False) -> Page:
        for token in tokens(markup, is_xml=is_xml):
            if isinstance(token, str):
                self.take_text(token)
            else:
                self.take_tag(token)
        return self.done()

    def take_text(self, text: str) -> None:
        inner = self.inside[-1] if self.inside else ""
        if inner == "title" and "svg" not in self.inside and not self.page.title:
            self.page.title = fact_line(text)
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
            self.page.language = self.page.language or fact_line(language)
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
            self.words.append("\t")  # at both ends of a cell, because one of the tags is often omitted
        if name in _HEADINGS:
            self._take_heading(tag)

    def _take_heading(self, tag: Tag) -> None:
        if not tag.is_end:
            self.heading = (_HEADINGS[tag.name], len(self.words))
        elif self.heading is not None:
            level, start = self.heading
            title = fact_line("".join(self.words[start : start + 1000]))
            if title and len(self.page.headings) < MAX_HEADINGS:
                self.page.headings.append(Heading(title, level))
            self.heading = None

    def _take_meta(self, attributes: dict[str, str]) -> None:
        name = attributes.get("name") or attributes.get("property") or attributes.get("http-equiv", "")
        content = attributes.get("content", "")
        if name.lower() == "generator":
            self.page.software = fact_line(content)
        fact = fact_for_meta_name(name)
        if fact is None or len(self.page.said) >= MAX_FACTS:
            return
        values = _LISTED.split(content[:20_000])[:MAX_FACTS] if "keyword" in name.lower() else [content]
        self.page.said += [(fact, words) for value in values if (words := fact_line(value))]

    def done(self) -> Page:
        """Finish the page; its navigation is included only if there is hardly any other text."""
        size = sum(map(len, self.words))
        in_menus = sum(len(words) for _, menu in self.menus for words in menu)
        if size < MIN_CONTENT_SHARE * (size + in_menus):
            for place, menu in reversed(self.menus):
                self.words.insert(place, "".join(menu))
        self.page.text = tidy_lines("".join(self.words))
        return self.page
