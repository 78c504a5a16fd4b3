"""What is searched instead where no record has everything that was asked for.

Three ways, tried in this order, and only where the search as written finds nothing:

1. The text with its signs taken as part of a title, if some record has exactly that title.
2. The text with misspelt words corrected, if a correction is evident and finds records with all words.
3. Most of the words: at least so many of them, the records with more and rarer ones first.

Only plain words are corrected or left out. A quoted phrase, a field, a pattern, a filter, a word after a
minus and a word after a plus (`+peat`) must hold as written; a text with AND or OR is never widened. Filters
do not decide what is searched instead: a narrower choice among the same results finds what was counted.
Exports, feeds, statistics and sets never widen; the page links them with the text that was searched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from windrow.errors import QueryTooCostly
from windrow.finding.question import Question
from windrow.finding.spelling import evident_corrections, rewrite
from windrow.index.protocol import EVERYTHING, Index
from windrow.model.folding import words_of
from windrow.model.query import OPERATORS, And, Everything, Query, Word, all_of, at_least
from windrow.wire.query.parse import LONGEST_QUERY
from windrow.wire.query.plain import as_words

MOST_WORDS = 40  # of one text that partial matches are sought for
COMMON_SHARE = 0.1  # of all records: a word that more of them have does not tell them apart
COMMON_LEAST = 100  # records, before a word can be common
_REQUIRED = re.compile(r"(?<!\S)\+(?=\w)(\S+)")


class Match(StrEnum):
    """How what was found fits what was asked for."""

    ALL = "all"  # as written
    TITLE = "title"  # the signs in the text are part of a title
    CORRECTED = "corrected"
    MOST = "most"  # more than half of the words
    SOME = "some"


@dataclass(frozen=True, slots=True)
class Widened:
    """What is searched instead of a text, and in what it differs."""

    match: Match
    text: str  # an expression of the query language that finds exactly these records
    corrected: tuple[tuple[str, str], ...] = ()  # words as written and as searched
    words: tuple[Word, ...] = ()  # of a partial match, the words that a record may lack
    unknown: tuple[str, ...] = ()  # words that no record has


def widen(index: Index, question: Question) -> Widened | None:
    """Return what to search instead of a question that found nothing; None if that finds nothing, either."""
    if not question.text or question.is_exact or len(question.text) > LONGEST_QUERY:
        return None
    whole = replace(question, filters={}, page=1, notes=())
    try:
        if question.filters and index.count(whole.query):
            return None  # the filters are why nothing was found
        return _as_title(index, whole) or _Plain(index, whole).widened()
    except QueryTooCostly:  # nobody asked for it
        return None


def require(text: str, word: str) -> str:
    """Return a text with a plus before one of its words, so that no result lacks it."""
    return re.sub(rf"(?<![\w+]){re.escape(word)}(?!\w)", lambda found: f"+{found[0]}", text, count=1)


def _as_title(index: Index, question: Question) -> Widened | None:
    """Return the text as plain words where these are somebody's title: `Hay -making in the north`."""
    meant = question.rewritten(as_words(question.text))
    if meant.words in (question.words, Everything()):
        return None
    found = index.search(meant.query, limit=1)
    wanted = words_of(question.text)
    if not any(words_of(hit.card.title) == wanted for hit in found.hits):
        return None
    return Widened(Match.TITLE, meant.text)


class _Plain:
    """The plain words of a question, and how many records have each."""

    def __init__(self, index: Index, question: Question) -> None:
        self._index = index
        self._question = question
        self._fixed: list[Query] = []
        self._words: list[Word] = []
        written = _REQUIRED.finditer(question.text)
        self._required = required = {word for found in written for word in words_of(found[1])}
        parts = _parts(question.words) if not _has_operators(question.text) else (question.words,)
        for part in parts:
            if isinstance(part, Word) and _is_plain(part) and not required.intersection(words_of(part.text)):
                self._words.append(part)
            else:
                self._fixed.append(part)

    def widened(self) -> Widened | None:
        """Return the question corrected, or most of its words."""
        if not 0 < len(self._words) <= MOST_WORDS:
            return None
        uses = {word: self._index.count(replace(word, boost=1.0)) for word in self._words}
        return self._corrected(uses) or self._partial(uses)

    def _corrected(self, uses: Mapping[Word, int]) -> Widened | None:
        counts = {word.text: count for word, count in uses.items()}
        for corrected in evident_corrections(self._index, self._question, counts):
            text = rewrite(self._question.text, corrected)
            if text != self._question.text and self._finds(self._question.rewritten(text).query):
                return Widened(Match.CORRECTED, text, tuple(corrected.items()))
        return None

    def _partial(self, uses: Mapping[Word, int]) -> Widened | None:
        known = [word for word in self._words if uses[word]]
        unknown = len(self._words) - len(known)
        if not known or (len(self._words) < 2 and not self._fixed):
            return None
        common = sum(uses[word] > self._common() for word in known)
        numbers = _numbers(len(known), common, has_unknown=unknown > 0)
        for number in (*numbers, *([0] if self._required else [])):
            query = all_of([*self._fixed, *([at_least(number, known)] if number else [])])
            if self._finds(all_of([query, self._scope()])):
                is_most = number * 2 > len(self._words)
                dropped = tuple(word.text for word in self._words if not uses[word])
                return Widened(Match.MOST if is_most else Match.SOME, str(query), (), tuple(known), dropped)
        return None

    def _scope(self) -> Query:
        """The collection that is searched in."""
        return self._question.rewritten("").query

    def _finds(self, query: Query) -> bool:
        return self._index.count(query) > 0

    def _common(self) -> float:
        return max(self._index.count(EVERYTHING) * COMMON_SHARE, COMMON_LEAST)


def _numbers(known: int, common: int, *, has_unknown: bool) -> Iterator[int]:
    """How many of the words that there are a record must have: fewer and fewer, until something is found."""
    telling = known - common
    numbers = [known - max(1, (telling - 1) // 2), -(-known // 3), 1 if known <= 3 else 0]
    if has_unknown:
        numbers.insert(0, known)
    return iter(dict.fromkeys(number for number in numbers if number > 0))


def _parts(query: Query) -> Sequence[Query]:
    return query.parts if isinstance(query, And) else (query,)


def _is_plain(word: Word) -> bool:
    return word.field is None and not word.is_pattern and not word.edits


def _has_operators(text: str) -> bool:
    """Whether AND, OR or NOT is written as an operator; among words in capitals they are words."""
    words = text.split()
    around = zip(words, ("", *words), (*words[1:], ""), strict=False)
    return any(
        word in OPERATORS and not (before.isupper() and after.isupper()) for word, before, after in around
    )
