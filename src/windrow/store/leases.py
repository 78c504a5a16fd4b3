"""Leases: claims on a source or another name, stored in the library, that expire with their process."""

from __future__ import annotations

import os
import socket
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from windrow.errors import SourceBusy
from windrow.store.connection import Connection

STALE_SECONDS = 300  # after which a claim from another machine without a heartbeat lapses
# /proc states of an ended process; the value used instead of its start time
_ENDED, _GONE = frozenset("ZXx"), "gone"
_FIND = "SELECT owner, pid, host, birth, since, beat FROM lease WHERE name = ?"
_TAKE = "INSERT INTO lease (name, owner, pid, host, birth, since, beat) VALUES (?, ?, ?, ?, ?, ?, ?)"
_DROP = "DELETE FROM lease WHERE name = ?"
_BEAT = "UPDATE lease SET beat = ? WHERE name = ?"
_RELEASE = "DELETE FROM lease WHERE name = ? AND pid = ? AND host = ?"
_ALL = "SELECT name, owner, pid, host, birth, beat FROM lease ORDER BY name"


@dataclass(frozen=True, slots=True)
class Claim:
    """The holder of a lease, with enough detail to check whether that process is still alive."""

    owner: str
    pid: int
    host: str
    birth: str


def lease_name(source: str, kind: str = "harvest") -> str:
    """Return the name under which a kind of run claims a source.

    Mapping does not disturb other runs, and refreshing single records must not block them: both have their
    own lease.
    """
    return {"rebuild": f"mapping of {source}", "refresh": f"refresh of {source}"}.get(
        kind, f"source {source}"
    )


def own_claim(owner: str) -> Claim:
    return Claim(owner, os.getpid(), socket.gethostname(), _process_start(os.getpid()))


def take(connection: Connection, name: str, claim: Claim) -> None:
    """Claim a name in the current transaction; raise SourceBusy, naming the holder, if it is taken."""
    row = connection.execute(_FIND, (name,)).first()
    if row is not None:
        *who, since, last_beat = row
        holder = Claim(*who)
        if is_alive(holder, last_beat):
            words = f"process {holder.pid} on {holder.host} since {since} ({holder.owner})"
            raise SourceBusy(f"{name} is being worked on by {words}")
        connection.execute(_DROP, (name,))
    now = datetime.now(UTC)
    times = (now.strftime("%Y-%m-%d %H:%M:%S UTC"), int(now.timestamp()))
    connection.execute(_TAKE, (name, claim.owner, claim.pid, claim.host, claim.birth, *times))


def beat(connection: Connection, name: str) -> None:
    """Record that the holder is still at work."""
    connection.execute(_BEAT, (int(time.time()), name))


def release(connection: Connection, name: str, claim: Claim) -> None:
    """Release a name; do nothing if another process has taken it over."""
    connection.execute(_RELEASE, (name, claim.pid, claim.host))


def list_holders(connection: Connection) -> dict[str, tuple[Claim, bool]]:
    """Return the claim on each name, and whether its holder is still alive."""
    found = {}
    for name, *who, last_beat in connection.execute(_ALL):
        claim = Claim(*who)
        found[name] = claim, is_alive(claim, last_beat)
    return found


def is_free(connection: Connection, name: str) -> bool:
    row = connection.execute(_FIND, (name,)).first()
    return row is None or not is_alive(Claim(*row[:4]), row[5])


def is_alive(claim: Claim, beat_seconds: int) -> bool:
    """Return whether a holder is still at work; on another machine, judged by its last heartbeat."""
    if claim.host != socket.gethostname():
        return time.time() - beat_seconds < STALE_SECONDS
    return is_local_process_alive(claim)


def is_local_process_alive(claim: Claim) -> bool:
    """Return whether the holder is a live process of this machine."""
    if claim.host != socket.gethostname():
        return False
    try:
        os.kill(claim.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return _process_start(claim.pid) == claim.birth


def _process_start(pid: int) -> str:
    """Return the start time of a process; "" if unknown.

    The start time distinguishes a process from a later one with the same number. A process that has ended
    keeps its number until its parent waits for it, which in containers may never happen; it counts as gone.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    state, *fields = stat.rpartition(")")[2].split()
    return _GONE if state in _ENDED else fields[18]
