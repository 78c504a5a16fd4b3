"""What a writer notes of all documents: the same numbers as counted, and never those of another state."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contracts.index.back_ends import Shelf
from tests.contracts.index.hay import entry
from tests.contracts.store.shelf import live
from tests.oracle.memory_index import MemoryIndex
from tests.unit.index.grain import Grain
from windrow.index.protocol import FacetCounts, FacetRequest, ValueCount
from windrow.index.tantivy import index_writer
from windrow.index.tantivy.facet_counting import MAX_SUMMED, Summary, summarise
from windrow.index.tantivy.live_index import LiveIndex
from windrow.model.document import Document
from windrow.model.query import Everything, Word
from windrow.model.record import Record

MANY = 3 * MAX_SUMMED  # values
SUBJECTS = FacetRequest("subject", 3)
MADE_UP = {"subject": {"values": [["chaff", 7], ["bran", 5]], "others": 2}}
DC = (
    b'<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"'
    b' xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:subject>%s</dc:subject></oai_dc:dc>'
)


@pytest.fixture(autouse=True)
def _however_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_writer, "MIN_RECORDS", 1)


def about(identifier: str, subject: str) -> Record:
    return live(identifier, DC % subject.encode(), declarations=b"")


def made_up(**changed: Any) -> Summary:
    note = {"commits": 3, "records": 9, "fields": MADE_UP, **changed}
    return Summary(lambda: note, commits=3, records=9)


@pytest.mark.parametrize("limit", [1, 2, 10, MAX_SUMMED])
def test_it_says_what_would_be_counted(limit: int) -> None:
    entries = [
        entry(number, Document(keywords=(f"straw {number * number % MANY}", f"hay {number % 7}")))
        for number in range(2 * MANY)
    ]
    shelf = Shelf()
    for part in (entries[:99], entries[99:]):
        shelf.put(part)
    index = shelf.index()
    note = summarise(index._searcher, commits=1)
    summary = Summary(lambda: note, commits=1, records=index.records)
    for field in ("subject", "keyword"):
        asked = FacetRequest(field, limit)
        assert (summary.answer(asked),) == MemoryIndex(entries).tally(Everything(), [asked])


@pytest.mark.parametrize(
    "asked",
    [
        FacetRequest("subject", MAX_SUMMED + 1),
        FacetRequest("subject", 3, is_by_value=True),
        FacetRequest("subject", 3, within=FacetRequest("year", 3)),
        FacetRequest("subject", 3, prefix="h"),
        FacetRequest("institution", 3),
    ],
)
def test_what_it_does_not_know_it_does_not_say(asked: FacetRequest) -> None:
    assert made_up().answer(asked) is None


@pytest.mark.parametrize(
    "changed", [{"commits": 2}, {"records": 8}, {"fields": None}, {"fields": {"subject": {"values": [[1]]}}}]
)
def test_a_note_of_another_state_or_another_form_is_none(changed: dict[str, Any]) -> None:
    assert made_up().answer(SUBJECTS) == FacetCounts((ValueCount("chaff", 7), ValueCount("bran", 5)), 2)
    assert made_up(**changed).answer(SUBJECTS) is None


def test_whoever_brings_an_index_up_to_date_notes_it_and_readers_take_it_from_there(grain: Grain) -> None:
    grain.shelf.write(about("a", "hay"), about("b", "hay"), about("c", "oats"))
    grain.follow()
    noted = grain.generations.summary("g-000001")
    assert noted["fields"]["subject"] == {"values": [["hay", 2], ["oats", 1]], "others": 0}
    grain.generations.note_summary("g-000001", {**noted, "fields": MADE_UP})
    index = LiveIndex(grain.folder)
    found, (years, _) = (
        index.tally(Everything(), [SUBJECTS]),
        index.tally(Everything(), [FacetRequest("year"), SUBJECTS]),
    )
    assert found[0].values[0] == ValueCount("chaff", 7)  # not counted: read
    assert years == FacetCounts(())
    assert index.tally(Word("oats"), [SUBJECTS])[0].values == (ValueCount("oats", 1),)


def test_a_change_makes_it_void(grain: Grain) -> None:
    grain.shelf.write(about("a", "hay"))
    grain.follow()
    index = LiveIndex(grain.folder)
    assert index.tally(Everything(), [SUBJECTS])[0].values == (ValueCount("hay", 1),)
    grain.shelf.write(about("a", "oats"))
    grain.follow()
    index.look()
    assert index.tally(Everything(), [SUBJECTS])[0].values == (ValueCount("oats", 1),)


def test_a_small_library_has_none(grain: Grain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    grain.shelf.write(about("a", "hay"))
    grain.follow()
    assert grain.generations.summary("g-000001") == {}
    assert LiveIndex(grain.folder).tally(Everything(), [SUBJECTS])[0].values == (ValueCount("hay", 1),)
