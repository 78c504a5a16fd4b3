"""What every kind of source keeps to: built in or brought by a package, however its runs end."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import windrow
from tests.cli.sourcing import interpreter_kept
from tests.flows.csv_kind import ROWS, csv_kind
from tests.flows.harvesting import Shelf
from tests.flows.marc_exports import marcxml
from tests.servers.items import make_items
from tests.servers.oai import OaiServer
from tests.servers.website import Website, page
from windrow.cli.sources.source_check import StepDisplay
from windrow.config.editor import add_source
from windrow.config.source_kinds import all_kinds, kind_of
from windrow.errors import SourceBusy, StoreError
from windrow.harvest.options import HarvestOptions, NullObserver, Stopper
from windrow.model.run import Counters, Outcome, Run, Severity
from windrow.store import leases, runs, sources
from windrow.wiring import Library, create_library, harvesting
from windrow.wiring.source_kinds import Asking, kind_for

NAME = "test"
KINDS = ("oai", "files", "documents", "marc", "csv")
Prepare = Callable[[Path], dict[str, object]]


@dataclass
class Trial:
    """A library with one source that has two records."""

    shelf: Shelf
    settings: dict[str, object]

    def harvest(self, observer: NullObserver | None = None, stopper: Stopper | None = None) -> Run:
        """Harvest it once."""
        library = self.shelf.open()
        try:
            return harvesting.harvest(
                library,
                NAME,
                HarvestOptions(),
                observer=observer or NullObserver(),
                stopper=stopper or Stopper(),
            )
        finally:
            library.close()

    def look(self, ask: Callable[[Library], Any]) -> Any:
        """Ask something of the library."""
        library = self.shelf.open()
        try:
            return ask(library)
        finally:
            library.close()

    def last(self) -> Run:
        """The last run, with its problems."""

        def find(library: Library) -> Run:
            with library.store.reading() as connection:
                found = runs.get(connection, runs.latest(connection, source=NAME, limit=1)[0].id)
            assert found is not None
            return found

        found: Run = self.look(find)
        return found

    def holders(self) -> list[str]:
        """The names that somebody has claimed."""

        def find(library: Library) -> list[str]:
            with library.store.reading() as connection:
                return list(leases.list_holders(connection))

        found: list[str] = self.look(find)
        return found


@contextmanager
def tried(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Trial]:
    """One source of a kind."""
    folder = tmp_path / "papers"
    folder.mkdir()
    for name in ("one.txt", "two.txt"):
        (folder / name).write_text(f"Hay and oats of {name}, and what grows beside them.\n")
    export = tmp_path / "export.xml"
    export.write_bytes(marcxml(("1", "On hay"), ("2", "On oats")))
    table = tmp_path / "books.csv"
    table.write_text(ROWS, encoding="utf-8")
    published: dict[str, object] = {"kind": "files", "folder": str(folder), "url": "https://www.example.org/"}
    with csv_kind(tmp_path / "site", monkeypatch), OaiServer(make_items(2)) as server, Website() as website:
        website.routes |= {"/": page("Start", "/hay", meta="1"), "/hay": page("On hay", meta="2")}
        by_kind: dict[str, dict[str, object]] = {
            "oai": {"url": server.url, "timeout": "20s", "backoff": "0s"},
            "files": published,
            "documents": published | {"content": "documents"},
            "marc": {"kind": "marc", "export": str(export)},
            "csv": {"kind": "csv", "table": str(table), "key": "isbn"},
            "web": {
                "kind": "web",
                "start": [f"{website.url}/"],
                "contact": "robot@example.edu",
                "interval": "0s",
                "private": True,
            },
        }
        settings = by_kind[kind]
        shelf = Shelf(create_library(tmp_path / "library"))
        add_source(shelf.folder, NAME, settings)
        yield Trial(shelf, settings)


@pytest.fixture(params=KINDS)
def trial(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Trial]:
    """One source of each kind whose records are all there at once."""
    with tried(request.param, tmp_path, monkeypatch) as made:
        yield made


@pytest.fixture(params=[*KINDS, "web"])
def any_trial(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Trial]:
    """One source of each kind."""
    with tried(request.param, tmp_path, monkeypatch) as made:
        yield made


class Failing(NullObserver):
    """Does something as soon as something was done."""

    def __init__(self, act: Callable[[], None]) -> None:
        self._act = act

    def advanced(self, source: str, counters: Counters, expected: int | None) -> None:
        """Do it."""
        self._act()


class Listening(NullObserver):
    """Notes which runs ended."""

    def __init__(self) -> None:
        self.ended_runs: list[Run] = []

    def ended(self, run: Run) -> None:
        """Note it."""
        self.ended_runs.append(run)


def _refuse(*_: object) -> None:
    raise StoreError("the store cannot be written")


def _raise(error: BaseException) -> Callable[[], None]:
    def act() -> None:
        raise error

    return act


def test_a_harvest_brings_its_records_once(trial: Trial) -> None:
    observer = Listening()
    first = trial.harvest(observer)
    assert (first.outcome, first.counters.added) == (Outcome.OK, 2)
    assert [run.id for run in observer.ended_runs] == [first.id]
    second = trial.harvest()
    assert (second.outcome, second.counters.added, second.counters.changed) == (Outcome.OK, 0, 0)
    assert trial.holders() == []


def test_ctrl_c_ends_the_run_as_interrupted_and_gives_the_source_back(any_trial: Trial) -> None:
    with pytest.raises(KeyboardInterrupt):
        any_trial.harvest(Failing(_raise(KeyboardInterrupt())))
    assert any_trial.last().outcome is Outcome.INTERRUPTED
    assert any_trial.holders() == []
    assert any_trial.harvest().outcome is Outcome.OK


def test_a_run_that_is_asked_to_stop_is_interrupted(any_trial: Trial) -> None:
    stopper = Stopper()
    stopper.stop()
    assert any_trial.harvest(stopper=stopper).outcome is Outcome.INTERRUPTED
    assert any_trial.holders() == []


def test_a_defect_is_a_problem_of_the_run_and_leaves_others_be(any_trial: Trial) -> None:
    run = any_trial.harvest(Failing(_raise(ZeroDivisionError("by nothing"))))
    assert run.outcome is Outcome.FAILED
    *_, problem = [each for each in run.problems if each.weight is Severity.FATAL]
    assert problem.code == "unexpected"
    assert "by nothing" in problem.message
    assert any_trial.holders() == []


def test_trouble_of_the_library_itself_is_raised_and_no_run_is_left_open(any_trial: Trial) -> None:
    with pytest.raises(StoreError):
        any_trial.harvest(Failing(_raise(StoreError("the disk is full"))))
    *_, problem = [each for each in any_trial.last().problems if each.weight is Severity.FATAL]
    assert (any_trial.last().outcome, problem.code) == (Outcome.FAILED, "storeerror")
    assert problem.message.startswith("the disk is full")
    assert any_trial.holders() == []


def test_a_store_that_takes_no_release_does_not_spoil_the_run(
    any_trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "release", _refuse)
    assert any_trial.harvest().outcome is Outcome.OK


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (KeyboardInterrupt(), Outcome.INTERRUPTED),
        (SystemExit(143), Outcome.INTERRUPTED),
        (StoreError("the disk is full"), Outcome.FAILED),
    ],
)
def test_a_store_that_takes_no_release_does_not_hide_what_ended_the_run(
    any_trial: Trial, error: BaseException, outcome: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "release", _refuse)
    with pytest.raises(type(error)) as caught:
        any_trial.harvest(Failing(_raise(error)))
    assert caught.value is error
    assert any_trial.last().outcome is outcome


def test_a_source_that_is_claimed_is_left_alone(trial: Trial) -> None:
    def harvest(library: Library) -> None:
        claim = leases.own_claim("windrow harvest")
        with library.store.writing() as connection:
            leases.take(connection, leases.lease_name(NAME), claim)
        with pytest.raises(SourceBusy):
            trial.harvest()
        with library.store.reading() as connection:
            assert runs.latest(connection, source=NAME) == []

    trial.look(harvest)


def test_what_is_asked_of_a_source_before_a_harvest_stores_nothing(trial: Trial) -> None:
    def ask(library: Library) -> None:
        settings, steps = library.source(NAME), StepDisplay(is_quiet=True)
        kind, question = kind_for(settings), Asking(config=library.config, library=library, steps=steps)
        probed = kind.probe(settings, question)
        assert probed.words
        assert dict(probed.values)
        checked = kind.check(settings, question)
        assert checked.failure is None
        assert checked.lines
        assert list(kind.preview(library, settings, HarvestOptions(), steps))
        assert all(fact.label and fact.text for fact in kind.facts(library, settings))
        assert list(kind.problems(library, settings)) == []
        with library.store.reading() as connection:
            assert sources.find(connection, NAME) is None
            assert runs.latest(connection) == []

    with interpreter_kept():
        trial.look(ask)


def test_a_record_is_traced_to_the_source(trial: Trial) -> None:
    trial.harvest()

    def ask(library: Library) -> None:
        settings = library.source(NAME)
        with library.store.reading() as connection:
            held = connection.exec_driver_sql("SELECT identifier FROM record ORDER BY id").scalars()
        identifier = next(iter(held))
        kind = kind_for(settings)
        found = kind.trace(library, settings, identifier, StepDisplay(is_quiet=True))
        assert found.record is not None
        assert [answer.record is not None for answer in found.answers] == [True]
        assert kind.trace(library, settings, identifier, None).answers == ()
        assert not kind.trace(library, settings, f"{identifier}.none", StepDisplay(is_quiet=True)).is_known

    trial.look(ask)


def test_the_same_place_twice_is_told_from_another(trial: Trial) -> None:
    other = {**trial.settings}
    key = next(each for each in ("folder", "table", "export", "url") if each in other)
    add_source(trial.shelf.folder, "twin", trial.settings)
    add_source(trial.shelf.folder, "other", other | {key: f"{other[key]}x/"})

    def ask(library: Library) -> None:
        mine, twin, another = (library.source(name) for name in (NAME, "twin", "other"))
        kind = kind_of(mine)
        assert kind.place(mine) == kind.place(twin)
        assert kind.place(mine) != kind.place(another)

    trial.look(ask)


def test_every_kind_is_described(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with csv_kind(tmp_path / "site", monkeypatch):
        assert set(all_kinds()) == {"oai", "files", "web", "marc", "csv"}
        for name, kind in all_kinds().items():
            assert kind.name == name
            assert re.fullmatch(r"an? .+", kind.label)
            assert kind.plural
            assert set(kind.flags) <= set(kind.own_fields)
            assert {"url", "kind", "enabled"} <= set(kind.fields)


def test_nothing_compares_the_names_of_kinds() -> None:
    """Whoever wants to know what a source can do asks its kind."""
    root = Path(windrow.__file__).parent
    compared = re.compile(r"\.kind\s*(==|!=|in)\s*(FILES|OAI|\(?[\"'](oai|files|web)[\"'])")
    found = [
        f"{path.relative_to(root)}: {match[0]}"
        for path in sorted(root.rglob("*.py"))
        for match in compared.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []
