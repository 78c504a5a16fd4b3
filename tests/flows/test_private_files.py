"""Who may read the files of a library: its owner alone, or whom the owner has let in."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.cli.sourcing import Cli, make_cli
from tests.flows.harvesting import make_shelf
from tests.servers.http import Reply, ScriptedServer
from tests.servers.items import make_items
from tests.servers.oai import OaiServer
from windrow.config.editor import change_source, replace_file
from windrow.extract.picture_store import PictureStore
from windrow.harvest.oai.run_context import PageArchive
from windrow.schedule.run_logs import open_log
from windrow.wiring import create_library, open_library
from windrow.wiring.indexing import follow_index

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes of files")
SECRET = '\n[sources.x]\nurl = "https://a.example/oai"\nusername = "u"\npassword = "sesame"\n'


@pytest.fixture(autouse=True)
def _umask() -> Iterator[None]:
    before = os.umask(0)  # nothing but Windrow itself keeps a file private
    yield
    os.umask(before)


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    tmp_path.chmod(0o755)  # a folder that was there before
    return make_cli(tmp_path, monkeypatch, capsys)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def private_finding(cli: Cli) -> tuple[str, str, str]:
    found = [item for item in cli("doctor", "--json").json if item["what"] == "private"]
    assert len(found) == 1, found
    return found[0]["level"], found[0]["detail"], found[0]["hint"] or ""


def test_a_new_library_can_be_read_by_its_owner_alone(tmp_path: Path) -> None:
    with OaiServer(make_items(5)) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
    PageArchive(shelf.folder, 1).keep(b"a damaged page")
    library = open_library(str(shelf.folder), environ={})
    with library.store.writing():
        beside = {path.name: mode(path) for path in shelf.folder.glob("windrow.db*")}
    follow_index(library)
    library.close()
    open_log(shelf.folder, "nightly", 1)(b"harvested\n")
    PictureStore(shelf.folder / "files").put("ab" * 32, "320", b"picture")
    assert beside == {"windrow.db": 0o600, "windrow.db-wal": 0o600, "windrow.db-shm": 0o600}
    assert mode(shelf.folder) == 0o700
    everything = {path.name: mode(path) for path in shelf.folder.iterdir()}
    assert everything.keys() >= {"windrow.toml", "windrow.db", "index", "logs", "files"}
    assert {name: each for name, each in everything.items() if each & 0o077} == {}


def test_a_library_in_a_folder_that_others_can_enter_is_private_as_well(cli: Cli) -> None:
    assert mode(cli.folder) == 0o755
    assert (mode(cli.folder / "windrow.toml"), mode(cli.folder / "windrow.db")) == (0o600, 0o600)
    assert private_finding(cli)[0] == "ok"


def test_a_copy_is_as_private_as_the_library(cli: Cli, tmp_path_factory: pytest.TempPathFactory) -> None:
    copies = tmp_path_factory.mktemp("copies")
    assert cli("backup", str(copies)).code == 0
    (copy,) = copies.iterdir()
    assert mode(copy) & 0o077 == 0
    for path in copy.glob("windrow.*"):
        assert mode(path) == 0o600


@pytest.mark.parametrize("before", [0o600, 0o640, 0o660, 0o400])
def test_an_edit_keeps_the_mode_that_the_owner_chose(tmp_path: Path, before: int) -> None:
    folder = create_library(tmp_path / "library")
    file = folder / "windrow.toml"
    file.write_text(SECRET, encoding="utf-8")
    file.chmod(before)
    change_source(folder, "x", {"delay": "2s"})
    assert "delay" in file.read_text(encoding="utf-8")
    assert mode(file) == before


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root, to be two people")
def test_a_file_that_loses_its_group_is_not_given_to_another() -> None:
    """Somebody who is not in the group of the file edits it: it becomes theirs, and not their group's."""
    with TemporaryDirectory() as folder:
        os.chown(folder, 4002, 4002)
        file = Path(folder) / "windrow.toml"
        file.write_text("old", encoding="utf-8")
        os.chown(file, 4001, 4001)
        file.chmod(0o666)
        with acting_as(4002):
            replace_file(file, b"new")
        assert file.read_bytes() == b"new"
        assert (file.stat().st_gid, mode(file)) == (4002, 0o606)


@contextmanager
def acting_as(number: int) -> Iterator[None]:
    groups = os.getgroups()
    os.setgroups([])
    os.setegid(number)
    os.seteuid(number)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(groups)


def test_a_library_that_a_group_shares_stays_shared(cli: Cli) -> None:
    for name in ("windrow.toml", "windrow.db"):
        (cli.folder / name).chmod(0o660)
    with OaiServer(make_items(3)) as server:
        assert cli("source", "add", "hay", server.url).code == 0
        assert cli("harvest").code == 0
    os.umask(0o002)
    assert cli("index").code == 0
    assert mode(cli.folder / "index") & 0o770 == 0o770
    assert mode(cli.folder / "index") & 0o007 == 0
    assert (mode(cli.folder / "windrow.toml"), mode(cli.folder / "windrow.db")) == (0o660, 0o660)
    assert private_finding(cli)[0] == "ok"


def test_doctor_says_who_can_read_a_password_and_how_to_end_it(cli: Cli) -> None:
    file = cli.folder / "windrow.toml"
    with file.open("a", encoding="utf-8") as stream:
        stream.write(SECRET)
    file.chmod(0o644)
    level, words, hint = private_finding(cli)
    assert (level, hint) == ("problem", f"chmod go= {file}")
    assert "everybody" in words
    assert cli("doctor").code == 1
    file.chmod(0o640)
    level, words, hint = private_finding(cli)
    assert (level, hint) == ("note", f"chmod g= {file}")
    file.chmod(0o600)
    assert private_finding(cli)[0] == "ok"


@pytest.mark.parametrize(
    "lines",
    [
        '[sources.x]\nurl = "https://u:sesame@a.example/oai"\n',
        '[sources.x]\nurl = "https://a.example/oai?key=sesame"\n',
        '[sources.x]\nurl = "https://a.example/oai"\nsecret_query = "key=sesame"\n',
        '[sources.x]\nurl = "https://a.example/oai"\nheaders = { X-Key = "sesame" }\n',
        '[harvest]\nproxy = "http://u:sesame@proxy.example:3128"\n',
        '[notify]\nwebhook = "https://hooks.example/sesame"\n',
        '[jobs.x]\nevery = "daily"\nrun = "source check https://a.example/oai?key=sesame"\n',
        '[jobs.x]\nevery = "daily"\nrun = "harvest"\nbefore = ["curl", "https://u:sesame@a.example/"]\n',
        '[notify]\nmail_to = ["a@b.example"]\nmail_from = "a@b.example"\nsmtp_host = "b.example"\n'
        'username = "u"\npassword = "sesame"\n',
    ],
)
def test_doctor_knows_every_kind_of_secret(cli: Cli, lines: str) -> None:
    (cli.folder / "windrow.toml").write_text(lines, encoding="utf-8")
    (cli.folder / "windrow.toml").chmod(0o604)
    assert private_finding(cli)[0] == "problem"


def test_doctor_notes_data_and_password_files_that_everybody_can_read(cli: Cli) -> None:
    database = cli.folder / "windrow.db"
    database.chmod(0o644)
    level, words, hint = private_finding(cli)
    assert level == "note"
    assert "windrow.db" in words
    assert f"chmod o= {database}" in hint
    database.chmod(0o600)
    secret = cli.folder / "pass"
    secret.write_text("sesame\n", encoding="utf-8")
    secret.chmod(0o644)
    with (cli.folder / "windrow.toml").open("a", encoding="utf-8") as stream:
        stream.write('\n[sources.x]\nurl = "https://a.example/"\nusername = "u"\npassword_file = "pass"\n')
    assert private_finding(cli)[::2] == ("problem", f"chmod go= {secret}")
    cli.folder.chmod(0o700)  # nobody can enter, so nobody can read
    assert private_finding(cli)[0] == "ok"


def test_a_secret_that_is_added_to_settings_that_others_can_read_is_warned_of(cli: Cli) -> None:
    (cli.folder / "windrow.toml").chmod(0o644)
    with ScriptedServer(lambda _: Reply(204)) as server:
        place = f"http://u:sesame@127.0.0.1:{server.port}/oai"
        added = cli("source", "add", "x", place, "--no-check")
    assert f"chmod go= {cli.folder / 'windrow.toml'}" in added.err
    assert mode(cli.folder / "windrow.toml") == 0o644  # as the owner has it
