"""The description of a record on its page: people, abstracts, events and facts, with search links.

All values are untrusted: lists are cut, and only http and https addresses become links.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import islice

from windrow.model.controlled_values import wording_key
from windrow.model.counted_fields import MOST_VALUES as COUNTED
from windrow.model.counted_fields import (
    access_and_licences,
    counted_value,
    document_departments,
    document_institutions,
    field_values,
)
from windrow.model.document import Agent, Document, Event, Identifier, LinkKind, Text
from windrow.model.document_dates import is_event_over
from windrow.model.rights import OTHER, UNSTATED_ACCESS, UNSTATED_LICENCE
from windrow.model.thesaurus import best_label
from windrow.model.topics import counted_names
from windrow.model.web_page import PAGE_TEXT
from windrow.search.record_addresses import resolver_address
from windrow.search.record_view import RecordView
from windrow.web.i18n.translation import Translator, message
from windrow.web.i18n.value_labels import date_kind_label, role_label
from windrow.web.layout.page_layout import PageLayout
from windrow.web.layout.page_text import (
    Fact,
    Headline,
    LinkedText,
    foreign_language,
    headline,
    is_web_address,
    single_language,
    strip_invisible,
)
from windrow.web.portal.portal_context import PortalLinks
from windrow.web.portal.record_files import HasCover, ShownFile, show_file

MAX_PLACES = 10  # of one person
_MAX_INSTITUTION_LENGTH = 300
_ELLIPSIS = LinkedText("…")


class InstitutionLinks:
    """Links for the institutions of one document, each made once: many of its people share them."""

    def __init__(self, document: Document, ways: PortalLinks) -> None:
        self._document = document
        self._ways = ways
        self._known: dict[str, LinkedText] = {}
        self._counted: frozenset[str] | None = None

    def of(self, agent: Agent) -> tuple[LinkedText, ...]:
        """Return a person's affiliations; empty if the record has none."""
        if not agent.affiliations:
            return ()
        found = tuple(self._said(name) for name in agent.affiliations[:MAX_PLACES])
        return found if len(agent.affiliations) <= MAX_PLACES else (*found, _ELLIPSIS)

    def _said(self, name: str) -> LinkedText:
        if name not in self._known:
            self._known[name] = LinkedText(
                strip_invisible(name)[:_MAX_INSTITUTION_LENGTH], self._address(counted_value(name))
            )
        return self._known[name]

    def _address(self, value: str) -> str:
        """Return a search for the institution; empty if it is one of too many to be indexed."""
        if self._counted is None:
            self._counted = frozenset(field_values(self._document, "affiliation") or ())
        return self._ways.exactly(value, "affiliation") if value in self._counted else ""


SHOWN_PEOPLE = 20
MAX_PEOPLE = 500
MAX_VALUES = 200  # of one fact
MAX_ABSTRACTS = 10
MAX_ABSTRACT_LENGTH = 20_000
MAX_OTHERS, MAX_OTHER_VALUES, MAX_OTHER_LENGTH = 60, 10, 500  # fields, values of one, characters of one
MAX_EVENTS = 100
MAX_PAGE_TEXT_LENGTH = 3_000
_UNSTATED_LICENCES = (OTHER, UNSTATED_LICENCE)  # the statements themselves are more precise


EVENT_COLUMNS = (
    message("Period"),
    message("Time"),
    message("Place"),
    message("Form"),
    message("Pace"),
    message("Language"),
    message("Identifier"),
)


@dataclass(frozen=True, slots=True)
class EventTable:
    """The events of a record, such as the rounds of a course, with the columns that any of them fills.

    Past events are separate if there are future ones: readers look for the next round of a course. If all are
    past, as with the making of a painting, none is separate.
    """

    columns: tuple[str, ...]  # messages
    rows: tuple[tuple[str, ...], ...]
    past: tuple[tuple[str, ...], ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class Description:
    """A record as its page shows it."""

    called: Headline
    other_titles: tuple[LinkedText, ...]
    people: tuple[LinkedText, ...]
    more_people: tuple[LinkedText, ...]
    people_left_out: int
    abstracts: tuple[LinkedText, ...]
    fulltexts: tuple[LinkedText, ...]
    landing: str
    facts: tuple[Fact, ...]
    file: ShownFile | None = None
    others: tuple[Fact, ...] = ()  # statements of the format without a field of their own
    events: EventTable | None = None
    page_text: str = ""  # text of a web page


def describe_record(
    record: RecordView, frame: PageLayout, ways: PortalLinks, has_cover: HasCover
) -> Description:
    document, tongue = record.document, frame.tongue
    called = headline(document, tongue)
    people = _describe_people(document, ways)
    landing, file = document.landing, show_file(record, frame, ways, has_cover)
    return Description(
        called,
        tuple(_describe_text(title, tongue) for title in document.titles[1:20]),
        tuple(people[:SHOWN_PEOPLE]),
        tuple(people[SHOWN_PEOPLE:]),
        max(len(document.creators) - MAX_PEOPLE, 0),
        tuple(_describe_abstracts(document, tongue)),
        () if file is not None else tuple(_full_text_links(document)),  # the same file
        landing if landing is not None and is_web_address(landing) else "",
        (*(file.facts if file is not None else ()), *_describe_facts(document, frame, ways)),
        file,
        tuple(_other_statements(document, frame)),
        event_table(document.events, frame, datetime.now(UTC).date()),
        strip_invisible(next(iter(document.extra.get(PAGE_TEXT, ())), ""))[:MAX_PAGE_TEXT_LENGTH],
    )


def event_table(
    events: Sequence[Event], frame: PageLayout, today: date, *, total: int = 0
) -> EventTable | None:
    """Return events as a table without empty columns; `total` is the number of all events."""
    shown = events[:MAX_EVENTS]
    rows = [_event_cells(event, frame) for event in shown]
    filled = [number for number in range(len(EVENT_COLUMNS)) if any(row[number] for row in rows)]
    if not filled:
        return None
    cells = [tuple(row[number] for number in filled) for row in rows]
    over = [is_event_over(event, today) for event in shown]
    is_divided = not all(over)
    return EventTable(
        tuple(EVENT_COLUMNS[number] for number in filled),
        tuple(row for row, is_past in zip(cells, over, strict=True) if not (is_past and is_divided)),
        tuple(row for row, is_past in zip(cells, over, strict=True) if is_past and is_divided),
        max(total, len(events)) - len(rows),
    )


def event_line(event: Event, frame: PageLayout) -> str:
    """Return an event in one line, without its identifier."""
    return " · ".join(cell for cell in _event_cells(event, frame)[:-1] if cell)


def _event_cells(event: Event, frame: PageLayout) -> tuple[str, ...]:
    language = frame.tongue.language(event.language) if event.language else ""
    time = (event.time or "").replace("/", " – ")
    period, place, kind, intensity = (
        frame.value(name, value) if value else ""
        for name, value in (
            ("period", event.period),
            ("place", event.place),
            ("kind", event.kind),
            ("intensity", event.intensity),
        )
    )
    cells = (period, time, place, kind, intensity, language, event.identifier)
    return tuple(strip_invisible(cell or "")[:MAX_OTHER_LENGTH] for cell in cells)


def _other_statements(document: Document, frame: PageLayout) -> Iterator[Fact]:
    """Yield the fields that search finds under `notes`, by the format's own, untranslated names."""
    found = {frame.label("relation"): document.relations} if document.relations else {}
    named = {name: values for name, values in document.extra.items() if name != PAGE_TEXT}
    for name, values in islice({**found, **named}.items(), MAX_OTHERS):
        said = (LinkedText(strip_invisible(value)[:MAX_OTHER_LENGTH]) for value in values[:MAX_OTHER_VALUES])
        left_out = len(values) - MAX_OTHER_VALUES
        more = frame.tongue.several("and {count} more", "and {count} more", left_out) if left_out > 0 else ""
        yield Fact(strip_invisible(name)[:100], tuple(said), more)


def _describe_people(document: Document, ways: PortalLinks) -> list[LinkedText]:
    agents, places = document.creators[:MAX_PEOPLE], InstitutionLinks(document, ways)
    named = _search_links("creator", (agent.name for agent in agents), ways, strip_invisible)
    return [said._replace(places=places.of(agent)) for said, agent in zip(named, agents, strict=True)]


def _describe_abstracts(document: Document, tongue: Translator) -> Iterator[LinkedText]:
    """Yield the abstracts. A single one without a language has most likely the document's."""
    usual = single_language(document) if len(document.descriptions) == 1 else None
    for words, language in document.descriptions[:MAX_ABSTRACTS]:
        yield _describe_text(Text(words, language or usual), tongue, MAX_ABSTRACT_LENGTH)


def _describe_text(text: Text, tongue: Translator, longest: int = 1000) -> LinkedText:
    words = strip_invisible(text.value)
    return LinkedText(
        words if len(words) <= longest else words[:longest] + " …",
        language=foreign_language(text.language, tongue),
    )


def _search_links(
    field: str, values: Iterable[str], ways: PortalLinks, read: Callable[[str], str]
) -> Iterator[LinkedText]:
    """Yield values with search links: by their words beyond the number of values that are indexed."""
    for place, value in enumerate(values):
        found = ways.find(field, value) if place < COUNTED else ways.search(value, field)
        yield LinkedText(read(value)[:500], found)


def _full_text_links(document: Document) -> Iterator[LinkedText]:
    for link in document.links:
        if link.kind is LinkKind.FULLTEXT and is_web_address(link.url):
            name = link.label or link.url.partition("?")[0].rstrip("/").rpartition("/")[2]
            yield LinkedText(strip_invisible(name)[:80], link.url, is_outside=True)


def _describe_facts(document: Document, frame: PageLayout, ways: PortalLinks) -> Iterator[Fact]:
    for name, values in _describe_values(document, frame.tongue, ways):
        found = list(values)
        if found:
            left_out = len(found) - MAX_VALUES
            more = (
                frame.tongue.several("and {count} more", "and {count} more", left_out) if left_out > 0 else ""
            )
            yield Fact(frame.label(name), tuple(found[:MAX_VALUES]), more)


def _describe_values(
    document: Document, tongue: Translator, ways: PortalLinks
) -> Iterator[tuple[str, Iterable[LinkedText]]]:
    def searched(field: str, values: Iterable[str]) -> Iterator[LinkedText]:
        return _search_links(field, values, ways, lambda value: strip_invisible(ways.value(field, value)))

    def plain(values: Iterable[str]) -> Iterator[LinkedText]:
        return (LinkedText(strip_invisible(value)[:2000]) for value in values)

    names = counted_names(document)
    subjects = dict.fromkeys(subject.value for subject in document.subjects)
    yield "subject", _describe_topics("subject", subjects, names, ways)
    yield "keyword", _describe_topics("keyword", document.keywords, names, ways)
    yield "institution", searched("institution", dict.fromkeys(document_institutions(document)))
    yield "department", searched("department", dict.fromkeys(document_departments(document)))
    yield "holding", searched("holding", document.collections)
    yield "prerequisites", plain(document.prerequisites)
    yield "exam", plain(document.exams)
    yield "profession", plain(document.professions)
    places = InstitutionLinks(document, ways)
    yield "contributor", (_describe_contributor(agent, tongue, places) for agent in document.contributors)
    yield "year", searched("year", [str(document.year)] if document.year is not None else [])
    yield "date", plain(_describe_dates(document, tongue))
    yield "type", _describe_types(document, ways)
    yield "language", searched("language", document.languages)
    yield "pages", plain([tongue.number(document.pages)] if document.pages is not None else [])
    yield "publisher", searched("publisher", document.publishers)
    yield "journal", plain(document.sources)
    yield "identifier", (_name_link(name) for name in document.names)
    access, licences = access_and_licences(document)
    yield "access", searched("access", [access] if access != UNSTATED_ACCESS else [])
    yield "licence", searched("licence", [each for each in licences if each not in _UNSTATED_LICENCES])
    yield "rights", _describe_rights(document)


def _describe_topics(
    field: str, values: Iterable[str], names: Mapping[str, str], ways: PortalLinks
) -> Iterator[LinkedText]:
    """Return topics in the record's own words, each with a search link and its concept."""
    said = list(values)
    found = _search_links(field, (names.get(value, value) for value in said), ways, strip_invisible)
    concepts = _concept_links(field, said, ways.frame)
    return (
        each._replace(text=strip_invisible(value)[:500], places=concepts.get(value, ()))
        for each, value in zip(found, said, strict=True)
    )


def _concept_links(field: str, values: Sequence[str], frame: PageLayout) -> dict[str, tuple[LinkedText, ...]]:
    if frame.expander is None or field not in frame.expander.fields:
        return {}
    found: dict[str, tuple[LinkedText, ...]] = {}
    for value, meant in frame.expander.meanings(field, values[:MAX_VALUES]).items():
        label = best_label(meant.labels, (frame.tongue.code,))
        words = f"{meant.vocabulary}: {label.text if label else meant.uri}"
        language = foreign_language(label.language.partition("-")[0], frame.tongue) if label else ""
        address = frame.concept(meant.vocabulary, meant.uri)
        found[value] = (
            (LinkedText(strip_invisible(words)[:MAX_OTHER_LENGTH], address, language),) if address else ()
        )
    return found


def _describe_types(document: Document, ways: PortalLinks) -> Iterator[LinkedText]:
    """Yield the types in the record's own words, each with its normalised type where that differs."""
    for said in _search_links("type", document.types, ways, strip_invisible):
        counted = ways.frame.type_label(said.text)
        is_same = wording_key(counted) == wording_key(said.text)
        yield said if is_same else said._replace(places=(LinkedText(strip_invisible(counted)),))


def _describe_contributor(agent: Agent, tongue: Translator, places: InstitutionLinks) -> LinkedText:
    role = f" ({strip_invisible(role_label(agent.role, tongue))[:40]})" if agent.role else ""
    return LinkedText(strip_invisible(agent.name)[:500] + role, places=places.of(agent))


def _describe_dates(document: Document, tongue: Translator) -> Iterator[str]:
    for text, kind in document.dates:
        if text != str(document.year):
            yield text if kind == "date" else f"{text} ({date_kind_label(kind, tongue)})"


def _name_link(name: Identifier) -> LinkedText:
    address = name.value if is_web_address(name.value) else resolver_address(name)
    words = strip_invisible(f"{name.scheme}: {name.value}")[:500]
    return LinkedText(words, address if is_web_address(address) else "", is_outside=True)


def _describe_rights(document: Document) -> Iterator[LinkedText]:
    links = [link.url for link in document.links if link.kind is LinkKind.LICENSE]
    for words in dict.fromkeys((*document.rights, *links)):
        yield LinkedText(
            strip_invisible(words)[:2000], words if is_web_address(words) else "", is_outside=True
        )
