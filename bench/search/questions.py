"""What is asked in the search bench: some hundred questions a row, drawn from the records themselves.

After `corpus`. A question is kept in words and not in any engine's form; each engine makes its own of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from bench.search import corpus, vocabulary
from windrow.index.tantivy.rows import Entry
from windrow.model.text.folding import folded_words

PER_ROW = 400
WARMING = 40  # asked before, untimed: what is loaded at the first question is no part of the answer
PREFIX_LETTERS = 4
COMMON_RANKS = 50  # of words that nobody looks for alone
FIELDS = ("title", "creator", "subject", "description")


class Row(StrEnum):
    """A kind of question."""

    TERM = "term"
    AND = "AND"
    PHRASE = "phrase"
    TRUNCATION = "truncation"
    FIELDED = "fielded"
    RANKED = "ranked top ten"
    RECORDS = "search with ten records"
    EVENT = "same event"


@dataclass(frozen=True, slots=True)
class Question:
    """Words to look for, in a field or anywhere. For an event: its place and its period, as they stand."""

    row: Row
    words: tuple[str, ...]
    field: str | None = None


def draw(row: Row, records: int) -> list[Question]:
    """Give the questions of a row, no two alike, the ones for warming first; always the same ones."""
    random = Random(f"{row} of {records}")
    found: dict[Question, None] = {}
    for _ in range(50 * (PER_ROW + WARMING)):
        found[_DRAWN[row](random, row, corpus.entry(random.randrange(1, records + 1)))] = None
        if len(found) == PER_ROW + WARMING:
            break
    return list(found)


def _term(random: Random, row: Row, entry: Entry) -> Question:
    return Question(row, (random.choice(_telling(entry)),))


def _both(random: Random, row: Row, entry: Entry) -> Question:
    return Question(row, tuple(random.sample(_telling(entry), 2)))


def _phrase(random: Random, row: Row, entry: Entry) -> Question:
    words = folded_words(entry.document.descriptions[0].value)
    start = random.randrange(len(words) - 2)
    return Question(row, tuple(words[start : start + random.randrange(2, 4)]))


def _truncation(random: Random, row: Row, entry: Entry) -> Question:
    long = [word for word in _telling(entry) if len(word) > PREFIX_LETTERS]
    return Question(row, (random.choice(long)[:PREFIX_LETTERS],))


def _fielded(random: Random, row: Row, entry: Entry) -> Question:
    field = random.choice(FIELDS)
    return Question(row, (random.choice(folded_words(_text(entry, field))),), field)


def _wanted(random: Random, row: Row, entry: Entry) -> Question:
    """One word or two, as people write them."""
    return Question(row, tuple(random.sample(_telling(entry), random.randrange(1, 3))))


def _event(random: Random, row: Row, _entry: Entry) -> Question:
    return Question(row, (random.choice(corpus.places()), random.choice(corpus.PERIODS)))


_DRAWN: Mapping[Row, Callable[[Random, Row, Entry], Question]] = {
    Row.TERM: _term,
    Row.AND: _both,
    Row.PHRASE: _phrase,
    Row.TRUNCATION: _truncation,
    Row.FIELDED: _fielded,
    Row.RANKED: _wanted,
    Row.RECORDS: _wanted,
    Row.EVENT: _event,
}


def _text(entry: Entry, field: str) -> str:
    document = entry.document
    match field:
        case "creator":
            return document.creators[0].name
        case "subject":
            return document.subjects[0].value
        case "title":
            return document.titles[0].value
        case _:
            return document.descriptions[0].value


def _telling(entry: Entry) -> list[str]:
    """The words of a description that say something: without the commonest, each once."""
    common = _common()
    words = dict.fromkeys(folded_words(entry.document.descriptions[0].value))
    return [word for word in words if word not in common]


def _common() -> frozenset[str]:
    heads = (words.words[:COMMON_RANKS] for words in (vocabulary.southern(), vocabulary.northern()))
    return frozenset(word for head in heads for text in head for word in folded_words(text))
