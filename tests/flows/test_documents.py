"""A folder of documents, harvested again and again: what is read, what is only looked at, what is gone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flows.folders import DAY, NOW, OLD, URL
from tests.flows.papers import Papers, make_papers, zipped
from tests.unit.sources.files.planting import protect
from windrow.errors import Interrupted
from windrow.extract.pool import Pool
from windrow.harvest.options import HarvestOptions
from windrow.harvest.stopping import Stopper
from windrow.model.run import Outcome
from windrow.store.guards import guards_of
from windrow.store.sources import find

BROKEN = b"%PDF-1.4 and nothing more"


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    made = Pool(1)
    yield made
    made.close()


@pytest.fixture
def papers(tmp_path: Path, pool: Pool) -> Papers:
    return make_papers(tmp_path, pool)


def test_a_document_is_kept_with_its_text_in_three_formats(papers: Papers) -> None:
    papers.write("letters/one.txt", "Dear Sir, the barley is ripe.")
    run = papers.harvest()
    assert (run.outcome, run.counters.added) == (Outcome.OK, 1)
    record = papers.record("letters/one.txt")
    assert {each.prefix for each in record.payloads} == {"windrow_document", "oai_dc", "http_header"}
    document = papers.document("letters/one.txt")
    assert document.file is not None
    assert (document.file.folder, document.file.name) == ("letters", "one.txt")
    assert document.file.text == ("Dear Sir, the barley is ripe.",)
    assert document.title == "one.txt"
    assert document.fulltext == URL + "letters/one.txt"
    assert document.types == ("Text",)


def test_a_folder_in_which_nothing_changed_is_not_read_again(papers: Papers) -> None:
    papers.write("one.txt")
    papers.harvest()
    run = papers.harvest()
    assert (papers.reads, run.counters.unchanged, run.counters.changed) == (1, 1, 0)


def test_everything_is_read_again_where_that_is_asked_for(papers: Papers) -> None:
    papers.write("one.txt")
    papers.harvest()
    run = papers.harvest(is_full=True)
    assert (papers.reads, run.counters.unchanged, run.counters.changed) == (2, 1, 0)


def test_a_new_time_with_the_same_content_is_noted_without_reading(papers: Papers) -> None:
    papers.write("one.txt", at=OLD)
    papers.harvest()
    papers.write("one.txt", at=OLD + DAY)
    run = papers.harvest()
    assert (papers.reads, run.counters.changed) == (1, 1)
    header = papers.record("one.txt").payload("http_header")
    assert header is not None
    assert b"Jan 2027" in header.data
    assert papers.document("one.txt").file is not None


def test_a_changed_file_is_read_again(papers: Papers) -> None:
    papers.write("one.txt", "first")
    papers.harvest()
    papers.write("one.txt", "second", at=OLD + 1)
    assert papers.harvest().counters.changed == 1
    file = papers.document("one.txt").file
    assert file is not None
    assert file.text == ("second",)


def test_a_file_written_in_the_second_of_the_look_is_looked_into_again(papers: Papers) -> None:
    papers.write("one.txt", "first", at=NOW)
    papers.harvest()
    papers.write("one.txt", "other", at=NOW)
    assert papers.harvest(at=NOW + 60).counters.changed == 1


def test_a_moved_file_keeps_its_record_and_is_not_read_again(papers: Papers) -> None:
    papers.write("old/one.txt", "words")
    papers.harvest()
    (papers.root / "new").mkdir()
    (papers.root / "old/one.txt").rename(papers.root / "new/two.txt")
    run = papers.harvest()
    assert (papers.reads, run.counters.added, run.counters.deleted) == (1, 0, 0)
    document = papers.document("old/one.txt")
    assert document.file is not None
    assert (document.file.path, document.fulltext) == ("new/two.txt", URL + "new/two.txt")
    assert papers.live() == {"old/one.txt"}


def test_a_copy_is_a_document_of_its_own(papers: Papers) -> None:
    papers.write("one.txt", "words")
    papers.harvest()
    papers.write("two.txt", "words")
    assert papers.harvest().counters.added == 1
    assert papers.live() == {"one.txt", "two.txt"}


def test_what_comes_to_the_place_of_a_moved_file_is_another_document(papers: Papers) -> None:
    papers.write("one.txt", "words")
    papers.harvest()
    (papers.root / "one.txt").rename(papers.root / "two.txt")
    papers.harvest()
    papers.write("one.txt", "other words")
    papers.write("three.pdf", BROKEN)
    assert papers.harvest().counters.added == 1
    assert papers.rows()["two.txt"].identifier == URL + "one.txt"
    assert papers.rows()["one.txt"].identifier == URL + "one.txt?2"


def test_a_file_that_is_gone_becomes_a_tombstone_and_comes_back(papers: Papers) -> None:
    papers.write("one.txt")
    papers.write("two.txt", "stays")
    papers.harvest()
    papers.remove("one.txt")
    assert papers.harvest().counters.deleted == 1
    assert papers.record("one.txt").is_deleted
    papers.write("one.txt")
    papers.harvest()
    assert papers.live() == {"one.txt", "two.txt"}


def test_what_is_gone_stays_where_the_source_keeps_it(papers: Papers) -> None:
    papers.set(keep_gone=True)
    papers.write("one.txt")
    papers.write("two.txt", "stays")
    papers.harvest()
    papers.remove("one.txt")
    assert papers.harvest().counters.deleted == 0
    assert papers.live() == {"one.txt", "two.txt"}


def test_an_empty_folder_does_not_empty_the_library(papers: Papers) -> None:
    papers.write("one.txt")
    papers.harvest()
    papers.remove("one.txt")
    assert papers.harvest().outcome is Outcome.FAILED
    assert papers.live() == {"one.txt"}
    assert papers.harvest(is_reconciling=True).counters.deleted == 1


def test_a_file_that_cannot_be_read_goes_to_quarantine_and_is_not_tried_again(papers: Papers) -> None:
    papers.write("bad.pdf", BROKEN)
    papers.write("good.txt")
    run = papers.harvest()
    assert (run.outcome, run.counters.quarantined, run.counters.added) == (Outcome.PARTIAL, 1, 1)
    (case,) = papers.cases()
    assert (case.identifier, case.format) == (URL + "bad.pdf", "windrow_document")
    assert case.reason.startswith("it is ")
    assert papers.harvest().outcome is Outcome.OK
    assert papers.reads == 1


def test_a_file_that_was_mended_leaves_quarantine(papers: Papers) -> None:
    papers.write("bad.pdf", BROKEN)
    papers.harvest()
    papers.write("bad.pdf", "plain words", at=OLD + 1)
    assert papers.harvest().counters.added == 1
    assert papers.cases() == []
    assert papers.rows()["bad.pdf"].state == ""


def test_the_case_of_a_file_that_is_gone_is_closed(papers: Papers) -> None:
    papers.write("bad.pdf", BROKEN)
    papers.write("good.txt")
    papers.harvest()
    papers.remove("bad.pdf")
    run = papers.harvest()
    assert (papers.cases(), run.counters.deleted) == ([], 0)


def test_the_members_of_an_archive_are_documents_of_their_own(papers: Papers) -> None:
    papers.write("box.zip", zipped({"in/a b.txt": "about zebras", "c.txt": "about gnus"}))
    assert papers.harvest().counters.added == 3
    document = papers.document("box.zip#in/a%20b.txt")
    assert document.file is not None
    assert (document.file.member, document.file.text) == ("in/a b.txt", ("about zebras",))
    assert document.fulltext is None
    description = papers.record("box.zip#in/a%20b.txt").payload("oai_dc")
    assert description is not None
    assert f"<dc:relation>{URL}box.zip</dc:relation>".encode() in description.data


def test_a_member_that_left_its_archive_becomes_a_tombstone(papers: Papers) -> None:
    papers.write("box.zip", zipped({"a.txt": "one", "b.txt": "two"}))
    papers.harvest()
    papers.write("box.zip", zipped({"b.txt": "two"}), at=OLD + 1)
    assert papers.harvest().counters.deleted == 1
    assert papers.live() == {"box.zip", "box.zip#b.txt"}


def test_an_archive_that_moves_takes_its_members_along(papers: Papers) -> None:
    papers.write("box.zip", zipped({"a.txt": "one"}))
    papers.harvest()
    reads = papers.reads
    (papers.root / "box.zip").rename(papers.root / "case.zip")
    papers.harvest()
    assert papers.reads == reads
    assert papers.live() == {"box.zip", "box.zip#a.txt"}
    file = papers.document("box.zip#a.txt").file
    assert file is not None
    assert file.path == "case.zip"


def test_archives_are_left_closed_where_the_source_says_so(papers: Papers) -> None:
    papers.set(archives=False)
    papers.write("box.zip", zipped({"a.txt": "one"}))
    papers.harvest()
    assert papers.live() == {"box.zip"}


def test_archives_are_opened_and_closed_by_the_next_harvest_when_the_source_says_otherwise(
    papers: Papers,
) -> None:
    papers.write("box.zip", zipped({"a.txt": "one"}))
    papers.write("plain.txt", "two")
    for is_open in (True, False, True):
        papers.set(archives=is_open)
        papers.harvest()
        reads = papers.reads
        assert papers.live() == {"plain.txt", "box.zip", *(["box.zip#a.txt"] if is_open else [])}
        papers.harvest()
        assert papers.reads == reads


def test_a_protected_document_has_its_guard(papers: Papers) -> None:
    papers.write("secret/one.txt")
    protect(papers.root / "secret", "AuthType Basic\nAuthUserFile /nowhere\nRequire valid-user\n")
    papers.harvest()
    with papers.opened() as library, library.store.reading() as connection:
        source = find(connection, "www")
        assert source is not None
        assert guards_of(connection, source.id, URL + "secret/one.txt") == {"secret"}
    (papers.root / "secret/.htaccess").unlink()
    assert papers.harvest().counters.changed == 1
    assert papers.reads == 1


def test_a_look_at_some_paths_takes_in_what_is_new_there(papers: Papers) -> None:
    papers.write("one.txt")
    papers.harvest()
    assert papers.refresh("one.txt") is None
    papers.write("two.txt", "new")
    (papers.root / "one.txt").rename(papers.root / "three.txt")
    run = papers.refresh("one.txt", "three.txt", "two.txt")
    assert run is not None
    assert (run.counters.added, run.counters.deleted) == (1, 0)
    assert papers.refresh() is None


def test_a_file_that_changes_while_it_is_read_waits_for_the_next_harvest(papers: Papers) -> None:
    papers.write("one.txt", "half of it")
    papers.on_read = lambda: papers.write("one.txt", "all of it, at last", at=OLD + 5)
    run = papers.harvest()
    assert (run.outcome, run.counters.added) == (Outcome.OK, 0)
    assert [problem.code for problem in run.problems] == ["changing"]
    papers.on_read = lambda: None
    assert papers.harvest().counters.added == 1


def test_who_stops_keeps_what_was_read_until_then(papers: Papers) -> None:
    for number in range(12):
        papers.write(f"{number:02}.txt", f"words {number}")
    with papers.opened() as library:
        run = papers.runner(library, stopper=_StopsAfter(12)).run(HarvestOptions())
    assert run.outcome is Outcome.INTERRUPTED
    assert 0 < len(papers.live()) < 12
    papers.harvest()
    assert len(papers.live()) == 12


def test_a_source_can_be_read_as_documents_and_listed_as_files_in_turn(papers: Papers) -> None:
    papers.write("one.txt", "words")
    papers.write("two.txt", "gone soon")
    papers.set(content="files")
    papers.harvest()
    papers.remove("two.txt")
    papers.set(content="documents")
    run = papers.harvest()
    assert (papers.live(), run.counters.deleted) == ({"one.txt"}, 1)
    assert papers.document("one.txt").file is not None
    (papers.root / "one.txt").rename(papers.root / "three.txt")
    papers.harvest()
    papers.set(content="files")
    assert papers.refresh() is not None
    assert papers.live() == {"three.txt"}
    assert papers.rows() == {}
    assert papers.record("three.txt").payload("windrow_document") is None


def test_under_a_new_address_every_document_has_a_new_identifier(papers: Papers) -> None:
    papers.write("one.txt", "words")
    papers.harvest()
    papers.set(url="https://elsewhere.example.org/")
    run = papers.harvest()
    assert run.counters.deleted == 1
    assert papers.live() == {"https://elsewhere.example.org/one.txt"}


def test_a_file_too_large_to_be_read_is_kept_by_its_name(tmp_path: Path, pool: Pool) -> None:
    papers = make_papers(tmp_path, pool)
    with (papers.shelf.folder / "windrow.toml").open("a") as settings:
        settings.write('\n[documents]\nlargest = "1 kB"\n')
    papers.write("long.txt", "x" * 1001)
    papers.harvest()
    file = papers.document("long.txt").file
    assert file is not None
    assert (file.text, file.media_type) == ((), "text/plain")
    assert "larger than 1,000 bytes" in file.fact("note")


class _StopsAfter(Stopper):
    """Asks to stop once it was asked so often whether to."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self._left = times

    def check(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise Interrupted("stopped by the test")
