"""Invented courses with events: the same ones as records of a library, and as records of Zebra."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from tests.contracts.store.shelf import Shelf, live
from windrow.config.editor import add_source
from windrow.wiring import create_library, open_library
from windrow.wiring.indexing import follow_index

SOURCE = "courses"
PLACES = ("2280", "1480", "0180", "2480", "1280", "0380", "flexibel")
KINDS = ("bunden", "flexibel", "sommar")
PACES = ("full", "half", "quarter")
LANGUAGES = ("sv", "en", "fi")
TIMES = ("dag", "kvall", "distans")
_START = ("geo", "bio", "arti", "mate", "hydro", "kemi", "stati", "peda", "lingvi", "socio", "eko", "filo")
_END = ("logi", "metri", "grafi", "nomi", "teknik", "sofi", "matik", "historia", "kultur", "fysik")
_SMALL = ("och", "for", "med", "till", "om", "vid", "an", "av")
_ACCENTED = ("måleri", "växter", "öken", "höst", "årsringar", "café", "naïv")
_FAMILIES = ("Lindqvist", "Berg", "Sjöö", "Åström", "Ek", "Nyman", "Palm", "Dahl", "Holm", "Wik", "Öberg")
_GIVEN = ("Anna", "Bo", "Cecilia", "David", "Eva", "Finn", "Gun", "Hans", "Inga", "Jens", "Åsa")


@dataclass(frozen=True, slots=True)
class Course:
    """One course; an event has the slots of Studera.NU, its identifier first."""

    number: int
    title: str
    creators: tuple[str, ...]
    subjects: tuple[str, ...]
    abstract: str
    publisher: str
    year: int
    events: tuple[str, ...]

    @property
    def identifier(self) -> str:
        return f"oai:courses.example:{self.number}"


def words(chance: random.Random) -> list[str]:
    """A vocabulary in the order of use."""
    made = [start + end for start in _START for end in _END]
    chance.shuffle(made)
    return [*_SMALL, *made, *_ACCENTED]


def courses(number: int, *, seed: int = 2001) -> Iterator[Course]:
    """Yield courses, the same ones for the same seed. Words are used by Zipf's law, more or less."""
    chance = random.Random(seed)
    vocabulary = words(chance)
    weights = [1 / (rank + 2) for rank in range(len(vocabulary))]

    def some(least: int, most: int) -> list[str]:
        return chance.choices(vocabulary, weights, k=chance.randint(least, most))

    for place in range(1, number + 1):
        events = [
            f"mh{place}{letter};{chance.randint(1998, 2004)}p{chance.randint(1, 4)};{chance.choice(KINDS)};"
            f"{chance.choice(PACES)};{chance.choice(PLACES)};{chance.choice(LANGUAGES)};{chance.choice(TIMES)}"
            for letter in "abcdefg"[: chance.randint(0, 7)]
        ]
        yield Course(
            place,
            " ".join(some(2, 6)).capitalize(),
            tuple(
                f"{chance.choice(_FAMILIES)}, {chance.choice(_GIVEN)}" for _ in range(chance.randint(1, 2))
            ),
            tuple(dict.fromkeys(" ".join(some(1, 2)) for _ in range(chance.randint(0, 3)))),
            " ".join(some(10, 40)),
            chance.choice(("Umeå universitet", "Mitthögskolan", "Lunds universitet")),
            chance.randint(1990, 2004),
            tuple(events),
        )


def wir_of(course: Course) -> bytes:
    """The course as a record of the robot."""
    tags = [
        ("DC.title", course.title),
        *(("DC.creator", name) for name in course.creators),
        *(("DC.subject", subject) for subject in course.subjects),
        ("DC.description", course.abstract),
        ("DC.publisher", course.publisher),
        ("DC.date.issued", str(course.year)),
        *(("STUDERA.event", event) for event in course.events),
        ("STUDERA.identifier", course.identifier),
    ]
    inner = "".join(f'<meta name="{name}">{escape(text)}</meta>' for name, text in tags)
    return f"<wir><meta-tags>{inner}</meta-tags></wir>".encode()


def zebra_xml(course: Course) -> bytes:
    """The course as a record for Zebra, indexed by `zebra.ABSTRACT`."""
    tags = [
        ("id", course.identifier),
        ("title", course.title),
        *(("creator", name) for name in course.creators),
        *(("subject", subject) for subject in course.subjects),
        ("abstract", course.abstract),
        ("publisher", course.publisher),
        ("year", str(course.year)),
        *(("event", event) for event in course.events),
        # The identifier last, so that an expression can begin with the period: Zebra takes many times as
        # long for one that begins with anything.
        *(("period", ";".join(event.split(";")[1:] + event.split(";")[:1])) for event in course.events),
    ]
    inner = "".join(f"<{name}>{escape(text)}</{name}>" for name, text in tags)
    return f"<course>{inner}</course>".encode()


def course_library(folder: Path, made: Sequence[Course], **settings: object) -> Path:
    """A library in a folder that has these courses, indexed; `settings` are those of [z3950]."""
    create_library(folder)
    add_source(folder, SOURCE, {"url": f"https://{SOURCE}.example/oai"})
    if settings:
        lines = (f"{key} = {_toml(value)}" for key, value in settings.items())
        with (folder / "windrow.toml").open("a", encoding="utf-8") as file:
            file.write("\n[z3950]\n" + "\n".join(lines) + "\n")
    library = open_library(str(folder))
    try:
        shelf = Shelf(library.store, SOURCE)
        for start in range(0, len(made), 1000):
            batch = made[start : start + 1000]
            shelf.write(*(live(course.identifier, wir_of(course)) for course in batch), prefix="wir")
        follow_index(library)
    finally:
        library.close()
    return folder


def _toml(value: object) -> str:
    from windrow.config.kinds import literal

    return literal(value)
