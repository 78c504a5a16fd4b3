"""A library that can be read and not be written: it is searched and served all the same."""

from __future__ import annotations

import json
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.flows.commanding import WAIT_SECONDS, windrow
from tests.flows.harvesting import Shelf
from tests.flows.limited import read_only, run, unprivileged
from tests.flows.serving import NAME, Served, serving, stocked
from windrow.demo.thesis_repository import Repository
from windrow.demo.thesis_server import DemoServer
from windrow.model.run import Outcome

Within = Callable[[Path], list[str]]
RECORDS = 30


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """A library that was indexed, and never served."""
    found = stocked(tmp_path_factory.mktemp("library") / "theses", records=RECORDS)
    assert windrow(found, "index").returncode == 0
    return found


def _forbid(path: Path, *, is_writable: bool) -> None:
    for each in (path, *path.rglob("*")):
        mode = stat.S_IMODE(each.lstat().st_mode)
        each.chmod(mode | stat.S_IWUSR if is_writable else mode & ~0o222)


@pytest.fixture(params=["mount", "permissions"])
def within(request: pytest.FixtureRequest, shelf: Shelf) -> Iterator[list[str]]:
    """What runs a command so that it cannot write to the library."""
    if request.param == "mount":
        yield read_only(shelf.folder)
        return
    _forbid(shelf.folder, is_writable=False)
    yield unprivileged()
    _forbid(shelf.folder, is_writable=True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("search", "type:thesis"), f"{RECORDS} records"),
        (("record", "show", "oai:theses.example:thesis/1"), "thesis/1"),
        (("export", "--format", "jsonl"), '"oai:theses.example:thesis/1"'),
        (("stats", "institutions"), "records"),
        (("source", "list"), NAME),
        (("run", "list"), "harvest"),
        (("diff", "1"), "thesis"),
        (("index", "status"), "g-000001"),
        (("index", "check"), "They agree."),
        (("quarantine", "list"), "Nothing is in quarantine."),
        (("config", "show"), NAME),
        (("doctor",), "is read-only: "),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_commands_that_only_read_work(
    shelf: Shelf, within: list[str], words: tuple[str, ...], said: str
) -> None:
    before = _files(shelf.folder)
    result = run(within, "--library", str(shelf.folder), *words)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "cannot" not in result.stderr
    assert said in result.stdout
    assert _files(shelf.folder) == before


def _files(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))


@pytest.mark.parametrize(
    "words",
    [
        ("harvest",),
        ("index",),
        ("index", "--rebuild"),
        ("rebuild",),
        ("worker", "--once"),
        ("source", "add", "more", "http://127.0.0.1:1/oai", "--no-check"),
        ("source", "edit", NAME, "--timeout", "5s"),
        ("source", "remove", NAME, "--yes"),
        ("collection", "build"),
    ],
    ids=" ".join,
)
def test_commands_that_must_write_say_why_they_cannot(
    shelf: Shelf, within: list[str], words: tuple[str, ...]
) -> None:
    before = (shelf.folder / "windrow.toml").read_bytes()
    result = run(within, "--library", str(shelf.folder), *words)
    assert result.returncode == 1
    assert "file system is read-only" in result.stderr or "no permission to write there" in result.stderr
    assert "Errno" not in result.stderr
    assert "Traceback" not in result.stderr
    assert str(shelf.folder) in result.stderr
    assert (shelf.folder / "windrow.toml").read_bytes() == before


@pytest.mark.parametrize("workers", ["1", "2"])
def test_it_is_served(shelf: Shelf, within: list[str], workers: str) -> None:
    before = _files(shelf.folder)
    paths = [
        *("/", "/search?q=type:thesis", "/browse", "/status", "/gateway", "/statistics/", "/health"),
        *("/sitemap.xml", "/api/v1/search?q=type:thesis", "/search.csv?q=type:thesis"),
        *(f"/oai{base}?verb={verb}" for base in ("", f"/{NAME}") for verb in ("Identify", "ListSets")),
    ]
    with serving(shelf.folder, "--workers", workers, within=within) as server:
        assert {path: server.ask(path).status for path in paths} == dict.fromkeys(paths, 200)
        assert _listed(server) == RECORDS
        assert json.loads(server.ask("/api/v1/search?q=type:thesis").body)["total"] == RECORDS
        agent = {"User-Agent": "Mozilla/5.0 (compatible; Googlebot/2.1)"}
        assert server.ask("/record/theses/oai:theses.example:thesis%2F1", headers=agent).status in (200, 404)
        assert server.stop() == 0
    assert _files(shelf.folder) == before


def _listed(server: Served) -> int:
    """How many records a harvester gets, page by page: workers must understand each other's tokens."""
    found, path = 0, "/oai?verb=ListIdentifiers&metadataPrefix=oai_dc"
    while path:
        body = server.ask(path).text
        found += body.count("<header>")
        token = body.partition("<resumptionToken")[2].partition(">")[2].partition("<")[0]
        path = f"/oai?verb=ListIdentifiers&resumptionToken={token}" if token else ""
    return found


def _in_time(holds: Callable[[], bool]) -> bool:
    """Look until something holds; give up after a while."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not holds():
        if time.monotonic() > deadline:
            return False
    return True


def test_a_reader_without_permission_sees_what_another_user_changes(tmp_path: Path) -> None:
    shelf = stocked(tmp_path / "theses", records=10)
    assert windrow(shelf, "index").returncode == 0
    small = {"WINDROW_OAI_IDENTIFIERS_PER_PAGE": "7"}
    with serving(shelf.folder, within=read_only(shelf.folder), extra=small) as server:
        assert _listed(server) == 10
        for wanted in (25, 40):  # the first begins a log of changes beside the database, and ends it again
            with DemoServer(Repository(wanted, page_size=50)) as repository:
                shelf.change(name=NAME, url=repository.url)
                assert shelf.harvest(name=NAME, is_full=True).outcome is Outcome.OK
            assert windrow(shelf, "index").returncode == 0
            assert _in_time(lambda: _listed(server) == wanted)  # noqa: B023 - called at once
            assert _in_time(lambda: _total(server) == wanted)  # noqa: B023
            found = run(read_only(shelf.folder), "--library", str(shelf.folder), "source", "list", "--json")
            assert sum(each["records"] for each in json.loads(found.stdout)) == wanted


def _total(server: Served) -> int:
    total: int = json.loads(server.ask("/api/v1/search?q=type:thesis").body)["total"]
    return total


def test_a_reader_sees_what_a_writer_at_work_has_written(tmp_path: Path) -> None:
    shelf = stocked(tmp_path / "theses", records=10)
    library = shelf.open()
    try:
        with library.store.writing() as connection:  # it stays open, and so does its log of changes
            connection.execute("INSERT INTO setting VALUES ('x', 'y')")
        _forbid(shelf.folder, is_writable=False)
        found = run(unprivileged(), "--library", str(shelf.folder), "export", "--format", "jsonl")
        assert len(found.stdout.splitlines()) == 10
    finally:
        _forbid(shelf.folder, is_writable=True)
        library.close()


def test_changes_that_cannot_be_read_are_not_passed_over(tmp_path: Path) -> None:
    """Of a library that was copied while it was written to, the log's index may be missing."""
    shelf, copy = stocked(tmp_path / "theses", records=10), tmp_path / "copy"
    library = shelf.open()
    try:
        with library.store.writing() as connection:
            connection.execute("INSERT INTO setting VALUES ('x', 'y')")
        copy.mkdir()
        for name in ("windrow.toml", "windrow.db", "windrow.db-wal"):
            (copy / name).write_bytes((shelf.folder / name).read_bytes())
    finally:
        library.close()
    result = run(read_only(copy), "--library", str(copy), "export")
    assert result.returncode == 1
    assert "windrow.db-wal" in result.stderr


def test_an_unwritable_library_of_an_older_version_says_what_to_do(tmp_path: Path) -> None:
    shelf = stocked(tmp_path / "theses", records=10)
    library = shelf.open()
    with library.store.writing() as connection:
        connection.execute("UPDATE setting SET value = '1' WHERE key = 'schema'")
    library.close()
    result = run(read_only(shelf.folder), "--library", str(shelf.folder), "export")
    assert result.returncode == 1
    assert "an older Windrow wrote this library" in result.stderr
    assert "as a user who may write" in result.stderr
