"""The state of sources in the library; their configuration is in windrow.toml."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from windrow.config.network_values import comparable, split_url
from windrow.store.connection import Connection
from windrow.store.harvests import checkpoints, list_comparison
from windrow.store.harvests.quarantine_cases import RECORDS_SQL
from windrow.store.records.set_hierarchy import GUARD

_FIND = "SELECT id, name, url, endpoint, identity, sets_at, reconciled_at FROM source WHERE name = ?"
_ADDRESSES = "SELECT name, url FROM source ORDER BY id"
_ADD = "INSERT INTO source (name, url, endpoint) VALUES (?, ?, ?)"
_RENEW = "UPDATE source SET url = ?, endpoint = ?, identity = NULL, sets_at = NULL WHERE id = ?"
_MOVE = "UPDATE source SET url = ?, endpoint = ? WHERE name = ?"
_SHOW = "UPDATE source SET url = ? WHERE id = ?"
_NOTE = """
    UPDATE source SET identity = COALESCE(?, identity), sets_at = COALESCE(?, sets_at),
      reconciled_at = COALESCE(?, reconciled_at) WHERE id = ?
"""
_BY_STATE = "SELECT is_deleted, COUNT(*) FROM record WHERE source_id = ? GROUP BY is_deleted"
_WAITING = (
    f"SELECT {RECORDS_SQL} FROM quarantine WHERE source_id = ? AND resolved IS NULL AND dismissed IS NULL"
)
_SETS = "SELECT COUNT(*) FROM source_set WHERE source_id = ? AND merged_into IS NULL AND spec NOT LIKE ?"
_BY_FORMAT = """
    SELECT f.prefix, COUNT(*) FROM format f JOIN payload p ON p.format_id = f.id
      JOIN record r ON r.id = p.record_id WHERE r.source_id = ? GROUP BY f.prefix
"""
_ANY_RECORD = "SELECT 1 FROM record WHERE source_id = ? LIMIT 1"
_FORMAT = "SELECT id FROM format WHERE prefix = ?"
_ADD_FORMAT = "INSERT INTO format (prefix) VALUES (?)"


@dataclass(frozen=True, slots=True)
class SourceState:
    """A source as stored. `url` is public; a different `endpoint` means that the source has moved."""

    id: int
    name: str
    url: str
    endpoint: str
    identity: Mapping[str, object] = field(default_factory=dict)
    sets_at: datetime | None = None
    reconciled_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Holdings:
    """What the library holds of a source."""

    records: int
    tombstones: int
    quarantined: int
    sets: int
    payloads: Mapping[str, int]


def find(connection: Connection, name: str) -> SourceState | None:
    """Return the stored state of a source; None before its first use."""
    row = connection.execute(_FIND, (name,)).first()
    if row is None:
        return None
    number, name, url, endpoint, identity, sets_at, reconciled_at = row
    known = json.loads(identity) if identity else {}
    return SourceState(number, name, url, endpoint, known, _moment(sets_at), _moment(reconciled_at))


def addresses(connection: Connection) -> dict[str, str]:
    """Return the addresses of all harvested sources by name."""
    return dict(connection.execute(_ADDRESSES))


def ensure(connection: Connection, name: str, url: str, endpoint: str | None = None) -> SourceState:
    """Return the state of a source, created on first use.

    `url` is the public address; `endpoint`, if given, identifies the repository. If the repository is another
    one, the stored identity and list positions are dropped: a token or a date of one repository means nothing
    to another. If it is the same repository under another address, everything is kept.
    """
    state = find(connection, name)
    if endpoint is None:
        endpoint = state.endpoint if state and state.url == url else url
    if state is None:
        connection.execute(_ADD, (name, url, endpoint))
    elif state.endpoint != endpoint and is_same_repository(state, endpoint):
        move(connection, name, url, endpoint)
    elif state.endpoint != endpoint:
        connection.execute(_RENEW, (url, endpoint, state.id))
        checkpoints.forget_cursors(connection, state.id)
    elif state.url != url:  # the same repository, with more or less of its address made public
        connection.execute(_SHOW, (url, state.id))
    else:
        return state
    made = find(connection, name)
    assert made is not None
    return made


def is_same_repository(state: SourceState, endpoint: str) -> bool:
    """Return whether a new endpoint belongs to the same OAI-PMH repository as before.

    It does if the repository has permanently redirected there, or if only scheme, case, default port or a
    trailing slash differ; the parameters must be equal. It never does for a folder, whose records contain its
    address.
    """
    (before, _, old_query), (after, _, new_query) = state.endpoint.partition("#"), endpoint.partition("#")
    if not state.identity.get("is_identified") or old_query != new_query:
        return False
    moved_to = state.identity.get("moved_to")
    if isinstance(moved_to, str) and comparable(split_url(moved_to).url) == comparable(after):
        return True
    return comparable(before)[1] == comparable(after)[1]


def move(connection: Connection, name: str, url: str, endpoint: str | None = None) -> None:
    """Store a new address of the same repository and keep its state; do nothing before first use."""
    connection.execute(_MOVE, (url, endpoint or url, name))


def note(
    connection: Connection,
    source_id: int,
    *,
    identity: Mapping[str, object] | None = None,
    sets_at: datetime | None = None,
    reconciled_at: datetime | None = None,
) -> None:
    """Update the stored facts; values that are None stay unchanged."""
    known = None if identity is None else json.dumps(identity)
    times = [None if moment is None else moment.isoformat() for moment in (sets_at, reconciled_at)]
    connection.execute(_NOTE, (known, *times, source_id))


def holdings(connection: Connection, source_id: int) -> Holdings:
    """Return what the library holds of a source."""
    ask = connection.execute
    by_state = dict(ask(_BY_STATE, (source_id,)))
    return Holdings(
        by_state.get(False, 0),
        by_state.get(True, 0),
        ask(_WAITING, (source_id,)).scalar_one(),
        count_sets(connection, source_id),
        count_payloads(connection, source_id),
    )


def count_sets(connection: Connection, source_id: int) -> int:
    return int(connection.execute(_SETS, (source_id, f"{GUARD}%")).scalar_one())


def count_payloads(connection: Connection, source_id: int) -> dict[str, int]:
    return dict(connection.execute(_BY_FORMAT, (source_id,)))


def has_records(connection: Connection, source_id: int) -> bool:
    return connection.execute(_ANY_RECORD, (source_id,)).first() is not None


def forget(connection: Connection, source_id: int) -> None:
    """Delete everything the library holds of a source."""
    source, run = (source_id,), connection.execute
    owned = "(SELECT id FROM record WHERE source_id = ?)"
    for table in ("payload", "history", "virtual_member"):
        run(f"DELETE FROM {table} WHERE record_id IN {owned}", source)
    runs = "(SELECT id FROM run WHERE source_id = ?)"
    list_comparison.clear_source(connection, source_id)
    run(f"DELETE FROM problem WHERE run_id IN {runs}", source)
    run(f"UPDATE moment SET run_id = 0 WHERE run_id IN {runs}", source)
    for table in ("set_member", "set_role"):
        run(f"DELETE FROM {table} WHERE group_id IN (SELECT id FROM set_group WHERE source_id = ?)", source)
    run("DELETE FROM set_role WHERE group_id = -?", source)  # of records in no sets
    for table in (
        "record",
        "block",
        "set_group",
        "source_set",
        "dictionary",
        "run",
        "quarantine",
        '"window"',
        "cursor",
        "leaf",
        "alias",
        "refresh",
        "held_file",
        "vanished",
        "crawl_page",
        "crawl_site",
        "crawl_prefix",
        "crawl_control",
        "crawl_worker",
    ):
        run(f"DELETE FROM {table} WHERE source_id = ?", source)
    run("DELETE FROM source WHERE id = ?", source)


def format_id(connection: Connection, prefix: str) -> int:
    """Return the number of a metadata format, created on first use."""
    found = connection.execute(_FORMAT, (prefix,)).scalar()
    return int(found or connection.execute(_ADD_FORMAT, (prefix,)).number)


def _moment(text_: str | None) -> datetime | None:
    return datetime.fromisoformat(text_) if text_ else None
