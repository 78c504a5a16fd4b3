"""Others keep copies of a served library with the `resync` client: all of it first, then what changed."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.contracts.store.shelf import Shelf, gone, live
from tests.docs.commands import SHELLS, lines
from tests.docs.markdown import guides
from tests.flows.commanding import WAIT_SECONDS, environment
from tests.flows.serving import Served, serving
from windrow.model.record import Record
from windrow.protocols.oai.payload_xml import make_standalone
from windrow.protocols.resourcesync import render_time
from windrow.search.record_addresses import record_path
from windrow.store.published import list_pages
from windrow.store.records.record_reader import RecordReader
from windrow.store.store import Store, open_store
from windrow.wiring import create_library

CLIENT = Path(sys.executable).with_name("resync-sync")
FORMATS = ("oai_dc", "kk")
FIRST, LATER = 1_700_000_000, 1_700_100_000  # when they came, and when they changed
# Names that are awkward in addresses; of one with a slash, the copy lies in a folder called like another.
ODD = ("oai:x:a", "oai:x:a/b", "oai:x:a b", "oai:x:å?é#%2F", "oai:x:<&>'\"", "../x", "x//y")


@dataclass
class Barn:
    """A library that is served, and whoever copies it."""

    store: Store
    server: Served
    copies: Path

    def write(self, source: str, *records: Record, prefix: str = "oai_dc", now: int) -> None:
        Shelf(self.store, source).write(*records, prefix=prefix, now=now)
        list_pages.update_list_pages(self.store)

    def sync(self, source: str, *arguments: str) -> str:
        """Run the client for one source; give what it says about how things stand."""
        return self.run(*arguments, f"{self.server.url}/record/{source}", source)

    def run(self, *arguments: str) -> str:
        """Run the client."""
        done = subprocess.run(
            [sys.executable, str(CLIENT), *arguments],
            cwd=self.copies,  # where it remembers how far it was
            capture_output=True,
            text=True,
            timeout=WAIT_SECONDS,
            env=environment(),
            check=False,
        )
        assert done.returncode == 0, done.stderr
        said = re.findall(r"Status:\s+(.+)", done.stdout + done.stderr)
        assert said, done.stderr
        return str(said[-1])

    def document(self, source: str, name: str) -> str:
        return f"{self.server.url}/resourcesync/{source}/{name}.xml"

    def copied(self, source: str) -> dict[str, bytes]:
        """The copies, by their names, which are the ends of addresses."""
        folder = self.copies / source
        files = [each for each in folder.rglob("*") if each.is_file()]
        return {str(each.relative_to(folder)): each.read_bytes() for each in files}

    def held(self, source: str) -> dict[str, bytes]:
        """What the library has, by the same names."""
        with self.store.reading() as connection:
            records = [
                each for batch in RecordReader().batches(connection, sources=[source]) for each in batch
            ]
        return {
            f"{record_path('', record.identifier, under='')[2:]}?format={each.prefix}": make_standalone(
                each.data, each.declarations
            )
            for record in records
            for each in record.payloads
        }


@pytest.fixture
def barn(tmp_path: Path) -> Iterator[Barn]:
    """A library that is served, with nothing in it."""
    folder = create_library(tmp_path / "library")
    copies = tmp_path / "copies"
    copies.mkdir()
    store = open_store(folder)
    try:
        with serving(folder) as server:
            yield Barn(store, server, copies)
    finally:
        store.close()


def filled(barn: Barn, source: str, *names: str) -> None:
    """Records in two formats."""
    for prefix in FORMATS:
        records = [
            live(name, f"<{prefix}>{number} ü</{prefix}>".encode()) for number, name in enumerate(names)
        ]
        barn.write(source, *records, prefix=prefix, now=FIRST)


def test_a_copy_of_two_sources_follows_every_change(barn: Barn) -> None:
    filled(barn, "hay", *ODD, *(f"oai:hay:{number}" for number in range(150)))
    filled(barn, "oats", *(f"oai:oats:{number}" for number in range(100)))
    barn.write("hay", gone("oai:hay:0"), now=FIRST + 1)
    for source in ("hay", "oats"):
        barn.sync(
            source,
            "--baseline",
            "--hash",
            "sha-256",
            "--capabilitylist",
            barn.document(source, "capabilitylist"),
        )
        assert barn.copied(source) == barn.held(source)
    assert len(barn.copied("hay")) == 2 * 156

    barn.write("hay", live("oai:hay:new"), now=LATER)
    barn.write("hay", live("oai:hay:7", b"<oai_dc>new</oai_dc>"), now=LATER + 1)
    barn.write("hay", live("oai:hay:8", b"<kk>new</kk>"), prefix="kk", now=LATER + 2)
    barn.write("hay", live("oai:hay:9", b"<oai_dc>9</oai_dc>"), now=LATER + 3)
    barn.write("hay", gone("oai:x:a"), gone("oai:hay:10"), now=LATER + 4)
    barn.write("hay", live("oai:hay:0", b"<kk>back</kk>"), prefix="kk", now=LATER + 5)
    barn.write("hay", gone("oai:hay:7"), now=LATER + 6)
    barn.write("hay", live("oai:hay:7", b"<oai_dc>once more</oai_dc>"), now=LATER + 7)

    changes = ("--changelist-uri", barn.document("hay", "changelist"))
    said = barn.sync("hay", "--incremental", "--delete", "--from", render_time(LATER), *changes)
    # Created: one new, one restored, one restored after a deletion. Updated: 8 and 9. Deleted: 2 × 2, and
    # of the one that came back, the format that did not.
    assert said.endswith("(created=3, updated=2, deleted=5)")
    assert barn.copied("hay") == barn.held("hay")

    for source in ("hay", "oats"):
        audit = barn.sync(
            source, "--audit", "--hash", "sha-256", "--sitemap", barn.document(source, "resourcelist")
        )
        assert re.match(r"IN SYNC \(same=\d+, to create=0, to update=0, to delete=0\)", audit)


def test_the_client_goes_on_from_where_it_was_by_itself(barn: Barn) -> None:
    filled(barn, "hay", "oai:hay:1", "oai:hay:2")
    listed = ("--sitemap", barn.document("hay", "resourcelist"))
    changes = ("--changelist-uri", barn.document("hay", "changelist"))
    # What the client saw come in the newest second it knows of, it takes for new the next time.
    barn.write("hay", live("oai:hay:newest"), now=FIRST + 1)
    barn.sync("hay", "--baseline", *listed)
    barn.write("hay", gone("oai:hay:1"), now=LATER)
    barn.sync("hay", "--incremental", "--delete", *listed, *changes)
    assert barn.copied("hay") == barn.held("hay")
    barn.write("hay", live("oai:hay:3"), now=LATER + 1)
    said = barn.sync("hay", "--incremental", "--delete", *listed, *changes)
    assert "created=1" in said
    assert barn.copied("hay") == barn.held("hay")


def test_a_single_source_is_found_from_the_well_known_address(barn: Barn) -> None:
    filled(barn, "hay", "oai:hay:1")
    barn.sync("hay", "--baseline")
    assert barn.copied("hay") == barn.held("hay")


def test_the_commands_of_the_how_to_keep_a_copy(barn: Barn) -> None:
    page = next(each for each in guides() if each.path.name == "synchronise-with-resourcesync.md")
    told = [line for block in page.blocks if block.language in SHELLS for line in lines(block)]
    baseline, incremental, audit = (
        line.replace("http://127.0.0.1:8000", barn.server.url).split()[1:]
        for line in told
        if line.startswith("resync-sync")
    )
    filled(barn, "theseus", "oai:theses.example:thesis/12", "oai:theses.example:thesis/13")
    barn.write("theseus", live("oai:theses.example:thesis/14"), now=FIRST + 1)
    barn.run(*baseline)
    assert "oai:theses.example:thesis/12?format=oai_dc" in barn.copied("theseus")
    barn.write("theseus", gone("oai:theses.example:thesis/12"), live("oai:new"), now=LATER)
    barn.run(*incremental)
    assert barn.copied("theseus") == barn.held("theseus")
    assert barn.run(*audit).startswith("IN SYNC")


def test_a_list_in_parts_is_read_like_one(barn: Barn) -> None:
    records = [live(f"oai:hay:{number}", b"<x>%d</x>" % number) for number in range(5_200)]
    barn.write("hay", *records, now=FIRST)
    said = barn.sync("hay", "--audit", "--sitemap", barn.document("hay", "resourcelist"))
    assert said == "NOT IN SYNC (same=0, to create=5200, to update=0, to delete=0)"
