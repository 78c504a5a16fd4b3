"""A document as the record page shows it: people, abstracts and facts, each value with the search behind it.

Everything here came from strangers: lists are cut, and only http and https addresses become links.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import islice

from windrow.faces.portal.files import Covers, ShownFile, show_file
from windrow.faces.portal.places import Places
from windrow.faces.portal.room import Ways
from windrow.faces.portal.said import Fact, Said
from windrow.faces.shared.catalogues import message
from windrow.faces.shared.frame import Frame
from windrow.faces.shared.headline import Headline, foreign, headline, only_language
from windrow.faces.shared.role_words import date_words, role_words
from windrow.faces.shared.tongue import Tongue
from windrow.faces.shared.wording import clean, is_web
from windrow.finding.record import RecordView
from windrow.finding.resolvers import resolver
from windrow.model.concepts import key_of
from windrow.model.document import Agent, Document, Event, LinkKind, Name, Text
from windrow.model.event_dates import is_over
from windrow.model.facts import MOST_VALUES as COUNTED
from windrow.model.facts import departments_of, institutions_of
from windrow.model.normalising import access_and_licences
from windrow.model.rights import OTHER, UNSTATED_ACCESS, UNSTATED_LICENCE
from windrow.model.topics import counted_names
from windrow.model.vocabulary import best_label
from windrow.model.web_page import PAGE_TEXT

SHOWN_PEOPLE = 20
MOST_PEOPLE = 500
MOST_VALUES = 200  # of one fact
MOST_ABSTRACTS = 10
LONGEST_ABSTRACT = 20_000
MOST_OTHERS, MOST_OTHER_VALUES, LONGEST_OTHER = 60, 10, 500  # fields, values of one, letters of one
MOST_EVENTS = 100
LONGEST_PAGE_TEXT = 3_000
_UNSAID_LICENCES = (OTHER, UNSTATED_LICENCE)  # the statements themselves say more


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
    """The events of a record, such as the rounds of a course: the columns that any of them fills.

    Those that are over are apart where others are not: readers look for the next occasion of a course. Where
    all are over, as with the making of a painting, none is apart.
    """

    columns: tuple[str, ...]  # messages
    rows: tuple[tuple[str, ...], ...]
    past: tuple[tuple[str, ...], ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class Description:
    """What the page says of a record."""

    called: Headline
    other_titles: tuple[Said, ...]
    people: tuple[Said, ...]
    more_people: tuple[Said, ...]
    people_left_out: int
    abstracts: tuple[Said, ...]
    fulltexts: tuple[Said, ...]
    landing: str
    facts: tuple[Fact, ...]
    file: ShownFile | None = None
    others: tuple[Fact, ...] = ()  # what the format says that no field has a place for
    events: EventTable | None = None
    page_text: str = ""  # words of a web page


def describe(record: RecordView, frame: Frame, ways: Ways, has_cover: Covers) -> Description:
    """Give what the page says."""
    document, tongue = record.document, frame.tongue
    called = headline(document, tongue)
    people = _people(document, ways)
    landing, file = document.landing, show_file(record, frame, ways, has_cover)
    return Description(
        called,
        tuple(_text(title, tongue) for title in document.titles[1:20]),
        tuple(people[:SHOWN_PEOPLE]),
        tuple(people[SHOWN_PEOPLE:]),
        max(len(document.creators) - MOST_PEOPLE, 0),
        tuple(_abstracts(document, tongue)),
        () if file is not None else tuple(_fulltexts(document)),  # which is the same file
        landing if landing is not None and is_web(landing) else "",
        (*(file.facts if file is not None else ()), *_facts(document, frame, ways)),
        file,
        tuple(_others(document, frame)),
        event_table(document.events, frame, datetime.now(UTC).date()),
        clean(next(iter(document.extra.get(PAGE_TEXT, ())), ""))[:LONGEST_PAGE_TEXT],
    )


def event_table(events: Sequence[Event], frame: Frame, today: date, *, total: int = 0) -> EventTable | None:
    """Return events as a table without empty columns; `total` is how many there are in all."""
    shown = events[:MOST_EVENTS]
    rows = [_event_cells(event, frame) for event in shown]
    filled = [number for number in range(len(EVENT_COLUMNS)) if any(row[number] for row in rows)]
    if not filled:
        return None
    cells = [tuple(row[number] for number in filled) for row in rows]
    over = [is_over(event, today) for event in shown]
    is_divided = not all(over)
    return EventTable(
        tuple(EVENT_COLUMNS[number] for number in filled),
        tuple(row for row, is_past in zip(cells, over, strict=True) if not (is_past and is_divided)),
        tuple(row for row, is_past in zip(cells, over, strict=True) if is_past and is_divided),
        max(total, len(events)) - len(rows),
    )


def event_line(event: Event, frame: Frame) -> str:
    """Return an event in one line, without its identifier."""
    return " · ".join(cell for cell in _event_cells(event, frame)[:-1] if cell)


def _event_cells(event: Event, frame: Frame) -> tuple[str, ...]:
    """Return what is known of an event; codes of a vocabulary by their labels."""
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
    return tuple(clean(cell or "")[:LONGEST_OTHER] for cell in cells)


def _others(document: Document, frame: Frame) -> Iterator[Fact]:
    """Yield what the search finds under `notes`, by the format's own names, which nobody translates."""
    found = {frame.label("relation"): document.relations} if document.relations else {}
    named = {name: values for name, values in document.extra.items() if name != PAGE_TEXT}
    for name, values in islice({**found, **named}.items(), MOST_OTHERS):
        said = (Said(clean(value)[:LONGEST_OTHER]) for value in values[:MOST_OTHER_VALUES])
        left_out = len(values) - MOST_OTHER_VALUES
        more = frame.tongue.several("and {count} more", "and {count} more", left_out) if left_out > 0 else ""
        yield Fact(clean(name)[:100], tuple(said), more)


def _people(document: Document, ways: Ways) -> list[Said]:
    """Those who made it, each with the search behind the name and with where they work."""
    agents, places = document.creators[:MOST_PEOPLE], Places(document, ways)
    named = _searched("creator", (agent.name for agent in agents), ways, clean)
    return [said._replace(places=places.of(agent)) for said, agent in zip(named, agents, strict=True)]


def _abstracts(document: Document, tongue: Tongue) -> Iterator[Said]:
    """The abstracts. One alone is most likely in the language of the document, if it does not say."""
    usual = only_language(document) if len(document.descriptions) == 1 else None
    for words, language in document.descriptions[:MOST_ABSTRACTS]:
        yield _text(Text(words, language or usual), tongue, LONGEST_ABSTRACT)


def _text(text: Text, tongue: Tongue, longest: int = 1000) -> Said:
    words = clean(text.value)
    return Said(
        words if len(words) <= longest else words[:longest] + " …", language=foreign(text.language, tongue)
    )


def _searched(field: str, values: Iterable[str], ways: Ways, read: Callable[[str], str]) -> Iterator[Said]:
    """Values with the search behind each: by its words where it is one of too many to be counted."""
    for place, value in enumerate(values):
        found = ways.find(field, value) if place < COUNTED else ways.search(value, field)
        yield Said(read(value)[:500], found)


def _fulltexts(document: Document) -> Iterator[Said]:
    for link in document.links:
        if link.kind is LinkKind.FULLTEXT and is_web(link.url):
            name = link.label or link.url.partition("?")[0].rstrip("/").rpartition("/")[2]
            yield Said(clean(name)[:80], link.url, is_outside=True)


def _facts(document: Document, frame: Frame, ways: Ways) -> Iterator[Fact]:
    for name, values in _values(document, frame.tongue, ways):
        found = list(values)
        if found:
            left_out = len(found) - MOST_VALUES
            more = (
                frame.tongue.several("and {count} more", "and {count} more", left_out) if left_out > 0 else ""
            )
            yield Fact(frame.label(name), tuple(found[:MOST_VALUES]), more)


def _values(document: Document, tongue: Tongue, ways: Ways) -> Iterator[tuple[str, Iterable[Said]]]:
    def searched(field: str, values: Iterable[str]) -> Iterator[Said]:
        return _searched(field, values, ways, lambda value: clean(ways.value(field, value)))

    def plain(values: Iterable[str]) -> Iterator[Said]:
        return (Said(clean(value)[:2000]) for value in values)

    names = counted_names(document)
    subjects = dict.fromkeys(subject.value for subject in document.subjects)
    yield "subject", _topics("subject", subjects, names, ways)
    yield "keyword", _topics("keyword", document.keywords, names, ways)
    yield "institution", searched("institution", dict.fromkeys(institutions_of(document)))
    yield "department", searched("department", dict.fromkeys(departments_of(document)))
    yield "holding", searched("holding", document.collections)
    yield "prerequisites", plain(document.prerequisites)
    yield "exam", plain(document.exams)
    yield "profession", plain(document.professions)
    places = Places(document, ways)
    yield "contributor", (_contributor(agent, tongue, places) for agent in document.contributors)
    yield "year", searched("year", [str(document.year)] if document.year is not None else [])
    yield "date", plain(_dates(document, tongue))
    yield "type", _types(document, ways)
    yield "language", searched("language", document.languages)
    yield "pages", plain([tongue.number(document.pages)] if document.pages is not None else [])
    yield "publisher", searched("publisher", document.publishers)
    yield "journal", plain(document.sources)
    yield "identifier", (_named(name) for name in document.names)
    access, licences = access_and_licences(document)
    yield "access", searched("access", [access] if access != UNSTATED_ACCESS else [])
    yield "licence", searched("licence", [each for each in licences if each not in _UNSAID_LICENCES])
    yield "rights", _rights(document)


def _topics(field: str, values: Iterable[str], names: Mapping[str, str], ways: Ways) -> Iterator[Said]:
    """Topics in the record's own words, each with the search for what it is counted as, and its concept."""
    said = list(values)
    found = _searched(field, (names.get(value, value) for value in said), ways, clean)
    concepts = _concepts(field, said, ways.frame)
    return (
        each._replace(text=clean(value)[:500], places=concepts.get(value, ()))
        for each, value in zip(found, said, strict=True)
    )


def _concepts(field: str, values: Sequence[str], frame: Frame) -> dict[str, tuple[Said, ...]]:
    """Return the concept that each value names, as the vocabulary calls it in the reader's language."""
    if frame.expander is None or field not in frame.expander.fields:
        return {}
    found: dict[str, tuple[Said, ...]] = {}
    for value, meant in frame.expander.meanings(field, values[:MOST_VALUES]).items():
        label = best_label(meant.labels, (frame.tongue.code,))
        words = f"{meant.vocabulary}: {label.text if label else meant.uri}"
        language = foreign(label.language.partition("-")[0], frame.tongue) if label else ""
        address = frame.concept(meant.vocabulary, meant.uri)
        found[value] = (Said(clean(words)[:LONGEST_OTHER], address, language),) if address else ()
    return found


def _types(document: Document, ways: Ways) -> Iterator[Said]:
    """The types in the record's own words, each with what it is counted as where that reads otherwise."""
    for said in _searched("type", document.types, ways, clean):
        counted = ways.frame.type_label(said.text)
        is_same = key_of(counted) == key_of(said.text)
        yield said if is_same else said._replace(places=(Said(clean(counted)),))


def _contributor(agent: Agent, tongue: Tongue, places: Places) -> Said:
    role = f" ({clean(role_words(agent.role, tongue))[:40]})" if agent.role else ""
    return Said(clean(agent.name)[:500] + role, places=places.of(agent))


def _dates(document: Document, tongue: Tongue) -> Iterator[str]:
    for text, kind in document.dates:
        if text != str(document.year):
            yield text if kind == "date" else f"{text} ({date_words(kind, tongue)})"


def _named(name: Name) -> Said:
    address = name.value if is_web(name.value) else resolver(name)
    words = clean(f"{name.scheme}: {name.value}")[:500]
    return Said(words, address if is_web(address) else "", is_outside=True)


def _rights(document: Document) -> Iterator[Said]:
    links = [link.url for link in document.links if link.kind is LinkKind.LICENSE]
    for words in dict.fromkeys((*document.rights, *links)):
        yield Said(clean(words)[:2000], words if is_web(words) else "", is_outside=True)
