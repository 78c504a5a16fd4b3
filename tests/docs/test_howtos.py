"""Every command in the how-tos does what it should in a library such as they speak of: it ends well."""

from __future__ import annotations

import io
import re
import signal
from pathlib import Path

import pytest
from PIL import Image

from tests.cli.sourcing import Cli, make_cli
from tests.docs.commands import SHELLS, lines, windrow_commands
from tests.docs.markdown import Page, guides
from tests.flows.commanding import WAIT_SECONDS
from tests.flows.serving import answering_z3950, serving
from tests.servers.website import Website
from tests.servers.website import page as web_page
from windrow.demo.thesis_repository import Repository
from windrow.demo.thesis_server import DemoServer
from windrow.harvest.run import utc_now
from windrow.model.record import Reject
from windrow.store import sources
from windrow.store.harvests import quarantine_cases
from windrow.wiring import open_library

EXAMPLE = "https://repository.example/oai/request"
ELSEWHERE = "/srv/theses"  # where some pages have their library
BACKUP = "/backup"  # where copies go
PUBLISHED = "/srv/www"  # the folder that a web server publishes
DOCUMENTS = "/srv/radar/incoming"  # a folder of pictures
SITE = "https://www.university.example"  # a web site for the robot
PAUSE = ("2s", "1ms")  # between requests; nobody waits in a test
RUNS, CASES = 7, 3  # the highest numbers that the pages speak of
COURSE = web_page("Maths", meta="maths-1")
HOWTOS = [each for each in guides() if "/howto/" in str(each) and any(True for _ in windrow_commands(each))]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Commands in a fresh library."""
    monkeypatch.setenv("CLOSED_PASSWORD", "secret")
    monkeypatch.setenv("WINDROW_NOTIFY_COMMAND", "cat")  # somebody who listens
    return make_cli(tmp_path, monkeypatch, capsys)


def _prepare(cli: Cli, url: str, other: str) -> None:
    """Two sources, the one of them harvested some times, with a few cases in quarantine."""
    (cli.folder / "closed.password").write_text("secret\n", encoding="utf-8")
    for name, address in (("theseus", url), ("other", other)):
        assert cli("source", "add", name, address, "--format", "oai_dc", "--format", "kk").code == 0
    for _ in range(RUNS):
        assert cli("harvest", "theseus").code == 0
    library = open_library(str(cli.folder))
    with library.store.writing() as connection:
        state = sources.find(connection, "theseus")
        assert state is not None
        rejects = [Reject("no metadata", b"<x/>", f"oai:theses.example:thesis/{n}") for n in range(CASES)]
        quarantine_cases.put(connection, state.id, RUNS, "oai_dc", rejects, now=utc_now())
    library.close()


def _add_own_tables(cli: Cli, page: Page) -> None:
    """The settings of the tables that the page speaks of, and the file that it shows."""
    for block in page.blocks:
        if block.text.startswith("[tables."):
            with (cli.folder / "windrow.toml").open("a", encoding="utf-8") as settings:
                settings.write(f"\n{block.text}")
        if block.text.startswith("institution,"):
            (cli.folder / "admitted.csv").write_text(block.text, encoding="utf-8")
        if block.text.startswith("code,parent"):  # a vocabulary, and its next version
            for name in ("topics.csv", "topics-2027.csv"):
                (cli.folder / name).write_text(block.text, encoding="utf-8")


def _publish(folder: Path) -> Path:
    """A folder with a page in it."""
    folder.mkdir()
    (folder / "index.html").write_text("<title>Home</title>", encoding="utf-8")
    return folder


def _take_pictures(folder: Path) -> Path:
    """A folder with the pictures that the pages name."""
    (folder / "march").mkdir(parents=True)
    for number, name in enumerate(("0412.jpg", "0413.jpg", "march/0501.jpg")):
        Image.new("RGB", (8, 8), (number, 0, 0)).save(folder / name)
    return folder


def _write_lists(cli: Cli, page: Page, site: Website) -> None:
    """Write the lists of addresses and rules that the page shows, about the site that stands for its own."""
    host = SITE.removeprefix("https://")
    for block in page.blocks:
        (name,) = block.words[:1] or [""]
        if name in ("start.txt", "allow.txt", "exclude.txt"):
            rule = re.escape(site.url.removeprefix("http://"))
            text = block.text.replace(SITE, site.url).replace(re.escape(host), rule)
            (cli.folder / name).write_text(text, encoding="utf-8")


def _real(arguments: list[str], places: dict[str, str]) -> list[str]:
    words = [PAUSE[1] if word == PAUSE[0] else word for word in arguments]
    for documented, real in places.items():
        words = [word.replace(documented, real) for word in words]
    return words


def _serve(cli: Cli, arguments: list[str]) -> None:
    """Start a server as documented, but on a port that is free, and stop it once it answers."""
    kept = [word for word in arguments if word != "--json"]
    for flag in ("--host", "--port"):
        if flag in kept:
            del kept[kept.index(flag) : kept.index(flag) + 2]
    if "--z3950" in kept:
        kept[kept.index("--z3950") + 1] = "0"
    with serving(cli.folder, *kept) as server:
        assert server.ask("/health").status == 200
        assert server.stop() == 0


def _answer_z3950(cli: Cli, arguments: list[str]) -> None:
    """The same with `windrow z3950`."""
    with answering_z3950(cli.folder, *arguments) as process:
        process.send_signal(signal.SIGTERM)
        assert process.wait(WAIT_SECONDS) == 0


@pytest.mark.parametrize("page", HOWTOS, ids=str)
def test_every_command_of_a_how_to_ends_well(page: Page, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        DemoServer(Repository(120, page_size=50)) as server,
        DemoServer(Repository(5)) as other,
        Website(
            routes={"/courses/": web_page("Courses", "maths.html"), "/courses/maths.html": COURSE}
        ) as site,
    ):
        _prepare(cli, server.url, other.url)
        _write_lists(cli, page, site)
        if str(page).endswith("harvest-a-web-site.md"):  # on this machine, without pauses
            monkeypatch.setenv("WINDROW_SOURCES_COURSES_PRIVATE", "true")
            monkeypatch.setenv("WINDROW_SOURCES_COURSES_INTERVAL", "0s")
        _add_own_tables(cli, page)
        places = {EXAMPLE: server.url, ELSEWHERE: str(cli.folder), BACKUP: f"{cli.folder}-copies"}
        places[DOCUMENTS] = str(_take_pictures(cli.folder / "radar"))
        places[SITE] = site.url
        places[PUBLISHED] = str(_publish(cli.folder / "www"))
        for arguments in windrow_commands(page):
            if arguments[:2] == ["source", "add"]:  # the page begins before there was one
                for name in {arguments[2], "theseus"}:
                    cli("source", "remove", name, "--yes")
            if arguments[0] == "serve" and "--print-config" not in arguments:
                _serve(cli, arguments[1:])
                continue
            if arguments[0] == "z3950":
                _answer_z3950(cli, arguments[1:])
                continue
            monkeypatch.setattr("sys.stdin", io.StringIO())
            result = cli(*_real(arguments, places))
            assert result.code == 0, f"{page}: windrow {' '.join(arguments)}: {result.words}"


def test_the_example_library_has_the_runs_and_cases_that_the_how_tos_name() -> None:
    numbers = [
        (words[0], int(word))
        for page in HOWTOS
        for words in windrow_commands(page)
        for word in words
        if words[0] in ("run", "diff", "quarantine") and re.fullmatch(r"\d+", word) and "--limit" not in words
    ]
    assert max(number for noun, number in numbers if noun != "quarantine") == RUNS
    assert max(number for noun, number in numbers if noun == "quarantine") == CASES


def test_what_the_how_tos_export_to_the_environment_is_a_setting_or_the_library() -> None:
    exported = [
        line
        for page in HOWTOS
        for block in page.blocks
        if block.language in SHELLS
        for line in lines(block)
        if line.startswith("export ")
    ]
    assert exported
    assert all(re.match(r"export WINDROW_(LIBRARY|SOURCES_\w+)=", line) for line in exported)
