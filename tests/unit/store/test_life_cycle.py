"""Claim, attempt, outcome, release: what every kind of run has in common."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from windrow.errors import Interrupted, SourceBusy, StoreError, UsageError
from windrow.model.run import Outcome
from windrow.store import leases
from windrow.store.connection import Connection
from windrow.store.life_cycle import attempting, claim, outcome_of, release
from windrow.store.store import Store, create_store

LEASE = "source hay"
OWNER = leases.own_claim("test")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = create_store(tmp_path)
    yield made
    made.close()


def take(connection: Connection) -> str:
    leases.take(connection, LEASE, OWNER)
    return LEASE


def give_back(connection: Connection) -> None:
    leases.release(connection, LEASE, OWNER)


def held(store: Store) -> list[str]:
    with store.reading() as connection:
        return list(leases.list_holders(connection))


@contextmanager
def unwritable(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A store that takes nothing for a while."""

    @contextmanager
    def refuse() -> Iterator[Connection]:
        raise StoreError("the disk is full")
        yield

    with monkeypatch.context() as patch:
        patch.setattr(store, "writing", refuse)
        yield


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (Interrupted("stop"), Outcome.INTERRUPTED),
        (KeyboardInterrupt(), Outcome.INTERRUPTED),
        (SystemExit(143), Outcome.INTERRUPTED),
        (StoreError("the disk is full"), Outcome.FAILED),
        (ZeroDivisionError(), Outcome.FAILED),
    ],
)
def test_an_error_is_an_outcome_and_goes_on(store: Store, error: BaseException, outcome: Outcome) -> None:
    ends: list[BaseException | None] = []
    assert claim(store, take) == LEASE
    assert held(store) == [LEASE]
    with pytest.raises(type(error)), attempting(store, end=ends.append, give_back=give_back):
        raise error
    assert (ends, outcome_of(error)) == ([error], outcome)
    assert held(store) == []


def test_a_run_that_ends_well_is_ended_once_and_releases_its_claim(store: Store) -> None:
    ends: list[BaseException | None] = []
    claim(store, take)
    with attempting(store, end=ends.append, give_back=give_back):
        pass
    assert ends == [None]
    assert held(store) == []


@pytest.mark.parametrize("error", [UsageError("no such column"), KeyboardInterrupt()])
def test_an_error_at_the_end_of_a_run_ends_it(store: Store, error: BaseException) -> None:
    ends: list[BaseException | None] = []

    def end(found: BaseException | None) -> None:
        ends.append(found)
        if found is None:
            raise error

    with pytest.raises(type(error)), attempting(store, end=end):
        pass
    assert ends == [None, error]


def test_a_store_that_takes_neither_outcome_nor_release_hides_no_error(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def end(_: BaseException | None) -> None:
        with store.writing():
            raise AssertionError

    def attempt() -> None:
        with unwritable(store, monkeypatch), attempting(store, end=end, give_back=give_back):
            raise UsageError("no such column")

    claim(store, take)
    with pytest.raises(UsageError, match="no such column"):
        attempt()
    assert caplog.messages == [
        "the outcome of a run cannot be stored: the disk is full",
        "a claim cannot be released yet: the disk is full",
    ]


def test_a_release_that_could_not_be_stored_is_made_by_the_next_claim(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim(store, take)
    with unwritable(store, monkeypatch):
        release(store, give_back)
        with pytest.raises(StoreError):
            claim(store, take)
    assert held(store) == [LEASE]
    assert claim(store, take) == LEASE, "this process has released it, though the store did not take that"
    with pytest.raises(SourceBusy):
        claim(store, take)
    release(store, give_back)
    assert held(store) == []


def test_a_claim_that_is_refused_keeps_the_releases_that_are_due(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim(store, take)
    with unwritable(store, monkeypatch):
        release(store, give_back)

    def refuse(_: Connection) -> None:
        raise SourceBusy("another source is taken")

    with pytest.raises(SourceBusy):
        claim(store, refuse)
    assert held(store) == [LEASE]
    assert claim(store, lambda _: 7) == 7
    assert held(store) == []


def test_a_release_is_made_once(store: Store) -> None:
    made: list[str] = []
    store.late_releases.append(lambda _: made.append("late"))
    for _ in range(3):
        claim(store, lambda _: None)
    assert made == ["late"]
