"""What a repository is made of, for the faces that show it as one: sources, sets, combinations, formats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from windrow.store.payloads import Queries
from windrow.store.selection import marks

SAMPLE_RECORDS = 50  # of a source, to see which formats it has
_CHUNK = 500
# Where a run left word of a format that it asked for: windows, what is left of them, and the order given.
_TOLD = """
    SELECT t.source_id, f.prefix FROM (
      SELECT source_id, format FROM cursor UNION SELECT source_id, format FROM "window"
      UNION SELECT r.source_id, a.value FROM run r, json_each(r.arguments, '$.formats') a
      WHERE r.arguments LIKE '%"formats"%'
    ) t JOIN format f ON f.prefix = t.format
"""


class SetRow(NamedTuple):
    """A set of one source; merged sets are the same set under another spec."""

    id: int
    source_id: int
    spec: str
    name: str
    merged_into: int | None


def source_ids(queries: Queries) -> dict[str, int]:
    """Give the numbers of all sources that were ever harvested, by name."""
    return dict(map(tuple, queries.exec_driver_sql("SELECT name, id FROM source", ())))


def mark(queries: Queries) -> tuple[object, ...]:
    """Give something that changes with the sources, their sets and their formats, and is quickly had.

    A source has a new format only after a run of its own began.
    """
    text = (
        "SELECT (SELECT GROUP_CONCAT(id || ' ' || name) FROM source), (SELECT MAX(id) FROM run),"
        " (SELECT COUNT(*) FROM source_set), (SELECT MAX(id) FROM source_set),"
        " (SELECT COUNT(*) FROM virtual_set), (SELECT MAX(id) FROM virtual_set),"
        ' (SELECT COUNT(*) FROM format), (SELECT COUNT(*) FROM cursor), (SELECT MAX(id) FROM "window")'
    )
    (row,) = queries.exec_driver_sql(text, ())
    return tuple(row)


def sets(queries: Queries, sources: Sequence[int]) -> list[SetRow]:
    """Give the sets of these sources."""
    text = (
        "SELECT id, source_id, spec, name, merged_into FROM source_set"
        f" WHERE source_id IN ({marks(sources)}) ORDER BY source_id, spec"
    )
    return [SetRow(*row) for row in queries.exec_driver_sql(text, tuple(sources))]


def members(queries: Queries, groups: Iterable[int]) -> dict[int, list[int]]:
    """Give the sets that each of these combinations consists of."""
    found: dict[int, list[int]] = {}
    wanted = list(groups)
    for start in range(0, len(wanted), _CHUNK):
        some = tuple(wanted[start : start + _CHUNK])
        text = f"SELECT group_id, set_id FROM set_member WHERE group_id IN ({marks(some)}) ORDER BY 1, 2"
        for group, number in queries.exec_driver_sql(text, some):
            found.setdefault(group, []).append(number)
    return found


def virtual_sets(queries: Queries) -> list[tuple[int, str, str]]:
    """Give number, spec and name of every set that a query defines."""
    return list(queries.exec_driver_sql("SELECT id, spec, name FROM virtual_set ORDER BY spec", ()))


def virtual_members(queries: Queries, records: Sequence[int]) -> dict[int, list[int]]:
    """Give the virtual sets that each of these records is in, as far as any is."""
    found: dict[int, list[int]] = {}
    for start in range(0, len(records), _CHUNK):
        some = tuple(records[start : start + _CHUNK])
        text = (
            f"SELECT record_id, set_id FROM virtual_member WHERE record_id IN ({marks(some)}) ORDER BY 1, 2"
        )
        for record, number in queries.exec_driver_sql(text, some):
            found.setdefault(record, []).append(number)
    return found


def formats(queries: Queries) -> dict[str, int]:
    """Give the numbers of all metadata formats, by prefix."""
    return dict(map(tuple, queries.exec_driver_sql("SELECT prefix, id FROM format", ())))


def prefixes_by_source(queries: Queries, sources: Sequence[int]) -> dict[int, set[str]]:
    """Give the formats that each source was harvested in, and those that its first records have."""
    found: dict[int, set[str]] = {}
    for source, prefix in queries.exec_driver_sql(_TOLD, ()):
        found.setdefault(source, set()).add(prefix)
    sampled = (
        "SELECT DISTINCT f.prefix FROM (SELECT id FROM record INDEXED BY record_shelf WHERE source_id = ?"
        " LIMIT ?) r JOIN payload p ON p.record_id = r.id JOIN format f ON f.id = p.format_id"
    )
    for source in sources:
        rows = queries.exec_driver_sql(sampled, (source, SAMPLE_RECORDS))
        found.setdefault(source, set()).update(row[0] for row in rows)
    return {source: found[source] for source in sources}


def known_prefixes(queries: Queries, sources: Sequence[int] | None) -> list[str]:
    """Return the formats that some sources have records in, or, of None, all that the library has.

    In contrast to `prefixes_by_source` it needs none of what a repository prepares. Where no run was told its
    formats, those of a few records are taken.
    """
    if sources is None:
        return [row[0] for row in queries.exec_driver_sql("SELECT prefix FROM format ORDER BY prefix", ())]
    told: dict[int, set[str]] = {}
    for source, prefix in queries.exec_driver_sql(_TOLD, ()):
        told.setdefault(source, set()).add(prefix)
    sampled = (
        "SELECT DISTINCT f.prefix FROM (SELECT id FROM record WHERE source_id = ? LIMIT ?) r"
        " JOIN payload p ON p.record_id = r.id JOIN format f ON f.id = p.format_id"
    )
    found: set[str] = set()
    for source in sources:
        rows = () if source in told else queries.exec_driver_sql(sampled, (source, SAMPLE_RECORDS))
        found |= told.get(source, set()) | {row[0] for row in rows}
    return sorted(found)


def samples(queries: Queries, format_id: int, limit: int) -> list[int]:
    """Give some records that have a payload in this format."""
    text = "SELECT record_id FROM payload WHERE format_id = ? LIMIT ?"
    return [row[0] for row in queries.exec_driver_sql(text, (format_id, limit))]


def oldest_stamp(queries: Queries, sources: Sequence[int]) -> str | None:
    """Give the oldest of the datestamps that came with the records of these sources."""
    text = f"SELECT MIN(stamp) FROM record WHERE source_id IN ({marks(sources)})"
    ((stamp,),) = queries.exec_driver_sql(text, tuple(sources))
    found: str | None = stamp
    return found
