"""A question with its misspelt words put right, for when it found next to nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from windrow.finding.question import Question
from windrow.index.protocol import Index
from windrow.model.folding import fold, words_of
from windrow.model.query import And, Not, Or, Phrase, Query, SameEvent, Word
from windrow.model.query_fields import FIELDS, FieldKind

FEW = 3  # results up to which something else may have been meant
MOST_WORDS = 40  # that are looked up: a long title pasted
MOST_UNKNOWN = 8  # of those that nothing has, for which others are sought
_SHORTEST = 3

# A word that stands alone: no field's name, no pattern, none to be taken roughly.
_WRITTEN = re.compile(r"(?<![\w*?\\])[^\W\d_]++(?![\w*?~:])")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What may have been meant."""

    text: str
    question: Question
    total: int  # what it finds


def suggest(index: Index, question: Question, total: int) -> Suggestion | None:
    """Give the question with its unknown words corrected; None where that would find no more."""
    if not question.text or total > FEW:
        return None
    corrected = _corrections(index, question)
    if not corrected:
        return None
    text = _WRITTEN.sub(lambda found: corrected.get(fold(found[0]), found[0]), question.text)
    if text == question.text:
        return None
    meant = replace(question, text=text, page=1, notes=())
    count = index.count(meant.query)
    return Suggestion(text, meant, count) if count > total else None


def _corrections(index: Index, question: Question) -> dict[str, str]:
    """What to write for each unknown word."""
    found: dict[str, str] = {}
    words = dict.fromkeys(word for text in _texts(question.words) for word in words_of(text))
    written = [word for word in list(words)[:MOST_WORDS] if len(word) >= _SHORTEST]
    unknown = (word for word in written if not index.count(Word(word)))  # in no form of it
    for word in islice(unknown, MOST_UNKNOWN):
        better = index.correct(word)
        if better is not None and better != word:
            found[word] = better
    return found


def _texts(query: Query) -> Iterator[str]:
    """The words that are looked for by their letters, wherever in the tree."""
    match query:
        case Word(text, name, is_pattern, edits) if not is_pattern and not edits:
            if name is None or FIELDS[name].kind is FieldKind.WORDS:
                yield text
        case Phrase(words):
            yield from words
        case And(parts) | Or(parts):
            for part in parts:
                yield from _texts(part)
        case SameEvent(part):
            yield from _texts(part)
        case Not():  # what is not wanted may well be unknown
            return
