"""`windrow record show`: one record, for people or exactly as it came."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from lxml import etree

from tests.cli.looking import harvested
from tests.cli.sourcing import Cli
from tests.servers.faults.markup import NamespacesOn
from tests.servers.http import Reply, Request
from tests.servers.items import NAMESPACES, Item, dublin_core, make_items
from tests.servers.oai import NOW, OaiServer
from windrow.demo.thesis_repository import Repository
from windrow.demo.thesis_server import DemoServer
from windrow.protocols.oai.page_parser import parse_page

LATER = datetime(2024, 6, 2, tzinfo=UTC)


def test_a_record_is_shown_for_people(cli: Cli) -> None:
    with OaiServer(make_items(3), sets=[("art", "The Arts")]) as server:
        harvested(cli, server)
    out = cli("record", "show", "oai:test.example:0").out
    assert out.startswith("Title 0\n")
    assert "Höök, Åsa" in out
    assert "art (The Arts)" in out
    assert "2020-01-01T00:00:00Z" in out
    assert "(run 1)" in out
    assert "oai_dc (" in out


def test_raw_is_exactly_the_payload_and_nothing_else(cli: Cli) -> None:
    items = make_items(3)
    with OaiServer(items) as server:
        harvested(cli, server)
    shown = cli("record", "show", "oai:test.example:1", "--raw")
    assert shown.out == items[1].payload
    assert shown.err == ""


PAYLOADS = {
    "prefixes of its own": f"<oai_dc:dc {NAMESPACES}><dc:title>One</dc:title></oai_dc:dc>",
    "a default namespace": '<dc xmlns="http://purl.org/dc/elements/1.1/"><title>One</title></dc>',
    "quotes and blanks": "<a  b = 'c\"d'\n\te='f'><g /></a >",
    "CDATA": "<a><![CDATA[<title>&amp; </metadata></record>]]></a>",
    "entities": "<a>&amp;&lt;&#228;&#xE4;&quot;</a>",
    "comments": "<!-- before --><a><!-- </metadata> --><b/></a><!-- after -->",
    "processing instructions": "<?before it?><a><?in it?></a>",
    "line ends": "<a>\n  <b>one\n two</b>\n\t<c/>\n</a>",
    "letters": "<a å='ö'>Åsa Höök 𝔄 日本 \u00a0</a>",
}


@pytest.mark.parametrize("place", ["OAI-PMH", "ListRecords", "record", "metadata"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_raw_is_what_was_sent_wherever_namespaces_are_declared(cli: Cli, place: str, encoding: str) -> None:
    """A page in another encoding is brought to UTF-8; of that, nothing is changed."""
    declared = ' xmlns:ex="http://example.org/ex" xmlns:other="http://example.org/other"'
    sent = {
        f"oai:test.example:{name}": payload.replace("<a", "<ex:a", 1).replace("</a", "</ex:a")
        for name, payload in PAYLOADS.items()
    }
    with OaiServer([Item(name, NOW, (), payload) for name, payload in sent.items()]) as server:
        honest = server.handle

        def handle(request: Request) -> Reply:
            text = honest(request).body.decode()
            text = re.sub(rf"<{place}(?=[ >])", f"<{place}{declared}", text)
            text = text.replace('encoding="UTF-8"', f'encoding="{encoding}"')
            return Reply(body=text.encode(encoding, "xmlcharrefreplace"))

        server.handle = handle
        harvested(cli, server)
    for name, payload in sent.items():
        expected = payload.encode(encoding, "xmlcharrefreplace").decode(encoding)
        assert cli("record", "show", name, "--raw").out == expected
        alone = etree.fromstring(cli("record", "show", name, "--standalone").out.encode())
        assert alone.nsmap["ex"] == "http://example.org/ex"


def test_a_payload_stands_alone_where_the_page_declared_its_namespaces(cli: Cli) -> None:
    with OaiServer(make_items(3), NamespacesOn("record")) as server:
        harvested(cli, server)
    assert "xmlns" not in cli("record", "show", "oai:test.example:1", "--raw").out
    root = etree.fromstring(cli("record", "show", "oai:test.example:1", "--standalone").out.encode())
    assert root.tag == "{http://www.openarchives.org/OAI/2.0/oai_dc/}dc"
    assert cli("record", "show", "oai:test.example:1", "--raw", "--standalone").code == 2


def test_the_format_is_chosen_by_its_prefix(cli: Cli) -> None:
    with DemoServer(Repository(4)) as server:
        harvested(cli, server, "oai_dc", "kk")
        page = parse_page(
            server.repository.answer(
                [
                    ("verb", "GetRecord"),
                    ("identifier", "oai:theses.example:thesis/1"),
                    ("metadataPrefix", "kk"),
                ]
            )
        )
    shown = cli("record", "show", "oai:theses.example:thesis/1", "--format", "kk", "--raw")
    assert (page.records[0].payload or b"").decode() == shown.out
    assert (
        cli("record", "show", "oai:theses.example:thesis/1", "--format", "kk", "--json").json["format"]
        == "kk"
    )


def test_a_format_that_is_not_held_names_those_that_are(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
    result = cli("record", "show", "oai:test.example:1", "--format", "mods")
    assert result.code == 2
    assert "It is held in: oai_dc." in result.err


def test_json_gives_the_document(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
    found = cli("record", "show", "oai:test.example:2", "--json").json
    assert found["document"]["titles"] == [{"value": "Title 2"}]
    assert found["sets"] == ["law"]
    assert found["deleted"] is False
    assert found["formats"].keys() == {"oai_dc"}


def test_a_mistyped_identifier_is_answered_with_what_comes_near(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
    for mistyped in ("test.example:2", "OAI:TEST.EXAMPLE:2", "oai:test.exampel:2"):
        result = cli("record", "show", mistyped)
        assert result.code == 2
        assert "oai:test.example:2" in result.err, mistyped


def test_a_record_in_quarantine_is_pointed_out(cli: Cli) -> None:
    with OaiServer(make_items(3), "no metadata") as server:
        harvested(cli, server)
    identifier = cli("quarantine", "list", "--json").json[0]["identifier"]
    assert "windrow quarantine show 1" in cli("record", "show", identifier).err


def test_a_deleted_record_says_when(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
        server.delete("oai:test.example:1", LATER)
        server.now = LATER
        cli("harvest")
    shown = cli("record", "show", "oai:test.example:1")
    assert shown.code == 0
    assert "is deleted" in shown.out
    assert "2024-06-02T00:00:00Z" in shown.out
    assert "(run 2)" in shown.out
    assert cli("record", "show", "oai:test.example:1", "--raw").code == 2


def test_one_identifier_in_two_sources_asks_which(cli: Cli) -> None:
    items = make_items(2)
    with OaiServer(items) as one, OaiServer([replace(items[0], payload=dublin_core("Other"))]) as other:
        harvested(cli, one, name="one")
        harvested(cli, other, name="other")
    result = cli("record", "show", "oai:test.example:0")
    assert result.code == 2
    assert "one, other" in result.err
    chosen = cli("record", "show", "oai:test.example:0", "--source", "other", "--json").json
    assert chosen["document"]["titles"] == [{"value": "Other"}]


def test_a_hostile_title_cannot_command_the_terminal(cli: Cli) -> None:
    title = "Fine\u202ereversed\u0085 \u2028 title"
    with OaiServer([Item("oai:x:1", LATER, (), dublin_core(title))]) as server:
        harvested(cli, server)
    out = cli("record", "show", "oai:x:1").out
    assert "\u202e" not in out
    assert "\u0085" not in out
    assert "Fine" in out


def test_two_records_are_compared_field_by_field(cli: Cli) -> None:
    with OaiServer(make_items(2, sets=())) as server:
        harvested(cli, server)
    words = ("record", "compare", "oai:test.example:0", "oai:test.example:1")
    shown = cli(*words)
    assert shown.code == 0
    assert "- Title 0" in shown.out
    assert "+ Title 1" in shown.out
    assert "1 field differs; the same in both: creators, dates, year." in shown.words
    found = cli(*words, "--json").json
    assert found["differing"] == [{"field": "titles", "first": ["Title 0"], "second": ["Title 1"]}]
    assert found["same"] == ["creators", "dates", "year"]
    unknown = cli("record", "compare", "oai:test.example:0", "oai:test.example:9")
    assert unknown.code == 2
    assert "there is no record oai:test.example:9" in unknown.words
