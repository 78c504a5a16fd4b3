"""The examples on the page about extension points work."""

from __future__ import annotations

import io
import sys
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.cli.sourcing import Cli, make_cli
from tests.docs.markdown import page
from tests.servers.asgi import AsgiServer
from tests.unit.stats.making import documents, population
from windrow.exports.entries import Entry
from windrow.extract import reader_registry
from windrow.extract.reading_job import Job, Unreadable
from windrow.formats import registry
from windrow.model.document import Document, Text
from windrow.plugins import load_plugins
from windrow.sources.files import file_description
from windrow.stats import catalogue
from windrow.store.records.record_reader import StoredRecord
from windrow.web.app import WebApplication
from windrow.web.layout.site import SiteAddress

HOWTO = page("docs/howto/extend.md")
FILES = {block.words[0]: block.text for block in HOWTO.blocks if block.words}
CACHES = (
    registry.registry,
    registry._quick_way,
    file_description.describers,
    reader_registry._plugged_in_readers,
)


def names(path: str) -> dict[str, Any]:
    """Run the example that belongs into a file; return what it defines."""
    found: dict[str, Any] = {"__name__": "example"}
    exec(compile(FILES[path], path, "exec"), found)
    return found


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package of the page, in the environment."""
    for name, text in FILES.items():
        if name.startswith("our_package/"):
            file = tmp_path / name
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
    groups = tomllib.loads(FILES["pyproject.toml"])["project"]["entry-points"]
    information = tmp_path / "our_package-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: our-package\nVersion: 1.0\n")
    lines = [
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in entries.items())
        for group, entries in groups.items()
    ]
    (information / "entry_points.txt").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(tmp_path)
    for cache in CACHES:
        cache.cache_clear()
    yield
    for cache in CACHES:
        cache.cache_clear()
    for name in [each for each in sys.modules if each.partition(".")[0] == "our_package"]:
        del sys.modules[name]


@pytest.mark.usefixtures("installed")
def test_the_format_is_read() -> None:
    payload = b'<n:note xmlns:n="https://notes.example/ns/"><n:heading>On hay</n:heading></n:note>'
    assert registry.read(payload, b"", "any").title == "On hay"
    assert registry.read(payload.replace(b"On hay", b" "), b"", "any") == Document()


@pytest.mark.usefixtures("installed")
def test_the_describer_is_asked() -> None:
    first, *_ = file_description.describers()["text/plain"]
    assert list(first.describe(b"On hay\nand oats")) == [("title", "On hay")]
    assert list(first.describe(b"")) == []


@pytest.mark.usefixtures("installed")
def test_the_extractor_takes_over_its_media_type() -> None:
    reader = reader_registry.find_reader("text/csv")
    assert reader is not None
    found = reader.read(io.BytesIO(b"year,crop\n2001,hay\n"), Job("crops.csv"))
    assert found.said == (("subject", "year"), ("subject", "crop"))
    assert found.text == ("year crop\n2001 hay",)
    with pytest.raises(Unreadable):
        reader.read(io.BytesIO(b"\xff"), Job("crops.csv"))


@pytest.mark.usefixtures("installed")
def test_every_group_of_the_page_is_one_that_windrow_loads() -> None:
    groups = tomllib.loads(FILES["pyproject.toml"])["project"]["entry-points"]
    assert {registry.ENTRY_POINTS, file_description.ENTRY_POINTS} < set(groups)
    assert all(len(load_plugins(group, "example")) == 1 for group in groups)


def test_the_program_gets_the_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cli: Cli = make_cli(tmp_path, monkeypatch, capsys)
    program = tmp_path / "on_job.py"
    program.write_text(FILES["on_job.py"], encoding="utf-8")
    with (cli.folder / "windrow.toml").open("a", encoding="utf-8") as settings:
        settings.write(f"\n[notify]\ncommand = '{sys.executable} {program}'\n")
    assert cli("notify", "test").code == 0
    occasion, *rest = (cli.folder / "jobs.log").read_text(encoding="utf-8").rstrip("\n").split("\t")
    assert occasion == "test"
    assert len(rest) == 2


def test_the_statistic_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    make = names("windrow/stats/first_letters.py")["tabulate_first_letters"]
    monkeypatch.setitem(catalogue.TABLES, "first-letters", make)
    made = documents(*(Document(titles=(Text(title),)) for title in ("Hay", "Heather", "Oats")))
    table = catalogue.make_table("first-letters", population(made))
    assert [row.cells for row in table.rows] == [("H", 2), ("O", 1)]


def test_the_front_end_answers() -> None:
    make = names("windrow/web/count/count_front_end.py")["CountFrontEnd"]
    index = population(documents(Document(), Document())).index
    with AsgiServer() as server:
        site = SiteAddress(server.url, "Library")
        server.application = WebApplication({"count": make(index)}, site=site)
        assert server.ask("/count").text == '{"records": 2}\n'
        assert server.ask("/count", "DELETE").status == 405


def test_the_export_writes_a_line_a_record() -> None:
    target = io.BytesIO()
    record = StoredRecord(
        1, "hay", "oai:hay:1", "2024-05-01", False, 1, datetime(2024, 6, 1, tzinfo=UTC), 1, 1
    )
    names("windrow/exports/titles_export.py")["write"](
        [Entry(record, None, Document(titles=(Text("On hay"),)))], target
    )
    assert target.getvalue() == b"oai:hay:1\tOn hay\n"
