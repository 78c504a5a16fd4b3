"""Since when something has been as it is, in all processes of a library."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from windrow.store.store import Store, create_store, open_store, unchanged_since


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(create_store(tmp_path)) as made:
        yield made


def test_what_was_never_known_to_be_otherwise_has_always_been_so(store: Store) -> None:
    assert (unchanged_since(store, "look", "green"), unchanged_since(store, "look", "green")) == (0, 0)


def test_another_mark_counts_from_when_it_is_first_told_and_the_old_one_anew(
    store: Store, tmp_path: Path
) -> None:
    unchanged_since(store, "look", "green")
    before = int(store.clock())
    blue = unchanged_since(store, "look", "blue")
    assert before <= blue <= int(store.clock())
    with closing(open_store(tmp_path)) as elsewhere:
        assert unchanged_since(elsewhere, "look", "blue") == blue
        assert unchanged_since(elsewhere, "look", "green") >= blue
    assert unchanged_since(store, "words", "green") == 0
