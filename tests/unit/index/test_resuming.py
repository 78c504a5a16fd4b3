"""Pages that follow one another while documents come and go: what stayed is shown, in every order."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

from tests.unit.index.grain import Grain
from windrow.errors import UsageError
from windrow.index.protocol import Order
from windrow.index.tantivy.index_writer import TantivyWriter
from windrow.index.tantivy.live_index import LiveIndex
from windrow.index.tantivy.rows import Entry
from windrow.model.document import Document, Text
from windrow.model.query import Everything, Query, Word

COUNT = 120
PAGE = 20
Change = Callable[[TantivyWriter, list[int]], None]


def report(number: int) -> Entry:
    """A title that begins as all the others do; some have the word in their descriptions, too."""
    document = Document(
        titles=(Text(f"Annual report {(number * 37) % 50:02} of hay"),),
        descriptions=(Text("hay " * (number % 7)),),
        year=2000 + number % 5,
    )
    return Entry(number, "hay", f"{number}", (), document)


def removes_shown(writer: TantivyWriter, shown: list[int]) -> None:
    writer.remove(shown[:15])


def removes_the_last_shown(writer: TantivyWriter, shown: list[int]) -> None:
    writer.remove(shown[-1:])


def removes_all_shown(writer: TantivyWriter, shown: list[int]) -> None:
    writer.remove(shown)


def adds_some(writer: TantivyWriter, shown: list[int]) -> None:
    writer.put(report(number) for number in range(1001, 1041))


def puts_some_anew(writer: TantivyWriter, shown: list[int]) -> None:
    writer.put(report(number) for number in shown[::3])


def numbers(index: LiveIndex, query: Query, order: Order, after: str | None) -> tuple[list[int], str | None]:
    page = index.search(query, limit=PAGE, order=order, after=after)
    return [hit.card.number for hit in page.hits], page.next


@pytest.fixture
def writer(grain: Grain) -> TantivyWriter:
    name = grain.generations.begin()
    made = TantivyWriter(grain.generations, name, is_new=True)
    made.put(map(report, range(1, COUNT + 1)))
    made.commit(1)
    made.note(is_whole=True)
    made.close()
    grain.generations.make_current(name)
    return TantivyWriter(grain.generations, name, is_new=False)


@pytest.mark.parametrize("order", list(Order))
@pytest.mark.parametrize("query", [Word("hay"), Everything()], ids=str)
@pytest.mark.parametrize(
    "change", [removes_shown, removes_the_last_shown, removes_all_shown, adds_some, puts_some_anew]
)
def test_what_stays_is_shown_while_others_come_and_go(
    grain: Grain, writer: TantivyWriter, change: Change, query: Query, order: Order
) -> None:
    index = LiveIndex(grain.folder)
    shown, after = numbers(index, query, order, None)
    more, after = numbers(index, query, order, after)
    shown += more
    change(writer, list(shown))
    writer.commit(2)
    writer.close()
    index = LiveIndex(grain.folder)
    staying = {number for number in range(1, COUNT + 1) if index.card(number)}
    while after is not None:
        more, after = numbers(index, query, order, after)
        shown += more
    if change is puts_some_anew and order is Order.RELEVANCE:
        assert len(staying - set(shown)) <= len(shown[: 2 * PAGE : 3]), "more passed over than were changed"
        return
    assert staying <= set(shown)
    if change is removes_shown or order is not Order.RELEVANCE:
        old = [number for number in shown if number <= COUNT]
        assert len(old) == len(set(old)), "shown twice"


@pytest.mark.parametrize("order", list(Order))
def test_a_cursor_that_was_tampered_with_is_refused_or_leads_to_a_page(
    grain: Grain, writer: TantivyWriter, order: Order
) -> None:
    writer.close()
    index = LiveIndex(grain.folder)
    after = index.search(Word("hay"), limit=PAGE, order=order).next or ""
    for text in (
        after[:-1],
        after + "A",
        after + "-",
        after.replace("-", "-f", 1),
        f"{after}-____",
        after[:9],
    ):
        with suppress(UsageError):
            index.search(Word("hay"), limit=PAGE, order=order, after=text)
