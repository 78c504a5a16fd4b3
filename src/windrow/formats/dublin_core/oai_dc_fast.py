"""What one element of plain oai_dc adds to a record, as portions: values, each with the list it belongs to.

The rules are those of `Draft`, which does the same for every format; here they are functions of one text, so
that what recurs on every record (a type, a licence, a publisher) need be worked out only once. Elements that
seldom recur have a rule of their own; the others are asked of a draft with just that element in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from lxml import etree

from windrow.formats.dublin_core.dc_terms import DC
from windrow.formats.dublin_core.oai_dc import VALUES, is_qualified
from windrow.formats.mapping.date_values import publication_year
from windrow.formats.mapping.document_draft import (
    Draft,
    abstract_first,
    is_citation,
    is_embargo,
    is_more_specific,
    is_plain_name,
    split_topics,
)
from windrow.formats.mapping.link_kinds import identify_value, make_link, order_links, parse_address
from windrow.formats.mapping.markup import plain_line, plain_text
from windrow.formats.mapping.xml_records import XML_LANG
from windrow.formats.registry import parse_payload
from windrow.model.document import Agent, Document, DocumentDate, Link, LinkKind, Subject, Text, make_document
from windrow.model.text.language_codes import language_codes

# The last step of the quick way through oai_dc: the lists of one record to its Document.

# By the places of `flat_values`; each from what makes a value the same to the value, as in a draft. Only of
# descriptions the same one may be there twice.
Lists = list[dict[Any, Any]]


def build_document(lists: Lists) -> Document:
    """The document: the year chosen, links settled, landing page first."""
    titles, creators, contributors, subjects, descriptions, publishers, dates, types = lists[:8]
    languages, pages, links, names, rights, sources, relations, extra = lists[8:]
    return make_document(
        tuple(titles),
        tuple(creators.values()),
        tuple(contributors.values()) if contributors else (),
        _settled(tuple(subjects.values())) if subjects else (),
        (),
        tuple(descriptions.values())
        if len(descriptions) < 2
        else abstract_first(tuple(dict.fromkeys(descriptions.values()))),
        tuple(publishers),
        tuple(dates),
        publication_year(dates.keys()) if dates else None,
        tuple(types),
        tuple(languages),
        pages.get(None),
        order_links(links.values()) if len(links) > 1 else tuple(links.values()),
        tuple(names),
        tuple(rights),
        tuple(sources) if sources else (),
        tuple(relations) if relations else (),
        None,
        None,
        _by_name(extra) if extra else {},
        (),
        None,
    )


def _settled(subjects: tuple[Subject, ...]) -> tuple[Subject, ...]:
    if len(subjects) > 1 or "," not in subjects[0].value:
        return subjects
    return split_topics(subjects[0], subjects[0].value)


def _by_name(extra: dict[tuple[str, str], str]) -> dict[str, tuple[str, ...]]:
    if len(extra) == 1:
        ((name, value),) = extra
        return {name: (value,)}
    found: dict[str, list[str]] = {}
    for name, value in extra:
        found.setdefault(name, []).append(value)
    return {name: tuple(values) for name, values in found.items()}


# The words between two tags as a parser would give them: for `flat_dc`, which goes without one.

LONG_CHARACTERS = 200

_REFERENCE = re.compile(r"&(?:(amp|lt|gt|quot|apos);|#([0-9]{1,7});|#x([0-9a-fA-F]{1,6});)?")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # XML 1.0, section 2.2
_BLANKED = bytes.maketrans(bytes((*range(32), 127)), b" " * 33)


class NeedsParser(ValueError):
    """Something that only the parser can judge: not well-formed, or not surely so."""


def decode_payload(payload: bytes) -> str:
    """The characters of a payload, line ends made one. Whether all of them are legal is not looked at."""
    try:
        text = payload.decode()
    except UnicodeDecodeError:
        raise NeedsParser from None
    if "]" in text and "]]>" in text:
        raise NeedsParser
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def decode_words(text: str) -> str:
    """The words that a text between tags stands for. Raises Unsure where XML does not allow it."""
    if not text.isprintable() and _ILLEGAL.search(text) is not None:
        raise NeedsParser
    if "&" not in text:
        return text
    return _short(text) if len(text) < LONG_CHARACTERS else _REFERENCE.sub(_character, text)


def is_one_line(text: str) -> bool:
    """Return whether a text surely is legal XML, with no whitespace in it but single spaces."""
    if text.rfind("  ") >= 0:
        return False
    if len(text) < LONG_CHARACTERS or not text.isascii():
        return text.isprintable()
    characters = text.encode()  # of a long text in ASCII this is the quicker test
    return characters.translate(_BLANKED) is characters  # the very same where there are no controls


@lru_cache(maxsize=1024)
def _short(text: str) -> str:
    """What stands there after resolving; kept, because rights and publishers recur on every record."""
    return _REFERENCE.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    name, decimal, hexadecimal = match.groups()
    if name:
        return _NAMED[name]
    code = int(decimal or hexadecimal or "0", 10 if decimal else 16)
    if not 0 < code <= 0x10FFFF or _ILLEGAL.match(chr(code)):
        raise NeedsParser
    return chr(code)


# What the tags of plain oai_dc mean, asked of the parser once for each spelling.
# A source writes the same root tag and the same few start tags on every record. So nothing is guessed
# here about namespaces, prefixes and attributes, and yet no record after the first is parsed for them.

MOST_SPELLINGS = 200  # of start tags under one root; what comes after them goes through the parser

_ROOT = re.compile(r"\s*<([\w.-]+:)?dc(?=[\s>])")
_DC_ADDRESS = DC.strip("{}")
# Element by element, each from its start tag to the next one's; what is none swallows the rest. Nothing is
# ever given back (*+), and no part but the words reaches over a bracket: a long payload stays linear.
_ELEMENTS = r"[ \t\n]*+(?:<{0}:([a-z]++)([^<>/]*+)(?:>([^<]*+)</{0}:\1>|/>)[ \t\n]*+|.++)"


Element = tuple[str, str, str]  # name, attributes as they stand, words as they stand


class Shape:
    """What a source writes around its elements: the root tag, and the prefix of Dublin Core under it."""

    def __init__(self, head: str, end: str, prefix: str, declarations: bytes) -> None:
        self.head = head
        self._end = end
        self._prefix = prefix
        self.declarations = declarations
        self._start = len(head)
        self._elements = re.compile(_ELEMENTS.format(re.escape(prefix)), re.DOTALL)
        self._languages: dict[str, str | None] = {}

    def cut(self, payload: str) -> list[Element]:
        """The elements of a payload, those without words too. Raises Unsure where there is more."""
        payload = payload.rstrip(" \t\n")
        if not payload.endswith(self._end):
            raise NeedsParser
        elements = self._elements.findall(payload, self._start, len(payload) - len(self._end))
        if not elements or not elements[-1][0]:
            raise NeedsParser
        return elements

    def language(self, name: str, attributes: str) -> str | None:
        """The language that an element's attributes say its words are in."""
        spelling = name + attributes
        try:
            return self._languages[spelling]
        except KeyError:
            if len(self._languages) >= MOST_SPELLINGS:
                raise NeedsParser from None
        language = self._languages[spelling] = self._asked(name, attributes)
        return language

    def _asked(self, name: str, attributes: str) -> str | None:
        tags = f"{self.head}<{self._prefix}:{name}{attributes}/>{self._end}"
        try:
            child = parse_payload(tags.encode(), self.declarations)[0][0]
        except etree.XMLSyntaxError:
            raise NeedsParser from None
        if child.tag != DC + name:
            raise NeedsParser
        if is_qualified(child):
            raise NeedsParser
        codes = language_codes(child.get(XML_LANG) or "")
        return codes[0] if codes else None


def shape_of(head: str, declarations: bytes, roots: frozenset[str]) -> Shape | None:
    """The shape that a root's start tag announces; None for one of which only the parser can say more.

    `roots` are the root elements that are plain oai_dc, in Clark notation.
    """
    start = _ROOT.match(head)
    if start is None:
        return None
    end = f"</{start[1] or ''}dc>"
    try:
        root = parse_payload((head + end).encode(), declarations)[0]
    except etree.XMLSyntaxError:
        return None
    prefixes = [prefix for prefix, address in root.nsmap.items() if address == _DC_ADDRESS and prefix]
    is_plain = root.tag in roots and len(root) == 0 and len(prefixes) == 1
    return Shape(head, end, prefixes[0], declarations) if is_plain else None


# The lists of a record, by their places.
TITLES, CREATORS, CONTRIBUTORS, SUBJECTS, DESCRIPTIONS, PUBLISHERS, DATES, TYPES = range(8)
LANGUAGES, PAGES, LINKS, NAMES, RIGHTS, SOURCES, RELATIONS, EXTRA = range(8, 16)

Portion = tuple[int, Any, Any]  # the list, what makes the value the same there, the value
Portions = tuple[Portion, ...]
Rule = Callable[[str, str | None], Portions]  # of the words and their language


def _title(text: str, language: str | None) -> Portions:
    value = plain_line(text)
    words = Text(value, language)
    return ((TITLES, words, words),) if value else ()


def _creator(text: str, language: str | None) -> Portions:
    name = plain_line(text)
    if ";" in text or not is_plain_name(name):
        return _rule_of_draft("creator")(text, language)
    return ((CREATORS, name, Agent(name)),)


def _contributor(text: str, language: str | None) -> Portions:
    name = plain_line(text)
    if ";" in text or not is_plain_name(name):
        return _rule_of_draft("contributor")(text, language)
    return ((CONTRIBUTORS, name, Agent(name)),)


def _subject(text: str, language: str | None) -> Portions:
    value = plain_line(text)
    if ";" in value or "|" in value:
        return _subjects(value, language)
    if value != text and plain_line(value) != value:
        raise NeedsParser  # escaped so often that a draft, too, would see it twice
    return ((SUBJECTS, value, Subject(value, None, None, language)),) if value else ()


def _subjects(text: str, language: str | None) -> Portions:
    draft = Draft()
    draft.add_subjects(text, language=language)
    made = draft.finish()
    subjects = made.subjects
    if len(subjects) == 1 and "," in subjects[0].value:
        raise NeedsParser  # alone in its record it would pass for a list with commas, which it is not
    found = ((SUBJECTS, subject.value, subject) for subject in subjects)
    return (*found, *_portions_of(made))


def _description(text: str, language: str | None) -> Portions:
    value = plain_text(text)
    if value.startswith("http") and (link := make_link(value)) is not None:
        return ((LINKS, link.url, link),)
    words = Text(value, language)
    return ((DESCRIPTIONS, words, words),) if value else ()


def _date(text: str, _language: str | None) -> Portions:
    value = " ".join(text.split())
    moment = DocumentDate(value, "embargo" if is_embargo(value) else "date")
    return ((DATES, moment, moment),) if value else ()


def _identifier(text: str, _language: str | None) -> Portions:
    name, link = identify_value(" ".join(text.split()))
    if name is None:
        return ((LINKS, link.url, link),) if link is not None else ()
    portions = _source(name.value, None) if is_citation(name) else ((NAMES, name, name),)
    return (*portions, (LINKS, link.url, link)) if link is not None else portions


def _source(text: str, _language: str | None) -> Portions:
    value = plain_line(text)
    return ((SOURCES, value, value),) if value else ()


def _relation(text: str, _language: str | None) -> Portions:
    value = plain_line(text)
    if not value:
        return ()
    address = parse_address(value)
    relation = (RELATIONS, value, value)
    return (relation,) if address is None else (relation, (LINKS, address, Link(address, LinkKind.RELATED)))


def _rule_of_draft(name: str) -> Rule:
    """The rule that asks a draft."""
    add = VALUES[name]

    def ask(text: str, _language: str | None) -> Portions:
        draft = Draft()
        add(draft, text)
        return tuple(_portions_of(draft.finish()))

    return ask


def _portions_of(document: Document) -> list[Portion]:
    """What is in a document, of the fields that an element asked of a draft may fill."""
    portions: list[Portion] = [(CREATORS, agent.name, agent) for agent in document.creators]
    portions += [(CONTRIBUTORS, _same_as(agent), agent) for agent in document.contributors]
    portions += [(PUBLISHERS, value, value) for value in document.publishers]
    portions += [(TYPES, value, value) for value in document.types]
    portions += [(LANGUAGES, value, value) for value in document.languages]
    portions += [(RIGHTS, value, value) for value in document.rights]
    portions += [(LINKS, link.url, link) for link in document.links]
    portions += [(EXTRA, (name, value), value) for name, values in document.extra.items() for value in values]
    if document.pages is not None:
        portions.append((PAGES, None, document.pages))
    return portions


def _same_as(agent: Agent) -> str | tuple[str, str]:
    """Return what makes a contributor the same as another: the name, and the role where there is one."""
    return (agent.name, agent.role) if agent.role else agent.name


RECURRING: Mapping[str, Rule] = {
    name: _rule_of_draft(name) for name in ("publisher", "type", "format", "language", "coverage", "rights")
}
RULES: Mapping[str, Rule] = {
    "title": _title,
    "creator": _creator,
    "contributor": _contributor,
    "subject": _subject,
    "description": _description,
    "date": _date,
    "identifier": _identifier,
    "source": _source,
    "relation": _relation,
    **RECURRING,
}

# The quick way through plain oai_dc, for records of the shape nearly every server writes.
# `registry` tries this way first: oai_dc is what every repository speaks, and by far the most records are
# plain. One regular expression cuts the payload at its elements; what each of them adds is gathered
# without a tree and without a draft. What is not plain (other tags, comments, CDATA) or not well-formed
# gets no answer here and goes through the parser, to the same document or to its error.

MOST_SHAPES = 50
MOST_KEPT = 2000  # texts of one element that recurs
SHORT = 200  # characters; longer texts do not recur, and are looked through in another way

_new = tuple.__new__  # what a named tuple's own constructor calls, without the call around it


class FlatReader:
    """Reads plain oai_dc with one of these root elements, in Clark notation."""

    def __init__(self, roots: frozenset[str]) -> None:
        self._roots = roots
        self._shapes: dict[tuple[str, bytes], Shape | None] = {}
        self._last: Shape | None = None  # nearly always the next one's too
        self._kept: dict[str, dict[str, Portions]] = {name: {} for name in RECURRING}

    def read(self, payload: bytes, declarations: bytes) -> Document | None:
        """The document of a payload; None when it is one for the parser."""
        try:
            text = decode_payload(payload)
            shape = self._last
            if shape is None or declarations != shape.declarations or not text.startswith(shape.head):
                shape = self._last = self._shape_of(text[: text.find(">") + 1], declarations)
            return None if shape is None else build_document(self._gather(shape.cut(text), shape))
        except (NeedsParser, KeyError):  # KeyError: an element that Dublin Core does not have
            return None

    def _shape_of(self, head: str, declarations: bytes) -> Shape | None:
        try:
            return self._shapes[head, declarations]
        except KeyError:
            if len(self._shapes) >= MOST_SHAPES:
                self._shapes.clear()
        shape = self._shapes[head, declarations] = shape_of(head, declarations, self._roots)
        return shape

    def _gather(self, elements: list[Element], shape: Shape) -> Lists:
        """What all elements add.

        No loop is hotter, so elements that are frequent and simple (one line, no list, no reference) are
        dealt with inside it: the rules of `flat_values`, as far as they go there. A call for each would take
        longer than the rules do, which is why this function is as long as it is.
        """
        lists: Lists = [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}]
        titles, creators, contributors, subjects, descriptions, _, dates = lists[:7]
        recurring = self._kept
        for name, attributes, text in elements:
            language = shape.language(name, attributes) if attributes else None
            if (
                name in recurring
                or "&" in text
                or ";" in text
                or not ("  " not in text and text.isprintable() if len(text) < SHORT else is_one_line(text))
            ):
                self._add(lists, name, language, text)
                continue
            value = text.strip()
            if not value:
                continue
            if name == "subject" and "|" not in value:
                if value not in subjects:
                    subjects[value] = _new(Subject, (value, None, None, language))
            elif name == "creator" and is_plain_name(value):
                if value not in creators:
                    creators[value] = _new(Agent, (value, None, None, ()))
            elif name == "identifier":
                _add_identifier(lists, value)
            elif name == "title":
                words = _new(Text, (value, language))
                titles[words] = words
            elif name == "description" and value[:4] != "http":
                # Most records have just one, and it is long to compare: `document_with` tells them apart.
                descriptions[len(descriptions)] = _new(Text, (value, language))
            elif name == "contributor" and is_plain_name(value):
                if value not in contributors:
                    contributors[value] = _new(Agent, (value, None, None, ()))
            elif name == "date" and not is_embargo(value):
                moment = _new(DocumentDate, (value, "date"))
                dates[moment] = moment
            else:
                self._add(lists, name, language, text)
        return lists

    def _add(self, lists: Lists, name: str, language: str | None, text: str) -> None:
        """Add any element by its rule; what its words come to is kept where they recur."""
        kept = self._kept.get(name)
        portions = kept.get(text) if kept is not None else None
        if portions is None:
            portions = RULES[name](decode_words(text), language)
            if kept is not None and len(text) < SHORT:
                if len(kept) >= MOST_KEPT:
                    kept.clear()
                kept[text] = portions
        for place, key, value in portions:
            held = lists[place]
            if key not in held or (place == LINKS and is_more_specific(value, held[key])):
                held[key] = value


def _add_identifier(lists: Lists, value: str) -> None:
    name, link = identify_value(value)
    if link is not None:
        links = lists[LINKS]
        if link.url not in links or is_more_specific(link, links[link.url]):
            links[link.url] = link
    if name is not None:
        if is_citation(name):
            lists[SOURCES][value] = value
        else:
            lists[NAMES][name] = name
