"""A folder of documents, harvested again and again: what is read, what is only looked at, what is gone."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flows.folders import DAY, NOW, OLD, URL
from tests.flows.papers import Papers, make_papers, zipped
from tests.unit.extract.samples import scanned_pdf
from tests.unit.sources.files.planting import protect
from windrow.errors import Interrupted
from windrow.extract.pool import Pool
from windrow.harvest.documents.document_scan import truncated_archive_problem
from windrow.harvest.options import HarvestOptions, Stopper
from windrow.model.run import Outcome, Severity
from windrow.store.harvests.folder_state import KnownFile
from windrow.store.records.record_reader import RecordReader
from windrow.store.records.set_hierarchy import find_guards
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
        assert find_guards(connection, source.id, URL + "secret/one.txt") == {"secret"}
    (papers.root / "secret/.htaccess").unlink()
    assert papers.harvest().counters.moved == 1
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


SOURCE_CODE = {
    "tool.py": "#!/usr/bin/env python\n\n\nprint('barley')  # From the granary\n",
    "tool.rb": "puts 'barley'\n",
    "tool.sh": "#!/bin/sh\necho barley\n",
    "tool.pl": "print 'barley';\n",
    "tool.lua": "print('barley')\n",
    "page.php": "<html><body><?php echo 'barley'; ?></body></html>\n",
    "page.jsp": "<%@ page %><p>barley</p>\n",
    "page.asp": "<% Response.Write barley %>\n",
    "page.shtml": "<p>barley</p><!--#echo var='x' -->\n",
    "cgi-bin/run.cgi": "#!/usr/bin/perl\nprint 'barley';\n",
    "main.c": "int main(void) { return barley; }\n",
    "Main.java": "class Main { String barley; }\n",
    "app.js": "<!-- old trick\nconst barley = 1;\n",
    "view.jsx": "<div>{barley}</div>\n",
    "rows.sql": "SELECT barley FROM field;\n",
    "site.ini": "[crop]\nname = barley\n",
    "site.yaml": "from: a\nto: b\nsubject: barley\ndate: c\n",
    "site.toml": "crop = 'barley'\n",
    "run.log": "2024-01-01 barley sown\n",
    "paper.tex": "\\documentclass{article} barley\n",
    "Makefile": "all:\n\techo barley\n",
    "README": "barley\n",
    "notes.unknown": "barley\n",
}


@pytest.mark.parametrize("url", ["", URL])
def test_source_code_and_all_other_text_is_read_as_text(tmp_path: Path, pool: Pool, url: str) -> None:
    papers = make_papers(tmp_path, pool)
    if not url:
        config = papers.shelf.folder / "windrow.toml"
        config.write_text(re.sub(r"(?m)^url = .*\n", "", config.read_text()))
    for path, content in SOURCE_CODE.items():
        papers.write(path, content)
    # A web server that publishes the folder would run these: they are left out, and the run reports it.
    run_by_server = {"page.php", "page.jsp", "page.asp", "page.shtml", "cgi-bin/run.cgi"} if url else set()
    run = papers.harvest()
    rows = papers.rows()
    assert set(rows) == SOURCE_CODE.keys() - run_by_server
    assert run.counters.left_out == len(run_by_server)
    assert sum("a web server would run it" in each.message for each in run.problems) == bool(url)
    assert run.outcome is Outcome.OK
    for path, row in rows.items():
        with papers.opened() as library, library.store.reading() as connection:
            found = list(RecordReader().find(connection, row.identifier))
        payload = found[0].payload("windrow_document")
        assert payload is not None
        assert b"barley" in payload.data, path
    expected = {"paper.tex": "text/x-tex", "page.shtml": "text/html"}
    assert {path: row.media_type for path, row in rows.items()} == {
        path: expected.get(path, "text/plain") for path in rows
    }


def test_every_file_that_is_left_out_is_reported_with_the_reason(papers: Papers) -> None:
    for path in (
        *("one.txt", ".hidden", ".git/config", "old.bak", "core", "server.key", "drafts/a.txt"),
        *("one.json", "private.txt", "shown/.DS_Store"),
    ):
        papers.write(path, "{}" if path.endswith("json") else "barley")
    papers.write("one.json", '{"title": "One"}')
    (papers.root / "private.txt").chmod(0o600)
    os.mkfifo(papers.root / "pipe")
    (papers.root / "out.txt").symlink_to("/etc/hostname")
    (papers.root / "nowhere.txt").symlink_to("missing")
    papers.set(skip=["drafts/"])
    run = papers.harvest()
    assert set(papers.rows()) == {"one.txt"}
    with papers.opened() as library:
        left_out = dict(papers.runner(library).left_out())
    assert set(left_out) == {
        *(".hidden", ".git/", "old.bak", "core", "server.key", "drafts/", "one.json", "private.txt"),
        *("shown/.DS_Store", "pipe", "out.txt", "nowhere.txt"),
    }
    assert run.counters.left_out == len(left_out)
    notes = [each.message for each in run.problems if each.code == "left-out"]
    assert len(notes) == len(set(left_out.values())) == 8
    assert all(any(reason in note for note in notes) for reason in left_out.values())
    assert run.outcome is Outcome.OK
    # Whoever sees the run may not see the files: it does not name them.
    assert not any("server.key" in note or "private.txt" in note for note in notes)
    with papers.opened() as library:
        assert papers.runner(library).refresh() is None  # nothing new to report


def test_an_archive_with_too_many_files_makes_the_run_partial_until_more_are_allowed(papers: Papers) -> None:
    config = papers.shelf.folder / "windrow.toml"
    plain = config.read_text()
    config.write_text(plain + "\n[documents]\narchive_members = 3\n")
    papers.write("box.zip", zipped({f"{number}.txt": f"sheaf {number}" for number in range(5)}))
    run = papers.harvest()
    words = "box.zip has 5 files, and only the first 3 were taken: set documents.archive_members to 5 or more"
    assert [(each.message, each.weight) for each in run.problems] == [(words, Severity.PROBLEM)]
    assert (run.outcome, len(papers.rows())) == (Outcome.PARTIAL, 4)
    assert papers.rows()["box.zip"].remarks == "members-cut:3/5"
    # What is missing stays missing where nothing has changed, and the next run says so as well.
    again = papers.harvest()
    assert ([each.message for each in again.problems], again.outcome) == ([words], Outcome.PARTIAL)
    papers.write("box.zip", zipped({f"{number}.txt": f"sheaf {number}" for number in range(5)}), at=OLD + DAY)
    assert papers.harvest().outcome is Outcome.PARTIAL  # the same content with a new time
    config.write_text(plain + "\n[documents]\narchive_members = 5\n")
    whole = papers.harvest()
    assert (whole.outcome, whole.problems, len(papers.rows())) == (Outcome.OK, (), 6)


def test_an_archive_that_is_to_stay_closed_misses_nothing(papers: Papers) -> None:
    config = papers.shelf.folder / "windrow.toml"
    config.write_text(config.read_text() + "\n[documents]\narchive_members = 1\n")
    papers.set(archives=False)
    papers.write("box.zip", zipped({"a.txt": "a", "b.txt": "b"}))
    assert papers.harvest().outcome is Outcome.OK


def test_a_protected_archive_is_not_named_to_everybody(papers: Papers) -> None:
    config = papers.shelf.folder / "windrow.toml"
    config.write_text(config.read_text() + "\n[documents]\narchive_members = 1\n")
    papers.write("members/box.zip", zipped({"a.txt": "a", "b.txt": "b"}))
    protect(papers.root / "members", "Require valid-user")
    run = papers.harvest()
    assert run.outcome is Outcome.PARTIAL
    assert not any("box" in each.message for each in run.problems)


def test_what_nothing_here_reads_is_kept_and_reported_as_not_read(papers: Papers) -> None:
    papers.write("model.bin", bytes(range(256)) * 20)
    run = papers.harvest()
    assert papers.rows()["model.bin"].remarks == "not-read"
    assert "1 document not read" in run.problems[0].message
    assert run.outcome is Outcome.OK
    facts = papers.document("model.bin").file
    assert facts is not None
    assert ("note", "It was not read: it is binary, and of no kind that is known here.") in facts.facts


def test_scans_without_text_are_counted_and_remarked(papers: Papers) -> None:
    papers.write("scan.pdf", scanned_pdf([("1", 1), ("2", 1)]))
    papers.write("half.pdf", scanned_pdf([("The barley was cut in August.", 0), ("", 1)]))
    papers.write("paper.pdf", scanned_pdf([("The barley was cut in August.", 0)]))
    papers.write("box.zip", zipped({"scan.pdf": scanned_pdf([("", 1)]).decode("latin-1")}))
    run = papers.harvest()
    assert (run.outcome, run.counters.without_text) == (Outcome.OK, 2)
    remarks = {path: row.remarks for path, row in papers.rows().items() if row.remarks}
    assert remarks == {
        "scan.pdf": "no-text-layer",
        "box.zip#scan.pdf": "no-text-layer",
        "half.pdf": "text-layer-gaps",
    }
    messages = {each.code: each.message for each in run.problems}
    assert messages["no-text-layer"].startswith("2 documents without a text layer")
    assert "scan.pdf" in messages["no-text-layer"]
    file = papers.document("scan.pdf").file
    assert file is not None
    assert (file.fact("text-layer"), file.has_words) == ("none", False)
    assert papers.harvest().counters.without_text == 0  # nothing was read


def test_a_run_advises_what_helps_against_an_archive_that_was_cut() -> None:
    row = KnownFile("box.zip", "", "urn:box", 1, 1, "")
    advice = {
        "members-cut:1000/30000": "set documents.archive_members to 30000 or more",
        "members-cut:1000/100001": "no more than 100,000 can be; unpack it into the folder",
        "bytes-cut:2/3": "they unpack to more than is taken from one archive; unpack it into the folder",
    }
    for remarks, words in advice.items():
        problem = truncated_archive_problem(row._replace(remarks=remarks))
        assert problem is not None
        assert problem.message.endswith(words)
    assert truncated_archive_problem(row._replace(remarks="no-text-layer")) is None
