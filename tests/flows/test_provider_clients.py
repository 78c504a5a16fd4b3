"""Other people's harvesters, and our own, take a whole repository while it changes; then what came since."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.fixtures import missing
from tests.flows.commanding import WAIT_SECONDS, environment
from tests.flows.harvesting import SOURCE, Shelf
from tests.flows.provider import HOUR, Copy, Mirror, Provider, provider, stock, title_of, unrest, update
from tests.unit.web.oai.holdings import dublin_core, gone, live
from windrow.model.run import Outcome
from windrow.wiring import create_library

# Harvests a base URL, with `from` where it is not empty; gives what came in its order, and what to take for
# `from` next time.
Client = Callable[[str, str], tuple[list[tuple[str, Copy]], str]]

_PERL = """
use strict; use warnings;
use HTTP::OAI; use JSON::PP;
my ($url, $from) = @ARGV;
my $harvester = HTTP::OAI::Harvester->new(baseURL => $url);
my $identity = $harvester->Identify;
die $identity->message if $identity->is_error;
my $json = JSON::PP->new->utf8;
print $json->encode({date => $identity->responseDate}), "\\n";
my $answer = $harvester->ListRecords(
  metadataPrefix => 'oai_dc', ($from ? (from => $from) : ()),
  onRecord => sub {
    my $record = shift;
    print $json->encode({
      identifier => $record->identifier, stamp => $record->datestamp,
      deleted => $record->is_deleted ? JSON::PP::true : JSON::PP::false,
      sets => [$record->header->setSpec],
      metadata => $record->is_deleted ? undef : $record->metadata->toString,
    }), "\\n";
  },
);
die $answer->message if $answer->is_error;
die $_->code for $answer->errors;
"""


def sickle(url: str, since: str) -> tuple[list[tuple[str, Copy]], str]:
    if importlib.util.find_spec("sickle") is None:
        missing("Sickle is not installed")
    from sickle import Sickle  # type: ignore[import-untyped]

    asked = {"metadataPrefix": "oai_dc", **({"from": since} if since else {})}
    listed = Sickle(url, timeout=WAIT_SECONDS).ListRecords(**asked)
    date = re.search(r"<responseDate>(.*?)<", listed.oai_response.raw)
    assert date is not None
    found = []
    for record in listed:
        title = None if record.deleted else title_of(record.raw.encode())
        header = record.header
        found.append((header.identifier, Copy(header.datestamp, frozenset(header.setSpecs), title)))
    return found, date.group(1)


def http_oai(url: str, since: str) -> tuple[list[tuple[str, Copy]], str]:
    perl = shutil.which("perl")
    if (
        perl is None
        or subprocess.run([perl, "-MHTTP::OAI", "-e1"], capture_output=True, check=False).returncode
    ):
        missing("HTTP::OAI for Perl (libhttp-oai-perl) is not installed")
    done = subprocess.run(
        [perl or "", "-e", _PERL, url, since],
        capture_output=True, text=True, timeout=WAIT_SECONDS, env=environment(), check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    first, *lines = map(json.loads, done.stdout.splitlines())
    found = []
    for line in lines:
        title = None if line["deleted"] else title_of(line["metadata"].encode())
        found.append((line["identifier"], Copy(line["stamp"], frozenset(line["sets"]), title)))
    return found, first["date"]


CLIENTS = pytest.mark.parametrize("client", [sickle, http_oai])


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Provider]:
    with provider(tmp_path / "provider") as made:
        stock(made)
        yield made


@CLIENTS
def test_a_client_takes_everything_there_is(source: Provider, client: Client) -> None:
    found, _ = client(source.url, "")
    assert len(found) == 60
    assert dict(found) == source.truth()


@CLIENTS
def test_a_client_loses_and_doubles_nothing_while_records_change(source: Provider, client: Client) -> None:
    before = source.truth()
    source.between = unrest(source)
    found, date = client(source.url, "")
    names = [name for name, _ in found]
    assert names == list(dict.fromkeys(names))
    assert set(before) <= set(names)
    assert len([query for query in source.asked if "resumptionToken" in query]) >= 5
    check_versions(found, before, source.truth())
    source.between = None
    since, _ = client(source.url, date)
    assert update(dict(found), dict(since)) == source.truth()


def check_versions(found: Sequence[tuple[str, Copy]], before: Mirror, after: Mirror) -> None:
    """What came of a record that changed once at most is how it was before, or how it is now."""
    unchanged = {name for name, copy in before.items() if after[name] == copy}
    assert len(unchanged) > 20
    for name, copy in found:
        if name in unchanged:
            assert copy == before[name]


@CLIENTS
def test_a_client_that_comes_back_gets_what_changed_since_and_nothing_else(
    source: Provider, client: Client
) -> None:
    found, _ = client(source.url, "")
    source.holdings.now += HOUR
    _, date = client(source.url, "")
    source.holdings.now += HOUR
    change_five(source)
    since, _ = client(source.url, date)
    assert sorted(name for name, _ in since) == CHANGED
    assert update(dict(found), dict(since)) == source.truth()


CHANGED = ["oai:new:1", "oai:x:0", "oai:x:1", "oai:x:2", "oai:x:3"]


def change_five(source: Provider) -> None:
    """A record each: come back, changed, deleted, moved to another set, new. One comes as it was."""
    source.write(
        live("oai:x:0", dublin_core("back"), sets=("all",)),
        live("oai:x:1", dublin_core("changed"), sets=("all", "even:two")),
        gone("oai:x:2"),
        live("oai:x:3", dublin_core("first oai:x:3"), sets=("elsewhere",)),
        live("oai:x:5", dublin_core("first oai:x:5"), sets=("all", "even:two"), stamp="2024-02-02"),
        live("oai:new:1", dublin_core("new")),
    )


class TestOurOwn:
    """`windrow harvest`."""

    @pytest.fixture
    def shelf(self, source: Provider, tmp_path: Path) -> Shelf:
        made = Shelf(create_library(tmp_path / "mirror"))
        made.add(source.url)
        return made

    def mirror(self, shelf: Shelf) -> dict[str, tuple[frozenset[str], str | None]]:
        """What the harvester has; the datestamps it keeps are its own."""
        return {
            record.identifier: (
                frozenset(record.sets),
                None if record.is_deleted else title_of(record.payloads[0].data),
            )
            for record in shelf.records().values()
        }

    def truth(self, source: Provider) -> dict[str, tuple[frozenset[str], str | None]]:
        return {name: (copy.sets, copy.title) for name, copy in source.truth().items()}

    def test_everything_comes_with_its_datestamp(self, source: Provider, shelf: Shelf) -> None:
        run = shelf.harvest()
        problems = [each.code for each in run.problems if each.code not in {"no-date", "no-person"}]
        assert (run.outcome, problems) == (Outcome.OK, [])  # these records have titles alone
        assert run.claimed == run.counters.seen == 60
        assert self.mirror(shelf) == self.truth(source)
        stamps = {name: record.stamp for name, record in shelf.records().items()}
        assert stamps == {name: copy.stamp for name, copy in source.truth().items()}

    def test_nothing_is_lost_while_records_change(self, source: Provider, shelf: Shelf) -> None:
        before = set(source.truth())
        source.between = unrest(source)
        assert shelf.harvest().outcome is Outcome.OK
        assert before <= set(shelf.records())
        source.between = None
        assert shelf.harvest().outcome is Outcome.OK
        assert self.mirror(shelf) == self.truth(source)

    def test_the_next_harvest_brings_exactly_what_changed(self, source: Provider, shelf: Shelf) -> None:
        source.holdings.now += HOUR
        shelf.harvest()
        source.holdings.now += HOUR
        change_five(source)
        source.holdings.now += HOUR
        run = shelf.harvest()
        assert run.counters.seen == len(CHANGED)
        counted = run.counters
        assert (counted.added, counted.deleted, counted.changed) == (1, 1, 1)
        assert counted.restored + counted.moved == 2
        assert self.mirror(shelf) == self.truth(source)
        source.holdings.now += HOUR
        assert shelf.harvest().counters.seen == 0

    def test_one_set_is_harvested_with_what_is_below_it(self, source: Provider, shelf: Shelf) -> None:
        shelf.change(name=SOURCE, sets=["even"])
        shelf.harvest()
        expected = {name for name, copy in source.truth().items() if "even:two" in copy.sets}
        assert set(shelf.records()) == expected
