"""Rankings: the most used values of a field, departments of institutions, and collaborating institutions."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from windrow.index.protocol import (
    MAX_COUNTED_VALUES,
    UNITS,
    FacetCounts,
    FacetRequest,
    ValueCount,
    nest_departments,
)
from windrow.model.counted_fields import EXPECTED_FIELDS, split_partners
from windrow.model.file_content import short_name
from windrow.stats.population import Population
from windrow.stats.table import (
    Column,
    ConceptName,
    Drawing,
    EventValue,
    Form,
    Kind,
    LanguageCode,
    Message,
    Row,
    Table,
    message,
)

TOP = 50  # values in a table
DRAWN = 25  # bars in a chart


class Values(NamedTuple):
    """What is counted, and its labels."""

    name: str
    field: str
    title: Message
    label: Message
    lacking: Message  # with {count} and {total}
    kind: Kind = Kind.TEXT
    searched: str = ""  # the field to search for any value, if different
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


def tabulate_most_used(population: Population, values: Values) -> Table:
    """The most used values of a field, with counts and shares of all documents."""
    (counts,) = population.tally(FacetRequest(values.field, TOP))
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
        _value_notes(values, counts, total, having),
        _value_summary(values, counts, total),
        Drawing(Form.BARS, values.field, ("records",), most=DRAWN),
    )


def _value_summary(values: Values, counts: FacetCounts, total: int) -> Message | None:
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


def note_twice_counted(counts: FacetCounts, having: int) -> tuple[Message, ...]:
    """Return a note if records of several institutions are counted in each."""
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


def note_lacking(field: str, words: Message, count: int, total: int) -> tuple[Message, ...]:
    """Return a note on the records without a field, linked to them, if there are any."""
    found = (("missing", field),) if field in EXPECTED_FIELDS else ()
    return (Message(words.text, (("count", count), ("total", total)), found),) if count else ()


def _value_notes(values: Values, counts: FacetCounts, total: int, having: int) -> tuple[Message, ...]:
    notes = [message("Shares are of all records: {total}.", total=total)]
    if values.field == INSTITUTIONS.field:
        notes += note_twice_counted(counts, having)
    if not values.is_single:
        notes.append(
            message("A record with several values counts for each, so shares can add up to more than 100 %.")
        )
    notes += note_lacking(values.field, values.lacking, total - having, total)
    if counts.others:
        notes.append(
            message(
                "Only the {top} most used are listed; all others together were counted {others} times.",
                top=len(counts.values),
                others=counts.others,
            )
        )
    return tuple(notes)


# Departments' shares of their institutions: of one in full, of several side by side.

MAX_INSTITUTIONS = 12
MAX_DEPARTMENTS_OF_EACH = 6  # departments of one among several
MAX_DEPARTMENTS_OF_ONE = 50
TITLE = message("Departments' shares of an institution")
_NO_DEPARTMENT = message("Without a department: {count} of {total}.")


def tabulate_departments(population: Population) -> Table:
    """Records by department, with its share of its institution's records."""
    is_one = len(population.institutions) == 1
    limit, inner = (1, MAX_DEPARTMENTS_OF_ONE) if is_one else (MAX_INSTITUTIONS, MAX_DEPARTMENTS_OF_EACH)
    counts = _counted(population, limit, inner)
    rows = tuple(row for each in counts.values for row in _rows(each))
    drawing = (
        Drawing(Form.BARS, "department", ("records",), most=25)
        if is_one
        else Drawing(
            Form.SHARES,
            "institution",
            ("share",),
            series="rank",
            named="department",
            most=MAX_INSTITUTIONS * MAX_DEPARTMENTS_OF_EACH,
        )
    )
    return Table(
        "departments",
        TITLE,
        (
            Column("institution", message("Institution")),
            Column("rank", message("Rank in the institution"), Kind.NUMBER),
            Column("department", message("Department")),
            Column("records", message("Records"), Kind.NUMBER),
            Column("share", message("Share of the institution"), Kind.SHARE),
        ),
        rows,
        population.period(),
        population.origin,
        (*_department_notes(counts, inner), *_without(population)),
        _department_summary(counts),
        drawing,
    )


def _counted(population: Population, limit: int, inner: int) -> FacetCounts:
    """Return institutions with their departments; if some are selected, only these."""
    chosen = population.institutions
    found, units = population.tally(
        FacetRequest("institution", MAX_COUNTED_VALUES if chosen else limit), UNITS
    )
    if chosen:  # their records may belong to others as well
        listed = [each for each in found.values if each.value in chosen]
        found = FacetCounts(tuple(listed[:limit]), sum(each.count for each in listed[limit:]))
    return nest_departments(found, units, most=inner)


def _rows(institution: ValueCount) -> list[Row]:
    return [
        Row(
            (institution.value, rank, each.value, each.count, each.count / institution.count),
            (("institution", institution.value), ("department", each.value)),
        )
        for rank, each in enumerate(institution.within, start=1)
    ]


def _department_notes(counts: FacetCounts, inner: int) -> tuple[Message, ...]:
    notes = [
        message(
            "Shares are of all records of the institution, also of those without a department. "
            "At most {inner} departments of an institution are listed, the largest first.",
            inner=inner,
        )
    ]
    if counts.others:
        notes.append(message("Institutions that are not listed have {count} records.", count=counts.others))
    return tuple(notes)


def _without(population: Population) -> tuple[Message, ...]:
    """Return notes on records without a department or an institution."""
    total = population.count()
    return (
        *note_lacking("department", _NO_DEPARTMENT, population.count_without("department"), total),
        *note_lacking("institution", INSTITUTIONS.lacking, population.count_without("institution"), total),
    )


def _department_summary(counts: FacetCounts) -> Message | None:
    first = next((each for each in counts.values if each.within), None)
    if first is None:
        return None
    return message(
        "The largest department of {institution} is {department}, with {count} of {total}.",
        institution=first.value,
        department=first.within[0].value,
        count=first.within[0].count,
        total=first.count,
    )


# Collaboration between institutions: records that name two of them.

MAX_PAIRS = 50

_HOW = message(
    "A pair counts each record that names both: as its institution, or as the affiliation of one of its "
    "people. A record that names three counts for three pairs. Names that are spelt differently are "
    "different institutions."
)


def tabulate_collaboration(population: Population) -> Table:
    """Pairs of institutions with the number of records that name both, in descending order."""
    (counts,) = population.tally(FacetRequest("partners", MAX_PAIRS))
    rows = make_pair_rows(counts)
    return Table(
        "collaboration",
        message("Collaboration between institutions"),
        (
            Column("one", message("Institution")),
            Column("other", message("Together with")),
            Column("records", message("Records"), Kind.NUMBER),
        ),
        rows,
        population.period(),
        population.origin,
        _collaboration_notes(counts),
        _collaboration_summary(rows),
        Drawing(Form.HEAT, "one", ("records",), series="other"),
    )


def make_pair_rows(counts: FacetCounts) -> tuple[Row, ...]:
    """Return a row for each pair; the institution with more listed collaborations comes first."""
    pairs = [(split_partners(each.value), each.count) for each in counts.values]
    shared: Counter[str] = Counter()
    for names, count in pairs:
        shared.update(dict.fromkeys(names, count))
    found = []
    for names, count in pairs:
        one, other = sorted(names, key=lambda name: (-shared[name], name))
        found.append(Row((one, other, count), (("affiliation", one), ("affiliation", other))))
    return tuple(found)


def _collaboration_notes(counts: FacetCounts) -> tuple[Message, ...]:
    if not counts.others:
        return (_HOW,)
    return _HOW, message("Only the {most} pairs with most records are listed.", most=len(counts.values))


def _collaboration_summary(rows: tuple[Row, ...]) -> Message | None:
    if not rows:
        return message("No record names two institutions.")
    one, other, count = rows[0].cells
    assert isinstance(count, int)
    return message(
        "{one} and {other} work together most, in {count} records.",
        one=str(one),
        other=str(other),
        count=count,
    )
