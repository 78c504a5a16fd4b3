"""What was done for a collection: noted when it begins, ended with its outcome, killed if it has no end."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.contracts.store.shelf import Shelf
from windrow.errors import Interrupted, StoreError
from windrow.model.run import CollectionStep, Outcome, StepKind
from windrow.store import runs
from windrow.store.runs import STEPS_KEPT, record_step


def steps(shelf: Shelf, collection: str | None = None, *, limit: int = 20) -> list[CollectionStep]:
    with shelf.store.reading() as connection:
        return runs.list_steps(connection, collection, limit=limit)


def test_a_step_is_remembered_with_what_was_noted(shelf: Shelf) -> None:
    times = iter([100.0, 100.0, 107.5, 107.5])
    shelf.store.clock = lambda: next(times)
    with record_step(
        shelf.store, StepKind.BUILD, collection="barn", owner="test", generation="g-000007"
    ) as note:
        note.records, note.summary = 12, "because it was asked for"
    (step,) = steps(shelf)
    assert (step.kind, step.collection, step.generation) == (StepKind.BUILD, "barn", "g-000007")
    assert (step.word, step.records, step.summary) == ("ok", 12, "because it was asked for")
    assert (step.started, step.seconds) == (100.0, 7.5)


def test_a_step_under_way_is_running_as_long_as_its_process_lives(shelf: Shelf) -> None:
    with record_step(shelf.store, StepKind.IMPORT):
        (step,) = steps(shelf)
        assert (step.word, step.outcome, step.seconds) == ("running", None, None)
    gone = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    with shelf.store.writing() as connection:
        connection.exec_driver_sql("UPDATE build SET outcome = NULL, pid = ?", (int(gone.stdout),))
    (step,) = steps(shelf)
    assert step.word == "killed"


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (StoreError("no room"), Outcome.FAILED),
        (ZeroDivisionError(), Outcome.FAILED),
        (Interrupted("stop"), Outcome.INTERRUPTED),
        (KeyboardInterrupt(), Outcome.INTERRUPTED),
    ],
)
def test_an_error_ends_the_step_and_goes_on(shelf: Shelf, error: BaseException, outcome: Outcome) -> None:
    with pytest.raises(type(error)), record_step(shelf.store, StepKind.BUILD):
        raise error
    (step,) = steps(shelf)
    assert (step.outcome, step.summary) == (outcome, str(error) or type(error).__name__)


def test_a_history_that_takes_no_end_hides_no_error(shelf: Shelf, caplog: pytest.LogCaptureFixture) -> None:
    def build() -> None:
        with record_step(shelf.store, StepKind.BUILD):
            with shelf.store.writing() as connection:
                connection.exec_driver_sql("DROP TABLE build")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        build()
    assert "history cannot be written" in caplog.text


def test_what_was_done_for_the_whole_library_is_every_collections_too(shelf: Shelf) -> None:
    for collection in ("barn", "", "shed"):
        with record_step(shelf.store, StepKind.BUILD, collection=collection):
            pass
    assert [step.collection for step in steps(shelf)] == ["shed", "", "barn"]
    assert [step.collection for step in steps(shelf, "barn")] == ["", "barn"]
    assert [step.collection for step in steps(shelf, "barn", limit=1)] == [""]


def test_work_goes_on_where_history_cannot_be_written(shelf: Shelf, caplog: pytest.LogCaptureFixture) -> None:
    with shelf.store.writing() as connection:
        connection.exec_driver_sql("DROP TABLE build")
    is_done = False
    with record_step(shelf.store, StepKind.BUILD):
        is_done = True
    assert is_done
    assert "history cannot be written" in caplog.text


def test_old_steps_are_forgotten(shelf: Shelf) -> None:
    with record_step(shelf.store, StepKind.IMPORT):
        pass
    with shelf.store.writing() as connection:
        connection.exec_driver_sql(
            "INSERT INTO build"
            " (step, collection, started, records, generation, summary, owner, pid, host, birth)"
            " WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
            " SELECT 'build', 'shed', i, 0, '', '', '', 1, '', '' FROM n",
            (STEPS_KEPT,),
        )
    with record_step(shelf.store, StepKind.ACTIVATE):
        pass
    assert shelf.count("build") == STEPS_KEPT
    assert steps(shelf, limit=1)[0].kind is StepKind.ACTIVATE
