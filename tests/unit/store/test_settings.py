"""Since when something has been as it is, in all processes of a library."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from windrow.store.settings import began
from windrow.store.store import Store, create_store, open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(create_store(tmp_path)) as made:
        yield made


def test_what_was_never_known_to_be_otherwise_has_always_been_so(store: Store) -> None:
    assert (began(store, "look", "green"), began(store, "look", "green")) == (0, 0)


def test_another_mark_counts_from_when_it_is_first_told_and_the_old_one_anew(
    store: Store, tmp_path: Path
) -> None:
    began(store, "look", "green")
    before = int(store.clock())
    blue = began(store, "look", "blue")
    assert before <= blue <= int(store.clock())
    with closing(open_store(tmp_path)) as elsewhere:
        assert began(elsewhere, "look", "blue") == blue
        assert began(elsewhere, "look", "green") >= blue
    assert began(store, "words", "green") == 0
