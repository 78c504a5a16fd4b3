"""`windrow doctor`: is everything in order?"""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.cli.looking import NAME, harvested, opened
from tests.cli.sourcing import Cli
from tests.servers.fault import Asked, Fault, Refused
from tests.servers.faults.transport import Busy
from tests.servers.items import make_items
from tests.servers.oai import OaiServer
from windrow.store import leases
from windrow.store.leases import Claim

GONE = Claim("a test", 2**22 + 1, leases.own_claim("").host, "1")  # no machine numbers processes so high


def _levels(cli: Cli) -> dict[str, str]:
    return {item["what"]: item["level"] for item in cli("doctor", "--json").json}


def test_a_library_in_order_ends_with_0(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
    result = cli("doctor")
    assert result.code == 0
    assert set(_levels(cli).values()) == {"ok"}
    for word in ("Python", "SQLite", "lxml", "expat", "free", "schema"):
        assert word in result.out


def test_no_library_is_a_problem_and_not_a_crash(cli: Cli) -> None:
    (cli.folder / "windrow.toml").unlink()
    result = cli("doctor")
    assert result.code == 1
    assert "windrow init" in result.err


def test_settings_that_do_not_load_are_a_problem(cli: Cli) -> None:
    (cli.folder / "windrow.toml").write_text("[harvest]\ntimeuot = 3\n", encoding="utf-8")
    result = cli("doctor")
    assert result.code == 1
    assert "timeout" in result.out


def test_a_picture_with_which_the_portal_would_not_start_is_a_problem(cli: Cli) -> None:
    (cli.folder / "windrow.toml").write_text('[portal]\nlogo = "gone.svg"\n', encoding="utf-8")
    result = cli("doctor")
    assert result.code == 1
    assert _levels(cli)["settings"] == "problem"
    assert "windrow.toml, line 2: portal.logo: gone.svg cannot be read" in result.out


def test_a_missing_database_is_a_problem(cli: Cli) -> None:
    for path in cli.folder.glob("windrow.db*"):
        path.unlink()
    assert cli("doctor").code == 1
    assert _levels(cli)["database"] == "problem"


def test_a_damaged_database_is_a_problem(cli: Cli) -> None:
    with OaiServer(make_items(300)) as server:
        harvested(cli, server)
    path = cli.folder / "windrow.db"
    body = bytearray(path.read_bytes())
    body[8192 * 3 : 8192 * 5] = b"\xff" * (8192 * 2)
    path.write_bytes(bytes(body))
    assert cli("doctor").code == 1


def test_a_source_that_was_never_harvested_is_noted(cli: Cli) -> None:
    assert cli("source", "add", "fresh", "http://127.0.0.1:9/oai", "--no-check").code == 0
    result = cli("doctor")
    assert result.code == 0
    assert "fresh was never harvested" in result.out
    assert "windrow harvest fresh" in result.err


def test_a_claim_whose_process_is_gone_is_noted(cli: Cli) -> None:
    with opened(cli) as store, store.writing() as connection:
        leases.take(connection, f"source {NAME}", GONE)
    assert "claimed by a process that is gone" in cli("doctor").out


def test_a_harvest_that_was_not_finished_is_noted(cli: Cli) -> None:
    from windrow.store import runs, sources
    from windrow.store.harvests import checkpoints

    assert cli("source", "add", NAME, "http://127.0.0.1:9/oai", "--no-check").code == 0
    with opened(cli) as store, store.writing() as connection:
        source = sources.ensure(connection, NAME, "http://127.0.0.1:9/oai")
        run = runs.start(connection, source.id, "harvest", now=datetime(2024, 1, 1, tzinfo=UTC), arguments={})
        checkpoints.plan(connection, source.id, run, [("oai_dc", "", None, None)])
    assert "1 window not harvested to the end" in cli("doctor").out


def test_the_quarantine_is_noted(cli: Cli) -> None:
    with OaiServer(make_items(3), "no metadata") as server:
        harvested(cli, server)
    assert _levels(cli)["quarantine"] == "note"


def test_what_reading_documents_needs_and_is_not_here_is_noted(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "papers").mkdir()
    assert "documents" not in _levels(cli)
    papers = str(tmp_path / "papers")
    assert cli("source", "add", "papers", papers, "--kind", "files", "--content", "documents").code == 0
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "tinytag", None)
    result = cli("doctor")
    assert result.code == 0
    assert "not read here: audio" in result.words
    assert "PostScript is listed without its text" in result.words
    assert "pip install ." in result.err


@pytest.mark.parametrize(
    "flags", [("--format", "mods"), ("--set", "nowhere"), ("--format", "mods", "--set", "art")]
)
def test_a_list_that_was_asked_for_once_and_refused_leaves_nothing_unfinished(
    cli: Cli, flags: tuple[str, ...]
) -> None:
    with OaiServer(make_items(25), _NoSuchSet()) as server:
        harvested(cli, server)
        assert cli("harvest", NAME, *flags).code == 1
    assert "not harvested to the end" not in cli("doctor").words
    assert cli("source", "show", NAME, "--json").json["unfinished"] == []
    with opened(cli) as store, store.reading() as connection:
        assert connection.execute('SELECT COUNT(*) FROM "window"').scalar_one() == 0


def _lists(server: OaiServer) -> list[dict[str, str]]:
    return [each.arguments for each in server.requests if each.arguments["verb"] == "ListRecords"]


def test_a_list_that_was_asked_for_once_and_broke_off_goes_on_and_is_not_missed(cli: Cli) -> None:
    busy = Busy(503, "86400", skip=1, times=None)
    with OaiServer(make_items(25), formats=("oai_dc", "mods")) as server:
        harvested(cli, server)
        server.faults = [busy]
        assert cli("harvest", NAME, "--format", "mods").code == 3
        assert "not harvested to the end" not in cli("doctor").words
        server.faults = []
        assert cli("harvest", NAME, "--format", "mods", "--ignore-retry-after").code == 0
        assert _lists(server)[-1]["resumptionToken"].startswith("20~")


@pytest.mark.parametrize("change", [("--format", "mods"), ("--set", "law"), ("--disable",)])
def test_what_the_configuration_no_longer_asks_for_is_not_missed(cli: Cli, change: tuple[str, ...]) -> None:
    with OaiServer(make_items(25), Busy(503, "86400", skip=1, times=None)) as server:
        assert cli("source", "add", NAME, server.url, "--no-check").code == 0
        assert cli("harvest", NAME).code == 3
    assert "1 window not harvested to the end" in cli("doctor").words
    assert cli("source", "edit", NAME, *change).code == 0
    assert "not harvested to the end" not in cli("doctor").words


def test_a_source_is_not_harvested_because_another_of_its_formats_was(cli: Cli) -> None:
    with OaiServer(make_items(3), formats=("oai_dc", "mods")) as server:
        assert cli("source", "add", NAME, server.url, "--no-check").code == 0
        assert cli("harvest", NAME, "--format", "mods").code == 0
        assert f"{NAME} was never harvested" in cli("doctor").words
        assert cli("harvest", NAME).code == 0
    assert "was never harvested" not in cli("doctor").words


class _NoSuchSet(Fault):
    """A set that nothing is in is refused as an argument, as some repositories do."""

    def reinterpret(self, asked: Asked) -> Asked:
        if asked.spec == "nowhere":
            raise Refused("badArgument", "no such set")
        return asked


def test_records_without_titles_are_a_note_with_an_example(cli: Cli) -> None:
    untitled = [replace(item, payload="<x>Moss</x>") for item in make_items(25)]
    with OaiServer(untitled) as server:
        harvested(cli, server)
    cli("index")
    findings = [item for item in cli("doctor", "--json").json if item["what"] == "fields"]
    assert {item["level"] for item in findings} == {"note"}
    assert findings[0]["detail"].startswith(
        f"{NAME}: 100 % of the records have no title, for example oai:test"
    )
    assert findings[0]["hint"].startswith("windrow record show oai:test.example:")
    assert cli("doctor").code == 0


def test_a_file_of_users_that_is_not_there_is_a_problem(cli: Cli) -> None:
    settings = cli.folder / "windrow.toml"
    settings.write_text(settings.read_text() + '\n[z3950]\nusers_file = "gone.htpasswd"\n')
    result = cli("doctor")
    assert result.code == 1
    assert "nobody can come in" in result.out


def test_a_port_that_is_open_to_everybody_is_a_note(cli: Cli) -> None:
    settings = cli.folder / "windrow.toml"
    before = settings.read_text()
    settings.write_text(f'{before}\n[z3950]\nport = 2100\nhost = "0.0.0.0"\n')
    assert _levels(cli)["z3950"] == "note"
    settings.write_text(f'{before}\n[z3950]\nport = 2100\nhost = "0.0.0.0"\nallow = ["10.0.0.0/8"]\n')
    assert "z3950" not in _levels(cli)
