"""Which of the documents that words find is likelier meant: the one that has them as they were written.

Beside `rendering`. Whoever writes a title or a name wants that title and that person first; words that stand
apart are found as before, behind them. This changes the order of what is found, never what is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tantivy import Occur
from tantivy import Query as Question

from windrow.index import asking
from windrow.index.layout import TITLE_SIGN
from windrow.index.tokens import title_sign
from windrow.model.folding import words_of
from windrow.model.query import Query, Word

MOST_WORDS = 30  # that are looked for side by side
_WEIGHT = 4.0  # against words that stand apart
_TITLE_WEIGHT = 20.0


def preferring(found: Question, parts: Sequence[Query]) -> Question:
    """What finds the same as a question for all these parts, with the words side by side first."""
    words = [word for part in parts for word in _written(part)]
    if not words:
        return found
    liked = [titled(words)]
    if 1 < len(words) <= MOST_WORDS:
        liked += [asking.boosted(asking.phrase(*way), _WEIGHT) for way in _ways(words)]
    return above(found, liked)


def above(found: Question, liked: Sequence[Question]) -> Question:
    """What finds the same, with what is liked of it first."""
    return Question.boolean_query([(Occur.Must, found), *((Occur.Should, each) for each in liked)])


def titled(words: Sequence[str]) -> Question:
    """Documents with a title of just these words, which come before all others."""
    return asking.boosted(asking.term(TITLE_SIGN, title_sign(words)), _TITLE_WEIGHT)


def _ways(words: list[str]) -> Iterator[tuple[str, list[str]]]:
    yield "title", words
    yield "creator", words
    yield "creator", [words[-1], *words[:-1]]  # lists have the family name first


def _written(part: Query) -> list[str]:
    """The words of a part that are looked for anywhere as they stand."""
    if not isinstance(part, Word) or part.field is not None or part.is_pattern or part.edits:
        return []
    return words_of(part.text)
