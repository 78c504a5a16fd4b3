"""What is odd about the concepts of a vocabulary, found by queries over its tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from windrow.store.payloads import Queries
from windrow.store.vocabularies import NOTATION, PREFERRED

_CONCEPTS = "FROM concept c WHERE c.vocabulary_id = :v"
_LINKED = "EXISTS (SELECT 1 FROM concept_below b WHERE b.vocabulary_id = c.vocabulary_id AND {} = c.id)"
_IS_RELATED = (
    "FROM concept_link l JOIN concept o ON o.vocabulary_id = l.vocabulary_id AND o.uri = l.uri"
    " WHERE l.vocabulary_id = :v AND l.kind = 'related' AND o.id <> l.concept_id"
)
_RELATED = f"c.id IN (SELECT l.concept_id {_IS_RELATED} UNION SELECT o.id {_IS_RELATED})"
_NAMED = (
    f"c.id IN (SELECT n.concept_id FROM concept_name n WHERE n.vocabulary_id = :v AND n.kind = {PREFERRED})"
)
_ABOVE, _BELOW = _LINKED.format("b.narrower_id"), _LINKED.format("b.broader_id")
_SEVERAL_NAMED = (
    "SELECT n.{what}, n.language FROM concept_name n WHERE n.vocabulary_id = :v AND n.kind = {kind}"
    " GROUP BY n.{what}, n.language HAVING COUNT(DISTINCT n.{counted}) > 1"
)
# What is wrong, as the URI of a concept and a detail.
_ODDITIES = {
    "missing_label": f"SELECT c.uri, '' {_CONCEPTS} AND NOT {_NAMED}",
    "orphan": (
        f"SELECT c.uri, '' {_CONCEPTS} AND NOT c.is_top AND NOT {_ABOVE} AND NOT {_BELOW} AND NOT {_RELATED}"
    ),
    "several_parents": (
        "SELECT c.uri, COUNT(*) FROM concept c JOIN concept_below b ON b.vocabulary_id = c.vocabulary_id"
        " AND b.narrower_id = c.id WHERE c.vocabulary_id = :v GROUP BY c.id, c.uri HAVING COUNT(*) > 1"
    ),
    "own_neighbour": (
        "SELECT c.uri, l.kind FROM concept_link l JOIN concept c ON c.id = l.concept_id"
        " WHERE l.vocabulary_id = :v AND l.uri = c.uri"
    ),
    "missing_concept": (
        "SELECT c.uri, l.uri FROM concept_link l JOIN concept c ON c.id = l.concept_id"
        " WHERE l.vocabulary_id = :v AND NOT EXISTS"
        " (SELECT 1 FROM concept o WHERE o.vocabulary_id = l.vocabulary_id AND o.uri = l.uri)"
    ),
    "same_notation": (
        "SELECT c.uri, n.text FROM concept_name n JOIN concept c ON c.id = n.concept_id"
        f" WHERE n.vocabulary_id = :v AND n.kind = {NOTATION} AND (n.key, n.language) IN"
        f" ({_SEVERAL_NAMED.format(what='key', kind=NOTATION, counted='concept_id')})"
    ),
    "same_label": (
        "SELECT c.uri, n.text FROM concept_name n JOIN concept c ON c.id = n.concept_id"
        f" WHERE n.vocabulary_id = :v AND n.kind = {PREFERRED} AND (n.key, n.language) IN"
        f" ({_SEVERAL_NAMED.format(what='key', kind=PREFERRED, counted='concept_id')})"
    ),
    "several_labels": (
        "SELECT c.uri, n.text FROM concept_name n JOIN concept c ON c.id = n.concept_id"
        f" WHERE n.vocabulary_id = :v AND n.kind = {PREFERRED} AND (n.concept_id, n.language) IN"
        f" ({_SEVERAL_NAMED.format(what='concept_id', kind=PREFERRED, counted='text')})"
    ),
    "top_below_another": f"SELECT c.uri, '' {_CONCEPTS} AND c.is_top AND {_ABOVE}",
}


class Oddity(NamedTuple):
    """One thing that is odd, of a concept; the detail is a label, a notation, a URI or a number."""

    uri: str
    detail: str = ""


class Oddities(NamedTuple):
    """How many of a kind there are, and the first of them."""

    total: int
    examples: tuple[Oddity, ...]


def oddities(queries: Queries, number: int, kind: str, *, limit: int) -> Oddities:
    """Return what is odd in one way; `circle` has `circles` of its own."""
    text = _ODDITIES[kind]
    ((total,),) = queries.exec_driver_sql(f"SELECT COUNT(*) FROM ({text}) found", {"v": number})
    rows = queries.exec_driver_sql(f"{text} ORDER BY 1, 2 LIMIT :most", {"v": number, "most": limit})
    return Oddities(int(total), tuple(Oddity(uri, str(detail)) for uri, detail in rows))


def edges(queries: Queries, number: int) -> Iterator[tuple[int, int]]:
    """Yield which concept lies right below which, by their numbers of this revision."""
    text = "SELECT broader_id, narrower_id FROM concept_below WHERE vocabulary_id = ?"
    yield from queries.exec_driver_sql(text, (number,))


def uri_of(queries: Queries, concept: int) -> str:
    """Return the URI of a concept by its number."""
    ((uri,),) = queries.exec_driver_sql("SELECT uri FROM concept WHERE id = ?", (concept,))
    found: str = uri
    return found
