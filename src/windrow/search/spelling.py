"""Spelling suggestions for searches that found little or nothing."""

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

FEW = 3  # results up to which another spelling is tried
MAX_WORDS = 40  # looked up: a long title may be pasted
MAX_UNKNOWN = 8  # words without any record for which candidates are sought
MAX_RARE = 6  # rarest known words that are also checked if nothing is found
RARE = 10  # records with a word that may be a typo
MUCH_MORE = 5  # factor by which a candidate must be more common than a known word
_SHORTEST = 3
_MIN_TWO_SLIPS_LENGTH = 8
_MIN_RARE_LENGTH = 6  # shorter known words have too many similar ones

# A plain word: not a field name, a wildcard pattern or a fuzzy term.
_WRITTEN = re.compile(r"(?<![\w*?\\])[^\W\d_]++(?![\w*?~]|:\S)")
# An ISBN with spaces, as printed in many books; hyphens make it one word.
_SPACED_ISBN = re.compile(r"(?:97[89] +)?[0-9]{1,5} +[0-9]{1,7} +[0-9]{1,7} +[0-9Xx]")
_ISBN_DIGITS = (10, 13)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A suggested text."""

    text: str
    question: SearchRequest
    total: int  # its number of results


def suggest(index: Index, question: SearchRequest, total: int) -> Suggestion | None:
    """Return the request with misspelt words corrected; None if that would find no more."""
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
    """Return the first correction with results, also of rare words with a much commoner candidate."""
    known = sorted((word for word in uses if uses[word]), key=lambda word: uses[word])
    for word in known[:MAX_RARE]:
        better = _instead(index, word, uses[word])
        found = _asked(index, question, _written(question, {**corrected, word: better}), 0)
        if found is not None:
            return found
    return None


def _instead(index: Index, word: str, uses: int) -> str:
    """Return the likely correction of a rare known word, or the word itself."""
    better = index.correct(word)
    if better is None and uses <= RARE and len(word) >= _MIN_RARE_LENGTH:
        better = index.correct(word, least=uses * MUCH_MORE)
    return better or word


def _asked(index: Index, question: SearchRequest, text: str, total: int) -> Suggestion | None:
    """Return the same request with another text; None if the text is the same or finds no more."""
    if text == question.text:
        return None
    meant = question.rewritten(text)
    try:
        count = index.count(meant.query)
    except QueryTooCostly:  # the user did not ask for this search
        return None
    return Suggestion(text, meant, count) if count > total else None


def evident_corrections(
    index: Index, question: SearchRequest, counts: Mapping[str, int]
) -> Iterator[dict[str, str]]:
    """Yield corrections of misspelt words, the likeliest first.

    `counts` maps the words that may be corrected to the number of records with any form of them. Words
    without records come first: each with the candidate that occurs with the other words, if any. Then follow
    the same with a rare word replaced by a much commoner one, one typo away.
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
    """Return the likeliest correction of a word without records, or None."""
    wrong = fold(word)
    if not wrong.isalpha():
        return None
    return next((each for each in index.corrections(wrong) if _is_evident(wrong, each)), None)


def _is_evident(word: str, better: str) -> bool:
    """Return whether the correction is evident: one wrong letter, or two in a long word."""
    return is_near(word, better, 1) or len(word) >= _MIN_TWO_SLIPS_LENGTH


def _beside_others(
    index: Index, question: SearchRequest, corrected: Mapping[str, str], word: str, candidates: Sequence[str]
) -> str | None:
    """Return the first candidate with which the whole text has results, else the most used one."""
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
    """Replace words of a text; `corrected` maps folded words to corrections."""
    return _WRITTEN.sub(lambda found: corrected.get(fold(found[0]), found[0]), text)


def _written(question: SearchRequest, corrected: Mapping[str, str]) -> str:
    return rewrite(question.text, corrected)


def _hyphened(text: str) -> str | None:
    """Return an ISBN written with spaces as one word; None for anything else."""
    parts = text.split()
    is_isbn = _SPACED_ISBN.fullmatch(text) is not None and sum(map(len, parts)) in _ISBN_DIGITS
    return "-".join(parts) if is_isbn else None


def _uses(index: Index, question: SearchRequest) -> dict[str, int]:
    words = dict.fromkeys(word for text in _texts(question.words) for word in folded_words(text))
    return {word: index.count(Word(word)) for word in list(words)[:MAX_WORDS] if len(word) >= _SHORTEST}


def _texts(query: Query) -> Iterator[str]:
    """Yield the words that are searched literally, from anywhere in the tree."""
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
        case Not():  # excluded words may well be unknown
            return


# Search syntax read as plain words if nothing is found: the signs may be part of a title.


def offer_words(index: Index, question: SearchRequest, total: int) -> Suggestion | None:
    """Return the request without operators, fields and wildcards; None if that finds nothing either."""
    if total or not question.text:
        return None
    meant = question.rewritten(query_for_words(question.text[:LONGEST_QUERY]))
    if meant.words in (question.words, Everything()):
        return None
    try:
        count = index.count(meant.query)
    except QueryTooCostly:  # the user did not ask for this search
        return None
    return Suggestion(meant.text, meant, count) if count else None
