"""Thesis number n of a seeded collection: always the same, made when asked for, kept nowhere.

`catalogue` asks for the few facts it sorts by, `rendering` for the whole thesis.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from hashlib import blake2b
from itertools import accumulate
from typing import NamedTuple

from windrow.demo.phrases import CORRECTIONS, OPENINGS, SENTENCES, TITLES
from windrow.demo.universities import Department, University, universities
from windrow.demo.words import FAMILY_NAMES, GIVEN_NAMES, KEYWORDS, TOPICS, WORKPLACES, Topic, Workplace

REPOSITORY = "theses.example"
IDENTIFIER_PREFIX = f"oai:{REPOSITORY}:thesis/"
DAY_SECONDS = 86_400
# What the demo calls today before any revision. Fixed, so that a run can be repeated to the byte.
TODAY = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp())
# One night everything was moved to a new server: many records share this second, as in real repositories.
MIGRATION = int(datetime(2017, 3, 11, 2, 0, 0, tzinfo=UTC).timestamp())

_FIRST_YEAR, _LAST_YEAR = 2004, 2025
_ROLL = struct.Struct("<32H")
_SIDES = 65_536


class Roll(NamedTuple):
    """Thirty-two throws of a die with 65,536 sides, each used for one thing only."""

    language: int
    university: int
    department: int
    second_department: int
    year: int
    day: int
    second: int
    lag: int
    lag_kind: int
    fate: int
    template: int
    topic: int
    place: int
    workplace: int
    given: int
    family: int
    has_second_author: int
    second_given: int
    second_family: int
    advisor_given: int
    advisor_family: int
    first_sentence: int
    sentence_step: int
    a: int
    b: int
    keyword: int
    second_keyword: int
    pages: int
    has_second_abstract: int
    licence: int
    third_keyword: int
    length: int


@dataclass(frozen=True, slots=True)
class Thesis:
    """Everything the demo knows of one thesis; (language, text) pairs have the thesis' own language first."""

    number: int
    university: University
    department: Department
    language: str
    titles: tuple[tuple[str, str], ...]
    authors: tuple[str, ...]
    advisor: str
    abstracts: tuple[tuple[str, str], ...]
    keywords: tuple[tuple[str, str], ...]
    issued: str
    pages: int
    licence: str | None

    @property
    def year(self) -> str:
        """The year of publication."""
        return self.issued[:4]

    @property
    def landing(self) -> str:
        """The address of the page about the thesis."""
        return f"https://{REPOSITORY}/thesis/{self.number}"

    @property
    def fulltext_name(self) -> str:
        """What the PDF file is called."""
        return f"thesis_{self.number}.pdf"

    @property
    def fulltext(self) -> str:
        """The address of the PDF."""
        return f"{self.landing}/{self.fulltext_name}"


def roll(seed: int, number: int) -> Roll:
    """All the chance there is in a thesis."""
    digest = blake2b(b"%d/%d" % (seed, number), digest_size=_ROLL.size).digest()
    return Roll._make(_ROLL.unpack(digest))


def department_of(thrown: Roll) -> tuple[University, Department]:
    """Where it was written: big universities and each one's first departments more often."""
    university = universities()[bisect_right(_shares(), thrown.university)]
    # The lower of two throws, so that departments differ in size as real ones do.
    lower = min(thrown.department, thrown.second_department)
    return university, university.departments[lower * len(university.departments) // _SIDES]


def issued_at(thrown: Roll) -> int:
    """The day of publication as seconds since 1970."""
    year = bisect_right(_years(), thrown.year)
    start, end = _year_starts()[year], _year_starts()[year + 1]
    return start + (end - start) // DAY_SECONDS * thrown.day // _SIDES * DAY_SECONDS


def stamped_at(thrown: Roll) -> int:
    """The datestamp as seconds since 1970: some days after publication, or a later edit, or the migration."""
    issued = issued_at(thrown)
    if thrown.lag_kind < _SIDES // 16 and issued < MIGRATION:
        return MIGRATION
    longest = TODAY - issued if thrown.lag_kind % 5 == 0 else min(60 * DAY_SECONDS, TODAY - issued)
    return issued + (longest * thrown.lag + thrown.second) // _SIDES


def is_withdrawn(thrown: Roll) -> bool:
    """One thesis in a hundred is gone before anybody harvests."""
    return thrown.fate < _SIDES // 100


def write_thesis(seed: int, number: int, *, version: int = 0, issued: int | None = None) -> Thesis:
    """Thesis `number` as it reads in this version; `issued` overrides the day of publication."""
    thrown = roll(seed, number)
    university, department = department_of(thrown)
    language = _language(thrown, university)
    other = "fi" if language == "en" else "en"
    languages = (language, other) if thrown.has_second_abstract % 4 else (language,)
    topic, words = _subject(thrown, department, languages)
    return Thesis(
        number=number,
        university=university,
        department=department,
        language=language,
        titles=tuple((each, _title(each, thrown, words[each])) for each in languages),
        authors=_authors(thrown),
        advisor=_person(thrown.advisor_given, thrown.advisor_family),
        abstracts=tuple((each, _abstract(each, thrown, words[each], version)) for each in languages),
        keywords=_keywords(language, thrown, topic, version),
        issued=_iso_day(issued_at(thrown) if issued is None else issued),
        pages=24 + thrown.pages % 97,
        licence="https://creativecommons.org/licenses/by/4.0/" if thrown.licence % 3 == 0 else None,
    )


def _language(thrown: Roll, university: University) -> str:
    if university.speaks_swedish:
        return "sv" if thrown.language % 10 < 8 else "en"
    share = thrown.language % 100
    return "fi" if share < 78 else "en" if share < 95 else "sv"


def _subject(
    thrown: Roll, department: Department, languages: tuple[str, ...]
) -> tuple[Topic, dict[str, dict[str, str]]]:
    """The topic, and for each language the words that `phrases` leaves open."""
    topics = TOPICS[department.programme.field]
    topic = topics[thrown.topic % len(topics)]
    workplaces = WORKPLACES[department.programme.field]
    workplace = workplaces[thrown.workplace % len(workplaces)]
    place = universities()[thrown.place % len(universities())]
    return topic, {each: _words(each, thrown, topic, workplace, place) for each in languages}


def _words(
    language: str, thrown: Roll, topic: Topic, workplace: Workplace, place: University
) -> dict[str, str]:
    name = _in(language, topic)
    genitive = topic.fi_genitive
    a = 10 + thrown.a % 40
    return {
        "n": name,
        "N": name[0].upper() + name[1:],
        "g": genitive,
        "G": genitive[0].upper() + genitive[1:],
        "o": _where(language, workplace, place),
        "a": str(a),
        "b": str(a + 1 + thrown.b % 49),
    }


def _in(language: str, topic: Topic) -> str:
    return topic.fi if language == "fi" else topic.sv if language == "sv" else topic.en


def _where(language: str, workplace: Workplace, place: University) -> str:
    if language == "fi":
        return f"{place.genitive} {workplace.fi}"
    if language == "sv":
        return f"vid {place.place} {workplace.sv}"
    return f"at {place.place} {workplace.en}"


def _title(language: str, thrown: Roll, words: dict[str, str]) -> str:
    # The last two templates are the untidiest: one title in 32, not one in six.
    templates = TITLES[language]
    tidy = len(templates) - 2
    chosen = tidy + thrown.template % 2 if thrown.template < _SIDES // 32 else thrown.template % tidy
    return templates[chosen].format_map(words)


def _abstract(language: str, thrown: Roll, words: dict[str, str], version: int) -> str:
    sentences = SENTENCES[language]
    step = (1, 3, 7, 9)[thrown.sentence_step % 4]  # coprime with their number: no sentence twice
    count = 4 + thrown.length % 3
    chosen = [sentences[(thrown.first_sentence + step * i) % len(sentences)] for i in range(count)]
    correction = " " + CORRECTIONS[language].format(v=version) if version else ""
    return " ".join([OPENINGS[language], *chosen]).format_map(words) + correction


def _authors(thrown: Roll) -> tuple[str, ...]:
    first = _person(thrown.given, thrown.family)
    if thrown.has_second_author % 4:
        return (first,)
    second = _person(thrown.second_given, thrown.second_family)
    return (first, second) if second != first else (first,)


def _person(given: int, family: int) -> str:
    return f"{FAMILY_NAMES[family % len(FAMILY_NAMES)]}, {GIVEN_NAMES[given % len(GIVEN_NAMES)]}"


def _keywords(language: str, thrown: Roll, topic: Topic, version: int) -> tuple[tuple[str, str], ...]:
    throws = (thrown.keyword, thrown.second_keyword, thrown.third_keyword)
    # A correction brings one more word, so that a changed record is changed in what people see.
    rows = [
        KEYWORDS[each % len(KEYWORDS)] for each in throws + ((thrown.length + version,) if version else ())
    ]
    column = ("fi", "sv", "en").index(language)
    own = [_in(language, topic), *(row[column] for row in rows)]
    foreign = [] if language == "en" else [topic.en, rows[0][2]]
    return tuple(dict.fromkeys([*((language, word) for word in own), *(("en", word) for word in foreign)]))


def _iso_day(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


@cache
def _shares() -> list[int]:
    """For each university but the last, the throw from which the next one's share begins."""
    total = sum(university.weight for university in universities())
    running = accumulate(university.weight for university in universities())
    return [weight * _SIDES // total for weight in running][:-1]


@cache
def _years() -> list[int]:
    """For each year but the last, the throw from which the next year's share begins.

    Few at first, quick growth around 2010 when handing in a PDF became the rule, then level.
    """
    weights = [min(4 + age * age, 120 + 4 * age) for age in range(_LAST_YEAR - _FIRST_YEAR + 1)]
    return [weight * _SIDES // sum(weights) for weight in accumulate(weights)][:-1]


@cache
def _year_starts() -> list[int]:
    years = range(_FIRST_YEAR, _LAST_YEAR + 2)
    return [int(datetime(year, 1, 1, tzinfo=UTC).timestamp()) for year in years]
