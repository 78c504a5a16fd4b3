"""A question with its misspelt words put right, for when it found next to nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from windrow.errors import QueryTooCostly
from windrow.index.protocol import Index
from windrow.model.query import (
    FIELDS,
    And,
    AtLeast,
    Everything,
    FieldKind,
    Not,
    Or,
    Phrase,
    Query,
    SameEvent,
    Word,
)
from windrow.model.text.folding import fold, folded_words
from windrow.model.text.wildcards import is_near
from windrow.protocols.query.query_parser import LONGEST_QUERY, query_for_words
from windrow.search.request import SearchRequest

FEW = 3  # results up to which something else may have been meant
MAX_WORDS = 40  # that are looked up: a long title pasted
MAX_UNKNOWN = 8  # of those that nothing has, for which others are sought
MAX_RARE = 6  # of those that there are, the rarest, for which the same is done where nothing is found
RARE = 10  # documents that a slip may have come into
MUCH_MORE = 5  # times as often must a word be used that may be meant instead of one that is known
_SHORTEST = 3
_MIN_TWO_SLIPS_LENGTH = 8
_MIN_RARE_LENGTH = 6  # of a shorter word that is known, too many others are near

# A word that stands alone: no field's name, no pattern, none to be taken roughly.
_WRITTEN = re.compile(r"(?<![\w*?\\])[^\W\d_]++(?![\w*?~]|:\S)")
# An ISBN as it is printed in many books; the hyphens make one word of it.
_SPACED_ISBN = re.compile(r"(?:97[89] +)?[0-9]{1,5} +[0-9]{1,7} +[0-9]{1,7} +[0-9Xx]")
_ISBN_DIGITS = (10, 13)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What may have been meant."""

    text: str
    question: SearchRequest
    total: int  # what it finds


def suggest(index: Index, question: SearchRequest, total: int) -> Suggestion | None:
    """Return the question with its misspelt words corrected; None where that would find no more."""
    if not question.text or total > FEW:
        return None
    hyphened = _hyphened(question.text)
    if hyphened is not None:
        return _asked(index, question, hyphened, total)
    uses = _uses(index, question)
    unknown = islice((word for word, count in uses.items() if not count), MAX_UNKNOWN)
    corrected = {word: better for word in unknown if (better := index.correct(word))}
    found = _asked(index, question, _written(question, corrected), total)
    return found if found or total else _with_rare_words(index, question, corrected, uses)


def _with_rare_words(
    index: Index, question: SearchRequest, corrected: Mapping[str, str], uses: Mapping[str, int]
) -> Suggestion | None:
    """Return the first correction that finds something, of words that are there, but much less than others."""
    known = sorted((word for word in uses if uses[word]), key=lambda word: uses[word])
    for word in known[:MAX_RARE]:
        better = _instead(index, word, uses[word])
        found = _asked(index, question, _written(question, {**corrected, word: better}), 0)
        if found is not None:
            return found
    return None


def _instead(index: Index, word: str, uses: int) -> str:
    """Return what a known word may be misspelt from: one in another form only, or hardly ever; else itself."""
    better = index.correct(word)
    if better is None and uses <= RARE and len(word) >= _MIN_RARE_LENGTH:
        better = index.correct(word, least=uses * MUCH_MORE)
    return better or word


def _asked(index: Index, question: SearchRequest, text: str, total: int) -> Suggestion | None:
    """Return the same question in other words; None where these are the same or find no more."""
    if text == question.text:
        return None
    meant = question.rewritten(text)
    try:
        count = index.count(meant.query)
    except QueryTooCostly:  # it was not asked for
        return None
    return Suggestion(text, meant, count) if count > total else None


def evident_corrections(
    index: Index, question: SearchRequest, counts: Mapping[str, int]
) -> Iterator[dict[str, str]]:
    """Return what misspelt words of a text may have been meant to be, the likeliest first.

    `counts` has the words that may be corrected, each with how many records have it in any form. First those
    that no record has: each with the candidate that stands beside the other words, if one does. Then the same
    with a word that hardly any record has and that is a slip away from a much commoner one.
    """
    by_fold = {fold(word): count for word, count in counts.items() if fold(word).isalpha()}
    unknown = [word for word, count in by_fold.items() if not count][:MAX_UNKNOWN]
    corrected: dict[str, str] = {}
    for word in unknown:
        candidates = [each for each in index.corrections(word) if _is_evident(word, each)]
        best = _beside_others(index, question, corrected, word, candidates)
        if best is not None:
            corrected[word] = best
    if corrected:
        yield corrected
    rare = sorted((count, word) for word, count in by_fold.items() if 0 < count <= RARE)
    for count, word in rare[:MAX_RARE]:
        least = 1 if index.correct(word) else count * MUCH_MORE
        for better in index.corrections(word, least=least) if len(word) >= _MIN_RARE_LENGTH else ():
            if is_near(word, better, 1):
                yield {**corrected, word: better}


def evident_correction(index: Index, word: str) -> str | None:
    """Return the likeliest word that one that no record has was misspelt from; None without one."""
    wrong = fold(word)
    if not wrong.isalpha():
        return None
    return next((each for each in index.corrections(wrong) if _is_evident(wrong, each)), None)


def _is_evident(word: str, better: str) -> bool:
    """Return whether a word that nothing has can only be a slip: of one letter, or of two in a long word."""
    return is_near(word, better, 1) or len(word) >= _MIN_TWO_SLIPS_LENGTH


def _beside_others(
    index: Index, question: SearchRequest, corrected: Mapping[str, str], word: str, candidates: Sequence[str]
) -> str | None:
    """Return the first candidate with which the whole text finds something, else the most used one."""
    if len(candidates) < 2:
        return candidates[0] if candidates else None
    for better in candidates:
        text = rewrite(question.text, {**corrected, word: better})
        if _count(index, question.rewritten(text)):
            return better
    return candidates[0]


def _count(index: Index, question: SearchRequest) -> int:
    try:
        return index.count(question.query)
    except QueryTooCostly:
        return 0


def rewrite(text: str, corrected: Mapping[str, str]) -> str:
    """Return a text with some of its words, given folded, in another spelling."""
    return _WRITTEN.sub(lambda found: corrected.get(fold(found[0]), found[0]), text)


def _written(question: SearchRequest, corrected: Mapping[str, str]) -> str:
    return rewrite(question.text, corrected)


def _hyphened(text: str) -> str | None:
    """Return an ISBN that is written with spaces as one word; None of all else."""
    parts = text.split()
    is_isbn = _SPACED_ISBN.fullmatch(text) is not None and sum(map(len, parts)) in _ISBN_DIGITS
    return "-".join(parts) if is_isbn else None


def _uses(index: Index, question: SearchRequest) -> dict[str, int]:
    """Return how many documents have each word, in whatever form."""
    words = dict.fromkeys(word for text in _texts(question.words) for word in folded_words(text))
    return {word: index.count(Word(word)) for word in list(words)[:MAX_WORDS] if len(word) >= _SHORTEST}


def _texts(query: Query) -> Iterator[str]:
    """The words that are looked for by their letters, wherever in the tree."""
    match query:
        case Word(text, name, is_pattern, edits) if not is_pattern and not edits:
            if name is None or FIELDS[name].kind is FieldKind.WORDS:
                yield text
        case Phrase(words):
            yield from words
        case And(parts) | Or(parts) | AtLeast(_, parts):
            for part in parts:
                yield from _texts(part)
        case SameEvent(part):
            yield from _texts(part)
        case Not():  # what is not wanted may well be unknown
            return


# A question read as plain words, for when it found nothing: signs in it may be part of a title.


def offer_words(index: Index, question: SearchRequest, total: int) -> Suggestion | None:
    """Return the same question without operators, fields and wildcards; None where that finds nothing, too."""
    if total or not question.text:
        return None
    meant = question.rewritten(query_for_words(question.text[:LONGEST_QUERY]))
    if meant.words in (question.words, Everything()):
        return None
    try:
        count = index.count(meant.query)
    except QueryTooCostly:  # it was not asked for
        return None
    return Suggestion(meant.text, meant, count) if count else None
