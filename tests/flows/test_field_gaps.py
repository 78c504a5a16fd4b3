"""A source whose records lack a title, a date or a person: the run says so with an example, and stays ok."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.flows.harvesting import make_shelf
from tests.servers.items import NAMESPACES, Item, make_items
from tests.servers.oai import OaiServer
from windrow.index.checks import gaps_by_source
from windrow.model.run import Outcome, Severity
from windrow.wiring.indexing import follow_index

TITLE, PERSON, DATE = (
    "<dc:title>Moss</dc:title>",
    "<dc:creator>Lind, Ada</dc:creator>",
    "<dc:date>1931</dc:date>",
)


def items(count: int, *elements: str, whole: int = 0) -> list[Item]:
    """Records with these elements; the first `whole` of them have all."""
    made = make_items(count)
    payload = f"<oai_dc:dc {NAMESPACES}>{''.join(elements)}<dc:type>text</dc:type></oai_dc:dc>"
    return [*made[:whole], *(replace(item, payload=payload) for item in made[whole:])]


def notes(tmp_path: Path, *served: Item, page_size: int = 10) -> dict[str, str]:
    """Return what a run notes of such records."""
    with OaiServer(list(served), page_size=page_size) as server:
        run = make_shelf(tmp_path, server).harvest()
    assert run.outcome is Outcome.OK
    found = {problem.code: problem.message for problem in run.problems if problem.code.startswith("no-")}
    assert all(each.weight is Severity.NOTE for each in run.problems if each.code in found)
    return found


@pytest.mark.parametrize(
    ("code", "elements"),
    [("no-title", (PERSON, DATE)), ("no-person", (TITLE, DATE)), ("no-date", (TITLE, PERSON))],
)
def test_a_field_that_no_record_has_is_reported_with_an_example(
    tmp_path: Path, code: str, elements: tuple[str, ...]
) -> None:
    (found,) = notes(tmp_path, *items(60, *elements)).items()
    assert found[0] == code
    assert found[1].startswith("100 % of the records have no ")
    assert "for example oai:test.example:" in found[1]


def test_a_title_missing_in_one_record_of_five_is_reported(tmp_path: Path) -> None:
    assert set(notes(tmp_path, *items(50, PERSON, DATE, whole=40))) == {"no-title"}


def test_persons_and_dates_missing_in_half_of_the_records_are_not(tmp_path: Path) -> None:
    assert notes(tmp_path, *items(50, TITLE, whole=25)) == {}


@pytest.mark.parametrize(
    ("missing", "expected"), [(20, set()), (21, {"no-title"})], ids=["at the limit", "over it"]
)
def test_the_limit_for_titles_is_one_in_ten(tmp_path: Path, missing: int, expected: set[str]) -> None:
    assert set(notes(tmp_path, *items(200, PERSON, DATE, whole=200 - missing))) == expected


def test_twenty_records_are_the_fewest_that_show_something(tmp_path: Path) -> None:
    assert notes(tmp_path / "a", *items(19, PERSON, DATE)) == {}
    assert set(notes(tmp_path / "b", *items(20, PERSON, DATE))) == {"no-title"}


@pytest.mark.parametrize("kind", ["Photograph", "StillImage", "PhysicalObject", "valokuvat"])
def test_nobody_is_missed_in_pictures_and_objects(tmp_path: Path, kind: str) -> None:
    pictures = items(60, TITLE, DATE, f"<dc:type>{kind}</dc:type>")
    with OaiServer(pictures, page_size=50) as server:
        shelf = make_shelf(tmp_path, server)
        assert [each.code for each in shelf.harvest().problems if each.code == "no-person"] == []
    library = shelf.open()
    try:
        follow_index(library)
        assert gaps_by_source(library.index, {}) == {}
    finally:
        library.close()


def test_persons_are_missed_in_texts_beside_pictures(tmp_path: Path) -> None:
    pictures = items(60, TITLE, DATE, "<dc:type>Image</dc:type>")
    texts = [replace(each, identifier=f"{each.identifier}/text") for each in items(40, TITLE, DATE)]
    with OaiServer([*pictures, *texts], page_size=50) as server:
        shelf = make_shelf(tmp_path, server)
        (note,) = [each for each in shelf.harvest().problems if each.code == "no-person"]
    assert "/text" in note.message
    library = shelf.open()
    try:
        follow_index(library)
        ((gap,),) = gaps_by_source(library.index, {}).values()
    finally:
        library.close()
    assert (gap.field, gap.missing, gap.records) == ("person", 40, 40)
    assert gap.example.endswith("/text")


def test_few_records_show_nothing(tmp_path: Path) -> None:
    assert notes(tmp_path, *items(15)) == {}


def test_records_that_have_everything_are_not_mentioned(tmp_path: Path) -> None:
    assert notes(tmp_path, *make_items(300)) == {}


def test_what_is_rare_at_the_start_and_usual_later_is_found(tmp_path: Path) -> None:
    assert set(notes(tmp_path, *items(3000, PERSON, DATE, whole=1500), page_size=100)) == {"no-title"}
