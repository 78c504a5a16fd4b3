"""What hosts asked of us, across runs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
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


def test_a_later_word_replaces_the_earlier(store: Store) -> None:
    now = datetime.now(UTC)
    store.memory.remember("hay.example", now + timedelta(hours=2))
    store.memory.remember("hay.example", now + timedelta(hours=1))
    assert store.memory.not_before("hay.example") == now + timedelta(hours=1)
    store.memory.remember("hay.example", None)
    assert store.memory.not_before("hay.example") is None


def test_a_time_that_has_passed_is_no_hindrance(store: Store) -> None:
    store.memory.remember("hay.example", datetime.now(UTC) - timedelta(seconds=1))
    assert store.memory.not_before("hay.example") is None
