"""Credentials and keys in the address of a source: sent to its repository, and shown to nobody.

The repository repeats what it was asked wherever it can, as real ones do: in its base URL, in the request
element, in its errors and in the places that it redirects to.
"""

from __future__ import annotations

import json
import re
import sqlite3
import stat
import subprocess
import tomllib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.cli.sourcing import Cli, make_cli
from tests.flows.commanding import WAIT_SECONDS, command, environment, windrow
from tests.flows.harvesting import Shelf, make_shelf, words
from tests.flows.serving import serving
from tests.servers.fault import Fault
from tests.servers.http import Reply, Request, ScriptedServer
from tests.servers.items import make_items
from tests.servers.oai import OaiServer
from windrow.model.run import Outcome
from windrow.store import sources
from windrow.wiring import create_library

USER, PASSWORD, KEY = "harvester-7", "p@ss/wörd", "S3CR3T+kéy/1"
WRITTEN = f"{quote(USER)}:{quote(PASSWORD, safe='')}"  # as an address has it
BASIC = b64encode(f"{USER}:{PASSWORD}".encode()).decode()
NEEDLES = (
    *(PASSWORD, quote(PASSWORD, safe=""), quote(PASSWORD), quote(PASSWORD, safe="").lower()),
    *(KEY, quote(KEY, safe=""), quote(KEY), quote(KEY, safe="").lower(), f"key={quote(KEY)}"),
    *(BASIC, json.dumps(PASSWORD)[1:-1], json.dumps(KEY)[1:-1]),
)
VERBS = "/oai?verb={}&metadataPrefix=oai_dc"


@dataclass
class Closed(Fault):
    """Lets in who has the password and the key, and repeats both whenever it speaks."""

    trouble: str = ""

    def intercept(self, request: Request) -> Reply | None:
        key = request.arguments.get("key")
        if request.headers.get("authorization") != f"Basic {BASIC}" or key != KEY:
            return Reply(401, b"who are you?", content_type="text/plain")
        if request.arguments.get("verb") == "Identify":
            return None
        echo = f"http://{USER}:{PASSWORD}@host{request.target} {KEY} {quote(KEY)} Basic {BASIC}"
        if self.trouble == "error":
            body = f'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><error code="badArgument">{echo}'
            return Reply(body=(body.replace("&", "&amp;") + "</error></OAI-PMH>").encode())
        if self.trouble == "status":
            return Reply(500, echo.encode(), content_type="text/plain")
        if self.trouble == "redirect":
            return Reply(
                302, headers={"Location": f"http://{WRITTEN}@127.0.0.1:1/{quote(KEY)}?{request.query}"}
            )
        if self.trouble == "page":
            return Reply(body=f"<html>{echo}</html>".encode(), content_type="text/html")
        return None

    def markup(self, xml: str) -> str:
        place = f"http://{WRITTEN}@127.0.0.1/other?key={quote(KEY)}&amp;sig=unknown-signature"
        xml = re.sub("<baseURL>[^<]*", f"<baseURL>{place}", xml)
        return xml.replace("<repositoryName>", f"<repositoryName>{KEY} opens ")


def assert_clean(text: str | bytes, where: str = "") -> None:
    whole = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
    found = [needle for needle in NEEDLES if needle.encode() in whole]
    assert not found, f"{where}: {found} in {whole[:3000]!r}"


def address(server: ScriptedServer, *, path: str = "/oai") -> str:
    return f"http://{WRITTEN}@127.0.0.1:{server.port}{path}?key={quote(KEY, safe='')}&collection=5"


def public(server: ScriptedServer) -> str:
    return f"http://127.0.0.1:{server.port}/oai"


@pytest.fixture
def closed() -> Iterator[OaiServer]:
    with OaiServer(make_items(25), Closed()) as server:
        yield server


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    return make_cli(tmp_path, monkeypatch, capsys)


def database(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.glob("windrow.db*")))


def test_adding_a_source_moves_its_secrets_to_the_settings_and_says_so(cli: Cli, closed: OaiServer) -> None:
    added = cli("source", "add", "closed", address(closed), "--public-query", "collection")
    assert added.code == 0, added.words
    assert_clean(added.words)
    assert "`username` and `password`" in added.err
    assert "`secret_query`" in added.err
    assert "key" in added.err
    table = tomllib.loads(cli.toml)["sources"]["closed"]
    assert table == {
        "url": f"{public(closed)}?collection=5",
        "username": USER,
        "password": PASSWORD,
        "secret_query": f"key={quote(KEY, safe='')}",
        "public_query": ["collection"],
    }
    assert {request.arguments.get("key") for request in closed.requests} == {KEY}


def test_editing_an_address_moves_its_secrets_as_well(cli: Cli, closed: OaiServer) -> None:
    cli(
        "source",
        "add",
        "closed",
        "https://old.example/oai",
        "--no-check",
        "--username",
        "me",
        "--password-env",
        "X",
    )
    edited = cli("source", "edit", "closed", "--url", address(closed), "--json")
    assert edited.code == 0, edited.words
    assert_clean(edited.words)
    table = tomllib.loads(cli.toml)["sources"]["closed"]
    assert table["url"] == public(closed)
    assert (table["username"], table["password"]) == (USER, PASSWORD)
    assert "password_env" not in table
    assert table["secret_query"] == f"key={quote(KEY, safe='')}&collection=5"
    assert cli("harvest", "closed").code == 0


def test_credentials_that_are_given_twice_are_refused_and_not_repeated(cli: Cli, closed: OaiServer) -> None:
    refused = cli("source", "add", "closed", address(closed), "--username", "other", "--password-env", "X")
    assert refused.code == 2
    assert "twice" in refused.err or "as well" in refused.err
    assert_clean(refused.words)


COMMANDS = (
    ("source", "list"),
    ("source", "list", "--json"),
    ("source", "show", "closed"),
    ("source", "show", "closed", "--json"),
    ("source", "check", "closed"),
    ("source", "check", "closed", "--json"),
    ("source", "compare", "closed"),
    ("source", "compare", "closed", "--json"),
    ("harvest", "closed", "--dry-run"),
    ("harvest", "closed", "--dry-run", "--json"),
    ("harvest", "closed"),
    ("harvest", "closed", "--full", "--json"),
    ("config", "show"),
    ("config", "show", "--json"),
    ("doctor",),
    ("doctor", "--json"),
    ("run", "list"),
    ("run", "show", "1"),
    ("run", "show", "2", "--json"),
    ("record", "show", "oai:test.example:1"),
    ("record", "show", "oai:test.example:1", "--json"),
    ("export",),
    ("trace", "oai:test.example:1"),
    ("trace", "oai:test.example:1", "--json"),
    ("quarantine", "list"),
    ("source", "edit", "closed", "--delay", "0"),
    ("source", "add", "closed", "http://elsewhere.example/"),
)


@pytest.mark.parametrize("by_hand", [False, True], ids=["added", "written by hand"])
def test_no_command_prints_a_secret(cli: Cli, closed: OaiServer, by_hand: bool) -> None:
    if by_hand:
        with (cli.folder / "windrow.toml").open("a", encoding="utf-8") as file:
            file.write(f'\n[sources.closed]\nurl = "{address(closed)}"\n')
    else:
        assert cli("source", "add", "closed", address(closed)).code == 0
    for arguments in COMMANDS:
        result = cli(*arguments)
        assert_clean(result.out + result.err, " ".join(arguments))
        assert (result.code == 2) == (arguments == COMMANDS[-1]), result.words
    assert cli("harvest", "closed").code == 0
    assert_clean(database(cli.folder), "database")


def test_an_address_that_is_only_checked_is_printed_without_its_secrets(cli: Cli, closed: OaiServer) -> None:
    for arguments in (("source", "check"), ("source", "check", "--json"), ("source", "compare")):
        result = cli(*arguments, address(closed))
        assert_clean(result.words, " ".join(arguments))
        assert result.code == 0, result.words
    assert_clean(cli("source", "check", f"{WRITTEN}@host/oai?key={quote(KEY)}").words)
    assert_clean(cli("source", "check", f"ftp://{WRITTEN}@host/oai?key={quote(KEY)}").words)
    assert_clean(cli("source", "check", f"http://{WRITTEN}@127.0.0.1:1/oai?key={quote(KEY)}").words)
    assert_clean(cli("source", "add", "x", f"http://{WRITTEN}@127.0.0.1:1/oai?key={quote(KEY)}").words)
    assert_clean(cli.toml)


@pytest.mark.parametrize("trouble", ["error", "status", "redirect", "page"])
def test_what_a_repository_repeats_in_its_troubles_is_hidden(tmp_path: Path, trouble: str) -> None:
    with OaiServer(make_items(5), Closed(trouble)) as server:
        shelf = make_shelf(tmp_path, address(server), attempts=1)
        run = shelf.harvest()
        assert run.outcome is not Outcome.OK
        assert_clean(words(run) + str([problem.url for problem in run.problems]), "problems")
        assert_clean(database(shelf.folder), "database")
        kept = [path.read_bytes() for path in (shelf.folder / "files").rglob("*.xml")]
        assert bool(kept) == (trouble == "page")
        assert_clean(b"".join(kept), "kept pages")
        done = windrow(shelf, "harvest")
        assert_clean(done.stdout + done.stderr, "terminal")
        assert_clean(windrow(shelf, "run", "show", "1").stdout)


def test_a_traceback_has_no_secrets_in_it(tmp_path: Path) -> None:
    shelf = make_shelf(tmp_path, f"http://{WRITTEN}@127.0.0.1:1/oai?key={quote(KEY)}")
    arguments = command(shelf, "source", "list")
    arguments[2] = (
        "import windrow.cli.sources.source_command as m\n"
        f"def fail(*_, **__): raise RuntimeError({PASSWORD!r} + ' ' + {KEY!r})\n"
        "import windrow.store.overview as o; o.list_overviews = fail\n"
        "from windrow.cli.main import main; main()"
    )
    done = subprocess.run(
        arguments,
        capture_output=True,
        text=True,
        env=environment({"WINDROW_DEBUG": "1"}),
        check=False,
        timeout=WAIT_SECONDS,
    )
    assert "RuntimeError: ******** ********" in done.stderr
    assert_clean(done.stderr)


def test_nothing_that_is_published_has_a_secret_in_it(tmp_path: Path, closed: OaiServer) -> None:
    shelf = make_shelf(tmp_path, address(closed), public_query=["collection"])
    assert shelf.harvest().outcome is Outcome.OK
    closed.faults[0].trouble = "error"  # type: ignore[attr-defined]
    closed.now = closed.now.replace(year=2025)
    shelf.harvest(is_full=True)
    source = "test"
    with serving(shelf.folder) as server:
        paths = [
            *(
                VERBS.format("ListRecords"),
                "/oai?verb=Identify",
                "/api/v1/sources",
                "/api/v1/",
                "/status",
                "/status/test",
            ),
            *("/api/v1/search", "/", "/search?q=", "/about", "/sitemap.xml", "/robots.txt"),
            *(f"/gateway/{source}/", "/gateway/", f"/record/{source}/oai:test.example:1"),
            *("/.well-known/resourcesync", f"/api/v1/records/{source}/oai:test.example:1"),
        ]
        got = {path: server.ask(path) for path in paths}
        assert server.stop() == 0
        assert server.process.stderr is not None
        assert_clean(server.process.stderr.read(), "the server's log")
    for path, answer in got.items():
        assert_clean(answer.body, path)
    provenance = got[VERBS.format("ListRecords")].text
    assert f"<baseURL>{public(closed)}?collection=5</baseURL>" in provenance
    assert f'"{public(closed)}?collection=5"' in got["/api/v1/sources"].text
    assert f"{public(closed)}?collection=5" in got["/status/test"].text


@pytest.mark.parametrize("trouble", ["error", "redirect"])
def test_the_log_of_a_job_and_what_is_told_of_it_have_no_secret_in_them(cli: Cli, trouble: str) -> None:
    with (
        OaiServer(make_items(3), Closed(trouble)) as server,
        ScriptedServer(lambda _: Reply(204), path="/hook") as hook,
    ):
        settings = (
            f'[sources.closed]\nurl = "{address(server)}"\nattempts = 1\n[jobs.nightly]\nevery = "yearly"\n'
        )
        settings += f'run = "harvest closed"\nattempts = 1\n[notify]\nwebhook = "{hook.url}"\n'
        (cli.folder / "windrow.toml").write_text(settings, encoding="utf-8")
        ran = cli("schedule", "run", "nightly")
        assert ran.code != 0
        (told,) = [request.body for request in hook.requests]
    (log,) = (cli.folder / "logs" / "nightly").iterdir()
    assert b"closed" in log.read_bytes()
    assert_clean(log.read_bytes(), "log")
    assert_clean(ran.words, "terminal")
    assert_clean(told, "webhook")
    assert_clean(cli("run", "log", "1").words + cli("schedule", "show", "nightly").words)
    assert_clean(database(cli.folder), "database")


def test_a_password_or_a_user_name_alone_is_sent_and_never_shown(tmp_path: Path) -> None:
    for number, userinfo in enumerate((":p%40ssw0rd", "t0ken-as-name")):
        name, _, password = userinfo.replace("%40", "@").partition(":")
        with OaiServer(make_items(3)) as server:
            folder = tmp_path / str(number)
            folder.mkdir()
            shelf = Shelf(create_library(folder / "library"))
            place = f"http://{userinfo}@127.0.0.1:{server.port}/oai"
            done = windrow(shelf, "source", "add", "closed", place)
            assert done.returncode == 0, done.stderr
            assert "in the address" in done.stderr
            shown = (
                windrow(shelf, "source", "show", "closed").stdout + windrow(shelf, "config", "show").stdout
            )
            assert windrow(shelf, "harvest").returncode == 0
            sent = {request.headers.get("authorization") for request in server.requests}
        assert sent == {"Basic " + b64encode(f"{name}:{password}".encode()).decode()}
        for secret in filter(None, (name, password, "p%40ssw0rd")):
            assert secret not in done.stdout + done.stderr + shown
            assert secret.encode() not in database(shelf.folder)


def test_json_stays_json_where_a_secret_is_a_number_or_a_quotation_mark(cli: Cli) -> None:
    with OaiServer(make_items(1025), page_size=500) as server:
        place = f"http://u:{quote(chr(34) * 4 + chr(92), safe='')}@127.0.0.1:{server.port}/oai?key=000025"
        assert cli("source", "add", "closed", place).code == 0
        assert cli("source", "show", "closed", "--json").json
        assert cli("source", "edit", "closed", "--set-option", "password=1025").code == 0
        assert "1025" in json.dumps(cli("harvest", "--json").json)
        assert cli("run", "list", "--json").json
        shown = cli("config", "show", "--json")
        assert shown.code == 0
        assert shown.json
        assert "url" in cli("source", "show", "closed", "--json").json


def test_credentials_of_a_proxy_are_not_repeated(tmp_path: Path) -> None:
    def refuse(request: Request) -> Reply:
        return Reply(
            407, f"{request.headers}".encode(), {"Proxy-Authenticate": "Basic"}, content_type="text/plain"
        )

    with ScriptedServer(refuse) as proxy:
        address_ = f"http://{WRITTEN}@127.0.0.1:{proxy.port}"
        shelf = make_shelf(tmp_path, "http://repository.example/oai", proxy=address_, attempts=1)
        done = [
            windrow(shelf, "harvest"),
            windrow(shelf, "source", "check", "test"),
            windrow(shelf, "config", "show"),
        ]
        sent = proxy.requests[0].headers["proxy-authorization"].removeprefix("Basic ")
        assert b64decode(sent).decode("latin-1") == f"{USER}:{PASSWORD}"
    for each in done:
        assert_clean(each.stdout + each.stderr)
    assert_clean(database(shelf.folder))


def test_a_key_is_sent_as_it_was_written_and_to_the_repository_alone(tmp_path: Path) -> None:
    with OaiServer(make_items(3)) as other:

        def send_on(request: Request) -> Reply:
            return Reply(
                302, headers={"Location": f"{other.url}?{request.query.replace('key=S%2F1+x&', '')}"}
            )

        with ScriptedServer(send_on, path="/oai") as server:
            shelf = make_shelf(tmp_path, f"{server.url}?key=S%2F1+x&c=%C3%A4", public_query=["c"])
            assert shelf.harvest().outcome is Outcome.OK
            assert all(r.target.startswith("/oai?key=S%2F1+x&c=%C3%A4&verb=") for r in server.requests)
        assert all("key" not in request.arguments for request in other.requests)


def test_only_another_repository_is_harvested_anew(tmp_path: Path) -> None:
    """A new password, or another parameter called public, is no new address; another parameter is."""
    with OaiServer(make_items(12)) as server:
        base = f"http://a:old-password@127.0.0.1:{server.port}/oai"
        shelf = make_shelf(tmp_path, f"{base}?collection=1")
        assert shelf.harvest().outcome is Outcome.OK
        changes: list[dict[str, Any]] = [
            {"url": f"{base.replace('old', 'new')}?collection=1"},
            {"public_query": ["collection"]},
            {"url": public(server), "secret_query": "collection=1", "username": "a", "password": "x"},
        ]
        for change in changes:
            shelf.change(**change)
            assert "moved" not in words(shelf.harvest())
        shelf.change(secret_query="collection=2")
        run = shelf.harvest()
        assert "moved" in words(run)
        assert "collection=2" not in words(run)
        assert run.counters.seen == 12


def old_library(tmp_path: Path, url: str) -> Shelf:
    """A library as earlier versions wrote it: schema 5, an address with all its secrets, notes on it."""
    shelf = make_shelf(tmp_path, url)
    assert shelf.harvest().outcome is Outcome.OK
    with closing(sqlite3.connect(shelf.folder / "windrow.db", isolation_level=None)) as database_:
        run = database_.execute
        run("UPDATE setting SET value = '5' WHERE key = 'schema'")
        run("DROP TABLE vanished")
        run("DROP TABLE outbox")
        run("DROP TABLE set_role")
        for table in ("vocabulary", "concept", "concept_name", "concept_word", "concept_link"):
            run(f"DROP TABLE {table}")
        for table in ("concept_below", "concept_top", "vocabulary_graph"):
            run(f"DROP TABLE {table}")
        for table in ("host", "site", "page", "prefix", "robots", "control", "worker"):
            run(f"DROP TABLE crawl_{table}")
        run("ALTER TABLE quarantine DROP COLUMN dismissed")
        run("ALTER TABLE source DROP COLUMN roles")
        run("ALTER TABLE held_file DROP COLUMN remarks")
        run("ALTER TABLE source DROP COLUMN endpoint")
        run("UPDATE source SET url = ?", (url,))
        run("UPDATE source SET identity = json_set(identity, '$.base_url', ?)", (url,))
        note = f"{url}&verb=Identify: HTTP 500; {PASSWORD}; {KEY}; Basic {BASIC}"
        for number in range(300):
            run(
                "INSERT INTO problem (run_id, code, message, weight, url) VALUES (1, 'x', ?, 'note', ?)",
                (f"{note} {number}", f"{url}&verb=ListRecords&n={number}"),
            )
        run(
            "INSERT INTO quarantine (source_id, run_id, format, reason, raw, created, resolved)"
            " VALUES (1, 1, 'oai_dc', ?, x'', '2026-01-01T00:00:00+00:00', '2026-01-02T00:00:00+00:00')",
            (note,),
        )
        run("UPDATE run SET arguments = ?", (json.dumps({"note": note}),))
        for number in range(40):  # what was written over and deleted may still be in the file
            run("UPDATE source SET identity = json_set(identity, '$.name', ?)", (f"{note} " * (number % 7),))
        run("DELETE FROM problem WHERE id % 3 > 0 OR id < 100")
        run("PRAGMA wal_checkpoint(TRUNCATE)")
    note = f"{url}&verb=Identify: HTTP 500; {PASSWORD}; {KEY}; Basic {BASIC}"
    for name in OLD_FILES:
        file = shelf.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(f"{note}\n".encode() + b"\xff kept")
        file.chmod(0o640)
    return shelf


OLD_FILES = ("logs/nightly/1.log", "files/kept-pages/run-1-page-1.xml")


def test_the_logs_and_kept_pages_of_an_existing_library_lose_their_secrets(
    tmp_path: Path, closed: OaiServer
) -> None:
    shelf = old_library(tmp_path, address(closed))
    shelf.open().store.close()
    for name in OLD_FILES:
        file = shelf.folder / name
        assert_clean(file.read_bytes(), name)
        assert file.read_bytes().endswith(b"\n\xff kept")
        assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_an_existing_library_loses_its_secrets_and_harvests_nothing_anew(
    tmp_path: Path, closed: OaiServer
) -> None:
    shelf = old_library(tmp_path, address(closed))
    with pytest.raises(AssertionError):
        assert_clean(database(shelf.folder))
    closed.requests.clear()
    shelf.open().store.close()
    assert_clean(database(shelf.folder), "database")
    library = shelf.open()
    with library.store.reading() as connection:
        state = sources.find(connection, "test")
    library.close()
    assert state is not None
    assert state.url == public(closed)
    run = shelf.harvest()
    assert (run.outcome, run.counters.seen) == (Outcome.OK, 0)
    assert "moved" not in words(run)
    assert {request.arguments.get("key") for request in closed.requests} == {KEY}


def test_an_existing_library_keeps_what_it_knows_where_a_parameter_looks_like_a_part_of_it(
    tmp_path: Path,
) -> None:
    """The names and numbers of stored facts are ours, whatever an address has for parameters."""
    with OaiServer(make_items(25)) as server:
        place = f"{server.url}?view=is_identified&of=granularity&format=oai_dc&collection=100000"
        shelf = old_library(tmp_path, place)
        with closing(sqlite3.connect(shelf.folder / "windrow.db", isolation_level=None)) as database_:
            database_.execute("UPDATE source SET identity = json_set(identity, '$.page_size', 100000)")
            database_.execute("""UPDATE run SET arguments = '{"limit": 100000, "formats": ["oai_dc"]}'""")
        library = shelf.open()
        with library.store.reading() as connection:
            state = sources.find(connection, "test")
            (arguments,) = connection.execute("SELECT arguments FROM run").all()
        library.close()
        assert state is not None
        assert (state.identity["is_identified"], state.identity["page_size"]) == (True, 100_000)
        assert state.identity["granularity"] == "YYYY-MM-DDThh:mm:ssZ"
        assert json.loads(arguments[0]) == {"limit": 100_000, "formats": ["oai_dc"]}
        server.requests.clear()
        assert shelf.harvest().outcome is Outcome.OK
        assert "Identify" not in [request.arguments["verb"] for request in server.requests]


@dataclass
class MovedInto(Fault):
    """Sends everybody on for good, with the key in the path."""

    path: str

    def intercept(self, request: Request) -> Reply | None:
        if not request.target.startswith("/oai?"):
            return None
        return Reply(301, headers={"Location": f"{self.path}?{request.query}"})


@pytest.mark.parametrize("path", [f"/{quote(KEY, safe='')}/oai", f"/new;key={quote(KEY)}"])
def test_the_key_in_the_path_of_a_permanent_redirect_is_not_stored(cli: Cli, path: str) -> None:
    with OaiServer(make_items(5), MovedInto(path)) as server:
        added = cli("source", "add", "closed", address(server))
        harvested = cli("harvest")
        checked = cli("source", "check", "closed")
        assert harvested.code == 0, harvested.words
        assert "moved permanently" in added.words
        assert "`windrow source edit closed --url URL` takes that over" in harvested.words
        for each in (added, harvested, checked, cli("source", "show", "closed", "--json")):
            assert_clean(each.words)
        assert_clean(database(cli.folder), "database")


def test_formats_sets_and_names_are_shown_where_a_parameter_of_an_address_has_their_words(cli: Cli) -> None:
    with OaiServer(make_items(5)) as server:
        added = cli("source", "add", "theses", f"{server.url}?prefix=oai_dc&collection=theses&key=topsecret")
        assert "offers oai_dc" in added.words
        assert cli("harvest").code == 0
        shown = cli("source", "show", "theses", "--json").json
        assert shown["settings"]["formats"]["value"] == "oai_dc"
        assert "theses" in cli("source", "list").out
        assert "topsecret" not in cli("config", "show").words


@pytest.mark.parametrize(
    "before",
    [("harvest",), ("source", "show"), ("source", "remove"), ("run", "list"), ("diff",), ("source",), ()],
)
def test_an_address_in_the_wrong_place_of_a_command_is_not_repeated_with_its_credentials(
    cli: Cli, before: tuple[str, ...]
) -> None:
    refused = cli(*before, f"http://{WRITTEN}@repository.example/oai")
    assert refused.code == 2
    assert "repository.example" in refused.err
    assert_clean(refused.words)


@pytest.mark.parametrize("start", ["", "http:/", "//", "htp://"])
@pytest.mark.parametrize(
    "before", [("harvest",), ("source", "check"), ("schedule", "run"), ("quarantine", "list")]
)
def test_a_mistyped_address_is_not_repeated_with_its_credentials(
    cli: Cli, before: tuple[str, ...], start: str
) -> None:
    refused = cli(*before, f"{start}{WRITTEN}@repository.example/oai")
    assert refused.code == 2
    assert_clean(refused.words)


PATH_KEY = "a1B2c3D4e5F6g7H8i9J0k1"


@dataclass
class KeyInPath(Fault):
    """Answers below a path with a key in it, and repeats that wherever it can."""

    is_broken: bool = False

    def intercept(self, request: Request) -> Reply | None:
        path, _, query = request.target.partition("?")
        if path == f"/old/{PATH_KEY}/oai":
            return Reply(301, headers={"Location": f"/new/{PATH_KEY}/oai?{query}"})
        if path != f"/new/{PATH_KEY}/oai":
            return Reply(404, b"who are you?", content_type="text/plain")
        if self.is_broken and request.arguments.get("verb") == "ListRecords":
            return Reply(500, f"no {request.target}".encode(), content_type="text/plain")
        return None

    def markup(self, xml: str) -> str:
        return re.sub("<baseURL>[^<]*", f"<baseURL>http://host/new/{PATH_KEY}/oai", xml)


@pytest.mark.parametrize("by_hand", [False, True], ids=["added", "written by hand"])
def test_a_key_in_the_path_of_an_address_is_sent_and_never_shown(cli: Cli, by_hand: bool) -> None:
    with OaiServer(make_items(5), KeyInPath()) as server:
        host = f"http://127.0.0.1:{server.port}"
        place = f"{host}/old/{PATH_KEY}/oai"
        if by_hand:
            with (cli.folder / "windrow.toml").open("a", encoding="utf-8") as file:
                file.write(f'\n[sources.closed]\nurl = "{place}"\nsecret_path = "{PATH_KEY}"\n')
        else:
            added = cli("source", "add", "closed", place, "--set-option", f"secret_path={PATH_KEY}")
            assert added.code == 0, added.words
            assert PATH_KEY not in added.words
        said = [cli(*arguments).words for arguments in COMMANDS[:-1]]
        server.faults[0].is_broken = True  # type: ignore[attr-defined]
        said += [cli(*arguments).words for arguments in (("harvest", "--full"), ("run", "show", "3"))]
        refused = cli("source", "add", "again", place, "--set-option", f"secret_path={PATH_KEY}")
        assert refused.code == 2
        assert not [each for each in (*said, refused.words) if PATH_KEY in each]
    assert PATH_KEY.encode() not in database(cli.folder)
    with serving(cli.folder) as site:
        for path in (
            "/oai?verb=ListRecords&metadataPrefix=oai_dc",
            "/api/v1/sources",
            "/status",
            "/status/closed",
        ):
            assert PATH_KEY not in site.ask(path).text, path
        provenance = site.ask("/oai?verb=ListRecords&metadataPrefix=oai_dc").text
    assert f"<baseURL>{host}/old/********/oai</baseURL>" in provenance
    lost = cli(
        "source", "add", "lost", "http://a.example/oai", "--set-option", "secret_path=elsewhere", "--no-check"
    )
    assert lost.code == 2
    assert "must be a part of the path in url" in lost.err


def test_a_path_that_looks_like_a_key_is_pointed_out(cli: Cli) -> None:
    with OaiServer(make_items(1), KeyInPath()) as server:
        place = f"http://127.0.0.1:{server.port}/new/{PATH_KEY}/oai"
        assert "`secret_path`" in cli("source", "add", "keyed", place).err
    for plain in ("/cgi-bin/oai2.cgi", "/server/oai/request", "/index.php/international_journal/oai"):
        assert (
            "secret_path" not in cli("source", "add", "plain", f"http://127.0.0.1:1{plain}", "--no-check").err
        )
        cli("source", "remove", "plain", "--yes")


SLIPS = [
    "http://repository.example/oai?key={}",
    "repository.example/oai?verb=Identify&key={}",
    "http:/repository.example/oai?key={}",
    "http:\\\\repository.example\\oai?key={}",
    "http://repository.example/oai%3Fkey={}",
    "http://repository.example/oai&key={}",
    "http://repository.example/oai#key={}",
    "http://repository.example/oai?set=a;key={}",
    "http://repository.example/oai?{}",
    "oai?key={}",
]


@pytest.mark.parametrize(
    "before",
    [
        *[("schedule", "run"), ("schedule", "show"), ("schedule", "remove"), ("run", "log"), ("run", "list")],
        *[("harvest",), ("source", "show"), ("source", "check"), ("collection", "build"), ("source",), ()],
        *[
            ("stats", "years", "--collection"),
            ("export", "--collection"),
            ("--library",),
            ("diff", "--since"),
        ],
        *[("harvest", "--no-such-option"), ("schedule", "add", "x", "--run")],
    ],
)
@pytest.mark.parametrize("is_json", [False, True])
def test_the_key_of_a_mistyped_address_is_not_repeated(
    cli: Cli, before: tuple[str, ...], is_json: bool
) -> None:
    for slip in SLIPS:
        place = slip.format(quote(KEY, safe=""))
        words_ = (*before[:-1], f"{before[-1]}={place}") if before and "-" in before[-1] else (*before, place)
        refused = cli(*words_, *(("--json",) if is_json else ()))
        assert refused.code != 0, words_
        assert_clean(refused.words, " ".join(words_))


def test_a_name_that_is_an_address_is_not_repeated_with_its_key(cli: Cli) -> None:
    for slip in SLIPS[:-2]:
        place = slip.format(quote(KEY, safe="")).replace("\\", "")
        for table in (
            f'[sources."{place}"]\nurl = "http://a.example/oai"',
            f'[jobs."{place}"]\nrun = "harvest"',
        ):
            (cli.folder / "windrow.toml").write_text(f"{table}\n", encoding="utf-8")
            assert_clean(cli("source", "list").words + cli("schedule", "list").words + cli("doctor").words)


def test_identifiers_that_are_addresses_are_printed_whole(cli: Cli) -> None:
    (item,) = make_items(1)
    identifier = "http://test.example/view?id=1234567"
    with OaiServer([replace(item, identifier=identifier)]) as server:
        assert cli("source", "add", "views", server.url).code == 0
        assert cli("harvest").code == 0
    shown = cli("record", "show", "http://test.example/view?id=1234567")
    assert "http://test.example/view?id=1234567" in shown.out


def test_an_address_in_place_of_a_name_is_repeated_without_its_parameters(cli: Cli) -> None:
    place = f"http://repository.example/oai?key={quote(KEY)}"
    for words_ in (
        ("harvest", place),
        ("harvest", place.removeprefix("http://")),
        ("source", "show", place),
        ("source", "add", place, place, "--no-check"),
    ):
        refused = cli(*words_)
        assert refused.code == 2
        assert_clean(refused.words)
    (cli.folder / "windrow.toml").write_text(f'[sources."{place}"]\nurl = "{place}"\n', encoding="utf-8")
    assert_clean(cli("source", "list").words)
    assert_clean(cli("doctor").words)
