"""SRU as real clients speak it: yaz-client, zoomsh and sruthi, over searches, explain, scan, sort, errors."""

from __future__ import annotations

import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import sruthi

from tests.fixtures import missing
from tests.flows.serving import Served, serving, stocked
from windrow.wiring.indexing import follow_index

RECORDS = 120
SECONDS = 120


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder: Path = tmp_path_factory.mktemp("sru") / "library"
    library = stocked(folder, records=RECORDS).open()
    follow_index(library)
    library.close()
    with serving(folder) as ready:
        yield ready


def need(program: str) -> str:
    """Give the path of a program."""
    found = shutil.which(program)
    if found is None:
        missing(f"{program} is not installed (package yaz)")
    return found or ""


def said(program: str, *lines: str) -> str:
    """What a program answers to some lines."""
    script = "".join(f"{line}\n" for line in lines)
    ended = subprocess.run(
        [need(program)], input=script, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    return ended.stdout + ended.stderr


@pytest.mark.parametrize("version", ["1.1", "1.2", "2.0"])
def test_yaz_client_searches_shows_and_scans(served: Served, version: str) -> None:
    heard = said(
        "yaz-client",
        f"sru get {version}",
        f"open {served.url}/sru",
        "find cql.allRecords = 1",
        "schema marcxml",
        "show 2+3",
        "find dc.title = nothingatall",
        "find (",
        "find dc.nosuch = x",
        "scan dc.title = h",
        "quit",
    )
    assert f"Number of hits: {RECORDS}" in heard
    assert "Number of hits: 0" in heard
    assert heard.count("schema=info:srw/schema/1/marcxml-v1.1") == 3
    assert "http://www.loc.gov/MARC21/slim" in heard
    assert "pos=2" in heard
    assert "pos=4" in heard
    assert "Query syntax error" in heard
    assert "Unsupported index" in heard
    assert "Received SRW Scan Response" in heard


def test_yaz_client_posts_and_reads_text_in_utf_8(served: Served) -> None:
    heard = said(
        "yaz-client",
        "sru post 1.2",
        f"open {served.url}/sru/theses",
        'find dc.language = sv and dc.title all "för" sortby dc.date/descending',
        "schema dc",
        "show 1+1",
        "quit",
    )
    assert "Number of hits: 0" not in heard
    assert "srw_dc:dc" in heard
    assert "ö" in heard


def test_zoomsh_takes_a_thousand_records_at_once_and_sorted_ones(served: Served) -> None:
    heard = said(
        "zoomsh",
        "set sru get",
        "set sru_version 1.2",
        "set schema mods",
        f"connect {served.url}/sru",
        "search cql:cql.allRecords = 1 sortby dc.date",
        "show 0 1000 xml",
        "search cql:dc.title=",
        "quit",
    )
    assert f"{RECORDS} hits" in heard
    assert heard.count("<mods xmlns") == RECORDS
    assert "Query syntax error" in heard


def test_sruthi_walks_through_all_records(served: Served) -> None:
    client = sruthi.Client(f"{served.url}/sru", maximum_records=50, record_schema="dc")
    found = client.searchretrieve("cql.allRecords = 1 sortBy dc.date")
    assert found.count == RECORDS
    assert len(list(found)) == RECORDS
    some = client.searchretrieve('dc.language = "fi"')
    assert 0 < some.count < RECORDS
    with pytest.raises(sruthi.errors.SruError, match="Unsupported index"):
        client.searchretrieve("dc.nosuch = x")


def test_sruthi_reads_the_explanation(served: Served) -> None:
    info = sruthi.Client(f"{served.url}/sru").explain()
    assert info.server["host"] == "127.0.0.1"
    assert info.database["title"] == "library"
    assert "title" in info.index["dc"].values() or info.index["dc"]
    assert info.schema["marcxml"]["identifier"] == "info:srw/schema/1/marcxml-v1.1"
    assert info.config["maximumRecords"] == 1000


def test_a_client_that_breaks_off_disturbs_nobody(served: Served) -> None:
    request = b"GET /sru?query=cql.allRecords%3D1&maximumRecords=1000 HTTP/1.1\r\nHost: x\r\n\r\n"
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", served.port)) as connection:
            connection.sendall(request)
            connection.recv(100)
    assert served.ask("/sru?query=cql.allRecords%3D1").status == 200
    assert served.ask("/oai?verb=Identify").status == 200
