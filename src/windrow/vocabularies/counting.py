"""How many records concepts have, those of all concepts below them included."""

from __future__ import annotations

from collections.abc import Iterable

from windrow.index.protocol import Index
from windrow.model.expansion import Expander
from windrow.model.query import NOTHING, Query, SameEvent, Value, all_of, any_of
from windrow.model.query_fields import FIELDS

MOST_COUNTED = 200  # concepts of one list


def records_query(
    expander: Expander | None, vocabulary: str, uri: str, collection: str | None = None
) -> Query:
    """Return the query for the records of a concept and of all below it, in every field that is bound.

    It finds nothing where the vocabulary is bound to no field.
    """
    if expander is None:
        return NOTHING
    conditions = [
        SameEvent(Value(uri, field)) if FIELDS[field].is_of_event else Value(uri, field)
        for field in expander.fields_of(vocabulary, collection)
    ]
    return any_of([expander.narrow(each, collection) for each in conditions])


def count_records(
    index: Index,
    expander: Expander | None,
    vocabulary: str,
    uris: Iterable[str],
    *,
    within: Query | None = None,
    collection: str | None = None,
) -> dict[str, int]:
    """Return the number of records of each concept, of the first MOST_COUNTED; none where nothing is bound.

    With `within`, of those records that this query finds.
    """
    if expander is None or not expander.fields_of(vocabulary, collection):
        return {}
    found = {}
    for uri in list(uris)[:MOST_COUNTED]:
        query = records_query(expander, vocabulary, uri, collection)
        found[uri] = index.count(query if within is None else all_of([query, within]))
    return found
