"""What sidecars say of the files beside them, and which files are none."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from windrow.sources.files.published_folder import VisibilityRules
from windrow.sources.files.sidecars import (
    MAX_EXPRESSIONS,
    NotASidecar,
    Sidecars,
    canonical_name,
    given_digest,
    read_directory_metadata,
    read_record,
    read_table,
    split_signatures,
    widen_paths,
)
from windrow.sources.files.visible_files import Tree, walk

DC = 'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"'


class Folder:
    """A folder with sidecars in it, looked at."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.troubles: list[str] = []

    def write(self, path: str, text: str = "content") -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def look(self, known: dict[str, bool] | None = None) -> Sidecars:
        rules = VisibilityRules(needs_public_read=False)
        return Sidecars(
            Tree.at(self.root, rules),
            list(walk(self.root, rules)),
            is_whole=True,
            was_sidecar=lambda file: (known or {}).get(f"{file.size} {file.mtime_ns} {file.path}"),
            on_trouble=lambda path, words: self.troubles.append(f"{path} {words}"),
        )

    def given(self, path: str) -> list[tuple[str, str]]:
        return [(name, value) for name, value, _ in self.look().given(path)]

    def documents(self) -> set[str]:
        return {file.path for file in self.look().documents}


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def greenstone(*sets: tuple[str, str]) -> str:
    inner = "".join(
        f"<FileSet><FileName>{name}</FileName><Description>{words}</Description></FileSet>"
        for name, words in sets
    )
    return f"<DirectoryMetadata>{inner}</DirectoryMetadata>"


def said(name: str, value: str, mode: str = "") -> str:
    return f'<Metadata name="{name}"{f" mode={mode!r}" if mode else ""}>{value}</Metadata>'


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("dc.Title", "title"),
        ("DC:creator", "creator"),
        ("Author", "creator"),
        ("dcterms.created", "date"),
        ("Keywords", "subject"),
        ("Photo Credit", "photo-credit"),
        ("x" * 65, ""),
        ("", ""),
    ],
)
def test_a_name_is_known_however_it_is_written(written: str, meant: str) -> None:
    assert canonical_name(written) == meant


def test_a_table_names_files_by_any_column_called_so_and_splits_values_at_bars() -> None:
    table = read_table("\ufefftitle;path;subject;subject\nOne;sub\\a.txt;x|y;z\n".encode())
    assert table == {"sub/a.txt": [("title", "One"), ("subject", "x"), ("subject", "y"), ("subject", "z")]}


def test_a_table_without_a_name_of_dublin_core_is_no_sidecar() -> None:
    with pytest.raises(NotASidecar):
        read_table(b"name,weight\na.txt,12\n")


def test_a_table_from_another_century_is_read_all_the_same() -> None:
    assert read_table("file,title\na.txt,Ångström\n".encode("cp1252")) == {"a.txt": [("title", "Ångström")]}


def test_a_table_is_read_as_spreadsheets_save_it() -> None:
    expected = {"a.txt": [("title", "Hay; dried")]}
    assert read_table(b'sep=;\r\nfile;title\r\na.txt;"Hay; dried"\r\n') == expected
    assert read_table("file\ttitle\r\na.txt\tHay; dried\r\n".encode("utf-16")) == expected


def test_greenstone_sets_name_files_by_expression_by_name_and_by_folder() -> None:
    made = read_directory_metadata(
        greenstone(
            (r".*\.jpg", said("dc.Creator", "All")),
            (r"a\.jpg", said("dc.Creator", "One", "accumulate")),
            ("sub", said("dc.Title", "Below")),
        ).encode()
    )
    assert [(word.value, word.is_added) for word in made.words("a.jpg")] == [("All", False), ("One", True)]
    assert [word.value for word in made.words("sub/b.txt")] == ["Below"]
    assert made.words("b.txt") == []


def test_an_expression_that_could_take_long_is_refused() -> None:
    made = read_directory_metadata(greenstone(("(a+)+b", said("dc.Title", "Slow"))).encode())
    assert made.refused == ["(a+)+b"]
    assert made.words("a" * 40) == []


def test_no_more_expressions_are_tried_on_each_file_than_the_limit() -> None:
    sets = [(f"{number}.*", said("dc.Title", "x")) for number in range(MAX_EXPRESSIONS + 2)]
    assert len(read_directory_metadata(greenstone(*sets).encode()).refused) == 2


def test_entities_of_a_sidecar_are_not_expanded() -> None:
    hostile = '<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/hostname">]>'
    inner = f"<record {DC}><dc:title>Plain</dc:title><dc:creator>&e;</dc:creator></record>"
    assert read_record(f"{hostile}{inner}".encode(), "a.xml") == [("title", "Plain"), ("creator", "&e;")]


def test_a_record_says_what_it_says_in_json_and_in_xml() -> None:
    held = {"title": "T", "creator": ["A", "B"], "year": 1999, "odd": {"a": 1}}
    assert read_record(json.dumps(held).encode(), "a.json") == [
        ("title", "T"),
        ("creator", "A"),
        ("creator", "B"),
        ("date", "1999"),
    ]
    text = f"<x><record {DC}><dc:title>T</dc:title><dcterms:created>1999</dcterms:created></record></x>"
    assert read_record(text.encode(), "a.xml") == [("title", "T"), ("date", "1999")]


@pytest.mark.parametrize("text", ["[1]", '{"weight": 1}', "[" * 100_000])
def test_json_that_describes_nothing_is_no_sidecar(text: str) -> None:
    with pytest.raises(NotASidecar):
        read_record(text.encode(), "a.json")


def test_the_nearest_sidecar_counts_name_by_name(folder: Folder) -> None:
    folder.write("sub/a.txt")
    folder.write("metadata.csv", "file,title,creator\nsub/a.txt,Far,Far\n")
    folder.write("sub/metadata.xml", greenstone(("a.txt", said("dc.Title", "Near"))))
    folder.write("sub/a.txt.json", json.dumps({"publisher": "Own"}))
    assert sorted(folder.given("sub/a.txt")) == [("creator", "Far"), ("publisher", "Own"), ("title", "Near")]
    assert folder.documents() == {"sub/a.txt"}


def test_a_sidecar_needs_a_file_beside_it(folder: Folder) -> None:
    folder.write("lonely.json", json.dumps({"title": "T"}))
    folder.write("pair.json", json.dumps({"title": "T"}))
    folder.write("pair.jpg")
    folder.write("data.json", json.dumps({"weight": 1}))
    folder.write("data.txt")
    assert folder.documents() == {"lonely.json", "pair.jpg", "data.json", "data.txt"}


def test_what_was_judged_once_is_not_read_again(folder: Folder) -> None:
    folder.write("pair.json", json.dumps({"title": "T"}))
    folder.write("pair.jpg")
    folder.write("data.json", json.dumps({"weight": 1}))
    folder.write("data.txt")
    look = folder.look()
    known = split_signatures(look.beside("pair.jpg")) | split_signatures(look.beside("data.json"))
    assert sorted(known.values()) == [False, True]
    for name in ("pair.json", "data.json"):  # what is read now is broken, and would be told of
        place = folder.root / name
        status = place.stat()
        place.write_text("{" * status.st_size)
        os.utime(place, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert {file.path for file in folder.look(known).documents} == {"pair.jpg", "data.txt", "data.json"}
    assert folder.troubles == []


def test_a_broken_sidecar_is_told_and_says_nothing(folder: Folder) -> None:
    folder.write("a.txt")
    folder.write("metadata.xml", "<DirectoryMetadata>")
    assert folder.given("a.txt") == []
    assert "metadata.xml describes nothing, for it is not well-formed" in folder.troubles[0]


def test_a_digest_differs_where_what_is_given_does(folder: Folder) -> None:
    folder.write("a.txt")
    folder.write("metadata.csv", "file,title\na.txt,One\n")
    first = given_digest(folder.look().given("a.txt"))
    folder.write("metadata.csv", "file,title\na.txt,Two\n")
    assert first
    assert given_digest(folder.look().given("a.txt")) != first
    assert given_digest(()) == ""


def test_a_change_to_what_may_be_a_sidecar_is_a_change_to_all_around_it() -> None:
    assert widen_paths(["a/b.txt", "a/metadata.csv", "a/c/d.txt", "e/f.json", "e/f.jpg"]) == ["a", "e"]
    assert widen_paths(["a.json", "b/c.txt"]) == [""]
