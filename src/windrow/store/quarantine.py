"""Records that could not be kept: their bytes, the reason, and what became of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from sqlalchemy import Connection, insert, select, text, update

from windrow.model.record import Reject
from windrow.store import schema

MAX_RAW_BYTES = 4 * 1024 * 1024
MAX_NAMELESS = 500  # open cases without an identifier, of one source and format


@dataclass(frozen=True, slots=True)
class Quarantined:
    """One record that waits for somebody."""

    id: int
    source: str
    run: int
    format: str
    identifier: str | None
    reason: str
    raw: bytes
    created: datetime
    resolved: datetime | None


_NAMED = text(
    "SELECT id FROM quarantine WHERE source_id = :s AND identifier = :i AND format = :f AND reason = :r"
    " AND resolved IS NULL"
)
_NAMELESS = text(
    "SELECT id, reason, raw FROM quarantine WHERE source_id = :s AND identifier IS NULL AND format = :f"
    " AND resolved IS NULL LIMIT :most"
)


def put(
    connection: Connection,
    source_id: int,
    run_id: int,
    prefix: str,
    rejects: Iterable[Reject],
    *,
    now: datetime,
) -> int:
    """Keep what could not be stored; the same record for the same reason is kept once. Give how many.

    Of records without an identifier only so many are kept: more of them tell nobody anything new.
    """
    desk = _Desk(connection, source_id, run_id, prefix, now)
    count = 0
    for reject in rejects:
        count += 1
        desk.put(reject)
    return count


class _Desk:
    """Takes the rejects of one page in, without looking through all cases for each of them."""

    def __init__(
        self, connection: Connection, source_id: int, run_id: int, prefix: str, now: datetime
    ) -> None:
        self._connection = connection
        self._key = {"s": source_id, "f": prefix}
        self._common: dict[str, object] = {
            "source_id": source_id,
            "format": prefix,
            "created": now.isoformat(),
        }
        self._run_id = run_id
        self._nameless: dict[tuple[str, bytes], int] | None = None
        self._met: set[int] = set()

    def put(self, reject: Reject) -> None:
        raw = reject.raw[:MAX_RAW_BYTES]
        if reject.identifier is not None:
            seen = self._key | {"r": reject.reason, "i": reject.identifier}
            found = self._connection.execute(_NAMED, seen).scalar()
            self._keep(found, reject, raw)
            return
        nameless, fingerprint = self._nameless_cases(), (reject.reason, _digest(raw))
        if fingerprint in nameless or len(nameless) < MAX_NAMELESS:
            nameless[fingerprint] = self._keep(nameless.get(fingerprint), reject, raw)

    def _keep(self, found: int | None, reject: Reject, raw: bytes) -> int:
        """Open a case, or note that an open one was met again; give its number."""
        table = schema.quarantine
        if found is None:
            values = self._common | {"identifier": reject.identifier, "reason": reject.reason}
            values |= {"run_id": self._run_id, "raw": raw}
            result = self._connection.execute(insert(table).values(values))
            assert result.inserted_primary_key is not None
            found = int(result.inserted_primary_key[0])
        elif found not in self._met:
            change = update(table).where(table.c.id == found)
            self._connection.execute(change.values(run_id=self._run_id, raw=raw))
        self._met.add(found)
        return found

    def _nameless_cases(self) -> dict[tuple[str, bytes], int]:
        """The open cases without an identifier, by reason and fingerprint."""
        if self._nameless is None:
            rows = self._connection.execute(_NAMELESS, self._key | {"most": MAX_NAMELESS})
            self._nameless = {(row.reason, _digest(row.raw)): row.id for row in rows}
        return self._nameless


def _digest(raw: bytes) -> bytes:
    return sha256(raw).digest()


_RESOLVE_BY_NAME = text(
    "UPDATE quarantine SET resolved = :now WHERE source_id = :s AND format = :f AND resolved IS NULL"
    " AND EXISTS (SELECT 1 FROM record r WHERE r.source_id = :s AND r.identifier = quarantine.identifier"
    " AND (SELECT run_id FROM moment m WHERE m.seq >= r.seq ORDER BY m.seq LIMIT 1) = :run)"
)


def resolve_stored(connection: Connection, source_id: int, run_id: int, prefix: str, *, now: datetime) -> int:
    """Close the cases of records that this run stored after all; give how many."""
    values = {"s": source_id, "f": prefix, "run": run_id, "now": now.isoformat()}
    return connection.execute(_RESOLVE_BY_NAME, values).rowcount


def resolve(connection: Connection, case_id: int, *, now: datetime) -> None:
    """Close one case."""
    change = update(schema.quarantine).where(schema.quarantine.c.id == case_id)
    connection.execute(change.values(resolved=now.isoformat()))


def waiting(
    connection: Connection,
    *,
    source: str | None = None,
    identifier: str | None = None,
    include_resolved: bool = False,
    limit: int = 1000,
) -> list[Quarantined]:
    """Give the open cases, oldest first."""
    query = _QUERY.order_by(schema.quarantine.c.id).limit(limit)
    if not include_resolved:
        query = query.where(schema.quarantine.c.resolved.is_(None))
    if source is not None:
        query = query.where(schema.source.c.name == source)
    if identifier is not None:
        query = query.where(schema.quarantine.c.identifier == identifier)
    return [_case(row) for row in connection.execute(query)]


def get(connection: Connection, case_id: int) -> Quarantined | None:
    """Give one case, open or closed."""
    row = connection.execute(_QUERY.where(schema.quarantine.c.id == case_id)).first()
    return _case(row) if row else None


_QUERY = select(schema.quarantine, schema.source.c.name).join(
    schema.source, schema.source.c.id == schema.quarantine.c.source_id
)


def _case(row: object) -> Quarantined:
    values = row._mapping  # type: ignore[attr-defined]
    return Quarantined(
        values["id"],
        values["name"],
        values["run_id"],
        values["format"],
        values["identifier"],
        values["reason"],
        values["raw"],
        datetime.fromisoformat(values["created"]),
        datetime.fromisoformat(values["resolved"]) if values["resolved"] else None,
    )
