"""What hosts asked of us, across runs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from tests.contracts.store.shelf import BackEnd
from windrow.store.store import Store


def test_a_time_in_the_future_is_remembered_by_host(back_end: BackEnd, store: Store, tmp_path: Path) -> None:
    later = datetime.now(UTC) + timedelta(hours=1)
    store.memory.remember("hay.example", later)
    other = back_end.open(tmp_path)
    assert other.memory.not_before("hay.example") == later
    assert other.memory.not_before("straw.example") is None
    other.close()


def test_a_shorter_wait_never_replaces_a_longer_one(store: Store) -> None:
    now = datetime.now(UTC)
    store.memory.remember("hay.example", now + timedelta(hours=2))
    store.memory.remember("hay.example", now + timedelta(hours=1))
    assert store.memory.not_before("hay.example") == now + timedelta(hours=2)
    store.memory.remember("hay.example", now + timedelta(hours=3))
    assert store.memory.not_before("hay.example") == now + timedelta(hours=3)


def test_times_are_compared_as_times_whatever_their_zone_and_precision(store: Store) -> None:
    noon = (datetime.now(UTC) + timedelta(days=1)).replace(microsecond=0)
    store.memory.remember("hay.example", noon + timedelta(microseconds=5))
    store.memory.remember("hay.example", noon)
    store.memory.remember("hay.example", (noon - timedelta(hours=1)).astimezone(timezone(timedelta(hours=9))))
    assert store.memory.not_before("hay.example") == noon + timedelta(microseconds=5)


def test_only_a_wait_that_is_over_is_forgotten(store: Store) -> None:
    now = datetime.now(UTC)
    store.memory.remember("hay.example", now + timedelta(hours=2))
    store.memory.forget("hay.example", now + timedelta(hours=1))
    assert store.memory.not_before("hay.example") == now + timedelta(hours=2)
    store.memory.forget("hay.example", now + timedelta(hours=2))
    assert store.memory.not_before("hay.example") is None


def test_a_time_that_has_passed_is_no_hindrance(store: Store) -> None:
    store.memory.remember("hay.example", datetime.now(UTC) - timedelta(seconds=1))
    assert store.memory.not_before("hay.example") is None
