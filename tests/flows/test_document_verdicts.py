"""Documents dropped, hidden and brought back by hand: what no later run overrules."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.flows.folders import NAME, OLD, URL
from tests.flows.papers import Papers, make_papers, zipped
from windrow.errors import NotFound, UsageError
from windrow.extract.pool import Pool
from windrow.harvest.documents import document_runs
from windrow.store.records.set_hierarchy import HIDDEN_BY_HAND, find_guards
from windrow.store.sources import find
from windrow.wiring.folder_source import open_published_folder


@pytest.fixture
def papers(tmp_path: Path, pool: Pool) -> Papers:
    made = make_papers(tmp_path, pool)
    made.write("one.txt", "first words")
    made.write("two.txt", "second words")
    made.harvest()
    return made


def drop(papers: Papers, *names: str) -> None:
    with papers.opened() as library:
        document_runs.drop_documents(
            library.store, open_published_folder(library, library.source(NAME)), names
        )


def hide(papers: Papers, *names: str) -> None:
    with papers.opened() as library:
        document_runs.hide_documents(
            library.store, open_published_folder(library, library.source(NAME)), names
        )


def restore(papers: Papers, *names: str) -> None:
    with papers.opened() as library:
        document_runs.release_documents(
            library.store, open_published_folder(library, library.source(NAME)), names
        )
    papers.harvest()


def guards(papers: Papers, path: str) -> frozenset[str]:
    with papers.opened() as library, library.store.reading() as connection:
        source = find(connection, NAME)
        assert source is not None
        return find_guards(connection, source.id, URL + path)


def test_a_dropped_document_is_a_tombstone_that_no_run_brings_back(papers: Papers) -> None:
    drop(papers, "one.txt")
    assert papers.record("one.txt").is_deleted
    papers.write("one.txt", "changed words", at=OLD + 1)
    papers.harvest()
    papers.harvest(is_full=True)
    assert papers.live() == {"two.txt"}


def test_a_dropped_document_stays_dropped_wherever_it_is_moved(papers: Papers) -> None:
    drop(papers, URL + "one.txt")
    (papers.root / "one.txt").rename(papers.root / "three.txt")
    papers.harvest()
    assert papers.live() == {"two.txt"}
    (papers.root / "three.txt").rename(papers.root / "four.txt")
    papers.refresh("three.txt", "four.txt")
    assert papers.live() == {"two.txt"}


def test_a_dropped_document_that_was_away_for_a_while_stays_dropped(papers: Papers) -> None:
    drop(papers, "one.txt")
    papers.remove("one.txt")
    papers.harvest()
    papers.write("back.txt", "first words")
    papers.harvest()
    assert papers.live() == {"two.txt"}


def test_a_dropped_document_comes_back_when_it_is_restored(papers: Papers) -> None:
    drop(papers, "one.txt")
    restore(papers, "one.txt")
    assert papers.live() == {"one.txt", "two.txt"}


def test_a_hidden_document_stays_in_the_library_under_a_guard_that_nobody_satisfies(papers: Papers) -> None:
    hide(papers, "one.txt")
    assert guards(papers, "one.txt") == {HIDDEN_BY_HAND}
    papers.write("one.txt", "changed words", at=OLD + 1)
    papers.harvest()
    assert guards(papers, "one.txt") == {HIDDEN_BY_HAND}
    file = papers.document("one.txt").file
    assert file is not None
    assert file.text == ("changed words",)


def test_a_hidden_document_is_seen_again_when_it_is_restored(papers: Papers) -> None:
    hide(papers, "one.txt", "two.txt")
    restore(papers, "one.txt")
    assert guards(papers, "one.txt") == frozenset()
    assert guards(papers, "two.txt") == {HIDDEN_BY_HAND}


def test_an_archive_is_dropped_and_restored_with_what_is_in_it(papers: Papers) -> None:
    papers.write("box.zip", zipped({"a.txt": "inside"}))
    papers.harvest()
    drop(papers, "box.zip")
    assert papers.live() == {"one.txt", "two.txt"}
    restore(papers, "box.zip")
    assert papers.live() == {"one.txt", "two.txt", "box.zip", "box.zip#a.txt"}


def test_a_member_is_dropped_by_itself(papers: Papers) -> None:
    papers.write("box.zip", zipped({"a.txt": "inside", "b.txt": "too"}))
    papers.harvest()
    drop(papers, "box.zip#a.txt")
    papers.write("box.zip", zipped({"a.txt": "inside again", "b.txt": "too"}), at=OLD + 1)
    papers.harvest()
    assert papers.live() == {"one.txt", "two.txt", "box.zip", "box.zip#b.txt"}
    restore(papers, "box.zip#a.txt")
    assert "box.zip#a.txt" in papers.live()


def test_what_is_not_there_cannot_be_dropped_and_nothing_else_is(papers: Papers) -> None:
    with pytest.raises(NotFound, match="no document three"):
        drop(papers, "one.txt", "three.txt")
    assert papers.live() == {"one.txt", "two.txt"}


def test_a_hidden_document_that_was_away_for_a_while_stays_hidden(papers: Papers) -> None:
    hide(papers, "one.txt")
    papers.remove("one.txt")
    papers.harvest()
    assert papers.record("one.txt").is_deleted
    assert papers.refresh() is None
    papers.write("back.txt", "first words")
    papers.harvest()
    assert papers.live() == {"one.txt", "two.txt"}
    assert guards(papers, "one.txt") == {HIDDEN_BY_HAND}


def test_a_hidden_document_that_is_seen_at_its_new_place_first_stays_hidden(papers: Papers) -> None:
    hide(papers, "one.txt")
    (papers.root / "one.txt").rename(papers.root / "three.txt")
    papers.refresh("three.txt")
    papers.refresh("one.txt")
    assert papers.live() == {"one.txt", "two.txt"}
    assert guards(papers, "one.txt") == {HIDDEN_BY_HAND}


def test_the_copy_of_a_dropped_document_does_not_bring_it_back(papers: Papers) -> None:
    drop(papers, "one.txt")
    papers.write("copy.txt", "first words")
    papers.refresh("copy.txt")
    papers.harvest()
    assert papers.live() == {"copy.txt", "two.txt"}


def test_what_comes_into_a_hidden_archive_is_hidden(papers: Papers) -> None:
    papers.write("box.zip", zipped({"a.txt": "inside"}))
    papers.harvest()
    hide(papers, "box.zip")
    papers.write("box.zip", zipped({"a.txt": "inside", "b.txt": "new"}), at=OLD + 1)
    papers.harvest()
    assert guards(papers, "box.zip#b.txt") == {HIDDEN_BY_HAND}


def test_a_dropped_member_stays_dropped_while_its_archive_goes_comes_and_moves(papers: Papers) -> None:
    papers.write("box.zip", zipped({"a.txt": "inside", "b.txt": "too"}))
    papers.harvest()
    drop(papers, "box.zip#a.txt")
    papers.remove("box.zip")
    papers.harvest()
    papers.write("box.zip", zipped({"a.txt": "inside", "b.txt": "too"}))
    papers.harvest()
    (papers.root / "box.zip").rename(papers.root / "bag.zip")
    papers.harvest()
    papers.write("bag.zip", zipped({"a.txt": "again", "b.txt": "too"}), at=OLD + 1)
    papers.harvest()
    assert papers.live() == {"one.txt", "two.txt", "box.zip", "box.zip#b.txt"}


def test_an_archive_that_was_moved_while_it_was_dropped_is_restored_whole(papers: Papers) -> None:
    papers.write("box.zip", zipped({"a.txt": "inside"}))
    papers.harvest()
    drop(papers, "box.zip")
    (papers.root / "box.zip").rename(papers.root / "bag.zip")
    papers.harvest()
    restore(papers, "bag.zip")
    assert papers.live() == {"one.txt", "two.txt", "box.zip", "box.zip#a.txt"}


def test_what_was_dropped_cannot_be_hidden_as_well(papers: Papers) -> None:
    drop(papers, "one.txt")
    with pytest.raises(UsageError, match=r"one\.txt: dropped already"):
        hide(papers, "two.txt", "one.txt")
    assert papers.live() == {"two.txt"}
    with papers.opened() as library, library.store.reading() as connection:
        source = find(connection, NAME)
        assert source is not None
        assert find_guards(connection, source.id, URL + "two.txt") == set()
