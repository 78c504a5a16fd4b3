"""The theses of a seeded collection: thesis number n is always the same, made on demand and not stored.

`Catalogue` has the few facts that lists are sorted by; `write_thesis` makes the whole thesis.
"""

from __future__ import annotations

import struct
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache, cached_property
from hashlib import blake2b
from itertools import accumulate
from typing import NamedTuple

from windrow.demo.universities import Department, University, universities
from windrow.demo.word_lists import (
    CORRECTIONS,
    FAMILY_NAMES,
    GIVEN_NAMES,
    KEYWORDS,
    OPENINGS,
    SENTENCES,
    TITLES,
    TOPICS,
    WORKPLACES,
    Topic,
    Workplace,
)

REPOSITORY = "theses.example"
IDENTIFIER_PREFIX = f"oai:{REPOSITORY}:thesis/"
DAY_SECONDS = 86_400
# The demo's present before any revision. Fixed, so that a run can be repeated to the byte.
TODAY = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp())
# The night of a server migration: many records share this second, as in real repositories.
MIGRATION = int(datetime(2017, 3, 11, 2, 0, 0, tzinfo=UTC).timestamp())

_FIRST_YEAR, _LAST_YEAR = 2004, 2025
_ROLL = struct.Struct("<32H")
_SIDES = 65_536


class DiceRoll(NamedTuple):
    """Thirty-two throws of a die with 65,536 sides, each used for one purpose only."""

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
    """A thesis; (language, text) pairs have the thesis' own language first."""

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
        return self.issued[:4]

    @property
    def landing(self) -> str:
        """The address of the page about the thesis."""
        return f"https://{REPOSITORY}/thesis/{self.number}"

    @property
    def fulltext_name(self) -> str:
        return f"thesis_{self.number}.pdf"

    @property
    def fulltext(self) -> str:
        return f"{self.landing}/{self.fulltext_name}"


def roll(seed: int, number: int) -> DiceRoll:
    """Return all random values of a thesis."""
    digest = blake2b(b"%d/%d" % (seed, number), digest_size=_ROLL.size).digest()
    return DiceRoll._make(_ROLL.unpack(digest))


def department_of(thrown: DiceRoll) -> tuple[University, Department]:
    """Return where it was written: big universities and the first departments of each are more frequent."""
    university = universities()[bisect_right(_shares(), thrown.university)]
    # The lower of two throws, so that departments differ in size as real ones do.
    lower = min(thrown.department, thrown.second_department)
    return university, university.departments[lower * len(university.departments) // _SIDES]


def issued_at(thrown: DiceRoll) -> int:
    """Return the day of publication as seconds since 1970."""
    year = bisect_right(_years(), thrown.year)
    start, end = _year_starts()[year], _year_starts()[year + 1]
    return start + (end - start) // DAY_SECONDS * thrown.day // _SIDES * DAY_SECONDS


def stamped_at(thrown: DiceRoll) -> int:
    """Return the datestamp as seconds since 1970: days after publication, a later edit, or the migration."""
    issued = issued_at(thrown)
    if thrown.lag_kind < _SIDES // 16 and issued < MIGRATION:
        return MIGRATION
    longest = TODAY - issued if thrown.lag_kind % 5 == 0 else min(60 * DAY_SECONDS, TODAY - issued)
    return issued + (longest * thrown.lag + thrown.second) // _SIDES


def is_withdrawn(thrown: DiceRoll) -> bool:
    """Return whether the thesis is withdrawn from the start, as one in a hundred is."""
    return thrown.fate < _SIDES // 100


def write_thesis(seed: int, number: int, *, version: int = 0, issued: int | None = None) -> Thesis:
    """Return thesis `number` in this version; `issued` overrides the day of publication."""
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


def _language(thrown: DiceRoll, university: University) -> str:
    if university.speaks_swedish:
        return "sv" if thrown.language % 10 < 8 else "en"
    share = thrown.language % 100
    return "fi" if share < 78 else "en" if share < 95 else "sv"


def _subject(
    thrown: DiceRoll, department: Department, languages: tuple[str, ...]
) -> tuple[Topic, dict[str, dict[str, str]]]:
    """Return the topic, and for each language the words for the placeholders of the phrases."""
    topics = TOPICS[department.programme.field]
    topic = topics[thrown.topic % len(topics)]
    workplaces = WORKPLACES[department.programme.field]
    workplace = workplaces[thrown.workplace % len(workplaces)]
    place = universities()[thrown.place % len(universities())]
    return topic, {each: _words(each, thrown, topic, workplace, place) for each in languages}


def _words(
    language: str, thrown: DiceRoll, topic: Topic, workplace: Workplace, place: University
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


def _title(language: str, thrown: DiceRoll, words: dict[str, str]) -> str:
    # The last two templates are the untidiest: one title in 32 uses them, not one in six.
    templates = TITLES[language]
    tidy = len(templates) - 2
    chosen = tidy + thrown.template % 2 if thrown.template < _SIDES // 32 else thrown.template % tidy
    return templates[chosen].format_map(words)


def _abstract(language: str, thrown: DiceRoll, words: dict[str, str], version: int) -> str:
    sentences = SENTENCES[language]
    step = (1, 3, 7, 9)[thrown.sentence_step % 4]  # coprime with their number: no sentence twice
    count = 4 + thrown.length % 3
    chosen = [sentences[(thrown.first_sentence + step * i) % len(sentences)] for i in range(count)]
    correction = " " + CORRECTIONS[language].format(v=version) if version else ""
    return " ".join([OPENINGS[language], *chosen]).format_map(words) + correction


def _authors(thrown: DiceRoll) -> tuple[str, ...]:
    first = _person(thrown.given, thrown.family)
    if thrown.has_second_author % 4:
        return (first,)
    second = _person(thrown.second_given, thrown.second_family)
    return (first, second) if second != first else (first,)


def _person(given: int, family: int) -> str:
    return f"{FAMILY_NAMES[family % len(FAMILY_NAMES)]}, {GIVEN_NAMES[given % len(GIVEN_NAMES)]}"


def _keywords(language: str, thrown: DiceRoll, topic: Topic, version: int) -> tuple[tuple[str, str], ...]:
    throws = (thrown.keyword, thrown.second_keyword, thrown.third_keyword)
    # A correction adds one word, so that a changed record is visibly changed.
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
    """Return, for each university but the last, the throw at which the next one's share starts."""
    total = sum(university.weight for university in universities())
    running = accumulate(university.weight for university in universities())
    return [weight * _SIDES // total for weight in running][:-1]


@cache
def _years() -> list[int]:
    """Return, for each year but the last, the throw at which the next year's share starts.

    Few at first, quick growth around 2010 when a PDF became mandatory, then level.
    """
    weights = [min(4 + age * age, 120 + 4 * age) for age in range(_LAST_YEAR - _FIRST_YEAR + 1)]
    return [weight * _SIDES // sum(weights) for weight in accumulate(weights)][:-1]


@cache
def _year_starts() -> list[int]:
    years = range(_FIRST_YEAR, _LAST_YEAR + 2)
    return [int(datetime(year, 1, 1, tzinfo=UTC).timestamp()) for year in years]


# The records at a revision, their datestamps, and the records within a window of time. A revision is a day:
# each day adds new theses, corrects some and withdraws a few, all with datestamps within that day.

Key = tuple[int, int]  # (datestamp in seconds since 1970, thesis number): the order of every list

_NEW_EVERY = _CHANGED_EVERY = 200
_WITHDRAWN_EVERY = 1000


@dataclass(slots=True)
class _Touches:
    """The changes of the revisions so far, by thesis number."""

    stamps: dict[int, int] = field(default_factory=dict)
    versions: dict[int, int] = field(default_factory=dict)
    issued: dict[int, int] = field(default_factory=dict)
    withdrawn: set[int] = field(default_factory=set)
    total: int = 0


class Catalogue:
    """The records of a seeded collection at a revision. Everything is computed on demand."""

    def __init__(self, *, records: int, seed: int, revision: int) -> None:
        self.records = records
        self.seed = seed
        self.revision = revision

    @property
    def now(self) -> int:
        """The present time in the demo: midnight after the last day."""
        return TODAY + self.revision * DAY_SECONDS

    @property
    def total(self) -> int:
        """The number of records, including withdrawn ones."""
        return self._touches.total

    @cached_property
    def keys(self) -> list[Key]:
        stamps = self._touches.stamps
        first = ((stamped_at(roll(self.seed, n)), n) for n in range(self.records) if n not in stamps)
        return sorted([*first, *((stamp, n) for n, stamp in stamps.items())])

    def select(self, spec: str | None, start: int | None, end: int | None) -> tuple[Sequence[Key], range]:
        """Return the list to read and the range of its items within the window, both ends included."""
        keys = self.keys if spec is None else self._by_set.get(spec, [])
        low = 0 if start is None else bisect_left(keys, (start, -1))
        high = len(keys) if end is None else bisect_right(keys, (end, self.total))
        return keys, range(low, max(low, high))

    def stamp(self, number: int) -> int:
        """Return the datestamp of this record, in seconds since 1970."""
        touched = self._touches.stamps.get(number)
        return stamped_at(roll(self.seed, number)) if touched is None else touched

    def department(self, number: int) -> Department:
        return department_of(roll(self.seed, number))[1]

    def is_withdrawn(self, number: int) -> bool:
        """Return whether this record is a tombstone."""
        return self._is_gone(self._touches, number)

    def thesis(self, number: int) -> Thesis | None:
        """Return the thesis in its current version; None if it is withdrawn."""
        if self.is_withdrawn(number):
            return None
        touches = self._touches
        version, issued = touches.versions.get(number, 0), touches.issued.get(number)
        return write_thesis(self.seed, number, version=version, issued=issued)

    @cached_property
    def _by_set(self) -> dict[str, list[Key]]:
        sets: dict[str, list[Key]] = {}
        for key in self.keys:
            department = self.department(key[1])
            sets.setdefault(department.spec, []).append(key)
            sets.setdefault(department.community, []).append(key)
        return sets

    @cached_property
    def _touches(self) -> _Touches:
        touches = _Touches(total=self.records)
        for revision in range(1, self.revision + 1):
            self._live_a_day(touches, revision)
        return touches

    def _live_a_day(self, touches: _Touches, revision: int) -> None:
        before = touches.total
        fresh = max(1, before // _NEW_EVERY)
        changed = [n for n in _spread(before, _CHANGED_EVERY, revision) if not self._is_gone(touches, n)]
        gone = [n for n in _spread(before, _WITHDRAWN_EVERY, revision + 1) if not self._is_gone(touches, n)]
        touched = [*range(before, before + fresh), *changed, *gone]
        morning = TODAY + (revision - 1) * DAY_SECONDS
        for place, number in enumerate(touched):
            touches.stamps[number] = morning + 1 + place * (DAY_SECONDS - 2) // len(touched)
        touches.versions.update(dict.fromkeys(changed, revision))
        touches.issued.update(dict.fromkeys(range(before, before + fresh), morning))
        touches.withdrawn.update(gone)
        touches.total += fresh

    def _is_gone(self, touches: _Touches, number: int) -> bool:
        if number in touches.withdrawn:
            return True
        return number < self.records and is_withdrawn(roll(self.seed, number))


def _spread(total: int, every: int, revision: int) -> list[int]:
    """Return about one number in `every` below total, all different, and others on other days."""
    if not total:
        return []
    # Steps of one less than `every`: even if they share a factor with the total, no number is repeated.
    return [(revision * 7919 + place * (every - 1)) % total for place in range(max(1, total // every))]
