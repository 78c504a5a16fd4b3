"""Widening: what is searched instead when no record matches everything.

The following are tried in order where the search as written finds nothing:

1. The text with its signs taken as part of a title, if a record has exactly that title.
2. The text with misspelt words corrected, if a correction is evident and finds records with
   all words.
3. A longer text without quotation marks and minuses, if records have all of its words,
   corrected or not: a pasted title with a typo or an extra word.
4. Most of the words, with records that have more and rarer ones first.
5. Most of the words of a longer phrase in quotation marks.

Where only a few records have all words, and these far apart in long texts, records with most of the words are
added, the most relevant first: an extra word must not hide a title that has all others. Stop words ("the",
"what", "och") do not influence any of this.

Otherwise only plain words are corrected or dropped. A quoted phrase, a field, a pattern, a filter, an
excluded word and a word after a plus (`+peat`) must match as written; a text with AND or OR is never widened.
Filters do not influence what is searched instead, so a narrower selection finds what was counted. Exports,
feeds, statistics and sets are never widened; pages link to them with the text that was searched.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

from windrow.errors import QueryTooCostly
from windrow.index.protocol import EVERYTHING, Hit, HitSummary, Index
from windrow.model.query import OPERATORS, QUOTES, And, Everything, Query, Word, all_of, at_least
from windrow.model.text.folding import folded_words
from windrow.model.text.word_forms import is_function_word
from windrow.model.thesaurus import QueryAddition, best_label
from windrow.protocols.query.query_parser import LONGEST_QUERY, query_for_words
from windrow.search.request import SearchRequest
from windrow.search.spelling import evident_correction, evident_corrections, rewrite

MAX_WORDS = 40  # of a text for partial matches
COMMON_SHARE = 0.1  # of all records: a more frequent word does not distinguish them
COMMON_LEAST = 100  # records with a word before it can be common
MIN_TELLING = 2  # distinctive words, besides which common ones are ignored
FEW = 5  # records with all words up to which partial matches may be added
MIN_WORDS_OF_MANY = 3  # words of a text for which partial matches are added
MIN_QUOTED = 3  # words of a phrase that may be a mistyped title: a shorter one is meant as quoted
MIN_AROUND = 4  # words around a sign that may belong to a title, such as `-varastojen`
_MIN_BEGINNING_LENGTH, _MAX_ENDING_LENGTH = 4, 3  # letters for recognising forms of a word
_REQUIRED = re.compile(r"(?<!\S)\+(?=\w)(\S+)")
_QUOTED = re.compile(rf"(?<![\w:=])[{QUOTES}]([^{QUOTES}]*)[{QUOTES}](?![\w~^])")
_MINUS = re.compile(r"(?<!\S)-+(?=[^\W\d_])")


class Match(StrEnum):
    """How the results match the request."""

    ALL = "all"  # as written
    TITLE = "title"  # the signs in the text are part of a title
    WORDS = "words"  # all words of a quoted phrase, but not adjacent
    CORRECTED = "corrected"
    MOST = "most"  # more than half of the words
    SOME = "some"
    MORE = "more"  # the few with all words, far apart, and those with most of them


@dataclass(frozen=True, slots=True)
class WidenedSearch:
    """What is searched instead of a text, and how it differs."""

    match: Match
    text: str  # an expression of the query language that finds exactly these records
    corrected: tuple[tuple[str, str], ...] = ()  # words as written and as searched
    words: tuple[Word, ...] = ()  # the words that a record may lack in a partial match
    unknown: tuple[str, ...] = ()  # words that no record has


def widen(
    index: Index, question: SearchRequest, total: int = 0, hits: Sequence[Hit] = ()
) -> WidenedSearch | None:
    """Return what to search instead of a request with few results; None if nothing is better.

    `total` is the number of results; above `FEW`, nothing is tried. `hits` are those already read: if they
    are all, they are not searched again.
    """
    if total > FEW or not question.text or question.is_exact or len(question.text) > LONGEST_QUERY:
        return None
    whole = replace(question, filters={}, page=1, notes=())
    try:
        if question.filters:  # they do not influence what is searched instead
            total, hits = index.count(whole.query), ()
        if total > FEW:
            return None
        return _extended(index, whole, total, hits) if total else _widened(index, whole)
    except QueryTooCostly:  # the user did not ask for this search
        return None


def _extended(index: Index, question: SearchRequest, total: int, hits: Sequence[Hit]) -> WidenedSearch | None:
    """Return the search with partial matches added, if the records with all words match by chance."""
    written = _Plain(index, question)
    if len(written.words) < MIN_WORDS_OF_MANY:
        return None
    all_hits = hits if len(hits) == total else index.search(question.query, limit=FEW).hits
    if not _is_scattered(all_hits, written.words):
        return None
    found = written.partial()
    if found is None or index.count(question.rewritten(found.text).query) <= total:
        return None
    return replace(found, match=Match.MORE)


def _is_scattered(hits: Iterable[Hit], words: Sequence[Word]) -> bool:
    """Return whether the results have most of the words only far inside long texts."""
    return not any(_is_about(hit.card, words) for hit in hits)


def _is_about(card: HitSummary, words: Sequence[Word]) -> bool:
    texts = (card.title, *card.creators, *card.subjects, *card.keywords, card.institution, card.description)
    known = {each for text in texts for each in folded_words(text)} | {str(card.year)}
    telling = [word for word in words if not _is_function_word(word)] or words
    found = sum(all(_is_among(known, part) for part in folded_words(word.text)) for word in telling)
    return found * 2 > len(telling)


def _is_among(known: Iterable[str], word: str) -> bool:
    beginning = word[: max(_MIN_BEGINNING_LENGTH, len(word) - _MAX_ENDING_LENGTH)]
    return any(each.startswith(beginning) for each in known)


def _widened(index: Index, question: SearchRequest) -> WidenedSearch | None:
    written = _Plain(index, question)
    found = _as_title(index, question) or written.corrected()
    if found is not None:
        return found
    unsigned = _without_signs(question.text)
    if unsigned == question.text:
        return written.partial()
    meant = question.rewritten(unsigned)
    words = _Plain(index, meant)
    if index.count(meant.query):
        return WidenedSearch(Match.WORDS if _is_unquoted(question.text) else Match.TITLE, meant.text)
    return (
        words.corrected() or written.partial() or (words.partial() if _is_unquoted(question.text) else None)
    )


def _without_signs(text: str) -> str:
    """Return a text without the quotation marks and minuses that may be part of a title."""
    if _has_operators(text) or _REQUIRED.search(text):
        return text
    whole = text
    text = _QUOTED.sub(lambda found: found[1] if _is_loose(found[1], whole) else found[0], text)
    plain = _MINUS.sub("", text)
    return plain if len(folded_words(plain)) >= len(_MINUS.findall(text)) + MIN_AROUND else text


def _is_unquoted(text: str) -> bool:
    """Return whether there is a phrase that may be searched without its quotation marks."""
    return any(_is_loose(found[1], text) for found in _QUOTED.finditer(text))


def _is_loose(phrase: str, text: str) -> bool:
    """Return whether a phrase may be searched as words: it is long or among many other words."""
    words = len(folded_words(phrase))
    return words >= MIN_QUOTED or len(folded_words(text)) - words >= MIN_AROUND


def require_word(text: str, word: str) -> str:
    """Return a text with a plus before one word, so that every result has it."""
    return re.sub(rf"(?<![\w+]){re.escape(word)}(?!\w)", lambda found: f"+{found[0]}", text, count=1)


def _as_title(index: Index, question: SearchRequest) -> WidenedSearch | None:
    """Return the text as plain words if they are a title: `Hay -making in the north`."""
    meant = question.rewritten(query_for_words(question.text))
    if meant.words in (question.words, Everything()):
        return None
    found = index.search(meant.query, limit=1)
    wanted = folded_words(question.text)
    if not any(folded_words(hit.card.title) == wanted for hit in found.hits):
        return None
    return WidenedSearch(Match.TITLE, meant.text)


class _Plain:
    """The plain words of a request, with the number of records of each."""

    def __init__(self, index: Index, question: SearchRequest) -> None:
        self._index = index
        self._question = question
        self._fixed: list[Query] = []
        self.words: list[Word] = []
        written = _REQUIRED.finditer(question.text)
        self._required = required = {word for found in written for word in folded_words(found[1])}
        parts = _parts(question.words) if not _has_operators(question.text) else (question.words,)
        for part in parts:
            if (
                isinstance(part, Word)
                and _is_plain(part)
                and not required.intersection(folded_words(part.text))
            ):
                self.words.append(part)
            else:
                self._fixed.append(part)

    def corrected(self) -> WidenedSearch | None:
        """Return the request with misspelt words corrected, if records have all words."""
        counts = {word.text: count for word, count in self._uses.items()}
        for corrected in evident_corrections(self._index, self._question, counts) if counts else ():
            text = rewrite(self._question.text, corrected)
            meant = self._question.rewritten(text)
            if text == self._question.text or not self._finds(meant.query):
                continue
            if not self._is_by_chance(meant):
                return WidenedSearch(Match.CORRECTED, text, tuple(corrected.items()))
        return None

    def _is_by_chance(self, meant: SearchRequest) -> bool:
        """Return whether a corrected text is found only in long texts, where any few words occur together."""
        words = [part for part in _parts(meant.words) if isinstance(part, Word) and _is_plain(part)]
        return len(words) >= MIN_WORDS_OF_MANY and _is_scattered(
            self._index.search(meant.query, limit=FEW).hits, words
        )

    def partial(self) -> WidenedSearch | None:
        """Return the search for most of the words; those without records are corrected if possible."""
        if not self._uses or (len(self.words) < 2 and not self._fixed):
            return None
        uses = dict(self._uses)
        corrected: list[tuple[str, str]] = []
        for word in [word for word, count in uses.items() if not count]:
            better = evident_correction(self._index, word.text) if len(self.words) > 1 else None
            if better is not None:
                corrected.append((word.text, better))
                meant = replace(word, text=better)
                uses[meant] = self._index.count(replace(meant, boost=1.0))
        known = [word for word, count in uses.items() if count]
        if not known:
            return None
        wrong = {word for word, _ in corrected}
        dropped = tuple(
            word.text for word, count in self._uses.items() if not count and word.text not in wrong
        )
        common = [word for word in known if uses[word] > self._common() or _is_function_word(word)]
        if len(known) - len(common) >= MIN_TELLING:  # a record need not have "the" or "of"
            known = [word for word in known if word not in common]
        numbers = _numbers(len(known), has_unknown=bool(dropped))
        for number in (*numbers, *([0] if self._required else [])):
            query = all_of([*self._fixed, *([at_least(number, known)] if number else [])])
            if self._finds(all_of([query, self._scope()])):
                telling = len(self.words) - sum(_is_function_word(word) for word in self.words)
                match = Match.MOST if number * 2 > telling else Match.SOME
                return WidenedSearch(match, str(query), tuple(corrected), tuple(known), dropped)
        return None

    @cached_property
    def _uses(self) -> Mapping[Word, int]:
        if not 0 < len(self.words) <= MAX_WORDS:
            return {}
        meaning = self._question.meaning
        return {word: self._index.count(meaning(replace(word, boost=1.0))) for word in self.words}

    def _scope(self) -> Query:
        return self._question.rewritten("").query

    def _finds(self, query: Query) -> bool:
        return self._index.count(query) > 0

    def _common(self) -> float:
        return max(self._index.count(EVERYTHING) * COMMON_SHARE, COMMON_LEAST)


def _numbers(known: int, *, has_unknown: bool) -> Iterator[int]:
    """Yield how many of the known words a record must have, in decreasing order."""
    numbers = [known - max(1, (known - 1) // 2), -(-known // 3), 1 if known <= 3 else 0]
    if has_unknown:
        numbers.insert(0, known)
    return iter(dict.fromkeys(number for number in numbers if number > 0))


def _parts(query: Query) -> Sequence[Query]:
    return query.parts if isinstance(query, And) else (query,)


def _is_plain(word: Word) -> bool:
    return word.field is None and not word.is_pattern and not word.edits


def _is_function_word(word: Word) -> bool:
    return all(map(is_function_word, folded_words(word.text)))


def _has_operators(text: str) -> bool:
    """Return whether AND, OR or NOT is an operator; in a text of capitals they are words."""
    words = text.split()
    around = zip(words, ("", *words), (*words[1:], ""), strict=False)
    return any(
        word in OPERATORS and not (before.isupper() and after.isupper()) for word, before, after in around
    )


# What vocabularies added to a search, as JSON values and as a sentence.

MAX_NAMED = 5


def addition_as_dict(addition: QueryAddition) -> dict[str, Any]:
    return {
        "written": addition.written,
        "field": addition.field,
        "vocabulary": addition.vocabulary,
        "uri": addition.uri,
        "labels": [{"text": each.text, "language": each.language or None} for each in addition.labels],
        "names": list(addition.names),
        "below": addition.below,
        "is_whole": addition.is_whole,
    }


def addition_label(addition: QueryAddition, languages: Sequence[str]) -> str:
    """Return the label of the concept in the first of these languages that it has one in."""
    found = best_label(addition.labels, languages)
    return found.text if found else addition.uri


def list_names(addition: QueryAddition, label: str = "") -> str:
    """Return the first of the added names, without the label, as text."""
    names = [name for name in addition.names if name != label]
    shown = ", ".join(names[:MAX_NAMED])
    return f"{shown} …" if len(names) > MAX_NAMED else shown


def addition_sentence(addition: QueryAddition, languages: Sequence[str]) -> str:
    label = addition_label(addition, languages)
    parts = [f"{addition.written} is {label} in {addition.vocabulary}"]
    if names := list_names(addition, label):
        parts.append(f"also searched: {names}")
    if addition.below:
        noun = "concept" if addition.below == 1 else "concepts"
        parts.append(f"and {addition.below:,} {noun} below it")
    text = "; ".join(parts) + "."
    if not addition.is_whole:
        text += " It has more concepts below it than one search takes: choose a narrower one."
    return text
