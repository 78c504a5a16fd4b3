"""Recorded exchanges, served again."""

from __future__ import annotations

import csv
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.fixtures import Place, own, own_and_shared
from tests.servers.replay import ReplayServer
from tests.unit.servers.asking import fetch

ROWS = (
    "file\tcassette\tseq\tstatus\tcontent_type\turl",
    "a.xml\tx\t0\t200\ttext/xml\thttp://one.example/oai?verb=Identify",
    "b.xml\tx\t1\t422\ttext/xml; charset=utf-8\thttp://one.example/oai?verb=GetRecord&identifier=a%3Ab&x=",
    "c.xml\tx\t2\t200\ttext/xml\thttp://two.example/oai?verb=Identify",
    "d.xml\tx\t3\t200\t\thttp://two.example/oai?verb=ListSets",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "exchanges.dev.tsv").write_text("\n".join(ROWS) + "\n", encoding="utf-8")
    for name in "abcd":
        (tmp_path / f"{name}.xml").write_bytes(b"<" + name.encode() + b"/>\xff")
    return tmp_path


def test_an_exchange_is_found_whatever_the_order_of_its_pairs(folder: Path) -> None:
    with ReplayServer(folder) as server:
        response, body = fetch(server, "/oai?x=&identifier=a:b&verb=GetRecord")
    assert response.status == 422
    assert response.getheader("Content-Type") == "text/xml; charset=utf-8"
    assert body == b"<b/>\xff"


def test_recordings_of_the_same_request_come_in_their_order_and_the_last_goes_on(folder: Path) -> None:
    with ReplayServer(folder) as server:
        bodies = [fetch(server, "/oai?verb=Identify")[1] for _ in range(3)]
    assert bodies == [b"<a/>\xff", b"<c/>\xff", b"<c/>\xff"]


def test_a_host_has_its_own_exchanges(folder: Path) -> None:
    with ReplayServer(folder, host="two.example") as server:
        assert fetch(server, "/oai?verb=Identify")[1] == b"<c/>\xff"
        assert fetch(server, "/oai?verb=GetRecord&identifier=a:b&x=")[0].status == 404


def test_a_recording_without_media_type_is_served_without(folder: Path) -> None:
    with ReplayServer(folder) as server:
        assert fetch(server, "/oai?verb=ListSets")[0].getheader("Content-Type") is None


def test_what_was_never_asked_is_not_found(folder: Path) -> None:
    with ReplayServer(folder) as server:
        assert fetch(server, "/oai?verb=Identify&from=2020")[0].status == 404


@own_and_shared
def test_every_exchange_of_a_recording_is_served(place: Place) -> None:
    recorded = place("oai/barn-reports" if place is own else "oai/CenterForOpenScience__scrapi")
    with (recorded / "exchanges.dev.tsv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    with ReplayServer(recorded) as server:
        for row in rows:
            response, body = fetch(server, f"/oai?{urlsplit(row['url']).query}")
            assert (response.status, body) == (int(row["status"]), (recorded / row["file"]).read_bytes())
