"""Stores made, opened, brought up to date, and refused with words that help."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.contracts.store.shelf import BackEnd, Shelf, live
from tests.fixtures import missing
from windrow.errors import StoreError, StoreVersion
from windrow.store import migrations
from windrow.store.store import Store

ODD_NAMES = [
    "two words",
    "100%",
    "50%25",
    "a#b",
    "what?",
    "a&b=c",
    "Väylä-日本",
    "quote'\"s",
    "semi;colon",
    "~",
    "a\\b",
]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_library_may_lie_in_a_folder_of_any_name(back_end: BackEnd, tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    made = Shelf(back_end.create(folder))
    made.write(live("a"))
    made.store.close()
    opened = Shelf(back_end.open(folder))
    assert opened.find("a").identifier == "a"
    opened.store.close()
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (folder / "windrow.db").is_file()


def test_a_new_store_has_today_s_schema(store: Store) -> None:
    with store.reading() as connection:
        assert migrations.version(connection) == len(migrations.MIGRATIONS)


def test_migrating_twice_changes_nothing(shelf: Shelf) -> None:
    shelf.write(live("a"))
    before = shelf.find("a")
    with shelf.store.writing() as connection:
        assert migrations.migrate(connection) == len(migrations.MIGRATIONS)
    assert shelf.find("a") == before
    assert shelf.last_seq() == before.seq


FIRST_ROWS = """
    INSERT INTO source (id, name, url) VALUES (1, 'hay', 'https://hay.example/oai');
    INSERT INTO run (id, source_id, kind, started, arguments, counters)
      VALUES (1, 1, 'harvest', '2024-01-01', '{}', '{}'), (2, 1, 'harvest', '2024-01-02', '{}', '{}');
    INSERT INTO record VALUES (1, 1, 'a', '2024', 0, 1, 1000, 1, 1, 0),
      (2, 1, 'b', '2024', 0, 4, 1200, 1, 2, 0), (3, 1, 'c', '2024', 0, 3, 900, 1, 1, 0);
    INSERT INTO history VALUES (4, 2, 2, 'sets', 1200, '2023', NULL, NULL, NULL, NULL, NULL);
    UPDATE setting SET value = '4' WHERE key = 'seq'
"""


def test_a_store_of_the_first_schema_keeps_its_times_and_runs(
    monkeypatch: pytest.MonkeyPatch, back_end: BackEnd, tmp_path: Path
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "MIGRATIONS", migrations.MIGRATIONS[:1])
        old = back_end.create(tmp_path)
        with old.writing() as connection:
            for statement in FIRST_ROWS.split(";\n"):
                connection.execute(statement)
        old.close()
    shelf = Shelf(back_end.open(tmp_path))
    found = [shelf.find(name) for name in "abc"]
    assert [record.changed_at.timestamp() for record in found] == [1000, 1200, 1000]  # a clock was set back
    assert [(record.added_run, record.changed_run) for record in found] == [(1, 1), (1, 2), (1, 1)]
    assert shelf.changes(1) == [("added", "a"), ("added", "b"), ("added", "c")]
    assert shelf.changes(2) == [("sets", "b")]
    shelf.write(live("d"), now=1100)
    assert shelf.find("d").changed_at.timestamp() == 1200
    shelf.store.close()


def test_an_empty_file_becomes_a_store(back_end: BackEnd, tmp_path: Path) -> None:
    (tmp_path / "windrow.db").touch()
    opened = Shelf(back_end.open(tmp_path))
    opened.write(live("a"))
    assert opened.find("a").identifier == "a"
    opened.store.close()


def test_a_store_of_a_newer_windrow_is_refused_and_left_as_it_is(
    back_end: BackEnd, store: Store, tmp_path: Path
) -> None:
    newer = str(len(migrations.MIGRATIONS) + 1)
    with store.writing() as connection:
        connection.execute("UPDATE setting SET value = ? WHERE key = 'schema'", (newer,))
    with pytest.raises(StoreVersion, match=f"schema {newer}"):
        back_end.open(tmp_path)
    with store.reading() as connection:
        assert migrations.version(connection) == int(newer)


def test_a_folder_without_a_store_is_refused(back_end: BackEnd, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"there is no windrow\.db in"):
        back_end.open(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content", [b"This is not a database. " * 100, b"\x00" * 5000, b"SQLite format 3\x00" + b"x" * 5000]
)
def test_a_file_that_is_no_database_is_refused_by_name(
    back_end: BackEnd, tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "windrow.db"
    path.write_bytes(content)
    with pytest.raises(StoreError) as caught:
        back_end.open(tmp_path)
    assert str(path) in str(caught.value)
    assert caught.value.hint


AS_NOBODY = """
import os, sys
from pathlib import Path
from windrow.errors import StoreError
from windrow.store.store import create_store, open_store
if os.getuid() == 0:
    os.setgroups([]), os.setgid(65534), os.setuid(65534)
try:
    {"create": create_store, "open": open_store}[sys.argv[1]](Path(sys.argv[2])).close()
except StoreError as exc:
    print(exc, "|", exc.hint)
"""


def _as_nobody(what: str, folder: Path) -> str:
    """Do it in a process that has first given up the right to write everywhere; give what it says."""
    if not hasattr(os, "setuid"):
        missing("folders cannot be made read-only this way here")
    folder.chmod(0o555)
    command = [sys.executable, "-c", AS_NOBODY, what, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    folder.chmod(0o755)
    return done.stdout


def test_no_store_is_made_in_a_folder_one_may_not_write_in(back_end: BackEnd) -> None:
    with tempfile.TemporaryDirectory() as name:
        said = _as_nobody("create", Path(name))
    assert f"{name}/windrow.db cannot be used" in said
    assert "you may write in that folder" in said


def test_a_store_in_a_folder_one_may_not_write_in_can_be_opened(back_end: BackEnd) -> None:
    with tempfile.TemporaryDirectory() as name:
        Shelf(back_end.create(Path(name))).store.close()
        (Path(name) / "windrow.db").chmod(0o444)
        assert _as_nobody("open", Path(name)) == ""
        assert [each.name for each in Path(name).iterdir()] == ["windrow.db"]


@pytest.mark.parametrize("said", ["abc", None])
def test_a_store_that_does_not_say_its_schema_is_refused(
    back_end: BackEnd, store: Store, tmp_path: Path, said: str | None
) -> None:
    with store.writing() as connection:
        connection.execute("UPDATE setting SET value = ? WHERE key = 'schema'", (said,))
    with pytest.raises(StoreError, match="which schema"):
        back_end.open(tmp_path)
