"""A library with one source that points at a test server, harvested in-process, and what it then holds.

Every `harvest` opens the library anew, as another process would; pauses are written down, not slept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.servers.http import ScriptedServer
from windrow.config.editor import add_source, change_source
from windrow.harvest.options import HarvestOptions, NullObserver, Stopper
from windrow.model.run import Problem, Run, Severity
from windrow.store import sources
from windrow.store.harvests import checkpoints, quarantine_cases
from windrow.store.harvests.quarantine_cases import QuarantinedRecord
from windrow.store.records.record_reader import RecordReader, StoredRecord
from windrow.store.records.set_hierarchy import StoredSet, list_sets
from windrow.wiring import Library, create_library, harvesting, open_library

SOURCE = "test"
SETTINGS: Mapping[str, object] = {
    "backoff": "0s",
    "timeout": "20s",
    "attempts": 3,
    "max_wait": "10s",
    "overlap": "0s",  # so that the next harvest starts exactly where the last one did
}


class Sleepless(Stopper):
    """Writes pauses down instead of making them."""

    def __init__(self) -> None:
        super().__init__()
        self.pauses: list[float] = []

    def sleep(self, seconds: float) -> None:
        """Note the pause; heed a request to stop all the same."""
        self.pauses.append(seconds)
        self.check()


@dataclass
class Shelf:
    """A library in a folder. Names are of sources; the one that tests use most is the default."""

    folder: Path
    environ: Mapping[str, str] = field(default_factory=dict)
    pauses: list[float] = field(default_factory=list)  # of the last harvest

    def add(self, url: str, *, name: str = SOURCE, **settings: Any) -> None:
        """Configure a source."""
        add_source(self.folder, name, {"url": url, **SETTINGS, **settings}, environ=self.environ)

    def change(self, *, name: str = SOURCE, **settings: object) -> None:
        """Change a source's settings; `from_` stands for from."""
        named = {key.rstrip("_"): value for key, value in settings.items()}
        change_source(self.folder, name, named, environ=self.environ)

    def open(self) -> Library:
        """Open the library; the caller closes it."""
        return open_library(str(self.folder), environ=self.environ)

    def harvest(self, *, name: str = SOURCE, stopper: Stopper | None = None, **options: Any) -> Run:
        """Harvest once and give the run."""
        heeded = stopper or Sleepless()
        library = self.open()
        try:
            return harvesting.harvest(
                library, name, HarvestOptions(**options), observer=NullObserver(), stopper=heeded
            )
        finally:
            library.close()
            self.pauses = heeded.pauses if isinstance(heeded, Sleepless) else []

    def records(self, *, name: str = SOURCE) -> dict[str, StoredRecord]:
        """Everything stored of a source, tombstones too, by identifier."""
        with _Reading(self) as (library, _), library.store.reading() as connection:
            batches = RecordReader().batches(connection, sources=[name], include_deleted=True)
            return {record.identifier: record for batch in batches for record in batch}

    def live(self, *, name: str = SOURCE) -> set[str]:
        """The identifiers of what is stored and not deleted."""
        return {each.identifier for each in self.records(name=name).values() if not each.is_deleted}

    def quarantined(self, *, include_resolved: bool = False) -> list[QuarantinedRecord]:
        """The cases that wait for somebody."""
        with _Reading(self) as (library, _), library.store.reading() as connection:
            return quarantine_cases.list_waiting(connection, include_resolved=include_resolved)

    def sets(self, *, name: str = SOURCE) -> list[StoredSet]:
        """The sets of a source."""
        with _Reading(self) as (library, source_id), library.store.reading() as connection:
            return list_sets(connection, source_id(name))

    def next_from(self, *, prefix: str = "oai_dc", spec: str = "", name: str = SOURCE) -> str | None:
        """Where the next harvest of a list starts; None where none was ever complete."""
        with _Reading(self) as (library, source_id), library.store.reading() as connection:
            found = checkpoints.cursor(connection, source_id(name), prefix, spec)
            return found.next_from if found else None

    def windows(self, *, prefix: str = "oai_dc", spec: str = "", name: str = SOURCE) -> int:
        """How many windows of a list wait to be gone on with."""
        with _Reading(self) as (library, source_id), library.store.reading() as connection:
            return len(checkpoints.find_unfinished(connection, source_id(name), prefix, spec))


class _Reading:
    """The library open for a question, and the way from a source's name to its number."""

    def __init__(self, shelf: Shelf) -> None:
        self._library = shelf.open()

    def __enter__(self) -> tuple[Library, Any]:
        return self._library, self._number

    def __exit__(self, *_: object) -> None:
        self._library.close()

    def _number(self, name: str) -> int:
        with self._library.store.reading() as connection:
            state = sources.find(connection, name)
        assert state is not None, f"{name} was never harvested"
        return state.id


def make_shelf(tmp_path: Path, server: ScriptedServer | str | None = None, **settings: Any) -> Shelf:
    """A new library, with the source `test` at this server or address."""
    shelf = Shelf(create_library(tmp_path / "library"))
    if server is not None:
        shelf.add(server if isinstance(server, str) else server.url, **settings)
    return shelf


def problems(run: Run, *, weight: Severity | None = None) -> list[Problem]:
    """The problems of a run; of one weight, or all but the notes."""
    wanted = (weight,) if weight else (Severity.PROBLEM, Severity.FATAL)
    return [problem for problem in run.problems if problem.weight in wanted]


def words(run: Run) -> str:
    """All that a run has to say, in one text."""
    return "\n".join(f"{problem.code}: {problem.message}" for problem in run.problems)


def asked(server: ScriptedServer, verb: str | None = None) -> list[dict[str, str]]:
    """The arguments of the requests that came, of one verb or all."""
    every = [request.arguments for request in server.requests]
    return [each for each in every if verb is None or each.get("verb") == verb]
