"""What every document is made from: the library's store, its times, the public addresses."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from windrow.faces.resourcesync.addresses import Addresses
from windrow.faces.shared.leaf_readiness import check_laid_out
from windrow.faces.shared.refusal import Refused
from windrow.store import sources
from windrow.store.changes import Cuts
from windrow.store.connection import Connection
from windrow.store.leaves import Shelf, shelf
from windrow.store.moments import Moments
from windrow.store.store import Store
from windrow.wire.resourcesync import render_time

LEAVES_A_PART = 25  # of a resource list, and of a package: 5,000 records
XML, ZIP = "text/xml; charset=utf-8", "application/zip"


class Times:
    """When changes became visible, for several threads at once."""

    def __init__(self) -> None:
        self._moments = Moments()
        self._lock = threading.Lock()

    def refresh(self, connection: Connection) -> int:
        """Read what came since; give the newest number."""
        with self._lock:
            self._moments.refresh(connection)
            return self._moments.last

    def at(self, seq: int) -> int:
        """Give when a change became visible, in Unix seconds."""
        with self._lock:
            return self._moments.at(seq)

    def told(self, seq: int) -> str:
        """Give the same as documents say it."""
        return render_time(self.at(seq))


@dataclass(frozen=True, slots=True)
class Desk:
    """One library, for those who keep copies of it."""

    store: Store
    addresses: Addresses
    leaves_a_part: int = LEAVES_A_PART
    times: Times = field(default_factory=Times)
    cuts: Cuts = field(default_factory=Cuts)

    def shelf(self, connection: Connection, name: str) -> Shelf:
        """Give the leaves of a source together; there are no documents about what has none."""
        if sources.find(connection, name) is None:
            raise nothing()
        check_laid_out(connection)  # of half a list, somebody who keeps a copy would take the rest for gone
        found = shelf(connection, name)
        if found is None:
            raise nothing()
        return found


@dataclass(frozen=True, slots=True)
class Paper:
    """A document that is not made yet: what it depends on, when that last changed, how to make it."""

    depends: tuple[object, ...]
    modified: int  # Unix seconds
    pieces: Callable[[], Iterator[bytes]]
    is_long: bool = False  # so it is sent while it is made
    kind: str = XML


def nothing() -> Refused:
    """Give the refusal of an address where there is nothing."""
    return Refused(404, "There is nothing at this address.")
