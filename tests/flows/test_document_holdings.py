"""Originals and pictures of documents, as the pages get them: only what everybody may see."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from tests.flows.folders import NAME, OLD, URL
from tests.flows.papers import Papers, make_papers, zipped
from windrow.extract.pool import Pool
from windrow.harvest.documents import document_runs
from windrow.wiring.folder_source import open_published_folder
from windrow.wiring.library_files import LibraryHoldings


@pytest.fixture
def papers(tmp_path: Path, pool: Pool) -> Papers:
    made = make_papers(tmp_path, pool)
    made.write("a/one.txt", "barley and rye")
    return made


@pytest.fixture
def holdings(papers: Papers, pool: Pool) -> Iterator[LibraryHoldings]:
    with papers.opened() as library:
        library.pool = pool
        yield LibraryHoldings(library)


def picture(colour: str = "red") -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (900, 600), colour).save(made, "PNG")
    return made.getvalue()


def test_an_original_is_opened_where_it_lies(papers: Papers, holdings: LibraryHoldings) -> None:
    papers.harvest()
    original = holdings.original(NAME, URL + "a/one.txt")
    assert original is not None
    with original.file as file:
        assert file.read() == b"barley and rye"
    assert (original.size, original.modified, original.name) == (14, OLD, "one.txt")
    assert (original.media_type, original.charset) == ("text/plain", "US-ASCII")
    assert len(original.sha256) == 64


def test_an_original_that_was_moved_is_found_at_its_new_place(
    papers: Papers, holdings: LibraryHoldings
) -> None:
    papers.harvest()
    (papers.root / "a/one.txt").rename(papers.root / "b.txt")
    papers.harvest()
    original = holdings.original(NAME, URL + "a/one.txt")
    assert original is not None
    original.file.close()
    assert original.name == "b.txt"


def test_an_original_that_changed_has_no_digest(papers: Papers, holdings: LibraryHoldings) -> None:
    papers.harvest()
    papers.write("a/one.txt", "oats", at=OLD + 1)
    original = holdings.original(NAME, URL + "a/one.txt")
    assert original is not None
    original.file.close()
    assert (original.size, original.sha256) == (4, "")


def test_what_is_gone_hidden_or_protected_since_is_not_opened(
    papers: Papers, holdings: LibraryHoldings
) -> None:
    for name in ("gone", "hidden", "closed/now"):
        papers.write(f"{name}.txt", name)
    papers.harvest()
    papers.remove("gone.txt")
    (papers.root / "closed/.htaccess").write_text("Require all denied\n")
    with papers.opened() as library:
        folder = open_published_folder(library, library.source(NAME))
        document_runs.hide_documents(library.store, folder, ["hidden.txt"])
    for name in ("gone", "hidden", "closed/now", "never/was"):
        assert holdings.original(NAME, f"{URL}{name}.txt") is None
    assert holdings.original("nobody", URL + "a/one.txt") is None


def test_a_member_is_taken_out_of_its_archive(papers: Papers, holdings: LibraryHoldings) -> None:
    papers.write("box.zip", zipped({"in/a.txt": "inside"}))
    papers.harvest()
    original = holdings.original(NAME, URL + "box.zip#in/a.txt")
    assert original is not None
    assert (original.file.read(), original.name, original.sha256) == (b"inside", "a.txt", "")


def test_the_picture_of_a_run_is_kept_and_a_larger_one_is_made(
    papers: Papers, holdings: LibraryHoldings
) -> None:
    papers.write("p.png", picture())
    papers.harvest()
    identifier = URL + "p.png"
    small = holdings.kept_picture(NAME, identifier, size=160, page=1)
    assert small is not None
    assert max(Image.open(io.BytesIO(small)).size) == 320
    assert holdings.kept_picture(NAME, identifier, size=1600, page=1) is None
    large = holdings.make_picture(NAME, identifier, size=1600, page=1)
    assert large is not None
    assert max(Image.open(io.BytesIO(large)).size) == 900
    assert holdings.kept_picture(NAME, identifier, size=1600, page=1) == large


def test_a_document_without_a_picture_has_none(papers: Papers, holdings: LibraryHoldings) -> None:
    papers.harvest()
    for _ in range(2):
        assert holdings.make_picture(NAME, URL + "a/one.txt", size=320, page=1) is None
    assert holdings.kept_picture(NAME, URL + "a/one.txt", size=320, page=1) is None


def test_the_pictures_of_what_is_gone_go_too(papers: Papers, holdings: LibraryHoldings) -> None:
    papers.write("p.png", picture())
    papers.harvest()
    digest = papers.rows()["p.png"].sha256
    assert papers.pictures().has(digest, "320")
    papers.remove("p.png")
    papers.harvest()
    assert not papers.pictures().has(digest, "320")
    assert holdings.kept_picture(NAME, URL + "p.png", size=160, page=1) is None
