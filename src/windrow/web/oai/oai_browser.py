"""An answer of our own repository taken apart for `explorer`: what a page shows of it, in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from windrow.errors import BadXml
from windrow.faces.oai.showing import Field, Value, fields_in, pretty
from windrow.formats.registry import read
from windrow.formats.write_oai_dc import write_oai_dc
from windrow.wire.oai.answering.provenance import PROVENANCE

MOST_READ_BYTES = 200_000  # of a payload that is not Dublin Core; what is longer is shown as XML only
_OAI = "{http://www.openarchives.org/OAI/2.0/}"
_VERBS = ("Identify", "ListMetadataFormats", "ListSets", "ListIdentifiers", "ListRecords", "GetRecord")


@dataclass(frozen=True, slots=True)
class Error:
    """An error that the protocol has a code for."""

    code: str
    words: str


@dataclass(frozen=True, slots=True)
class Format:
    """A format that can be asked for."""

    prefix: str
    schema: str
    namespace: str


@dataclass(frozen=True, slots=True)
class Set:
    """A set; `depth` is how many sets it is inside of, by its spec."""

    spec: str
    name: str
    depth: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A record or its header: `fields` in the terms of Dublin Core, `xml` what it is word by word."""

    identifier: str
    stamp: str
    sets: tuple[str, ...]
    is_deleted: bool
    fields: tuple[Field, ...] = ()
    xml: str = ""
    origins: tuple[str, ...] = ()  # where it came from, word by word
    abouts: tuple[str, ...] = ()  # what else is said about it

    @property
    def title(self) -> str:
        """What to call it: the first title in it, else its identifier."""
        return next((value.text for value in self._values("Title")), self.identifier)

    @property
    def summary(self) -> str:
        """Who, when and what, in one line."""
        values = [value.text for label in ("Creator", "Date", "Type") for value in self._values(label)[:3]]
        return " · ".join(values)

    @property
    def teaser(self) -> Value | None:
        """The first description."""
        return next(iter(self._values("Description")), None)

    def _values(self, label: str) -> tuple[Value, ...]:
        return next((field.values for field in self.fields if field.label == label), ())


@dataclass(frozen=True, slots=True)
class Answer:
    """What one answer holds; only what belongs to its verb is filled in."""

    verb: str = ""
    errors: tuple[Error, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    descriptions: tuple[str, ...] = ()
    formats: tuple[Format, ...] = ()
    sets: tuple[Set, ...] = ()
    entries: tuple[Entry, ...] = ()
    token: str = ""  # leads to the next page
    cursor: int = 0  # how many were on the pages before this
    size: int | None = None
    stamp: str = field(default="")

    @property
    def last(self) -> int:
        """The number of the last entry on this page, counted over all pages."""
        return self.cursor + len(self.entries or self.sets)


def read_answer(body: bytes) -> Answer | None:
    """Take an answer apart; None where it is too deep or too large for a page."""
    # Without entities, network and huge trees: a record may be hostile, and a page can do without it.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(body, parser)
    except etree.XMLSyntaxError:
        return None
    stamp = _text(root, "responseDate")
    errors = tuple(Error(item.get("code", ""), _words(item)) for item in _children(root, "error"))
    if errors:
        return Answer(errors=errors, stamp=stamp)
    for verb in _VERBS:
        for inside in _children(root, verb):
            return _read(verb, inside, stamp)
    return None


def _read(verb: str, inside: etree._Element, stamp: str) -> Answer:
    token = next(_children(inside, "resumptionToken"), None)
    return Answer(
        verb=verb,
        facts=tuple(_facts(inside)) if verb == "Identify" else (),
        descriptions=tuple(pretty(child) for item in _children(inside, "description") for child in item),
        formats=tuple(_formats(inside)),
        sets=tuple(_sets(inside)),
        entries=tuple(_entries(inside)),
        token=(token.text or "").strip() if token is not None else "",
        cursor=_number(token, "cursor") or 0,
        size=_number(token, "completeListSize"),
        stamp=stamp,
    )


def _facts(inside: etree._Element) -> Iterator[tuple[str, str]]:
    """Give what Identify says in single words, by the protocol's names for it."""
    for item in inside:
        if isinstance(item.tag, str) and not len(item) and _words(item):
            yield etree.QName(item).localname, _words(item)


def _formats(inside: etree._Element) -> Iterator[Format]:
    for item in _children(inside, "metadataFormat"):
        yield Format(_text(item, "metadataPrefix"), _text(item, "schema"), _text(item, "metadataNamespace"))


def _sets(inside: etree._Element) -> Iterator[Set]:
    for item in _children(inside, "set"):
        spec = _text(item, "setSpec")
        yield Set(spec, _text(item, "setName"), min(spec.count(":"), 6))


def _entries(inside: etree._Element) -> Iterator[Entry]:
    for header in _children(inside, "header"):
        yield _entry(header)
    for record in _children(inside, "record"):
        for header in _children(record, "header"):
            yield _entry(header, record)


def _entry(header: etree._Element, record: etree._Element | None = None) -> Entry:
    metadata = next(_children(record, "metadata"), None) if record is not None else None
    payload = next(iter(metadata), None) if metadata is not None else None
    said = _children(record, "about") if record is not None else ()
    abouts = [child for item in said for child in item.iterchildren("*")]
    origins = [child for child in abouts if etree.QName(child).namespace == PROVENANCE]
    return Entry(
        identifier=_text(header, "identifier"),
        stamp=_text(header, "datestamp"),
        sets=tuple(_words(item) for item in _children(header, "setSpec")),
        is_deleted=header.get("status") == "deleted",
        fields=_fields(payload) if payload is not None else (),
        xml=pretty(payload) if payload is not None else "",
        origins=tuple(map(pretty, origins)),
        abouts=tuple(pretty(child) for child in abouts if child not in origins),
    )


def _fields(payload: etree._Element) -> tuple[Field, ...]:
    """The fields of Dublin Core; of any other format, what it says in those terms."""
    fields = tuple(fields_in(payload))
    if fields:
        return fields
    text = etree.tostring(payload, with_tail=False)
    if len(text) > MOST_READ_BYTES:
        return ()
    try:
        return tuple(fields_in(etree.fromstring(write_oai_dc(read(text, b"", "")))))
    except (BadXml, etree.XMLSyntaxError):
        return ()


def _children(parent: etree._Element, local: str) -> Iterator[etree._Element]:
    return parent.iterchildren(f"{_OAI}{local}")


def _words(element: etree._Element) -> str:
    return " ".join("".join(map(str, element.itertext())).split())


def _text(parent: etree._Element, local: str) -> str:
    return next((_words(child) for child in _children(parent, local)), "")


def _number(element: etree._Element | None, name: str) -> int | None:
    text = element.get(name, "") if element is not None else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None
