"""The peers' providers as the bench runs them, and the client that reads them: whole lists, right records."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest
from bench import pages, peer_table, providers, servers
from bench.errors import ContestantError
from bench.peers.front import WAYS
from bench.walk import Client, Walked, walk
from bench.workspace import Workspace

from tests.fixtures import missing

RECORDS = 230
FIRST = {"verb": "ListRecords", "metadataPrefix": "oai_dc"}


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    with ExitStack() as stack:
        yield Workspace(tmp_path, RECORDS, 1, (100,), False, 10, stack)


@contextmanager
def started(space: Workspace, name: str, way: str) -> Iterator[servers.Server]:
    if not find_spec(providers.MODULES[name]):
        missing(f"{name} is not installed")
    if name == "pyoai" and not find_spec("cgi"):
        pytest.skip("pyoai needs the module cgi, which Python 3.13 does not have")
    with providers.peer(space, name, way).start() as server:
        yield server


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", providers.MODULES)
def test_a_peer_hands_out_every_record_once_over_several_pages(space: Workspace, name: str, way: str) -> None:
    with started(space, name, way) as server:
        walked = walk(server.url, FIRST)
    assert sorted(walked.identifiers) == sorted(map(pages.identifier, range(RECORDS)))
    assert (walked.requests, walked.titles) == (3, RECORDS)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", providers.MODULES)
def test_a_peer_gives_one_record_with_its_fields(space: Workspace, name: str, way: str) -> None:
    with started(space, name, way) as server:
        client = Client(server.url)
        body = client.ask(
            {"verb": "GetRecord", "metadataPrefix": "oai_dc", "identifier": pages.identifier(17)}
        )
        client.close()
    assert b"handle/10024/100017</dc:identifier>" in body
    assert b"<setSpec>com_10024_" in body


def test_the_table_keeps_header_fields_and_element_of_a_record(tmp_path: Path) -> None:
    with closing(sqlite3.connect(peer_table.write(tmp_path / "t.db", 3))) as database:
        row = database.execute(
            "SELECT identifier, stamp, sets, fields, element FROM record WHERE id = 2"
        ).fetchone()
    source = pages.render_record(2)
    assert row[0] == pages.identifier(2)
    assert f"<datestamp>{row[1]}</datestamp>" in source
    assert all(f"<setSpec>{spec}</setSpec>" in source for spec in row[2].split())
    assert "& available" in row[3]
    assert row[4].startswith(b"<oai_dc:dc xmlns:xsi=")
    assert row[4].endswith(b"</oai_dc:dc>")


def test_records_without_metadata_are_a_fault() -> None:
    assert providers.fault_of(Walked(identifiers=["a", "b"], titles=1), "") == "1 WITHOUT METADATA"
    assert providers.fault_of(Walked(identifiers=["a", "b"], titles=2), "") == ""
    assert providers.fault_of(Walked(identifiers=["a"], titles=1), "LOST 1") == "LOST 1"


def test_a_server_that_ends_before_it_is_ready_says_why(tmp_path: Path) -> None:
    command = ["sh", "-c", "echo no room >&2; exit 3"]
    with pytest.raises(ContestantError, match="exit 3: no room"), servers.running(command, tmp_path):
        pytest.fail("it never was ready")
