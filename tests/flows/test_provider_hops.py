"""From library to library: what is harvested from us, and again from who harvested it, stays what it is."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest
from lxml import etree

from tests.flows.harvesting import Shelf
from tests.flows.serving import Served, serving
from tests.oai_schema import PROVENANCE, validate
from windrow.demo.thesis_formats import FORMATS
from windrow.demo.thesis_repository import Repository
from windrow.demo.thesis_server import DemoServer
from windrow.model.run import Outcome, Run
from windrow.store.records.record_reader import StoredRecord
from windrow.wiring import create_library

NAME = "theses"
RECORDS = 260
ORIGIN = f"{{{PROVENANCE}}}originDescription"


class Chain(NamedTuple):
    """Three libraries, each harvested from the one before, and the servers of the first two."""

    first: Shelf
    second: Shelf
    third: Shelf
    servers: tuple[Served, Served]
    runs: tuple[Run, Run]


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chain]:
    folder = tmp_path_factory.mktemp("chain")
    first, second, third = (Shelf(create_library(folder / name)) for name in ("first", "second", "third"))
    harvest_demo(first)
    with serving(first.folder) as one:
        over = harvest(second, one)
        with serving(second.folder) as two:
            yield Chain(first, second, third, (one, two), (over, harvest(third, two)))


def harvest_demo(shelf: Shelf) -> None:
    """Harvest theses in every format, and again a month later, when some were corrected or withdrawn."""
    with DemoServer(Repository(RECORDS, page_size=50)) as server:
        shelf.add(server.url, name=NAME, formats=list(FORMATS))
        assert shelf.harvest(name=NAME).outcome is Outcome.OK
        server.repository = server.repository.later(30)
        assert shelf.harvest(name=NAME).outcome is Outcome.OK


def harvest(shelf: Shelf, server: Served) -> Run:
    shelf.add(f"{server.url}/oai/{NAME}", name=NAME, formats=list(FORMATS))
    return shelf.harvest(name=NAME)


def payloads(shelf: Shelf) -> dict[str, dict[str, bytes]]:
    records = shelf.records(name=NAME)
    return {name: {held.prefix: held.data for held in record.payloads} for name, record in records.items()}


def headers(shelf: Shelf) -> dict[str, tuple[bool, frozenset[str]]]:
    records: dict[str, StoredRecord] = shelf.records(name=NAME)
    return {name: (record.is_deleted, frozenset(record.sets)) for name, record in records.items()}


def test_both_hops_are_whole_and_there_is_nothing_to_complain_about(chain: Chain) -> None:
    for run in chain.runs:
        assert (run.outcome, run.problems) == (Outcome.OK, ())
        assert run.counters.quarantined == run.counters.duplicates == run.counters.retries == 0


def test_payloads_are_the_same_to_the_byte(chain: Chain) -> None:
    held = payloads(chain.first)
    assert len(held) > RECORDS
    assert {prefix for formats in held.values() for prefix in formats} == set(FORMATS)
    assert payloads(chain.second) == held
    assert payloads(chain.third) == held


def test_tombstones_and_sets_are_kept(chain: Chain) -> None:
    held = headers(chain.first)
    assert any(is_deleted for is_deleted, _ in held.values())
    assert all(sets for _, sets in held.values())
    assert headers(chain.second) == held
    assert headers(chain.third) == held


def test_sets_keep_their_names(chain: Chain) -> None:
    named = [{(each.spec, each.name) for each in shelf.sets(name=NAME)} for shelf in chain[:3]]
    assert named[0] == named[1] == named[2]
    assert len(named[0]) > 10


def test_what_is_declared_around_a_payload_does_not_grow_with_every_hop(chain: Chain) -> None:
    declared = [
        {held.declarations for record in shelf.records(name=NAME).values() for held in record.payloads}
        for shelf in (chain.second, chain.third)
    ]
    assert declared[0] == declared[1]


def test_the_origin_grows_by_one_at_every_hop_and_nothing_else_does(chain: Chain) -> None:
    query = f"/oai/{NAME}?verb=ListRecords&metadataPrefix=oai_dc"
    for hops, server in enumerate(chain.servers, 1):
        body = server.ask(query).body
        validate(body)
        root = etree.fromstring(body)
        for about in root.iter("{http://www.openarchives.org/OAI/2.0/}about"):
            assert len(list(about.iter(ORIGIN))) == hops
        live = len(root.findall(".//{*}metadata"))
        assert len(root.findall(".//{*}about")) == live > 0


def test_the_whole_library_is_harvested_like_its_one_source(chain: Chain, tmp_path: Path) -> None:
    shelf = Shelf(create_library(tmp_path / "whole"))
    shelf.add(f"{chain.servers[0].url}/oai", name=NAME, formats=list(FORMATS))
    assert shelf.harvest(name=NAME).outcome is Outcome.OK
    assert payloads(shelf) == payloads(chain.first)
    expected = {
        name: (is_deleted, frozenset({NAME, *(f"{NAME}:{spec}" for spec in sets)}))
        for name, (is_deleted, sets) in headers(chain.first).items()
    }
    assert headers(shelf) == expected


def test_a_library_that_is_harvested_while_it_harvests_gives_everything_in_the_end(tmp_path: Path) -> None:
    first, second = (Shelf(create_library(tmp_path / name)) for name in ("first", "second"))
    with DemoServer(Repository(600, page_size=20)) as demo:
        first.add(demo.url, name=NAME)
        assert first.harvest(name=NAME).outcome is Outcome.OK
        demo.repository = demo.repository.later(60)
        with serving(first.folder) as server, ThreadPoolExecutor(1) as pool:
            second.add(f"{server.url}/oai/{NAME}", name=NAME)
            again = pool.submit(first.harvest, name=NAME, is_full=True)
            while not again.done():
                assert second.harvest(name=NAME, is_full=True).outcome is Outcome.OK
            assert again.result().counters.changed > 0
            assert second.harvest(name=NAME).outcome is Outcome.OK
    assert payloads(second) == payloads(first)
    assert headers(second) == headers(first)
