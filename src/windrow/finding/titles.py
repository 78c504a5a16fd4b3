"""What many records are called, for lists of them: read from the store, which an index may be behind."""

from __future__ import annotations

from collections.abc import Sequence

from windrow.formats.registry import read
from windrow.formats.richness import rank
from windrow.model.document import Text
from windrow.store.connection import Connection
from windrow.store.feeding import Fodder, FodderReader


def titles(connection: Connection, numbers: Sequence[int]) -> dict[int, Text]:
    """Give the title of each of these records that has one."""
    told = ((each.number, _title(each)) for each in FodderReader(rank).get(connection, numbers))
    return {number: title for number, title in told if title is not None}


def _title(fodder: Fodder) -> Text | None:
    if fodder.payload is None:
        return None
    try:
        found = read(fodder.payload, fodder.declarations, fodder.prefix).titles
    except Exception:  # noqa: BLE001 - one bad record, or one bad plug-in, must not cost the whole list
        return None
    return next((each for each in found if each.value.strip()), None)
