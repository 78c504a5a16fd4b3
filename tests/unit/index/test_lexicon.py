"""Values from A to Z, page by page: each once and none left out, wherever a page ends."""

from __future__ import annotations

from itertools import product

import pytest

from tests.contracts.index.back_ends import Shelf
from tests.contracts.index.hay import entry
from tests.oracle.memory_index import MemoryIndex
from windrow.index.tantivy.rows import Entry
from windrow.index.tantivy.searching import TantivyIndex
from windrow.model.document import Document

GONE = range(3, 200, 11)
LETTERS = "aäbÖ"


def filed() -> list[Entry]:
    """Keywords that begin alike, in four letters and less, as often as not with signs above them."""
    names = ["".join(name) for length in (1, 3, 4) for name in product(LETTERS, repeat=length)]
    return [
        entry(number, Document(keywords=(name, f"{name} and more", names[0])))
        for number, name in enumerate(names)
    ]


@pytest.fixture(scope="module")
def real() -> TantivyIndex:
    shelf, entries = Shelf(), filed()
    for part in (entries[:100], entries[100:]):
        shelf.put(part)
    shelf.remove(GONE)
    return shelf.index()


def walked(index: TantivyIndex | MemoryIndex, prefix: str, limit: int) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    while page := index.values("keyword", prefix=prefix, after=found[-1][0] if found else "", limit=limit):
        found += [(each.value, each.count) for each in page]
    return found


@pytest.mark.parametrize("prefix", ["", "a", "äb", "öa", "zz"])
@pytest.mark.parametrize("limit", [3, 17, 1000])
def test_pages_follow_one_another_without_a_gap(real: TantivyIndex, prefix: str, limit: int) -> None:
    plain = MemoryIndex(one for one in filed() if one.number not in GONE)
    assert walked(real, prefix, limit) == walked(plain, prefix, 1000)


def test_first_letters_are_those_of_what_is_there(real: TantivyIndex) -> None:
    plain = MemoryIndex(one for one in filed() if one.number not in GONE)
    assert [real.initials("keyword") for _ in range(2)] == [plain.initials("keyword")] * 2
