"""Which values of a field are the most used: institutions, languages, types, subjects. One tally each."""

from __future__ import annotations

from typing import NamedTuple

from windrow.index.protocol import Counts, Tally
from windrow.model.facts import MISSED
from windrow.model.media import short_name
from windrow.stats.message import ConceptName, EventValue, LanguageCode, Message, message
from windrow.stats.population import Population
from windrow.stats.table import Column, Drawing, Form, Kind, Row, Table

TOP = 50  # values in a table
DRAWN = 25  # bars in a chart


class Values(NamedTuple):
    """What is counted, and the words for it."""

    name: str
    field: str
    title: Message
    label: Message
    lacking: Message  # with {count} and {total}
    kind: Kind = Kind.TEXT
    searched: str = ""  # the name under which any value is found, where it is another
    is_single: bool = False  # most documents have one value at most


INSTITUTIONS = Values(
    "institutions",
    "institution",
    message("Records per institution"),
    message("Institution"),
    message("Without an institution: {count} of {total}."),
    is_single=True,
)
LANGUAGES = Values(
    "languages",
    "language",
    message("Records per language"),
    message("Language"),
    message("Without a language: {count} of {total}."),
    Kind.LANGUAGE,
)
TYPES = Values(
    "types",
    "type",
    message("Records per type"),
    message("Type"),
    message("Without a type: {count} of {total}."),
    Kind.TYPE,
)
ACCESS = Values(
    "access",
    "access",
    message("Records per access"),
    message("Access"),
    message("Without a statement on access: {count} of {total}."),
    Kind.ACCESS,
    is_single=True,
)
LICENCES = Values(
    "licences",
    "licence",
    message("Records per licence"),
    message("Licence"),
    message("Without a licence: {count} of {total}."),
    Kind.LICENCE,
)
SUBJECTS = Values(
    "subjects",
    "subject",
    message("Most used subjects"),
    message("Subject"),
    message("Without a subject: {count} of {total}."),
    Kind.SUBJECT,
)
KEYWORDS = Values(
    "keywords",
    "keyword",
    message("Most used keywords"),
    message("Keyword"),
    message("Without a keyword: {count} of {total}."),
    Kind.KEYWORD,
    searched="subject",  # where there are no keywords, subjects are counted as such
)


PERIODS = Values(
    "periods",
    "period",
    message("Records per period of their occasions"),
    message("Period"),
    message("Without an occasion in a period: {count} of {total}."),
    Kind.PERIOD,
)
PLACES = Values(
    "places",
    "place",
    message("Records per place of their occasions"),
    message("Place"),
    message("Without an occasion in a place: {count} of {total}."),
    Kind.PLACE,
)


def most_used(population: Population, values: Values) -> Table:
    """The most used values of a field with their counts, and their shares of all documents."""
    (counts,) = population.tally(Tally(values.field, TOP))
    total = population.count()
    rows = tuple(
        Row((each.value, each.count, each.count / total), ((values.field, each.value),))
        for each in counts.values
    )
    having = population.count_with(values.searched or values.field)
    return Table(
        values.name,
        values.title,
        (
            Column(values.field, values.label, values.kind),
            Column("records", message("Records"), Kind.NUMBER),
            Column("share", message("Share of records"), Kind.SHARE),
        ),
        rows,
        population.period(),
        population.origin,
        _notes(values, counts, total, having),
        _summary(values, counts, total),
        Drawing(Form.BARS, values.field, ("records",), most=DRAWN),
    )


def _summary(values: Values, counts: Counts, total: int) -> Message | None:
    if not counts.values:
        return None
    first = counts.values[0]
    name = LanguageCode(first.value) if values.kind is Kind.LANGUAGE else first.value
    if values.kind in (Kind.TYPE, Kind.ACCESS, Kind.LICENCE, Kind.SUBJECT, Kind.KEYWORD):
        name = ConceptName(first.value)
    if values.kind in (Kind.PLACE, Kind.PERIOD):
        name = EventValue(first.value)
    if values.kind is Kind.MEDIA:
        name = short_name(first.value) or first.value
    return message("{name} comes first, with {count} of {total}.", name=name, count=first.count, total=total)


def twice_counted(counts: Counts, having: int) -> tuple[Message, ...]:
    """Return a note that records of several institutions are counted in each, where there are any."""
    counted = counts.others + sum(each.count for each in counts.values)
    if counted <= having:
        return ()
    return (
        message(
            "A record of several institutions counts in each of them: together they have {counted}, {more} "
            "more than the {having} records that have an institution.",
            counted=counted,
            more=counted - having,
            having=having,
        ),
    )


def lacking(field: str, words: Message, count: int, total: int) -> tuple[Message, ...]:
    """Return a note on the records without a field that leads to them, where there are any."""
    found = (("missing", field),) if field in MISSED else ()
    return (Message(words.text, (("count", count), ("total", total)), found),) if count else ()


def _notes(values: Values, counts: Counts, total: int, having: int) -> tuple[Message, ...]:
    notes = [message("Shares are of all records: {total}.", total=total)]
    if values.field == INSTITUTIONS.field:
        notes += twice_counted(counts, having)
    if not values.is_single:
        notes.append(
            message("A record with several values counts for each, so shares can add up to more than 100 %.")
        )
    notes += lacking(values.field, values.lacking, total - having, total)
    if counts.others:
        notes.append(
            message(
                "Only the {top} most used are listed; all others together were counted {others} times.",
                top=len(counts.values),
                others=counts.others,
            )
        )
    return tuple(notes)
