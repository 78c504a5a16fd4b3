"""Documents as digital items: what was read of them goes along, their text does not."""

from __future__ import annotations

from pathlib import Path

from lxml import etree

from windrow.formats.registry import read
from windrow.formats.windrow_document import NAMESPACE, DocumentLocation, write_extracted
from windrow.model.file_content import Extract
from windrow.sources.files.digital_items import FileDeriver
from windrow.sources.files.published_folder import PublishedFolder, VisibilityRules

URL = "https://www.example.org/"
EXTRACT = Extract("text/plain", (("title", "Barley"),), text=("a text that stays here",))
PLACE = DocumentLocation(f"{URL}new.txt", "new.txt", 3, "2024-01-01T00:00:00Z", "ab" * 32)


def item(root: Path, identifier: str) -> bytes | None:
    folder = PublishedFolder("www", root, URL, VisibilityRules(needs_public_read=False), 1000)
    deriver = FileDeriver(folder, find_path={f"{URL}old.txt": "new.txt"}.get)
    stored = {"windrow_document": write_extracted(PLACE, EXTRACT)}
    return deriver.renderer().render(identifier, "oai_didl", stored)


def test_a_digital_item_has_a_descriptor_with_what_was_read_but_the_text(tmp_path: Path) -> None:
    (tmp_path / "new.txt").write_text("abc")
    made = item(tmp_path, f"{URL}old.txt")
    assert made is not None
    (held,) = etree.fromstring(made).iter(f"{{{NAMESPACE}}}document")
    assert held.get("path") == "new.txt"
    assert b"a text that stays here" not in made
    assert read(made, b"", "oai_didl").title == "Barley"


def test_a_document_that_lies_nowhere_gives_no_item(tmp_path: Path) -> None:
    (tmp_path / "new.txt").write_text("abc")
    assert item(tmp_path, f"{URL}new.txt") is None
