"""A small library that can be seen through with the eye."""

from __future__ import annotations

from windrow.index.tantivy.rows import Entry
from windrow.model.document import (
    Agent,
    Document,
    DocumentDate,
    Event,
    Identifier,
    Link,
    LinkKind,
    Subject,
    Text,
)


def entry(number: int, document: Document, *, source: str = "barn", sets: tuple[str, ...] = ()) -> Entry:
    return Entry(number, source, f"oai:{source}.example:{number}", sets, document, "2024-05-01T10:00:00Z")


DRYING = Document(
    titles=(Text("Drying hay in the meadow", "en"),),
    creators=(Agent("Mower, Ann", affiliations=("Barn Polytechnic",)), Agent("Rake, Bo")),
    subjects=(Subject("Meadows"), Subject("Agriculture")),
    keywords=("grass",),
    descriptions=(Text("How the weather decides on the harvest.", "en"),),
    dates=(DocumentDate("2014-05-12", "issued"),),
    year=2014,
    types=("Master's thesis",),
    languages=("en",),
    pages=80,
    links=(Link("https://barn.example/1", LinkKind.LANDING),),
    names=(Identifier("isbn", "978-951-0-12345-6"),),
    institution="Field University",
    department="School of Grass",
    events=(Event(place="Oslo", period="autumn 2014"), Event(place="Åbo", period="spring 2015")),
)
MOWER = Document(
    titles=(Text("Machines of the nineteenth century", "en"),),
    descriptions=(Text("A mower, another mower, and what Ann did with the hay they left.", "en"),),
    subjects=(Subject("Agriculture"),),
    year=2010,
    types=("Book",),
    languages=("en",),
    institution="Barn Polytechnic",
    pages=200,
)
FINNISH = Document(
    titles=(Text("Heinän kuivaus niityllä", "fi"),),
    creators=(Agent("Niitty, Eero"),),
    subjects=(Subject("heinä"),),
    year=2014,
    types=("Master's thesis",),
    languages=("fi",),
    institution="Field University",
    department="School of Grass",
)
BARE = Document()

LIBRARY = [
    entry(1, DRYING, sets=("theses", "theses:phd")),
    entry(2, MOWER),
    entry(3, FINNISH, source="field", sets=("theses",)),
    entry(4, BARE, source="field"),
]
