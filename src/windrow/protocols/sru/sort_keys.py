"""The sortKeys of SRU 1.1: paths with schema, direction, case and what is done without a value.

`title,dc,1,0,highValue date,,0` sorts by title, and the newest first of those that have the same.
"""

from __future__ import annotations

from windrow.model.sorting import MOST_KEYS, Missing, SortKey
from windrow.protocols.cql.convert import sort_field
from windrow.protocols.cql.indexes import Indexes
from windrow.protocols.sru.diagnostics import SruError

_MISSING = {
    "": Missing.HIGH,
    "highvalue": Missing.HIGH,
    "lowvalue": Missing.LOW,
    "omit": Missing.OMIT,
    "abort": Missing.FAIL,
}
# Schemas whose element names are those of an index, by their names and URIs in small letters.
_SETS = {
    "": "",
    "dc": "dc.",
    "info:srw/schema/1/dc-v1.1": "dc.",
    "info:srw/cql-context-set/1/dc-v1.1": "dc.",
    "windrow": "windrow.",
}


def read_sort_keys(text: str, indexes: Indexes) -> tuple[SortKey, ...]:
    """Return the keys of a request."""
    written = text.split()
    if len(written) > MOST_KEYS:
        raise SruError(84, f"at most {MOST_KEYS} keys")
    return tuple(_key(each, indexes) for each in written)


def _key(text: str, indexes: Indexes) -> SortKey:
    path, schema, direction, case, missing, *more = [*text.split(","), "", "", "", ""]
    if any(more[4:]):
        raise SruError(6, f"sortKeys {text}")
    if schema.lower() not in _SETS:
        raise SruError(87, schema)
    if direction not in ("", "0", "1"):
        raise SruError(90, direction)
    if case not in ("", "0", "1"):
        raise SruError(91, case)
    name = path.strip().strip("/").rpartition("/")[2].lstrip("@").strip('"')
    try:
        index = indexes.find(name if "." in name else f"{_SETS[schema.lower()]}{name}", {})
    except SruError:
        raise SruError(88, path) from None
    field = sort_field(index)
    if field is None:
        raise SruError(88, path)
    return SortKey(field, direction != "0", _missing(missing), respects_case=case == "1")


def _missing(text: str) -> Missing | str:
    known = _MISSING.get(text.lower())
    if known is not None:
        return known
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    raise SruError(92, text)
