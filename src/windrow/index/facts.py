"""What is counted of one document: between the model, which knows the values, and the index that has them."""

from __future__ import annotations

from windrow.index.entry import Entry
from windrow.index.protocol import TALLIED
from windrow.model.facts import facts_about, facts_in


def facts_of(entry: Entry) -> dict[str, tuple[str, ...]]:
    """For each field that can be tallied its values: each once, in order, none empty; numbers in decimals."""
    document = entry.document
    found = {field: facts_about(document, field, entry.types) or () for field in TALLIED}
    found["source"], found["set"] = facts_in((entry.source,)), facts_in(entry.sets)
    return found
