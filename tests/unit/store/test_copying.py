"""Copies of the store that cannot be made: the words name the copy, not the store it is of."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from windrow.errors import StoreError
from windrow.store.snapshot import copy_store
from windrow.store.store import create_store


def test_a_copy_that_cannot_be_written_is_told_of_by_its_own_name(tmp_path: Path) -> None:
    with closing(create_store(tmp_path)) as store, pytest.raises(StoreError) as caught:
        copy_store(store, tmp_path / "gone")
    assert str(tmp_path / "gone" / "windrow.db") in str(caught.value)
    assert "copy elsewhere" in caught.value.hint
