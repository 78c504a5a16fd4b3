"""`windrow export --format sqlite`: a relational database whose figures are the portal's."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cli.looking import harvested
from tests.cli.sourcing import Cli
from tests.fixtures import missing
from tests.servers.items import NAMESPACES, Item, make_items
from tests.servers.oai import NOW, OaiServer
from windrow.demo.thesis_repository import Repository
from windrow.demo.thesis_server import DemoServer
from windrow.exports import sqlite_export


@contextmanager
def _database(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path)) as connection:
        yield connection


def _rows(path: Path, query: str, *parameters: object) -> list[Any]:
    with _database(path) as connection:
        return connection.execute(query, parameters).fetchall()


def _exported(cli: Cli, *arguments: str) -> Path:
    path = cli.folder / "out.db"
    result = cli("export", "--format", "sqlite", "--output", str(path), *arguments)
    assert result.code == 0, result.err
    return path


def _theses(cli: Cli, records: int = 120) -> None:
    with DemoServer(Repository(records, page_size=50)) as server:
        harvested(cli, server, "oai_dc", "kk")


def _stats(cli: Cli, table: str, *columns: str) -> list[tuple[Any, ...]]:
    printed = cli("stats", table, "--json").json
    tables = printed if isinstance(printed, list) else [printed]
    found = next(each for each in tables if each["name"] == table)
    return [tuple(row[column] for column in columns) for row in found["rows"]]


def test_every_row_has_the_rows_it_refers_to(cli: Cli) -> None:
    _theses(cli)
    path = _exported(cli, "--deleted")
    assert _rows(path, "PRAGMA foreign_key_check") == []
    assert _rows(path, "PRAGMA integrity_check") == [("ok",)]
    assert _rows(path, "PRAGMA user_version") == [(sqlite_export.SCHEMA_VERSION,)]


COUNTED = {
    "institutions": (
        ("institution", "records"),
        """SELECT name, COUNT(*) AS n FROM shown_record JOIN record_institution ON record_id = shown_record.id
           JOIN institution ON institution.id = institution_id GROUP BY name""",
    ),
    "growth": (
        ("year", "records"),
        "SELECT counted_year, COUNT(*) FROM shown_record WHERE counted_year IS NOT NULL GROUP BY 1",
    ),
    "languages": (
        ("language", "records"),
        "SELECT language, COUNT(*) FROM shown_record JOIN record_language ON record_id = id GROUP BY 1",
    ),
    "types": (
        ("type", "records"),
        "SELECT concept, COUNT(DISTINCT id) FROM shown_record JOIN record_type ON record_id = id GROUP BY 1",
    ),
    "subjects": (
        ("subject", "records"),
        "SELECT name, COUNT(*) FROM shown_record JOIN counted_subject ON record_id = id GROUP BY 1",
    ),
    "keywords": (
        ("keyword", "records"),
        "SELECT name, COUNT(*) FROM shown_record JOIN counted_keyword ON record_id = id GROUP BY 1",
    ),
    "access": (("access", "records"), "SELECT access, COUNT(*) FROM shown_record GROUP BY 1"),
    "licences": (
        ("licence", "records"),
        "SELECT licence, COUNT(*) FROM shown_record JOIN record_licence ON record_id = id GROUP BY 1",
    ),
    "departments": (
        ("institution", "department", "records"),
        """SELECT institution.name, department.name, COUNT(*) FROM shown_record
           JOIN record_unit ON record_unit.record_id = shown_record.id
           JOIN institution ON institution.id = institution_id
           JOIN department ON department.id = department_id GROUP BY 1, 2""",
    ),
    "pages-by-institution": (
        ("institution", "counted", "mean"),
        """SELECT name, COUNT(*), AVG(pages) FROM shown_record
           JOIN record_institution ON record_id = shown_record.id
           JOIN institution ON institution.id = institution_id WHERE pages IS NOT NULL GROUP BY name""",
    ),
}


@pytest.mark.parametrize("year_starts", ["01-01", "08-01"])
def test_figures_counted_in_sql_are_those_of_the_statistics(cli: Cli, year_starts: str) -> None:
    _theses(cli, 300)
    with (cli.folder / "windrow.toml").open("a", encoding="utf-8") as settings:
        settings.write(f'[portal]\nyear_starts = "{year_starts}"\n')
    with OaiServer(make_items(9)) as server:  # another source, with a record that was deleted since
        server.delete("oai:test.example:1", NOW)
        harvested(cli, server, name="other")
    assert cli("index").code == 0
    path = _exported(cli, "--deleted")
    for table, (columns, query) in COUNTED.items():
        counted, shown = _rows(path, query), _stats(cli, table, *columns)
        assert shown, table
        missed = [row for row in shown if not any(_same(row, other) for other in counted)]
        # A year without records is a row of the statistics, but of no GROUP BY.
        assert [row for row in missed if row[-1]] == [], table
        most = sorted((row[-1] for row in counted), reverse=True)[: len(shown)]
        if table in ("institutions", "languages", "types", "subjects", "keywords"):
            assert [row[-1] for row in shown] == most, table


TOPICS = (
    "<dc:subject>fi=sammal|sv=mossa|en=moss</dc:subject><dc:subject>moss</dc:subject>",
    "<dc:subject>fi=sammal|sv=mossa|en=moss</dc:subject><dc:subject>fi=suo|sv=kärr|en=bog</dc:subject>"
    "<dc:rights>http://creativecommons.org/licenses/by/4.0/</dc:rights><dc:rights>© 2020</dc:rights>",
    "<dc:subject>bog</dc:subject><dc:rights>info:eu-repo/semantics/embargoedAccess</dc:rights>"
    "<dc:date>info:eu-repo/date/embargoEnd/2015-01-01</dc:date>",
)


def test_topics_in_several_languages_and_rights_are_counted_as_the_portal_counts_them(cli: Cli) -> None:
    items = [
        Item(f"oai:test.example:{number}", NOW, (), f"<oai_dc:dc {NAMESPACES}>{body}</oai_dc:dc>")
        for number, body in enumerate(TOPICS)
    ]
    with OaiServer(items) as server:
        harvested(cli, server)
    assert cli("index").code == 0
    path = _exported(cli)
    for table in ("subjects", "keywords", "access", "licences"):
        columns, query = COUNTED[table]
        assert sorted(_rows(path, query)) == sorted(_stats(cli, table, *columns)), table
    assert dict(_rows(path, COUNTED["subjects"][1])) == {"moss": 2, "bog": 2}
    assert _rows(path, "SELECT COUNT(*) FROM record_subject WHERE NOT is_counted") == [(6,)]


def _same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    return all(
        left == pytest.approx(right) if isinstance(left, float) else left == right
        for left, right in zip(one, other, strict=True)
    )


def test_nothing_of_a_document_is_left_out(cli: Cli) -> None:
    """Every value of the JSON Lines export is found in the database, under its record."""
    _theses(cli, 30)
    found = cli("export", "--format", "jsonl")
    path = _exported(cli)
    with _database(path) as connection:
        held = _texts_of_records(connection)
        numbers = dict(connection.execute("SELECT identifier, id FROM record"))
    for line in found.out.splitlines():
        record = json.loads(line)
        texts = set(_leaves(record["document"])) | set(record["sets"])
        assert texts <= held[numbers[record["identifier"]]], record["identifier"]


def _texts_of_records(connection: sqlite3.Connection) -> dict[int, set[object]]:
    """All values by record, of the tables that name records and of those that these refer to."""
    held: dict[int, set[object]] = {}
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for table in tables:
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        if "record_id" not in columns and table != "record":
            continue
        joined = table
        for column in columns:
            referred = column.removesuffix("_id")
            referred = "source_set" if referred == "set" else referred
            if column.endswith("_id") and referred in tables and referred not in ("record", "source"):
                joined += f" JOIN {referred} ON {referred}.id = {table}.{column}"
        key = "id" if table == "record" else "record_id"
        for number, *values in connection.execute(f"SELECT {table}.{key}, * FROM {joined}"):
            held.setdefault(number, set()).update(values)
    return held


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        for part in value.values():
            yield from _leaves(part)
    elif isinstance(value, list):
        for part in value:
            yield from _leaves(part)
    else:
        yield " ".join(value.split()) if isinstance(value, str) else value


def test_tombstones_come_only_when_asked_for_and_are_not_shown(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        server.delete("oai:test.example:1", NOW)
        harvested(cli, server)
    assert _rows(_exported(cli), "SELECT COUNT(*) FROM record") == [(2,)]
    path = _exported(cli, "--deleted")
    assert _rows(path, "SELECT identifier FROM record WHERE is_deleted") == [("oai:test.example:1",)]
    assert _rows(path, "SELECT COUNT(*) FROM shown_record") == [(2,)]


def test_a_collection_or_a_source_is_exported_alone(cli: Cli) -> None:
    with OaiServer(make_items(2)) as one, OaiServer(make_items(3)) as other:
        harvested(cli, one, name="one")
        harvested(cli, other, name="other")
    with (cli.folder / "windrow.toml").open("a", encoding="utf-8") as settings:
        settings.write('[collections.both]\nsources = ["one", "other"]\n')
        settings.write('[collections.single]\nsources = ["other"]\n')
    assert _rows(_exported(cli), "SELECT COUNT(*) FROM record") == [(5,)]
    path = _exported(cli, "--collection", "single")
    assert _rows(path, "SELECT name FROM source") == [("other",)]
    assert _rows(path, "SELECT name FROM collection") == [("both",), ("single",)]
    assert _rows(path, "SELECT COUNT(*) FROM record") == [(3,)]
    path = _exported(cli, "--collection", "both", "--source", "one")
    assert _rows(path, "SELECT COUNT(*) FROM record") == [(2,)]
    assert len(cli("export", "--collection", "single").out.splitlines()) == 3
    unknown = cli("export", "--collection", "nothing")
    assert unknown.code == 2
    assert "both, single" in unknown.words
    assert "is in the collection" in cli("export", "--collection", "single", "--source", "one").words


def test_a_database_needs_a_file(cli: Cli) -> None:
    cli("init")
    result = cli("export", "--format", "sqlite")
    assert result.code == 2
    assert "--output" in result.err


def test_an_older_file_stays_where_the_export_fails(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    _theses(cli, 20)
    path = _exported(cli)
    before = path.read_bytes()
    monkeypatch.setattr(sqlite_export, "schema", lambda: "CREATE TABLE export (name);\n-- Indexes\n")
    assert cli("export", "--format", "sqlite", "--output", str(path)).code != 0
    assert path.read_bytes() == before
    assert [found.name for found in path.parent.iterdir() if found.name.endswith(".part")] == []


def test_names_are_found_again_when_there_are_more_than_memory_keeps(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    _theses(cli, 60)
    whole = _rows(_exported(cli), "SELECT name FROM person ORDER BY name")
    monkeypatch.setattr(sqlite_export, "MOST_NAMES", 2)
    path = _exported(cli)
    assert _rows(path, "SELECT name FROM person ORDER BY name") == whole
    assert _rows(path, "PRAGMA foreign_key_check") == []


def test_the_sqlite_shell_opens_it(cli: Cli) -> None:
    if shutil.which("sqlite3") is None:
        missing("the sqlite3 shell is not on this machine")
    _theses(cli, 20)
    path = _exported(cli)
    words = ["sqlite3", str(path), "SELECT COUNT(*) FROM shown_record"]
    counted = subprocess.run(words, capture_output=True, text=True, check=True)
    assert counted.stdout.strip() == str(_rows(path, "SELECT COUNT(*) FROM record")[0][0])


def test_files_are_exported_and_what_the_portal_does_not_show_is_not_counted(
    cli: Cli, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("papers")
    (folder / "one.txt").write_text("Hay is dried grass.", encoding="utf-8")
    (folder / "two.txt").write_text("Oats are not.", encoding="utf-8")
    for path in (folder, folder / "one.txt", folder / "two.txt"):
        path.chmod(0o755)
    assert cli("source", "add", "p", str(folder), "--kind", "files", "--content", "documents").code == 0
    assert cli("harvest", "p").code == 0
    assert cli("document", "hide", "p", "one.txt").code == 0
    path = _exported(cli)
    assert _rows(path, "SELECT path, media_type, bytes FROM file ORDER BY path") == [
        ("one.txt", "text/plain", 19),
        ("two.txt", "text/plain", 13),
    ]
    shown = "SELECT path FROM file JOIN shown_record ON shown_record.id = file.record_id"
    assert _rows(path, shown) == [("two.txt",)]
    assert _rows(path, "SELECT SUM(is_protected) FROM record") == [(1,)]
    assert _rows(path, "SELECT COUNT(*) FROM file_fact")[0][0] > 0
