"""A damaged index: noticed by whoever reads or writes it, told in words, built anew."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from tests.contracts.store.shelf import gone
from tests.flows.commanding import WAIT_SECONDS
from tests.unit.index import harm
from tests.unit.index.grain import Grain, titled, titles
from tests.unit.index.test_at_once import RECORDS, builder, filled
from windrow.errors import StoreError
from windrow.index.feeder import follow
from windrow.index.tantivy.damage import find_damage
from windrow.index.tantivy.live_index import NONE, LiveIndex
from windrow.model.query import Everything, Phrase

FIRST = "g-000001"


def hay(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Hay and straw"), titled("b", "Oats"), titled("c", "Rye"))
    grain.follow()
    grain.shelf.write(gone("b"))
    grain.follow()  # some segments have deletions, others not


def watchful(grain: Grain) -> LiveIndex:
    """An index that looks for news at every question."""
    return LiveIndex(grain.folder, clock=iter(range(1_000_000_000)).__next__)


@pytest.mark.parametrize("part", [*harm.PARTS, "*"])
def test_files_that_make_tantivy_panic_are_noticed_and_lead_to_a_new_build(grain: Grain, part: str) -> None:
    hay(grain)
    harm.replace(grain.folder / FIRST, part)
    index = watchful(grain)
    assert not index.is_ready
    assert "is not as it was written" in index.trouble
    with pytest.raises(StoreError, match="is not as it was written"):
        index.check()
    done = grain.follow()  # though the library has nothing new
    assert done.is_built
    assert done.reason.startswith("the one that was there is damaged: ")
    assert index.is_ready
    assert index.trouble == ""
    assert titles(index) == ["Hay and straw", "Rye"]


@pytest.mark.parametrize("part", [*harm.PARTS, "*"])
def test_a_writer_that_meets_the_damage_first_builds_anew(grain: Grain, part: str) -> None:
    hay(grain)
    harm.replace(grain.folder / FIRST, part)
    grain.shelf.write(titled("d", "Barley"))
    assert "damaged" in grain.follow().reason
    assert grain.titles() == ["Hay and straw", "Rye", "Barley"]


@pytest.mark.parametrize("part", ["idx", "pos", "store", "term"])
def test_damage_that_only_a_search_meets_ends_the_state_it_was_in(grain: Grain, part: str) -> None:
    hay(grain)
    index = watchful(grain)
    assert index.is_ready
    harm.overwrite(grain.folder / FIRST, part)
    with pytest.raises(StoreError):
        _ask_all(index)
    assert not index.is_ready
    assert (index.generation, f".{part} is not" in index.trouble) == (NONE, True)
    assert "damaged" in grain.follow().reason
    assert titles(index) == ["Hay and straw", "Rye"]


def _ask_all(index: LiveIndex) -> None:
    for number in range(1, 4):
        index.card(number)
    index.search(Phrase(("hay", "straw"), slop=3))
    titles(index, "hay")
    index.complete("ha")
    index.values("source")


def test_what_is_open_goes_on_answering_when_its_files_are_replaced(grain: Grain) -> None:
    hay(grain)
    index = watchful(grain)
    assert index.is_ready
    harm.replace(grain.folder / FIRST)
    assert titles(index) == ["Hay and straw", "Rye"]
    assert index.is_ready


def test_an_index_whose_folder_is_deleted_answers_until_the_new_one_is_whole(grain: Grain) -> None:
    filled(grain)
    grain.follow()
    index = watchful(grain)
    before = index.generation
    shutil.rmtree(grain.folder)
    assert (index.count(Everything()), index.is_ready) == (RECORDS, True)
    process = builder(grain, "follow")
    assert process.stdout is not None
    process.stdout.readline()  # a batch is in, and it waits
    assert grain.generations.current() == FIRST  # the same name again
    assert (index.count(Everything()), index.is_ready, index.generation) == (RECORDS, True, before)
    process.communicate("\n" * 9, timeout=WAIT_SECONDS)
    assert (index.count(Everything()), index.is_ready) == (RECORDS, True)
    assert index.generation != before


def test_nothing_is_wrong_with_what_is_whole(grain: Grain) -> None:
    hay(grain)
    assert list((grain.folder / FIRST).glob("*.del"))
    assert find_damage(grain.folder / FIRST) == ""
    LiveIndex(grain.folder).examine()


def test_a_single_byte_that_changed_is_found_in_any_file(grain: Grain) -> None:
    hay(grain)
    generation = grain.folder / FIRST
    for path in [*harm.files(generation), *generation.glob("*.del")]:
        whole = path.read_bytes()
        path.write_bytes(bytes([whole[0] ^ 1]) + whole[1:])
        assert find_damage(generation) == f"{path.name} is not as it was written"
        path.unlink()
        assert find_damage(generation) == f"{path.name} is missing"
        path.write_bytes(whole)
    assert find_damage(generation) == ""


@pytest.mark.parametrize("name", ["meta.json", ".managed.json"])
@pytest.mark.parametrize("content", [b"", b"{", b"[7"])
def test_notes_of_tantivy_that_cannot_be_read_are_damage(grain: Grain, name: str, content: bytes) -> None:
    hay(grain)
    (grain.folder / FIRST / name).write_bytes(content)
    assert find_damage(grain.folder / FIRST) == f"{name} cannot be read"
    assert LiveIndex(grain.folder).trouble == f"{name} cannot be read"
    assert grain.follow().is_built
    assert grain.titles() == ["Hay and straw", "Rye"]


def test_damage_that_nobody_met_is_found_by_an_examination(grain: Grain) -> None:
    hay(grain)
    path = harm.files(grain.folder / FIRST, "fieldnorm")[0]
    content = bytearray(path.read_bytes())
    content[1] ^= 1
    path.write_bytes(content)
    with pytest.raises(StoreError, match="fieldnorm is not as it was written"):
        LiveIndex(grain.folder).examine()
    assert "fieldnorm" in grain.follow().reason


def test_the_state_of_the_current_generation_is_had_in_one_step(grain: Grain) -> None:
    assert grain.generations.current_state() is None
    hay(grain)
    found = grain.generations.current_state()
    assert found is not None
    assert (found[0], found[1].is_whole) == (FIRST, True)
    (grain.folder / FIRST / "state.json").unlink()
    assert grain.generations.current_state() is None
    assert grain.generations.damage(FIRST) == "state.json cannot be read"


def test_a_state_with_this_versions_mark_and_other_fields_leads_to_a_new_build(grain: Grain) -> None:
    hay(grain)
    state = grain.generations.state(FIRST)
    assert state is not None
    grain.generations.note(FIRST, replace(state, shape="another"))
    index = watchful(grain)
    assert (index.is_ready, index.was_ours) == (False, True)
    done = follow(grain.store, grain.generations, was_ours=index.was_ours)  # as whoever serves does
    assert done.is_built
    assert "state.json tells of other fields" in done.reason
    assert titles(index) == ["Hay and straw", "Rye"]
