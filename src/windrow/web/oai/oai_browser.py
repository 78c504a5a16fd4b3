"""OAI-PMH responses as pages for people: `OaiBrowser` parses a response of our repository and renders it.

Each page is the response to one request, at that request's own address, and links to further
requests. Harvested data is untrusted: it is escaped, cut where it is long, and only http and
https addresses become links.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field

from lxml import etree

from windrow.errors import BadXml
from windrow.formats.dublin_core.oai_dc import write_oai_dc
from windrow.formats.registry import read
from windrow.protocols.oai.about_containers import PROVENANCE
from windrow.web.i18n.translation import Translator, get_translator, message
from windrow.web.layout.page_layout import render_template
from windrow.web.layout.site import SiteAddress
from windrow.web.oai.oai_context import RepositoryLinks

MAX_TEXT_LENGTH = 2000
MAX_XML_LENGTH = 20_000
_DC = "http://purl.org/dc/elements/1.1/"
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,3}")
_ADDRESS = re.compile(r"https?://[^\s<>\"]+", re.IGNORECASE)
_FIELD_LABELS = {  # the elements of Dublin Core
    "title": message("Title"),
    "creator": message("Creator"),
    "contributor": message("Contributor"),
    "date": message("Date"),
    "type": message("Type"),
    "description": message("Description"),
    "subject": message("Subject"),
    "publisher": message("Publisher"),
    "format": message("Format"),
    "identifier": message("Identifier"),
    "source": message("Source"),
    "language": message("Language"),
    "relation": message("Relation"),
    "coverage": message("Coverage"),
    "rights": message("Rights"),
}
_FIELD_ORDER = ("title", "creator", "contributor", "date", "type", "description", "subject", "publisher")


@dataclass(frozen=True, slots=True)
class ShownValue:
    """A value of a field: text, link if it is an address, language if known."""

    text: str
    href: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class ShownField:
    """A field of a record with all its values. The label is a message, translated where it is shown."""

    label: str
    values: tuple[ShownValue, ...]


def dublin_core_fields(payload: etree._Element) -> Iterator[ShownField]:
    """Yield the fields of a Dublin Core record, the most useful first; none for other formats."""
    found: dict[str, list[ShownValue]] = {}
    for item in payload:
        if isinstance(item.tag, str) and etree.QName(item).namespace == _DC:
            text = " ".join("".join(map(str, item.itertext())).split())
            if text:
                found.setdefault(etree.QName(item).localname, []).append(_make_value(text, item))
    for name in sorted(
        found, key=lambda name: _FIELD_ORDER.index(name) if name in _FIELD_ORDER else len(_FIELD_ORDER)
    ):
        yield ShownField(_FIELD_LABELS.get(name, name), tuple(found[name]))


def _make_value(text: str, item: etree._Element) -> ShownValue:
    language = item.get(_XML_LANG, "")
    return ShownValue(
        shorten(text),
        href=text if _ADDRESS.fullmatch(text) and len(text) <= MAX_TEXT_LENGTH else "",
        language=language if _LANGUAGE.fullmatch(language) else "",
    )


def indent_xml(element: etree._Element) -> str:
    """Return an element as indented XML, without inherited declarations; long texts are cut."""
    copied = deepcopy(element)
    copied.tail = None
    for node in copied.iter():
        if node.text:
            node.text = shorten(node.text.strip())
        if node.tail:
            node.tail = shorten(node.tail.strip())
    etree.cleanup_namespaces(copied)
    etree.indent(copied)
    return shorten(etree.tostring(copied, encoding="unicode"), MAX_XML_LENGTH)


def shorten(text: str, most: int = MAX_TEXT_LENGTH) -> str:
    """Cut a long text, and state how many characters are missing, in no language."""
    if len(text) <= most:
        return text
    return f"{text[:most]}… (+{len(text) - most:,})"


MAX_ANSWER_BYTES = 200_000  # of a payload that is not Dublin Core; a longer one is shown as XML only
_OAI = "{http://www.openarchives.org/OAI/2.0/}"
_VERBS = ("Identify", "ListMetadataFormats", "ListSets", "ListIdentifiers", "ListRecords", "GetRecord")


@dataclass(frozen=True, slots=True)
class ProtocolError:
    """An OAI-PMH error with its code."""

    code: str
    words: str


@dataclass(frozen=True, slots=True)
class ListedFormat:
    """An entry of ListMetadataFormats."""

    prefix: str
    schema: str
    namespace: str


@dataclass(frozen=True, slots=True)
class ListedSet:
    """An entry of ListSets; `depth` is its level in the hierarchy of its spec."""

    spec: str
    name: str
    depth: int


@dataclass(frozen=True, slots=True)
class ListedRecord:
    """A record or header: `fields` are Dublin Core, `xml` is its source."""

    identifier: str
    stamp: str
    sets: tuple[str, ...]
    is_deleted: bool
    fields: tuple[ShownField, ...] = ()
    xml: str = ""
    origins: tuple[str, ...] = ()  # provenance statements as XML
    abouts: tuple[str, ...] = ()  # other `about` containers as XML

    @property
    def title(self) -> str:
        return next((value.text for value in self._values("Title")), self.identifier)

    @property
    def summary(self) -> str:
        """Return creators, dates and types in one line."""
        values = [value.text for label in ("Creator", "Date", "Type") for value in self._values(label)[:3]]
        return " · ".join(values)

    @property
    def teaser(self) -> ShownValue | None:
        return next(iter(self._values("Description")), None)

    def _values(self, label: str) -> tuple[ShownValue, ...]:
        return next((field.values for field in self.fields if field.label == label), ())


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """A parsed response; only what belongs to its verb is filled in."""

    verb: str = ""
    errors: tuple[ProtocolError, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    descriptions: tuple[str, ...] = ()
    formats: tuple[ListedFormat, ...] = ()
    sets: tuple[ListedSet, ...] = ()
    entries: tuple[ListedRecord, ...] = ()
    token: str = ""  # the resumptionToken of the next page
    cursor: int = 0  # number of entries on earlier pages
    size: int | None = None
    stamp: str = field(default="")

    @property
    def last(self) -> int:
        """Return the number of the last entry on this page, counted over all pages."""
        return self.cursor + len(self.entries or self.sets)


def parse_answer(body: bytes) -> ParsedAnswer | None:
    """Parse a response; None if it is too deep or too large for a page."""
    # No entities, network or huge trees: a record may be hostile, and a page can do without them.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(body, parser)
    except etree.XMLSyntaxError:
        return None
    stamp = _child_text(root, "responseDate")
    errors = tuple(
        ProtocolError(item.get("code", ""), _element_text(item)) for item in _children(root, "error")
    )
    if errors:
        return ParsedAnswer(errors=errors, stamp=stamp)
    for verb in _VERBS:
        for inside in _children(root, verb):
            return _parse_verb(verb, inside, stamp)
    return None


def _parse_verb(verb: str, inside: etree._Element, stamp: str) -> ParsedAnswer:
    token = next(_children(inside, "resumptionToken"), None)
    return ParsedAnswer(
        verb=verb,
        facts=tuple(_parse_identify(inside)) if verb == "Identify" else (),
        descriptions=tuple(indent_xml(child) for item in _children(inside, "description") for child in item),
        formats=tuple(_parse_formats(inside)),
        sets=tuple(_parse_sets(inside)),
        entries=tuple(_parse_records(inside)),
        token=(token.text or "").strip() if token is not None else "",
        cursor=_parse_number(token, "cursor") or 0,
        size=_parse_number(token, "completeListSize"),
        stamp=stamp,
    )


def _parse_identify(inside: etree._Element) -> Iterator[tuple[str, str]]:
    for item in inside:
        if isinstance(item.tag, str) and not len(item) and _element_text(item):
            yield etree.QName(item).localname, _element_text(item)


def _parse_formats(inside: etree._Element) -> Iterator[ListedFormat]:
    for item in _children(inside, "metadataFormat"):
        yield ListedFormat(
            _child_text(item, "metadataPrefix"),
            _child_text(item, "schema"),
            _child_text(item, "metadataNamespace"),
        )


def _parse_sets(inside: etree._Element) -> Iterator[ListedSet]:
    for item in _children(inside, "set"):
        spec = _child_text(item, "setSpec")
        yield ListedSet(spec, _child_text(item, "setName"), min(spec.count(":"), 6))


def _parse_records(inside: etree._Element) -> Iterator[ListedRecord]:
    for header in _children(inside, "header"):
        yield _parse_record(header)
    for record in _children(inside, "record"):
        for header in _children(record, "header"):
            yield _parse_record(header, record)


def _parse_record(header: etree._Element, record: etree._Element | None = None) -> ListedRecord:
    metadata = next(_children(record, "metadata"), None) if record is not None else None
    payload = next(iter(metadata), None) if metadata is not None else None
    said = _children(record, "about") if record is not None else ()
    abouts = [child for item in said for child in item.iterchildren("*")]
    origins = [child for child in abouts if etree.QName(child).namespace == PROVENANCE]
    return ListedRecord(
        identifier=_child_text(header, "identifier"),
        stamp=_child_text(header, "datestamp"),
        sets=tuple(_element_text(item) for item in _children(header, "setSpec")),
        is_deleted=header.get("status") == "deleted",
        fields=_parse_fields(payload) if payload is not None else (),
        xml=indent_xml(payload) if payload is not None else "",
        origins=tuple(map(indent_xml, origins)),
        abouts=tuple(indent_xml(child) for child in abouts if child not in origins),
    )


def _parse_fields(payload: etree._Element) -> tuple[ShownField, ...]:
    """Return Dublin Core fields, also for other formats that can be mapped to them."""
    fields = tuple(dublin_core_fields(payload))
    if fields:
        return fields
    text = etree.tostring(payload, with_tail=False)
    if len(text) > MAX_ANSWER_BYTES:
        return ()
    try:
        return tuple(dublin_core_fields(etree.fromstring(write_oai_dc(read(text, b"", "")))))
    except (BadXml, etree.XMLSyntaxError):
        return ()


def _children(parent: etree._Element, local: str) -> Iterator[etree._Element]:
    return parent.iterchildren(f"{_OAI}{local}")


def _element_text(element: etree._Element) -> str:
    return " ".join("".join(map(str, element.itertext())).split())


def _child_text(parent: etree._Element, local: str) -> str:
    return next((_element_text(child) for child in _children(parent, local)), "")


def _parse_number(element: etree._Element | None, name: str) -> int | None:
    text = element.get(name, "") if element is not None else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None


@dataclass(frozen=True, slots=True)
class Advice:
    """An error explained in plain words."""

    code: str
    words: str  # the repository's own message
    meaning: str
    remedy: str


_ADVICE = {
    "badVerb": (
        message("The request has no verb, or more than one."),
        message("Choose one of the six requests in the menu above."),
    ),
    "badArgument": (
        message("The request has an argument too many, lacks one, or has an invalid value."),
        message(
            "Write dates as 2024-01-31 or 2024-01-31T23:59:59Z, and both ends of a range in the same way."
        ),
    ),
    "badResumptionToken": (
        message("This link to a next page is damaged or belongs to another list."),
        message("Start the list again from its first page."),
    ),
    "cannotDisseminateFormat": (
        message("There is no such record in this metadata format."),
        message("Look at the list of formats, or ask for oai_dc, which every record has."),
    ),
    "idDoesNotExist": (
        message("There is no record with this identifier here."),
        message("Check that the identifier is complete. A deleted record would be shown as deleted."),
    ),
    "noRecordsMatch": (
        message("No records match the request."),
        message("Choose a longer period or a larger set, or leave one of the two out."),
    ),
    "noMetadataFormats": (
        message("This record has no metadata in any format."),
        message("It may have been deleted."),
    ),
    "noSetHierarchy": (
        message("This repository has no sets."),
        message("Ask for its records without naming a set."),
    ),
}
_REFUSED = (message("The repository refused this request."), message("Its answer has the reason."))


def advise_on_error(error: ProtocolError) -> Advice:
    meaning, remedy = _ADVICE.get(error.code, _REFUSED)
    return Advice(error.code, error.words, meaning, remedy)


Pairs = Sequence[tuple[str, str]]
AskRepository = Callable[[Pairs], bytes]

_FIRST_REQUEST = [("verb", "Identify")]  # for people who open the base URL
_MAX_SUGGESTED_SETS = 200
_TITLES = {
    "Identify": message("About this repository"),
    "ListMetadataFormats": message("Metadata formats"),
    "ListSets": message("Sets"),
    "ListIdentifiers": message("Identifiers"),
    "ListRecords": message("Records"),
    "GetRecord": message("Record"),
}
_FAILED = message("This request did not work")


class OaiBrowser:
    """Renders the pages of all repositories under one path."""

    def __init__(self, site: SiteAddress, path: str) -> None:
        self._site = site
        self._path = path

    def explore(
        self,
        name: str,
        pairs: Pairs,
        ask: AskRepository,
        *,
        meant: Pairs | None = None,
        spoken: Translator | None = None,
    ) -> bytes:
        """Render the page for a request; `ask` returns the repository's response to a request.

        `meant` are the arguments that a resumption token in the request stands for.
        """
        spoken = spoken or get_translator("en")
        asked = list(pairs) or _FIRST_REQUEST
        answer = parse_answer(ask(asked))
        places = RepositoryLinks(self._site, self._path, name)
        kind = "unreadable" if answer is None else "error" if answer.errors else answer.verb
        return render_template(
            f"oai/{kind}.html",
            spoken=spoken,
            site=self._site,
            places=places,
            title=spoken.say(_TITLES.get(kind, _FAILED)),
            verb=kind,
            answer=answer,
            advice=[advise_on_error(error) for error in answer.errors] if answer else [],
            xml=places.xml(asked),
            asked=asked,
            arguments=_form_values(meant or asked),
            formats=_suggested_prefixes(ask),
            sets=_suggested_sets(ask),
        )


def _form_values(pairs: Pairs) -> dict[str, str]:
    filled = dict.fromkeys(("verb", "metadataPrefix", "set", "from", "until", "identifier"), "")
    return {**filled, **{key: value for key, value in pairs if key in filled}}


def _suggested_prefixes(ask: AskRepository) -> list[str]:
    answer = parse_answer(ask([("verb", "ListMetadataFormats")]))
    return [found.prefix for found in answer.formats] if answer else []


def _suggested_sets(ask: AskRepository) -> list[str]:
    """Return the sets that the form suggests: all of them, or none if there are many."""
    answer: ParsedAnswer | None = parse_answer(ask([("verb", "ListSets")]))
    found = [found.spec for found in answer.sets] if answer else []
    return found if answer and not answer.token and len(found) <= _MAX_SUGGESTED_SETS else []
