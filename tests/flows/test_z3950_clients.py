"""Clients that people use, against `windrow z3950` as a process: yaz-client, zoomsh, Net::Z3950::ZOOM."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.fixtures import missing
from tests.flows.commanding import WAIT_SECONDS, environment
from tests.servers.courses import Course, course_library, courses
from tests.servers.z3950_client import Client, connected
from tests.unit.protocols.z3950.messages import init, present, search
from windrow.protocols.z3950.pdus import write_pdu

RECORDS = 1_200
_MAIN = "from windrow.cli.main import main; main()"


@pytest.fixture(scope="module")
def made() -> list[Course]:
    return list(courses(RECORDS))


@pytest.fixture(scope="module")
def port(made: list[Course], tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder = course_library(tmp_path_factory.mktemp("z3950") / "library", made, profile="studera")
    process = subprocess.Popen(
        [sys.executable, "-c", _MAIN, "--library", str(folder), "z3950", "--port", "0", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        line = process.stdout.readline()
        assert line, process.stderr.read()
        described = json.loads(line)
        assert described["databases"] == ["Default", "courses"]
        yield described["port"]
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=WAIT_SECONDS)
        assert process.returncode == 0
        assert errors == ""  # nothing that a client did was an exception
    finally:
        process.kill()
        process.communicate()


def _yaz(port: int, *commands: str) -> str:
    """What yaz-client prints."""
    if shutil.which("yaz-client") is None:
        missing("yaz-client is not installed (package yaz)")
    script = "\n".join(("charset utf-8", f"open 127.0.0.1:{port}/Default", *commands, "quit", ""))
    done = subprocess.run(
        ["yaz-client"], input=script.encode(), capture_output=True, timeout=WAIT_SECONDS, check=False
    )
    return done.stdout.decode("utf-8", "replace")


def _zoomsh(port: int, *commands: str) -> str:
    if shutil.which("zoomsh") is None:
        missing("zoomsh is not installed (package yaz)")
    script = "\n".join((f"connect 127.0.0.1:{port}/Default", *commands, "quit", ""))
    done = subprocess.run(
        ["zoomsh"], input=script.encode(), capture_output=True, timeout=WAIT_SECONDS, check=False
    )
    return done.stdout.decode("utf-8", "replace") + done.stderr.decode("utf-8", "replace")


def _having(made: list[Course], word: str) -> list[Course]:
    return [course for course in made if word in course.title.lower().split()]


def test_yaz_client_negotiates_utf_8_and_finds_accented_words(port: int, made: list[Course]) -> None:
    found = _having(made, "måleri")
    told = _yaz(port, "find @attr 1=4 måleri", "format grs-1", "show 1")
    assert "Accepted character set : UTF-8" in told
    assert f"Number of hits: {len(found)}, setno 1" in told
    assert re.search(r"\(2,1\) .*[Mm]åleri", told)


def test_yaz_client_shows_records_in_four_syntaxes_and_two_element_sets(
    port: int, made: list[Course]
) -> None:
    course = next(course for course in made if course.events)
    told = _yaz(
        port,
        f"find @attr 1=12 {course.identifier}",
        *("format grs-1", "show 1", "elements B", "show 1", "elements F"),
        *("format usmarc", "show 1", "format sutrs", "show 1"),
        *("format xml", "show 1", "elements mods", "show 1", "elements marcxml", "show 1"),
        *("elements nosuch", "show 1", "format unimarc", "show 1"),
    )
    assert "Number of hits: 1," in told
    assert f"(4,28) {course.events[0]}" in told  # the event as order information
    period = course.events[0].split(";")[1]
    assert re.search(rf"\(4,70\) \n(    .*\n)*?        \(3,period\) {period}\n", told)  # and its slots
    assert "Record type: USmarc" in told
    assert re.search(r"^245 .. +\$a ", told, re.MULTILINE)
    assert "Record type: SUTRS" in told
    assert "<dc:title" in told or "<title" in told
    assert "http://www.loc.gov/mods/v3" in told
    assert "http://www.loc.gov/MARC21/slim" in told
    assert "[25] Specified element set name not valid for specified database" in told
    assert "[239] Record syntax not supported" in told


def test_yaz_client_scans_sorts_and_deletes(port: int, made: list[Course]) -> None:
    told = _yaz(
        port,
        "scan @attr 1=4 biologi",
        "find @attr 1=4 @attr 5=1 bio",
        "sort 1=31 >i 1=4 <i",
        "format sutrs",
        "elements B",
        "show 1+20",
        "delete 1",
        "show 1",
    )
    number = len(_having(made, "biologi"))
    assert re.search(rf"^\* biologi \({number}\)$", told, re.MULTILINE)
    assert "Received SortResponse: status=success" in told
    years = [int(year) for year in re.findall(r"^Year: ([0-9]+)$", told, re.MULTILINE)]
    assert len(years) == 20
    assert years == sorted(years, reverse=True)
    assert "[30] Specified result set does not exist" in told


def test_yaz_client_gets_the_right_diagnostics(port: int) -> None:
    told = _yaz(
        port,
        "find @attr 1=9999 x",
        "find @attr 2=100 x",
        "find @attrset exp-1 @attr 1=1 x",
        "find @set nosuch",
        "base nosuch",
        "find x",
        "base Default",
        "find @attr 1=4 och",
        "show 100000",
    )
    for said in (
        "[114] Unsupported Use attribute -- v2 addinfo '9999'",
        "[117] Unsupported Relation attribute -- v2 addinfo '100'",
        "[121] Unsupported Attribute Set -- v2 addinfo '1.2.840.10003.3.2'",
        "[30] Specified result set does not exist -- v2 addinfo 'nosuch'",
        "[235] Database does not exist -- v2 addinfo 'nosuch'",
        "[13] Present request out of range",
    ):
        assert said in told


def test_yaz_client_asks_for_an_event_as_the_clients_of_studera_did(port: int, made: list[Course]) -> None:
    wanted = re.compile(r"[^;]*;2002p1;(sommar|bunden|flexibel);full;2280;sv;.*")
    number = sum(any(map(wanted.fullmatch, course.events)) for course in made)
    loose = sum("2280" in str(course.events) and "2002p1" in str(course.events) for course in made)
    assert 0 < number < loose
    event = "2002p1;(sommar|bunden|flexibel);full;2280;sv"
    told = _yaz(port, f'find @attr gils 1=2017 @attr 5=102 "{event}"')
    assert f"Number of hits: {number}, setno 1" in told


def test_zoomsh_searches_and_shows_records(port: int, made: list[Course]) -> None:
    told = _zoomsh(
        port,
        "set preferredRecordSyntax usmarc",
        "search @attr 1=4 biologi",
        "show 0 2",
        "set preferredRecordSyntax xml",
        "set elementSetName mods",
        "search @attr 1=4 geologi",
        "show 0 1",
        "search @attr 1=9999 x",
    )
    assert f"127.0.0.1:{port}/Default: {len(_having(made, 'biologi'))} hits" in told
    assert "syntax=USmarc" in told
    assert "mods" in told
    assert "Unsupported Use attribute (Bib-1:114) 9999" in told


_PERL = r"""
use strict; use warnings; use ZOOM;
binmode(STDOUT, ":raw");
my $conn = new ZOOM::Connection("127.0.0.1", $ARGV[0], databaseName => "Default", charset => "utf-8");
$conn->option(preferredRecordSyntax => "usmarc");
my $rs = $conn->search_pqf('@attr 1=31 @attr 2=4 1900');
print "hits ", $rs->size(), "\n";
$rs->records(0, 1000, 0);
my $seen = 0;
for my $i (0 .. 999) { my $rec = $rs->record($i); $seen++ if $rec && !$rec->error() && $rec->raw(); }
print "seen $seen\n";
$rs->sort("pqf", "1=4 <i");
my $first = $rs->record(0)->render();
print "first $first\n";
my $scan = $conn->scan_pqf('@attr 1=4 b');
my ($term, $occ) = $scan->term(0);
print "term $term $occ\n";
eval { $conn->search_pqf('@attr 1=9999 x') };
print "error ", $@->code(), " ", $@->message(), "\n";
"""


def test_the_perl_client_takes_a_thousand_records(port: int) -> None:
    if subprocess.run(["perl", "-MZOOM", "-e", "1"], capture_output=True, check=False).returncode:
        missing("Net::Z3950::ZOOM is not installed (package libnet-z3950-zoom-perl)")
    done = subprocess.run(
        ["perl", "-e", _PERL, str(port)], capture_output=True, timeout=WAIT_SECONDS, check=False
    )
    told = done.stdout.decode("utf-8", "replace")
    assert f"hits {RECORDS}\nseen 1000\n" in told, done.stderr
    assert "term b" in told
    assert "error 114 Unsupported Use attribute" in told


def test_a_thousand_records_come_in_one_answer_or_in_segments(port: int) -> None:
    with Client(port) as client:
        client.ask(init(size=1 << 24))
        assert client.count("@attr 1=31 @attr 2=4 1900") == RECORDS
        found = client.ask(present(1, 1000, element_set="B"))
        assert found.number_of_records_returned == 1000
    with Client(port) as client:
        client.ask(init(size=20_000))
        client.count("@attr 1=31 @attr 2=4 1900")
        client.send(present(1, 1000, element_set="B"))
        shown, segments = 0, 0
        while type(found := client.receive()).__name__ == "Segment":
            segments += 1
            assert found.number_of_records_returned == len(found.segment_records)
            shown += found.number_of_records_returned
        assert segments > 3
        assert shown + len(found.records.value) == found.number_of_records_returned == 1000
        assert (found.present_status, found.next_result_set_position) == (0, 1001)


def test_clients_that_vanish_leave_the_others_alone(port: int) -> None:
    whole = write_pdu(init()) + write_pdu(search("@attr 1=62 och")) + write_pdu(present(1, 1000))
    for place in (0, 1, 10, len(whole) // 2, len(whole) - 1, len(whole)):
        with Client(port) as client:
            client.send(whole[:place])
    with connected(port) as client:
        assert client.count("@attr 1=62 och") > 0


def test_a_hundred_sessions_are_answered_at_the_same_time(port: int) -> None:
    clients = [Client(port) for _ in range(100)]
    try:
        for client in clients:
            client.send(init())
        assert all(client.receive().result for client in clients)
        for client in clients:
            client.send(search("@attr 1=62 och"))
        totals = {client.receive().result_count for client in clients}
        assert len(totals) == 1
        for client in clients:
            client.send(present(1, 5))
        assert all(client.receive().number_of_records_returned == 5 for client in clients)
    finally:
        for client in clients:
            client.__exit__(None, None, None)
