"""Who is working on what: a claim in the store that dies with its process."""

from __future__ import annotations

import os
import socket
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection, delete, insert, select, update

from windrow.errors import SourceBusy
from windrow.store import schema

STALE_SECONDS = 300  # without a beat, a claim from another machine lapses


@dataclass(frozen=True, slots=True)
class Claim:
    """Who holds a name: enough to tell whether that process still lives."""

    owner: str
    pid: int
    host: str
    birth: str


def ourselves(owner: str) -> Claim:
    """Give the claim that this process makes."""
    return Claim(owner, os.getpid(), socket.gethostname(), _birth(os.getpid()))


def take(connection: Connection, name: str, claim: Claim) -> None:
    """Claim a name in the transaction at hand, or say who holds it."""
    table = schema.lease
    row = connection.execute(select(table).where(table.c.name == name)).first()
    if row is not None:
        holder = Claim(row.owner, row.pid, row.host, row.birth)
        if _is_alive(holder, row.beat):
            who = f"process {holder.pid} on {holder.host} since {row.since} ({holder.owner})"
            raise SourceBusy(f"{name} is being worked on by {who}")
        connection.execute(delete(table).where(table.c.name == name))
    values = {"name": name, "owner": claim.owner, "pid": claim.pid, "host": claim.host, "birth": claim.birth}
    now = datetime.now(UTC)
    values |= {"since": now.strftime("%Y-%m-%d %H:%M:%S UTC"), "beat": int(now.timestamp())}
    connection.execute(insert(table).values(values))


def beat(connection: Connection, name: str) -> None:
    """Say that the holder is still at work."""
    connection.execute(update(schema.lease).where(schema.lease.c.name == name).values(beat=int(time.time())))


def release(connection: Connection, name: str, claim: Claim) -> None:
    """Give a name back; no-op where another has taken it over."""
    table = schema.lease
    mine = (table.c.name == name, table.c.pid == claim.pid, table.c.host == claim.host)
    connection.execute(delete(table).where(*mine))


def holders(connection: Connection) -> dict[str, tuple[Claim, bool]]:
    """Give who has claimed what, and whether that process is still alive."""
    rows = connection.execute(select(schema.lease).order_by(schema.lease.c.name)).all()
    claims = {row.name: (Claim(row.owner, row.pid, row.host, row.birth), row.beat) for row in rows}
    return {name: (claim, _is_alive(claim, beat)) for name, (claim, beat) in claims.items()}


def _is_alive(claim: Claim, beat_seconds: int) -> bool:
    if claim.host != socket.gethostname():
        return time.time() - beat_seconds < STALE_SECONDS
    try:
        os.kill(claim.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return _birth(claim.pid) == claim.birth


def _birth(pid: int) -> str:
    """When a process was started, so that a number used again is not taken for it; "" where unknown."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[19]
