"""The made-up records: number n is the same on every machine and in a corpus of any size.

After `vocabulary`; `questions` are about these, the engines are fed with them. A corpus is written once and
read by every process that needs it whole, so that none of them is timed while it is made.
"""

from __future__ import annotations

import gc
import pickle
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

from bench.search import vocabulary
from bench.search.vocabulary import Vocabulary
from windrow.index.tantivy.rows import Entry
from windrow.model.document import Agent, Document, DocumentDate, Event, Link, LinkKind, Subject, Text

SOURCE = "bench"
DESCRIPTION_LETTERS = 800
INSTITUTIONS = 25
DEPARTMENTS = 20  # of each institution
SUBJECTS = 8_000
KEYWORDS = 60_000
FAMILIES = 6_000
PLACES = 24
FIRST_YEAR, LAST_YEAR = 1996, 2025
TYPES = ("thesis", "article", "report", "book", "dataset", "lecture")
LANGUAGES = ("en", "en", "en", "fi", "fi", "sv")
PERIODS = tuple(f"{term}{year}" for year in range(2004, 2014) for term in ("spring", "autumn"))
INTENSITIES = ("25", "50", "75", "100")
KINDS = ("day", "evening", "weekend")
MOST_EVENTS = 7  # none to seven, half of them on average
CHUNK = 10_000  # entries pickled together


def identifier(number: int) -> str:
    """Give the identifier of a record at its source."""
    return f"oai:bench.example:{100_000 + number}"


def entries(records: int, *, first: int = 1, version: int = 0) -> Iterator[Entry]:
    """Give entries in the order of their numbers."""
    return (entry(number, version=version) for number in range(first, first + records))


def entry(number: int, *, version: int = 0) -> Entry:
    """Give one entry; another version of it has another text and the same place."""
    random = Random((number * 64 + version) * 2_654_435_761)  # neighbouring seeds would draw alike
    language = random.choice(LANGUAGES)
    words = vocabulary.southern() if language == "en" else vocabulary.northern()
    institution = _institution(random)
    department = random.randrange(DEPARTMENTS)
    stamp = f"20{random.randrange(10, 26)}-{random.randrange(1, 13):02}-{random.randrange(1, 29):02}"
    sets = (f"com_{institution}", f"col_{institution}_{department}")
    document = _document(random, number, words, language, institution, department)
    return Entry(number, SOURCE, identifier(number), sets, document, f"{stamp}T06:00:00Z")


def write(path: Path, records: int) -> None:
    """Write a corpus for `read`."""
    with path.open("wb") as file:
        for first in range(1, records + 1, CHUNK):
            pickle.dump(list(entries(min(CHUNK, records + 1 - first), first=first)), file, protocol=5)


def read(path: Path) -> list[Entry]:
    """Give a corpus, whole and out of the garbage collector's way."""
    found: list[Entry] = []
    gc.disable()
    with path.open("rb") as file:
        while file.peek(1):
            found += pickle.load(file)
    gc.enable()
    gc.freeze()
    return found


def institution_name(number: int) -> str:
    """Give the name of an institution."""
    return f"University of {_names()[number].capitalize()}"


def department_name(institution: int, number: int) -> str:
    """Give the name of a department, its institution's own."""
    names = _names()
    place = INSTITUTIONS + institution * DEPARTMENTS + number
    return f"Department of {names[place].capitalize()}"


@cache
def places() -> tuple[str, ...]:
    """Give the names of the places where things happen."""
    start = INSTITUTIONS * (DEPARTMENTS + 1)
    return tuple(name.capitalize() for name in _names()[start : start + PLACES])


def _document(
    random: Random, number: int, words: Vocabulary, language: str, institution: int, department: int
) -> Document:
    year = _year(random)
    pages = int(random.gauss(70, 25))
    page = f"http://repository.bench.example/{100_000 + number}"
    return Document(
        titles=(Text(" ".join(words.draw(random, random.randrange(6, 13))).capitalize(), language),),
        creators=tuple(dict.fromkeys(Agent(_person(random)) for _ in range(random.randrange(1, 4)))),
        subjects=tuple(map(Subject, _some(random, _subjects(), 2))),
        keywords=_some(random, _keywords(), 4),
        descriptions=(Text(_description(random, words), language),),
        publishers=(institution_name(institution),),
        dates=(DocumentDate(f"{year}-{random.randrange(1, 13):02}-{random.randrange(1, 29):02}", "issued"),),
        year=year,
        types=(random.choices(TYPES, (12, 6, 3, 2, 1, 1))[0],),
        languages=(language,),
        pages=pages if pages > 4 else None,
        links=(Link(page, LinkKind.LANDING), Link(f"{page}.pdf", LinkKind.FULLTEXT)),
        institution=institution_name(institution),
        department=department_name(institution, department),
        events=tuple(_event(random) for _ in range(random.randrange(MOST_EVENTS + 1))),
    )


def _event(random: Random) -> Event:
    return Event(
        place=random.choice(places()),
        period=random.choice(PERIODS),
        intensity=random.choice(INTENSITIES),
        kind=random.choice(KINDS),
    )


def _description(random: Random, words: Vocabulary) -> str:
    text = " ".join(words.draw(random, DESCRIPTION_LETTERS // 5))
    return text[:DESCRIPTION_LETTERS].rpartition(" ")[0].capitalize() + "."


def _some(random: Random, values: Vocabulary, most: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values.draw(random, random.randrange(1, most + 1))))


def _person(random: Random) -> str:
    family, given = random.choice(_families()), random.choice(_names()[:200])
    return f"{family}, {given.capitalize()}"


def _institution(random: Random) -> int:
    """The large ones first: twice as many records as in the middle of the list."""
    return min(random.randrange(INSTITUTIONS), random.randrange(INSTITUTIONS))


def _year(random: Random) -> int:
    """Later years have more."""
    span = LAST_YEAR - FIRST_YEAR + 1
    return FIRST_YEAR + max(random.randrange(span), random.randrange(span))


# Names and topics are words of the texts, so that a word may be found in any field.


@cache
def _names() -> tuple[str, ...]:
    return vocabulary.southern().words[2_000:4_000]


@cache
def _families() -> tuple[str, ...]:
    return tuple(name.capitalize() for name in vocabulary.northern().words[4_000 : 4_000 + FAMILIES])


@cache
def _subjects() -> Vocabulary:
    return vocabulary.zipf(vocabulary.southern().words[1_000 : 1_000 + SUBJECTS])


@cache
def _keywords() -> Vocabulary:
    random, words = Random(13), vocabulary.southern()
    made = dict.fromkeys(" ".join(words.draw(random, 2)) for _ in range(KEYWORDS * 2))
    return vocabulary.zipf(tuple(made)[:KEYWORDS])
