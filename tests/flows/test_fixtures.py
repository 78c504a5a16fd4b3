"""Real answers of real repositories: nothing crashes, and every record in them is stored or quarantined.

Every file is parsed and stored; those that are damaged, and some of the others, go through whole harvests;
recorded exchanges are harvested from servers that replay them.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from lxml import etree

from tests.fixtures import Place, own, own_and_shared
from tests.flows.harvesting import Shelf, make_shelf, words
from tests.servers.http import Reply, Request, ScriptedServer
from tests.servers.replay import ReplayServer
from windrow.errors import BadXml, NotOai
from windrow.harvest.run import utc_now
from windrow.model.run import Outcome
from windrow.protocols.oai.oai_page import Page
from windrow.protocols.oai.page_parser import parse_page
from windrow.protocols.oai.payload_xml import make_standalone
from windrow.store import runs, sources
from windrow.store.harvests import quarantine_cases
from windrow.store.records.page_writer import PageWriter
from windrow.store.records.set_hierarchy import SetGroups

FOLDERS = ("oai", "oai-bulk", "oai-hostile", "records")
EVERY = 25  # of the sound files, one in so many goes through a whole harvest
NOTHING = b'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><error code="noRecordsMatch"/></OAI-PMH>'


def files(folder: Path) -> list[Path]:
    """All files of a folder, in order."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def read(path: Path) -> bytes:
    """The bytes as the repository meant them."""
    raw = path.read_bytes()
    try:
        return gzip.decompress(raw) if path.suffix == ".gz" else raw
    except (OSError, EOFError, zlib.error):
        return raw


def identifiers(body: bytes, *, is_damaged: bool = False) -> set[str]:
    """What lxml sees as record/header/identifier, outside of anybody's metadata."""
    parser = etree.XMLParser(
        recover=is_damaged, resolve_entities=False, no_network=True, huge_tree=True, load_dtd=False
    )
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError):
        return set()
    if root is None:
        return set()
    return {name for record in root.iter("{*}record") if (name := _identifier(record))}


def _identifier(record: etree._Element) -> str:
    if any(isinstance(each.tag, str) and each.tag.endswith("}metadata") for each in record.iterancestors()):
        return ""
    found = record.find("{*}header/{*}identifier")
    return (found.text or "").strip() if found is not None else ""


@dataclass
class Depot:
    """A store that pages are put into without a server, as the harvester puts them."""

    shelf: Shelf
    refused: list[Path] = field(default_factory=list)

    def put_all(self, paths: list[Path]) -> dict[Path, Page]:
        """Store every page of these files that is one."""
        pages = dict(self._pages(paths))
        library = self.shelf.open()
        try:
            with library.store.writing() as connection:
                source = sources.ensure(connection, "test", "http://repository.invalid/")
                now = utc_now()
                run = runs.start(connection, source.id, "harvest", now=now, arguments={})
                format_id = sources.format_id(connection, "any")
                writer = PageWriter(source.id, format_id, run_id=run, groups=SetGroups(source.id))
                for page in pages.values():
                    writer.write(connection, page.records)
                    quarantine_cases.put(connection, source.id, run, "any", page.rejects, now=now)
        finally:
            library.close()
        return pages

    def identifiers(self) -> set[str]:
        """The names of what is stored, without unpacking it."""
        library = self.shelf.open()
        try:
            with library.store.reading() as connection:
                return set(connection.exec_driver_sql("SELECT identifier FROM record").scalars())
        finally:
            library.close()

    def _pages(self, paths: list[Path]) -> Iterator[tuple[Path, Page]]:
        for path in paths:
            try:
                yield path, parse_page(read(path))
            except (BadXml, NotOai):
                self.refused.append(path)


@own_and_shared
@pytest.mark.parametrize("folder", FOLDERS)
def test_every_record_of_every_file_is_stored_or_quarantined(
    tmp_path: Path, folder: str, place: Place
) -> None:
    depot = Depot(make_shelf(tmp_path))
    pages = depot.put_all(files(place(folder)))
    stored = depot.identifiers()
    for path, page in pages.items():
        seen = identifiers(read(path), is_damaged=bool(page.repairs))
        rejected = {reject.identifier for reject in page.rejects}
        lost = seen - stored - rejected
        nameless = sum(reject.identifier is None for reject in page.rejects)
        assert len(lost) <= nameless, f"{path}: lost {sorted(lost)[:5]}"
    for path in depot.refused:
        assert identifiers(read(path)) == set(), f"{path} was refused, but is sound"


@own_and_shared
def test_every_payload_of_every_file_stands_alone(place: Place) -> None:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    for path in files(place("oai")):
        try:
            page = parse_page(read(path))
        except (BadXml, NotOai):
            continue
        for record in page.records[:50]:
            if record.payload is not None:
                etree.fromstring(make_standalone(record.payload, record.declarations), parser)


@dataclass
class Only:
    """A server that answers every list with one file and nothing else."""

    body: bytes = b""
    has_answered: bool = False

    def __call__(self, request: Request) -> Reply:
        if request.arguments.get("verb") == "ListRecords" and "resumptionToken" not in request.arguments:
            self.has_answered = True
            return Reply(body=self.body)
        return Reply(body=NOTHING)


def is_damaged(path: Path) -> bool:
    try:
        page = parse_page(read(path))
    except (BadXml, NotOai):
        return True
    return bool(page.repairs or page.rejects)


@own_and_shared
def test_damaged_files_and_some_sound_ones_go_through_whole_harvests(tmp_path: Path, place: Place) -> None:
    every = [path for path in files(place("oai")) if path.suffix in {".xml", ".gz"}]
    chosen = [path for index, path in enumerate(every) if index % EVERY == 0 or is_damaged(path)][:60]
    only = Only()
    with ScriptedServer(only) as server:
        for number, path in enumerate(chosen):
            only.body, only.has_answered = read(path), False
            shelf = make_shelf(tmp_path / str(number), server)
            run = shelf.harvest()
            assert only.has_answered
            assert "unexpected" not in {problem.code for problem in run.problems}, words(run)
            _check_harvest(shelf, only.body, run.outcome, words(run), path)


def _check_harvest(shelf: Shelf, body: bytes, outcome: Outcome | None, said: str, path: Path) -> None:
    cases = shelf.quarantined()
    kept = set(shelf.records()) | {case.identifier for case in cases if case.identifier}
    lost = identifiers(body) - kept
    nameless = sum(case.identifier is None for case in cases)
    assert len(lost) <= nameless, f"{path}: {outcome}, lost {sorted(lost)[:5]}\n{said}"


@dataclass(frozen=True)
class Chain:
    """A harvest that somebody recorded: how it began, and what lxml finds on its pages."""

    origin: str
    host: str
    arguments: dict[str, str]
    identifiers: frozenset[str]
    is_whole: bool  # the last page was recorded too

    def settings(self) -> dict[str, object]:
        """How a source must be configured to ask the same."""
        arguments, length = self.arguments, len(self.arguments.get("from", self.arguments.get("until", "")))
        found: dict[str, object] = {"formats": [arguments["metadataPrefix"]], "attempts": 1}
        found["granularity"] = "second" if length > len("YYYY-MM-DD") else "day"
        found |= {name: arguments[name] for name in ("from", "until") if name in arguments}
        found |= {"sets": [arguments["set"]]} if "set" in arguments else {}
        found |= {"mode": "one-by-one"} if arguments["verb"] == "ListIdentifiers" else {}
        return found


def chains(folder: Path) -> list[Chain]:
    """Every recorded chain of lists, of every origin."""
    tables = sorted(folder.glob("*/exchanges.dev.tsv"))
    return [chain for table in tables for chain in _chains_of(table)]


def _chains_of(table: Path) -> Iterator[Chain]:
    rows = [line.split("\t") for line in table.read_text(encoding="utf-8").splitlines()[1:]]
    asked = [(dict(parse_qsl(urlsplit(row[5]).query)), urlsplit(row[5]).hostname or "", row) for row in rows]
    bodies = {
        (host, tuple(sorted(arguments.items()))): (table.parent / row[0]).read_bytes()
        for arguments, host, row in reversed(asked)
        if row[3] == "200"
    }
    starts = {
        (host, tuple(sorted(arguments.items()))): arguments
        for arguments, host, _ in asked
        if arguments.get("verb") in {"ListRecords", "ListIdentifiers"} and "metadataPrefix" in arguments
    }
    for (host, key), arguments in starts.items():
        found, is_whole = _follow(bodies, host, key, arguments["verb"])
        if found:
            yield Chain(table.parent.name, host, arguments, frozenset(found), is_whole)


Bodies = dict[tuple[str, tuple[tuple[str, str], ...]], bytes]


def _follow(bodies: Bodies, host: str, key: tuple[tuple[str, str], ...], verb: str) -> tuple[set[str], bool]:
    found: set[str] = set()
    seen: set[object] = set()
    while (body := bodies.get((host, key))) is not None and key not in seen:
        seen.add(key)
        root = etree.fromstring(body, etree.XMLParser(recover=True, huge_tree=True))
        headers = root.iter("{http://www.openarchives.org/OAI/2.0/}header")
        found |= {(each.findtext("{*}identifier") or "").strip() for each in headers}
        token = (root.findtext(".//{*}resumptionToken") or "").strip()
        if not token:
            return found, True
        key = tuple(sorted({"verb": verb, "resumptionToken": token}.items()))
    return found, False


@own_and_shared
def test_recorded_harvests_bring_everything_that_was_recorded(tmp_path: Path, place: Place) -> None:
    recorded = chains(place("oai"))
    assert len(recorded) >= (4 if place is own else 20)
    whole = 0
    for number, chain in enumerate(recorded):
        with ReplayServer(place(f"oai/{chain.origin}"), host=chain.host) as server:
            shelf = make_shelf(tmp_path / str(number), server, **chain.settings())
            run = shelf.harvest()
        label = f"{chain.origin} {chain.host} {chain.arguments}\n{words(run)}"
        assert "unexpected" not in {problem.code for problem in run.problems}, label
        kept = set(shelf.records()) | {case.identifier for case in shelf.quarantined()}
        is_single = chain.arguments["verb"] == "ListIdentifiers"
        if not is_single or run.outcome == Outcome.OK:
            assert chain.identifiers <= kept, label
        if not chain.is_whole:
            assert run.outcome in (Outcome.FAILED, Outcome.PARTIAL), label
        whole += run.outcome == Outcome.OK
    assert whole >= (3 if place is own else 10)
