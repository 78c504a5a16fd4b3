"""What can be counted of a file."""

from __future__ import annotations

import pytest

from windrow.model.counted_fields import SIZE_CLASSES, field_values, file_folders
from windrow.model.document import Document, DocumentDate, HeldFile, Text
from windrow.model.file_content import is_pictured, short_name
from windrow.model.text.collation import initial_letter, title_sort_key

FILE = HeldFile("a/b/c.txt", "text/plain", 10, "")


@pytest.mark.parametrize(
    ("path", "folders"), [("c.txt", ()), ("a/c.txt", ("a",)), ("a/b/c.txt", ("a", "a/b")), ("", ())]
)
def test_a_file_is_in_every_folder_around_it(path: str, folders: tuple[str, ...]) -> None:
    assert file_folders(Document(file=FILE._replace(path=path))) == folders


def test_a_path_without_an_end_has_folders_that_have_one() -> None:
    deep = Document(file=FILE._replace(path="x/" * 5000 + "y"))
    found = field_values(deep, "folder") or ()
    assert len(found) == 50
    assert all(len(each) <= 500 for each in found)


@pytest.mark.parametrize(
    ("size", "place"), [(0, 0), (9_999, 0), (10_000, 1), (999_999, 2), (100_000_000, 5), (10**18, 5)]
)
def test_sizes_fall_into_classes(size: int, place: int) -> None:
    assert field_values(Document(file=FILE._replace(size=size)), "size") == (SIZE_CLASSES[place],)


def test_months_are_those_of_the_year_and_only_of_files() -> None:
    dates = (
        DocumentDate("2014-05-03"),
        DocumentDate("2015-01-01", "modified"),
        DocumentDate("2014"),
        DocumentDate("2014-07"),
    )
    document = Document(dates=dates, year=2014, file=FILE)
    assert field_values(document, "month") == ("2014-05", "2014-07")
    assert field_values(Document(dates=dates, file=FILE), "month") == ()
    assert field_values(Document(dates=dates, year=2014), "month") == ()


@pytest.mark.parametrize(
    ("title", "letter"),
    [("hay", "H"), ("Äng", "A"), ("“Hay”", "H"), ("7 rakes", "#"), ("…", "#"), ("сено", "С"), ("ßtraw", "S")],
)
def test_a_title_is_listed_under_its_first_letter(title: str, letter: str) -> None:
    assert initial_letter(title_sort_key(title)) == letter
    assert field_values(Document(titles=(Text("  "), Text(title))), "initial") == (letter,)


def test_kinds_of_files_have_names_that_tell_them_apart() -> None:
    known = [short_name(each) for each in ("application/pdf", "image/jpeg", "application/x-none")]
    assert known == ["PDF", "JPEG", ""]
    assert (is_pictured("image/jpeg"), is_pictured("image/svg+xml"), is_pictured("text/html")) == (
        True,
        False,
        False,
    )
