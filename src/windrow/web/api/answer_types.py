"""The types of the API's answers, from which msgspec makes their JSON Schema for the OpenAPI description.

Each class is a schema of the same name; its docstring and the `Meta` of its fields are the descriptions.
Names and keys are public. `api_context`, `api_answers` and `concept_answers` make the values as plain
dictionaries; the type checker and the tests hold them to these types.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, NotRequired, Required, TypedDict

import msgspec
from msgspec import Meta

from windrow.model.document import LinkKind
from windrow.search.widening import Match
from windrow.stats.table import Kind

Schema = dict[str, Any]

Address = Annotated[str, Meta(extra_json_schema={"format": "uri"})]
Timestamp = Annotated[str, Meta(extra_json_schema={"format": "date-time"})] | None
Day = Annotated[str, Meta(extra_json_schema={"format": "date"})]
NextAddress = Annotated[Address | None, Meta(description="Where the list goes on.")]
Bytes = Annotated[int, Meta(description="In bytes.")]


class ParameterFault(TypedDict):
    """What is wrong with one parameter."""

    parameter: str
    detail: str


class Problem(TypedDict):
    """What went wrong."""

    type: str
    title: str
    status: int
    detail: str
    errors: NotRequired[list[ParameterFault]]


class File(TypedDict):
    """The file behind a document, and where it, its picture and its text are."""

    media_type: str
    size: Bytes
    original: Address
    picture: str | None
    text: str | None


class Card(TypedDict):
    """A document in short."""

    source: str
    identifier: str
    title: str | None
    creators: list[str]
    year: int | None
    types: list[str]
    languages: list[str]
    institution: str | None
    department: str | None
    pages: int | None
    subjects: list[str]
    keywords: list[str]
    description: str | None
    landing: str | None
    fulltext: str | None
    datestamp: str | None
    page: Address
    record: Address
    file: File | None


class Cards(TypedDict):
    """Documents in short."""

    items: list[Card]


class Piece(TypedDict):
    """A piece of a text; it is marked where it matches the search."""

    text: str
    marked: bool


class Highlights(TypedDict):
    """Title and description in pieces."""

    title: list[Piece]
    description: list[Piece]


class Passage(TypedDict):
    """Where in the text of the file stands what title and description do not show."""

    page: Annotated[int | None, Meta(description="None where the text has no pages.")]
    text: str
    pieces: list[Piece]


class Hit(Card):
    """A document that matches a search."""

    score: float
    highlights: Highlights
    passage: Passage | None
    missing: Annotated[list[str], Meta(description="Words of `q` that this record does not have.")]


class Choice(TypedDict):
    """A value of a facet."""

    value: str
    label: NotRequired[Annotated[str, Meta(description="Of a concept, whose value is its URI.")]]
    count: int
    selected: bool
    within: NotRequired[list[Choice]]


class Facet(TypedDict):
    """The values of a field in the results, and the number of others."""

    field: str
    values: list[Choice]
    others: int


class Facets(TypedDict):
    """The facets of a search."""

    total: int
    facets: list[Facet]


class Counted(TypedDict):
    """A value and the number of documents that have it."""

    value: str
    count: int
    within: NotRequired[list[Counted]]


class Correction(TypedDict):
    """A misspelt word, and what was searched instead."""

    written: str
    searched: str


class Label(TypedDict):
    """A name in a language."""

    text: str
    language: str | None


class Addition(TypedDict):
    """What a vocabulary added to the search; `vocabulary=off` switches it off."""

    written: Annotated[str, Meta(description="The part of `q` that names a concept.")]
    field: str | None
    vocabulary: str
    uri: str
    labels: list[Label]
    names: Annotated[
        list[str],
        Meta(description="Other names of the concept that are searched as well, some of them."),
    ]
    below: Annotated[int, Meta(description="Concepts below it that are searched, too.")]
    is_whole: Annotated[bool, Meta(description="false: it has more below it than one search takes.")]


class PlainWords(TypedDict):
    """Where nothing was found: `q` without operators, fields and wildcards, and what that finds."""

    q: str
    total: int


class Results(TypedDict):
    """The results of a search."""

    query: Annotated[str, Meta(description="The search as it was understood.")]
    match: Annotated[
        str,
        Meta(
            description="`all`: as written. Else `searched` was searched, as no record has everything:"
            " with misspelt words `corrected`, for `most` or `some` of the words, as a `title`, or as"
            " `words` without quotation marks. `more`: few records have everything, far apart in long"
            " texts; those with most of the words follow.",
            extra_json_schema={"enum": [match.value for match in Match]},
        ),
    ]
    searched: Annotated[str | None, Meta(description="A `q` that finds exactly these records.")]
    corrections: list[Correction]
    dropped: Annotated[list[str], Meta(description="Words of `q` that none of these items has.")]
    total: int
    items: list[Hit]
    facets: list[Facet]
    mistakes: Annotated[list[str], Meta(description="What was wrong with `q`, and what was done about it.")]
    additions: list[Addition]
    did_you_mean: str | None
    as_words: PlainWords | None
    next: NextAddress


# A document. Empty fields are left out of it, as in exports.

Language = Annotated[str, Meta(description="An ISO 639 code, as far as the record has one.")]


class Text(TypedDict, total=False):
    """Words in a language."""

    value: Required[str]
    language: Language


class Agent(TypedDict, total=False):
    """A person or an organisation, as the record names it."""

    name: Required[str]
    role: Annotated[str, Meta(description="author, advisor, editor, publisher … as the format says.")]
    identifier: Annotated[str, Meta(description="ORCID, GND, VIAF …; a URI where it is one.")]
    affiliations: list[str]


class Subject(TypedDict, total=False):
    """A topic."""

    value: Required[str]
    scheme: Annotated[str, Meta(description="The vocabulary it is from.")]
    uri: Annotated[str, Meta(description="Its address in that.")]
    language: Language


class Date(TypedDict):
    """A date and what it is of."""

    text: Annotated[str, Meta(description="As the record has it.")]
    kind: Annotated[str, Meta(description="issued, created, available …, or date.")]


class Link(TypedDict, total=False):
    """An address, and what it leads to."""

    url: Required[str]
    kind: Required[Annotated[str, Meta(extra_json_schema={"enum": [kind.value for kind in LinkKind]})]]
    label: str
    media_type: str


class Name(TypedDict):
    """An identifier outside the repository."""

    scheme: Annotated[str, Meta(description="doi, isbn, issn, urn, hdl, arxiv, local.")]
    value: str


class Event(TypedDict, total=False):
    """Something that happens to the thing or with it: a making, a showing, a round of a course."""

    identifier: str
    period: Annotated[str, Meta(description="A term, an era.")]
    kind: str
    intensity: Annotated[str, Meta(description="Full time, half time …")]
    place: str
    language: Language
    time: Annotated[str, Meta(description="As the record has it.")]


class FileFact(TypedDict):
    """A fact about a file."""

    name: str
    value: str


class HeldFile(TypedDict, total=False):
    """The file in a folder that the document is made of."""

    path: Required[Annotated[str, Meta(description="From its folder on, with slashes.")]]
    member: Annotated[str, Meta(description="Inside the archive at `path`.")]
    media_type: Required[Annotated[str, Meta(description="By its content.")]]
    size: Required[Bytes]
    sha256: Required[Annotated[str, Meta(description="In hexadecimal digits.")]]
    facts: list[FileFact]


class Unit(TypedDict, total=False):
    """An institution, a department of one, or a department whose institution nobody names."""

    institution: str
    department: str


class Document(TypedDict, total=False):
    """What a record says, in the same fields whatever its format; without those that hold nothing."""

    titles: list[Text]
    creators: list[Agent]
    contributors: list[Agent]
    subjects: Annotated[
        list[Subject], Meta(description="From a vocabulary, or from the format's subject element.")
    ]
    keywords: Annotated[list[str], Meta(description="Free words, where the format tells them from subjects.")]
    descriptions: Annotated[list[Text], Meta(description="Without markup.")]
    publishers: list[str]
    dates: list[Date]
    year: Annotated[int, Meta(description="Of publication, from the best of the dates.")]
    types: list[str]
    languages: Annotated[list[str], Meta(description="ISO 639 codes, two letters where there are two.")]
    pages: int
    links: list[Link]
    names: list[Name]
    rights: list[str]
    sources: Annotated[list[str], Meta(description="The journal, book or series it is part of; citations.")]
    relations: list[str]
    institution: str
    department: str
    extra: Annotated[
        dict[str, list[str]],
        Meta(description="What no other field has a place for, by the format's own name for it."),
    ]
    events: list[Event]
    file: HeldFile
    units: Annotated[
        list[Unit],
        Meta(description="All it belongs to, by its sets; the first is institution and department."),
    ]
    collections: Annotated[list[str], Meta(description="Of its repository, by the names of its sets.")]
    prerequisites: Annotated[list[str], Meta(description="What a course asks for.")]
    exams: Annotated[list[str], Meta(description="The degrees that a course counts towards.")]
    professions: Annotated[list[str], Meta(description="The occupations that a course prepares for.")]


class RecordSet(TypedDict):
    """A set of the source that the record is in."""

    spec: str
    name: str


class RecordFormat(TypedDict):
    """A format that the record was harvested in."""

    prefix: str
    bytes: int


class HistoryEntry(TypedDict):
    """Something that happened to the record."""

    kind: str
    at: Timestamp


class Record(TypedDict):
    """A record with its document."""

    source: str
    identifier: str
    datestamp: str
    document: Document
    problem: Annotated[str | None, Meta(description="Why there is no document.")]
    sets: list[RecordSet]
    formats: list[RecordFormat]
    added: Timestamp
    changed: Timestamp
    seen: Annotated[Timestamp, Meta(description="When its source was last harvested well.")]
    page: Address
    record: Address
    history: NotRequired[list[HistoryEntry]]
    citations: NotRequired[dict[str, str]]
    raw: NotRequired[dict[str, str]]
    similar: NotRequired[list[Card]]


class Suggestion(TypedDict):
    """A value that begins with what was typed."""

    value: str
    field: str
    count: int


class Suggestions(TypedDict):
    """Values that begin with what was typed."""

    items: list[Suggestion]


class Shelf(TypedDict):
    """The values of a field that has few."""

    items: list[Counted]
    others: Annotated[int, Meta(description="Documents with values that are not listed.")]


class Institutions(TypedDict):
    """The institutions, with their departments within."""

    items: list[Counted]
    others: Annotated[int, Meta(description="Documents of institutions that are not listed.")]
    without: Annotated[
        int,
        Meta(description="Documents without an institution: missing=institution finds them."),
    ]


class Letters(TypedDict):
    """The values of a field under a letter, and all letters."""

    items: list[Counted]
    letters: list[Counted]
    letter: str | None
    next: NextAddress


class Collection(TypedDict):
    """A collection of the library."""

    name: str
    title: str
    sources: list[str]
    records: int
    search: Address


class Collections(TypedDict):
    """The collections of the library."""

    items: list[Collection]


class Run(TypedDict):
    """A run of a harvest or the like."""

    kind: str
    started: Timestamp
    ended: Timestamp
    outcome: str


class Source(TypedDict):
    """A source of records."""

    name: str
    url: str
    configured: bool
    records: int
    deleted: int
    quarantined: int
    last_run: Run | None
    last_good: Timestamp


class Sources(TypedDict):
    """The sources of records."""

    items: list[Source]


class JobProgress(TypedDict):
    """How far a run is; the total is null where it is not known."""

    done: int
    total: int | None


class Job(TypedDict):
    """A scheduled job."""

    name: str
    does: Annotated[str, Meta(description="Its command line, up to a path or the like in it.")]
    sources: Annotated[list[str], Meta(description="The sources that it harvests.")]
    outcome: Annotated[str, Meta(description="Of its last run, in a word; never: it did not run.")]
    ended: Timestamp
    last_good: Timestamp
    failing_since: Timestamp
    failures: Annotated[int, Meta(description="In a row.")]
    running_since: Timestamp
    progress: Annotated[
        JobProgress | None, Meta(description="How far the run under way is, where it says so.")
    ]
    next: Timestamp
    paused: bool
    overdue: Annotated[bool, Meta(description="Its time has come, and nobody begins it.")]


class Jobs(TypedDict):
    """The scheduled jobs."""

    items: list[Job]


class Visit(TypedDict):
    """The visits of a kind on a day."""

    day: Annotated[Day, Meta(description="A day of UTC.")]
    kind: Annotated[str, Meta(extra_json_schema={"enum": ["crawler", "search"]})]
    family: str
    count: int


class Visits(TypedDict):
    """The visits of the last days."""

    items: list[Visit]
    since: Day


# Statistics.


class Column(TypedDict):
    """A column of a table."""

    name: Annotated[str, Meta(description="Of the property that each row has for it.")]
    label: str
    kind: Annotated[
        str,
        Meta(
            description="What its values are: a share is a fraction of one, a change a factor, a size"
            " bytes from .. to, a language a code, a moment a date and time.",
            extra_json_schema={"enum": [kind.value for kind in Kind]},
        ),
    ]


class Row(TypedDict):
    """A value for each column, by the column's name, and the way to the records behind them."""

    filter: Annotated[
        list[Annotated[list[str], Meta(min_length=2, max_length=2)]],
        Meta(description="Parameters and values that find the records counted; none where none do."),
    ]


class Figures(TypedDict):
    """A table of figures; words are in English."""

    name: str
    title: Annotated[str, Meta(description="With period and origin.")]
    period: Annotated[str, Meta(description="From when to when; empty where that does not matter.")]
    origin: Annotated[str, Meta(description="Out of which records.")]
    summary: Annotated[str | None, Meta(description="What the figures say, in a sentence.")]
    notes: Annotated[list[str], Meta(description="How they came about, and what is not in them.")]
    columns: list[Column]
    rows: list[Row]


class Table(TypedDict):
    """A statistics table by its name."""

    name: str
    table: Figures


class TableName(TypedDict):
    """A statistics table, and where it is."""

    name: str
    table: Address


class Tables(TypedDict):
    """The statistics tables."""

    items: list[TableName]


# Vocabularies.

ConceptLabel = Annotated[str, Meta(description="In `language` where there is one, else in another.")]
ConceptRecords = Annotated[
    int | None,
    Meta(description="Records of it and of all below it; null where the vocabulary is bound to no field."),
]


class ShortConcept(TypedDict):
    """A concept by one of its names."""

    uri: str
    notation: str | None
    label: ConceptLabel


class CountedConcept(ShortConcept):
    """A concept with the number of its records."""

    records: ConceptRecords
    children: bool


class MatchedConcept(ShortConcept):
    """A concept that was searched for."""

    matched: Annotated[str | None, Meta(description="The name that was found.")]


class ConceptNote(TypedDict):
    """A note on a concept."""

    kind: str
    text: str
    language: str | None


class ConceptMapping(TypedDict):
    """A concept of another vocabulary that corresponds to one."""

    kind: str
    uri: str


class Concept(TypedDict):
    """A concept of a vocabulary."""

    vocabulary: str
    uri: str
    notations: list[str]
    label: str
    preferred: list[Label]
    alternative: list[Label]
    notes: list[ConceptNote]
    broader: list[ShortConcept]
    narrower: list[ShortConcept]
    related: list[ShortConcept]
    paths: Annotated[list[list[ShortConcept]], Meta(description="From the top down.")]
    mappings: list[ConceptMapping]
    schemes: list[str]
    is_deprecated: bool
    replaced_by: list[str]
    records: ConceptRecords


class Concepts(TypedDict):
    """Concepts that were searched for."""

    items: list[MatchedConcept]


class Children(TypedDict):
    """The concepts directly below one."""

    items: list[CountedConcept]


class Vocabulary(TypedDict):
    """A vocabulary, and the addresses of its concepts."""

    name: str
    title: list[Label]
    concepts: int
    languages: list[str]
    fields: Annotated[list[str], Meta(description="The fields that it is bound to.")]
    updated: str
    concept: Address
    search: Address
    children: Address
    suggest: Address


class Vocabularies(TypedDict):
    """The vocabularies of the library."""

    items: list[Vocabulary]


# The schemas.

ANSWERS = (
    *(
        Results,
        Facets,
        Record,
        Suggestions,
        Cards,
        Shelf,
        Institutions,
        Letters,
        Collections,
        Sources,
        Source,
    ),
    *(Tables, Table, Jobs, Visits, Vocabularies, Vocabulary, Concept, Concepts, Children, Problem),
)
REFERENCE = "#/components/schemas/{name}"
Cell = Annotated[str | float | None, Meta(description="The value in the column of this name.")]


@cache
def answer_schemas() -> dict[str, Schema]:
    """Return the JSON Schema of each answer and of each part of one, by name."""
    _, found = msgspec.json.schema_components(ANSWERS, ref_template=REFERENCE)
    schemas = {name: _in_order(found[name], list(globals()[name].__annotations__)) for name in found}
    # A TypedDict cannot have further keys of any name, as the rows of a table do.
    schemas["Row"]["additionalProperties"] = msgspec.json.schema(Cell)
    return schemas


def _in_order(schema: Schema, names: list[str]) -> Schema:
    """Return the schema of a class with its properties in the order of the class; msgspec sorts them."""
    properties, required = schema["properties"], frozenset(schema["required"])
    return {
        "type": "object",
        "properties": {name: properties[name] for name in names},
        "required": [name for name in names if name in required],
        "description": schema["description"],
    }
