"""What records are called in lists: their titles, and nothing where there is none to be read."""

from __future__ import annotations

from pathlib import Path

from tests.unit.search.catalogue import Catalogue
from windrow.search.record_view import read_titles


def test_a_list_has_the_titles_that_can_be_read(tmp_path: Path) -> None:
    catalogue = Catalogue(tmp_path)
    catalogue.add("a", title="Hay in the meadow")
    catalogue.add("b", creator="Mower, Ann")
    catalogue.add("c", payload=b"<broken")
    catalogue.add("d", title=(" ", "Second"))
    numbers = {name: catalogue.shelf("hay").find(name).id for name in "abcd"}
    with catalogue.store.reading() as connection:
        found = read_titles(connection, list(numbers.values()))
    assert {number: title.value for number, title in found.items()} == {
        numbers["a"]: "Hay in the meadow",
        numbers["d"]: "Second",
    }
    catalogue.close()
