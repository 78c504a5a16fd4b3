"""A file made from stretches of records has the very bytes of one made record by record."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.contracts.store.shelf import Shelf, gone, live
from windrow.store.published import list_pages
from windrow.store.published.list_pages import CHANGED_SIGN, SEPARATOR, Stretch
from windrow.store.records.set_hierarchy import guard_set
from windrow.store.store import create_store
from windrow.web.sitemaps.sitemap_files import SitemapFile, Sitemaps

PLAIN = [f"oai:hay.example:10024/{number}" for number in range(1, 41)]
LONG = "a" * 2040  # with the start before it just too long
ODD = [
    "a b",
    "a//b",
    "a/..",
    "ä",
    "a&b",
    f"a{SEPARATOR}b",
    f"a{CHANGED_SIGN}5",
    f"a{CHANGED_SIGN}",
    "a'b",
    LONG,
    "%41",
    "\t",
]


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    """A source whose forty records came in two pages, with those of another between and after them."""
    store = create_store(tmp_path)
    hay, oats = Shelf(store), Shelf(store, "oats")
    hay.write(*map(live, PLAIN[:20]), now=1000)
    oats.write(*map(live, PLAIN[:15]), now=2000)
    hay.write(*map(live, PLAIN[20:]), now=3000)
    oats.write(live("oai:oats.example:1"), now=4000)
    yield hay
    store.close()


def made(shelf: Shelf) -> bytes:
    """The first file of a source."""
    list_pages.update_list_pages(shelf.store)
    sitemaps = Sitemaps("https://library.example")
    with shelf.store.reading() as connection:
        file = sitemaps.find(connection, shelf.name, 1)
        assert isinstance(file, SitemapFile)
        return sitemaps.file(connection, file)


@pytest.fixture
def only_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody read record by record."""

    def nothing(*_: object) -> None:
        pytest.fail("read record by record")

    monkeypatch.setattr(list_pages, "list_entries", nothing)


def one_by_one(shelf: Shelf) -> bytes:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(list_pages, "MIN_STRETCH_RECORDS", 10**9)
        return made(shelf)


@pytest.mark.usefixtures("only_together")
def test_records_that_came_together_are_read_together(shelf: Shelf) -> None:
    body = made(shelf).decode()
    start = "<url><loc>https://library.example/record/hay/oai:hay.example:10024/"
    assert body.count("<url>") == 40
    assert f"{start}20</loc><lastmod>1970-01-01T00:16:40Z</lastmod></url>\n{start}21</loc>" in body
    assert body.endswith(f"{start}40</loc><lastmod>1970-01-01T00:50:00Z</lastmod></url>\n</urlset>\n")


def test_the_bytes_are_those_of_a_file_made_record_by_record(shelf: Shelf) -> None:
    assert made(shelf) == one_by_one(shelf)


@pytest.mark.parametrize("changed", [PLAIN[:1], PLAIN[-1:], PLAIN[3:6], PLAIN[18:22], PLAIN[::2], PLAIN])
def test_what_changed_since_keeps_its_place_and_has_its_own_moment(shelf: Shelf, changed: list[str]) -> None:
    shelf.write(*(live(each, b"<y/>") for each in changed), now=5000)
    body = made(shelf)
    assert body.count(b"<lastmod>1970-01-01T01:23:20Z<") == len(changed)
    assert body == one_by_one(shelf)


@pytest.mark.usefixtures("only_together")
def test_what_changed_since_is_read_together_with_the_rest(shelf: Shelf) -> None:
    shelf.write(live(PLAIN[7], b"<y/>"), now=5000)
    assert made(shelf).count(b"<url>") == 40


def test_what_is_gone_or_not_for_everybody_is_left_out(shelf: Shelf) -> None:
    shelf.write(gone(PLAIN[0]), gone(PLAIN[25]), now=5000)
    shelf.write(live(PLAIN[1], b"<y/>", sets=(guard_set("secret"),)), now=6000)
    body = made(shelf)
    assert body.count(b"<url>") == 37
    assert body == one_by_one(shelf)


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("is_changed", [False, True])
def test_one_odd_identifier_is_written_as_it_must_be(shelf: Shelf, odd: str, is_changed: bool) -> None:
    shelf.write(live(odd), *(live(f"new:{number}") for number in range(20)), now=5000)
    if is_changed:
        shelf.write(live(odd, b"<y/>"), now=6000)
    body = made(shelf)
    assert body.count(b"<url>") == (61 if odd != LONG else 60)
    assert body == one_by_one(shelf)


def test_a_source_that_trickles_in_is_read_record_by_record(shelf: Shelf) -> None:
    for number in range(20):
        shelf.write(live(f"drop:{number}"), now=5000 + number)
    list_pages.update_list_pages(shelf.store)
    with shelf.store.reading() as connection:
        run = list_pages.list_pages(connection, shelf.source_id)
        assert not list_pages.has_long_stretches(connection, run)
    assert made(shelf).count(b"<url>") == 60


@given(
    st.lists(st.tuples(st.text("ab/", max_size=3), st.none() | st.integers(1, 99)), min_size=1, max_size=8)
)
def test_the_parts_of_a_stretch_are_its_identifiers_in_order(records: list[tuple[str, int | None]]) -> None:
    text = SEPARATOR.join(name if seq is None else f"{name}{CHANGED_SIGN}{seq}" for name, seq in records)
    moved = sum(seq is not None for _, seq in records)
    stretch = Stretch(0, len(records), moved, text)
    parts = [(name, at) for part, at in stretch.parts(lambda seq: seq) for name in part.split(SEPARATOR)]
    assert stretch.is_clear
    assert parts == [(name, seq or 0) for name, seq in records]
