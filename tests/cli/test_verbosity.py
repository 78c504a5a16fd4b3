"""`--quiet` and `--verbose`: everywhere, before or behind the command."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
import typer
from typer.core import TyperGroup
from typer.main import get_command

from tests.cli.sourcing import Cli
from windrow.cli.main import app
from windrow.demo.thesis_repository import Repository
from windrow.demo.thesis_server import DemoServer

REQUEST = re.compile(r"^GET http://127\.0\.0\.1:\d+/oai\?verb=\w+", re.MULTILINE)


@pytest.fixture
def server(cli: Cli) -> Iterator[DemoServer]:
    """A repository that is a source of the library, and not harvested yet."""
    with DemoServer(Repository(60, page_size=20)) as started:
        url = started.url.replace("http://", "http://reader:hayloft@")
        assert cli("source", "add", "theses", url, "--no-check").code == 0
        yield started


def commands(group: TyperGroup, context: typer.Context) -> Iterator[tuple[str, set[str]]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        inner = typer.Context(command, info_name=name, parent=context)
        yield inner.command_path, {each for parameter in command.params for each in parameter.opts}
        if isinstance(command, TyperGroup):
            yield from commands(command, inner)


def test_every_command_has_both() -> None:
    root = get_command(app)
    assert isinstance(root, TyperGroup)
    found = dict(commands(root, typer.Context(root, info_name="windrow")))
    assert len(found) > 80
    lacking = {name: {"--quiet", "--verbose", "-q", "-v"} - options for name, options in found.items()}
    assert {name for name, options in lacking.items() if options} == set()
    # Of export, -q is --query; both spellings of quiet are there otherwise.


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize("words", [("-v", "harvest"), ("harvest", "-v"), ("harvest", "theses", "--verbose")])
def test_verbose_prints_every_request_without_secrets(cli: Cli, words: tuple[str, ...]) -> None:
    done = cli(*words)
    assert done.code == 0
    asked = REQUEST.findall(done.err)
    counted = re.search(r"(\d+) requests?", done.out)
    assert counted is not None
    assert len(asked) == int(counted[1])
    assert "hayloft" not in done.err
    assert "GET " not in done.out
    assert not REQUEST.search(cli("harvest").err)  # the next command says no more than usual


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize("words", [("-q", "source", "check"), ("source", "check", "--quiet")])
def test_quiet_prints_results_and_nothing_else(cli: Cli, server: DemoServer, words: tuple[str, ...]) -> None:
    usual = cli("source", "check", server.url)
    quiet = cli(*words, server.url)
    assert "Identify …" in usual.err
    assert quiet.err == ""
    assert "identify" in quiet.out
    assert quiet.code == usual.code


def test_quiet_prints_errors_and_what_to_do(cli: Cli) -> None:
    done = cli("-q", "harvest", "nowhere")
    assert done.code == 2
    assert "error:" in done.err
    assert done.err == cli("harvest", "nowhere").err


@pytest.mark.usefixtures("server")
def test_the_short_option_of_export_is_still_its_query(cli: Cli) -> None:
    assert cli("harvest", "-q").code == 0
    assert cli("index", "-q").code == 0
    some = cli("export", "--format", "jsonl", "-q", "year:2010..2012").out.splitlines()
    every = cli("export", "--format", "jsonl", "--quiet").out.splitlines()
    assert 0 < len(some) < len(every)
