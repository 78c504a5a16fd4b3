"""Set operations on the concepts of one vocabulary: by words, names, languages and relations.

Concept numbers are valid for one revision only: read them and the concepts in one transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from windrow.model.thesaurus import Concept
from windrow.store.published.selection import placeholders
from windrow.store.records.payloads import Queries
from windrow.store.vocabulary.concepts import ALTERNATIVE, HIDDEN, NOTATION, PREFERRED, RELATED, URI

IDENTIFIERS = (URI, NOTATION)
NAMES = (NOTATION, PREFERRED, ALTERNATIVE, HIDDEN)
_LABELS = (PREFERRED, ALTERNATIVE, HIDDEN)
_AT_ONCE = 500


class Name(NamedTuple):
    """A name of a concept: as compared, as written, and the number of the concept."""

    key: str
    text: str
    number: int


class CountedTerm(NamedTuple):
    """A term of a list: as compared, as written, and how many concepts have it."""

    key: str
    text: str
    total: int


def uris(queries: Queries, vocabulary: int) -> dict[int, str]:
    text = "SELECT id, uri FROM concept WHERE vocabulary_id = ? ORDER BY id"
    return dict(tuple(row) for row in queries.execute(text, (vocabulary,)))


def labels(queries: Queries, vocabulary: int) -> Iterator[tuple[int, str, str, str]]:
    """Yield the preferred labels: number of the concept, language, sort key, text."""
    text = "SELECT concept_id, language, place, text FROM concept_name WHERE vocabulary_id = ? AND kind = ?"
    yield from map(tuple, queries.execute(text, (vocabulary, PREFERRED)))


def bodies(queries: Queries, vocabulary: int, numbers: Sequence[int]) -> Iterator[tuple[int, Concept]]:
    for start in range(0, len(numbers), _AT_ONCE):
        some = tuple(numbers[start : start + _AT_ONCE])
        text = f"SELECT id, body FROM concept WHERE vocabulary_id = ? AND id IN ({placeholders(some)})"
        for number, body in queries.execute(text, (vocabulary, *some)):
            yield number, msgspec.json.decode(body, type=Concept)


def with_words(queries: Queries, vocabulary: int, words: Sequence[str]) -> set[int]:
    """Return the concepts with any of these folded words in a label or notation."""
    text = "SELECT concept_id FROM concept_word WHERE vocabulary_id = ? AND word IN"
    return _of_each(queries, text, vocabulary, words)


def words(queries: Queries, vocabulary: int, prefix: str) -> Iterator[str]:
    """Yield the words of labels and notations with this prefix."""
    text = "SELECT DISTINCT word FROM concept_word WHERE vocabulary_id = ? AND word >= ? AND word < ?"
    values = (vocabulary, prefix, f"{prefix}\U0010ffff")
    yield from (word for (word,) in queries.execute(text, values))


def names(
    queries: Queries, vocabulary: int, kinds: Sequence[int], low: str = "", high: str = "\U0010ffff"
) -> Iterator[Name]:
    """Yield names of these kinds with keys in this range, both ends included."""
    text = (
        "SELECT key, text, concept_id FROM concept_name WHERE vocabulary_id = ? AND key >= ? AND key <= ?"
        f" AND kind IN ({placeholders(kinds)})"
    )
    yield from (Name(*row) for row in queries.execute(text, (vocabulary, low, high, *kinds)))


def labelled_in(queries: Queries, vocabulary: int, languages: Sequence[str]) -> set[int]:
    """Return the concepts with a label of any kind in one of these languages."""
    text = (
        f"SELECT concept_id FROM concept_name WHERE vocabulary_id = ? AND kind IN ({placeholders(_LABELS)})"
        f" AND language IN ({placeholders(languages)})"
    )
    return _numbers(queries, text, (vocabulary, *_LABELS, *languages)) if languages else set()


def languages(queries: Queries, vocabulary: int) -> dict[str, int]:
    """Return the languages of labels of any kind, with the number of concepts labelled in each."""
    text = (
        "SELECT language, COUNT(DISTINCT concept_id) FROM concept_name"
        f" WHERE vocabulary_id = ? AND kind IN ({placeholders(_LABELS)}) AND language <> ''"
        " GROUP BY language ORDER BY language"
    )
    return dict(tuple(row) for row in queries.execute(text, (vocabulary, *_LABELS)))


def below_any(queries: Queries, vocabulary: int) -> set[int]:
    """Return the concepts that have a broader one."""
    return _numbers(queries, "SELECT narrower_id FROM concept_below WHERE vocabulary_id = ?", (vocabulary,))


def below(queries: Queries, vocabulary: int, numbers: Iterable[int]) -> set[int]:
    """Return the concepts directly below any of these."""
    return _of_each(
        queries,
        "SELECT narrower_id FROM concept_below WHERE vocabulary_id = ? AND broader_id IN",
        vocabulary,
        numbers,
    )


def above(queries: Queries, vocabulary: int, numbers: Iterable[int]) -> set[int]:
    """Return the concepts directly above any of these."""
    return _of_each(
        queries,
        "SELECT broader_id FROM concept_below WHERE vocabulary_id = ? AND narrower_id IN",
        vocabulary,
        numbers,
    )


def related(queries: Queries, vocabulary: int, numbers: Iterable[int]) -> set[int]:
    """Return the concepts that any of these states to be related to."""
    return _of_each(
        queries,
        "SELECT o.id FROM concept_link l"
        " JOIN concept o ON o.vocabulary_id = l.vocabulary_id AND o.uri = l.uri"
        f" WHERE l.kind = '{RELATED}' AND l.vocabulary_id = ? AND l.concept_id IN",
        vocabulary,
        numbers,
    )


def tops(queries: Queries, vocabulary: int) -> set[int]:
    """Return the concepts where browsing starts."""
    return _numbers(queries, "SELECT concept_id FROM concept_top WHERE vocabulary_id = ?", (vocabulary,))


def list_words(
    queries: Queries, vocabulary: int, start: str, *, limit: int, is_before: bool = False
) -> list[CountedTerm]:
    """Return words from one on, or the last ones before it, in order."""
    order, direction = ("<", "DESC") if is_before else (">=", "ASC")
    text = (
        "SELECT word, word, COUNT(DISTINCT concept_id) FROM concept_word"
        f" WHERE vocabulary_id = ? AND word {order} ? GROUP BY word ORDER BY word {direction} LIMIT ?"
    )
    found = [CountedTerm(*row) for row in queries.execute(text, (vocabulary, start, limit))]
    return found[::-1] if is_before else found


def list_names(
    queries: Queries,
    vocabulary: int,
    kinds: Sequence[int],
    start: str,
    *,
    limit: int,
    is_before: bool = False,
) -> list[CountedTerm]:
    """Return whole names of these kinds from one on, or the last ones before it, in order."""
    order, direction = ("<", "DESC") if is_before else (">=", "ASC")
    text = (
        "SELECT key, MIN(text), COUNT(DISTINCT concept_id) FROM concept_name"
        f" WHERE vocabulary_id = ? AND key {order} ? AND kind IN ({placeholders(kinds)})"
        f" GROUP BY key ORDER BY key {direction} LIMIT ?"
    )
    found = [CountedTerm(*row) for row in queries.execute(text, (vocabulary, start, *kinds, limit))]
    return found[::-1] if is_before else found


def _of_each(queries: Queries, text: str, vocabulary: int, values: Iterable[object]) -> set[int]:
    wanted, found = list(values), set()
    for start in range(0, len(wanted), _AT_ONCE):
        some = tuple(wanted[start : start + _AT_ONCE])
        found |= _numbers(queries, f"{text} ({placeholders(some)})", (vocabulary, *some))
    return found


def _numbers(queries: Queries, text: str, values: tuple[object, ...]) -> set[int]:
    return {number for (number,) in queries.execute(text, values)}
