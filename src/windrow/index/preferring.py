"""Which of the documents that words find is likelier meant: the one that has them as they were written.

Beside `rendering`. Whoever writes a title or a name wants that title and that person first; words that stand
apart are found as before, behind them. This changes the order of what is found, never what is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

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
_COVERED = 10.0  # a word that is there, times its rarity, where not all words are
_ABOUT = 5.0  # the same again for a word in titles, names and topics: a long text has any few words somewhere
_SCORED = 0.3  # how well each fits, beside that
_NEIGHBOURS = 1.0


def preferring(found: Question, parts: Sequence[Query]) -> Question:
    """What finds the same as a question for all these parts, with the words side by side first."""
    words = [word for part in parts for word in _written(part)]
    if not words:
        return found
    liked = [titled(words)]
    if 1 < len(words) <= MOST_WORDS:
        liked += [asking.boosted(asking.phrase(*way), _WEIGHT) for way in _ways(words)]
    return above(found, liked)


def covering(
    conditions: Sequence[Question],
    about: Sequence[Question | None],
    scored: Sequence[Question],
    weights: Sequence[float],
    number: int,
    parts: Sequence[Query],
) -> Question:
    """What finds documents with so many of the parts, those with more and rarer ones first.

    What a document has of the words counts more than how often and where it has them. A title of all words
    but one comes before everything else, words side by side in a title before words that stand apart.
    `about` has what each part is in titles, names and topics alone.
    """
    covered = [
        asking.constant(each, weight * _COVERED) for each, weight in zip(conditions, weights, strict=True)
    ]
    liked = [asking.boosted(each, _SCORED) for each in scored]
    liked += [
        asking.constant(each, weight * _ABOUT) for each, weight in zip(about, weights, strict=True) if each
    ]
    words = [word for part in parts for word in _written(part)]
    if len(words) <= MOST_WORDS:
        liked += [titled(words[:place] + words[place + 1 :]) for place in range(len(words))]
        neighbours = dict.fromkeys(pairwise(words))
        liked += [asking.boosted(asking.phrase("title", pair), _NEIGHBOURS) for pair in neighbours]
    return above(asking.some_of(covered, number), liked)


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
