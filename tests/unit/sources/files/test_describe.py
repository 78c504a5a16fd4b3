from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from lxml import etree

from windrow.sources.files import file_description as describing
from windrow.sources.files.file_description import describe, describers, file_media_type, format_second
from windrow.sources.files.published_folder import PublishedFolder, VisibilityRules, published_folder
from windrow.sources.files.visible_files import FoundFile, Tree, look_up

URL = "https://www.example.org/"


class Shouting:
    """A describer such as a package might bring."""

    media_types = frozenset({"text/plain"})
    most_bytes = 5

    def describe(self, beginning: bytes) -> Iterable[tuple[str, str]]:
        if beginning == b"wrong":
            raise ValueError("cannot read this")
        return [("title", beginning.decode().upper()), ("nonsense", "x")]


def described(root: Path, path: str) -> tuple[dict[str, list[str]], list[str]]:
    folder = PublishedFolder("www", root, URL, VisibilityRules(), 1000)
    found, troubles = look_up(root, path, folder.rules), list[str]()
    assert found is not None
    look = Tree.at(root, folder.rules)
    made = describe(folder, look, found, on_trouble=lambda place, words: troubles.append(f"{place} {words}"))
    values: dict[str, list[str]] = {}
    for child in etree.fromstring(made):
        values.setdefault(etree.QName(child).localname, []).append(child.text or "")
    return values, troubles


@pytest.fixture
def _plugged_in(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {**describers(), "text/plain": (Shouting(),)}
    monkeypatch.setattr(describing, "describers", lambda: known)


def test_a_page_says_what_it_is_called(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<html lang=en><title>Salt & wind</title>")
    values, troubles = described(tmp_path, "a.html")
    assert values["title"] == ["Salt & wind"]
    assert values["language"] == ["en"]
    assert values["identifier"] == [f"{URL}a.html"]
    assert values["format"] == ["text/html", "40 bytes"]
    assert troubles == []


@pytest.mark.usefixtures("_plugged_in")
def test_a_describer_that_is_plugged_in_sees_the_beginning_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("shouted words")
    values, _ = described(tmp_path, "a.txt")
    assert values["title"] == ["SHOUT"]
    assert "nonsense" not in values


@pytest.mark.usefixtures("_plugged_in")
def test_a_describer_that_fails_costs_the_file_its_description_alone(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("wrong")
    values, troubles = described(tmp_path, "a.txt")
    assert "title" not in values
    assert values["format"] == ["text/plain", "5 bytes"]
    assert troubles == ["a.txt Shouting failed: ValueError: cannot read this"]


def test_a_file_that_is_gone_is_described_by_what_was_seen_of_it(tmp_path: Path) -> None:
    folder = PublishedFolder("www", tmp_path, URL, VisibilityRules(), 1000)
    troubles: list[str] = []
    look, gone = Tree.at(tmp_path, folder.rules), FoundFile("gone.html", 10, 0, ())
    made = describe(folder, look, gone, on_trouble=lambda place, words: troubles.append(f"{place} {words}"))
    assert b"<dc:format>10 bytes</dc:format>" in made
    assert "gone.html could not be opened" in troubles[0]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.html", ["Text"]),
        ("a.png", ["Image"]),
        ("a.mp3", ["Sound"]),
        ("a.mp4", ["MovingImage"]),
        ("a.csv", ["Dataset"]),
        ("a.zip", ["Collection"]),
        ("a.wasm", ["Software"]),
        ("a.unknown", []),
    ],
)
def test_the_kind_of_thing_follows_from_the_media_type(tmp_path: Path, name: str, kind: list[str]) -> None:
    (tmp_path / name).write_text("x")
    assert described(tmp_path, name)[0].get("type", []) == kind


def test_an_htaccess_can_say_what_type_a_file_has(tmp_path: Path) -> None:
    (tmp_path / ".htaccess").write_text("AddType application/x-own .own\n")
    (tmp_path / "a.own").write_text("x")
    found = look_up(tmp_path, "a.own", VisibilityRules())
    assert found is not None
    assert file_media_type(found) == "application/x-own"


@pytest.mark.parametrize(
    ("second", "written"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (-62135596800, "0001-01-01T00:00:00Z"),
        (253402300799, "9999-12-31T23:59:59Z"),
    ],
)
def test_every_second_has_a_stamp_of_twenty_letters(second: int, written: str) -> None:
    assert format_second(second) == written


@pytest.mark.parametrize("name", ["library", "[odd]*", "a/b"])
def test_a_library_inside_the_folder_is_skipped_and_no_other_of_its_name(tmp_path: Path, name: str) -> None:
    from windrow.config.source_kinds import FolderSettings

    for folder in (name, f"other/{name}"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "x.txt").write_text("x")
    settings = FolderSettings(name="www", url=URL, kind="files", folder=str(tmp_path))
    rules = published_folder(settings, library=tmp_path / name).rules
    assert look_up(tmp_path, f"{name}/x.txt", rules) is None
    assert look_up(tmp_path, f"other/{name}/x.txt", rules) is not None
