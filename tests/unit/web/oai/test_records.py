"""Records as they leave: to the byte, with their origin, and none that would spoil its page."""

from __future__ import annotations

import logging

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

from tests.oai_schema import PROVENANCE
from tests.thorough import tries
from tests.unit.web.oai.holdings import NOON, Answer, Holdings, dublin_core, live, other
from windrow.protocols.oai.provider_request import format_request_date

ONE = {"identifier": "oai:x:1", "metadataPrefix": "oai_dc"}
ORIGIN = f"{{{PROVENANCE}}}originDescription"


def origins(answer: Answer) -> list[dict[str, str]]:
    """What the provenance says of each hop, the last first."""
    found = []
    for each in answer.root.iter(ORIGIN):
        told = {etree.QName(child).localname: child.text or "" for child in each if child.tag != ORIGIN}
        found.append({**told, **{str(name): str(value) for name, value in each.attrib.items()}})
    return found


class TestPayloads:
    @pytest.mark.parametrize(
        ("payload", "declarations"),
        [
            (dublin_core("ä & < >".replace("&", "&amp;").replace("<", "&lt;")), b""),
            (b"<dc:x>1</dc:x>", b' xmlns:dc="urn:dc"'),
            (b"<x>1</x>", b' xmlns="urn:default"'),
            (b'<x xmlns="urn:own">\r\n\t<!-- kept --><![CDATA[<&]]>&#13;</x>', b""),
            ("<b:x xmlns:b='urn:b' y=\"'\">\U0001f33e\u200b</b:x>".encode(), b""),
        ],
    )
    def test_a_payload_leaves_to_the_byte(
        self, library: Holdings, payload: bytes, declarations: bytes
    ) -> None:
        library.write(live("oai:x:1", payload, declarations=declarations), prefix="kk")
        for verb, asked in (("GetRecord", {"identifier": "oai:x:1"}), ("ListRecords", {})):
            (record,) = library.ask(verb, metadataPrefix="kk", **asked).records
            assert record.payload == payload

    def test_identifiers_of_any_kind_go_around(self, library: Holdings) -> None:
        names = ["urn:x:1", "http://x.example/a?b=c&d=<e>", "hdl:ä/ö", 'say:"hay"', "tag:x,2020:'y'"]
        library.write(*(live(name, dublin_core()) for name in names))
        assert library.listed("ListRecords") == names
        for name in names:
            assert library.ask("GetRecord", identifier=name, metadataPrefix="oai_dc").identifiers == [name]


class TestOrigins:
    def test_a_harvested_record_says_where_it_came_from(self, library: Holdings) -> None:
        library.write(live("oai:x:1", stamp="2020-02-02"))
        (origin,) = origins(library.ask("GetRecord", **ONE))
        assert origin == {
            "baseURL": "https://hay.example/oai",
            "identifier": "oai:x:1",
            "datestamp": "2020-02-02",
            "metadataNamespace": "http://www.openarchives.org/OAI/2.0/oai_dc/",
            "harvestDate": format_request_date(NOON),
            "altered": "false",
        }

    def test_what_was_mapped_is_said_to_be_altered(self, library: Holdings) -> None:
        library.write(live("oai:x:1", dublin_core()), prefix="kk")
        (origin,) = origins(library.ask("GetRecord", **ONE))
        assert origin["altered"] == "true"

    def test_what_was_mapped_says_in_which_format_it_came_and_all_that_was_said_about_it(
        self, library: Holdings, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        marc = b"""<record xmlns="http://www.loc.gov/MARC21/slim"><leader>00000nam a2200000 a 4500</leader>
            <datafield tag="245" ind1="0" ind2="0"><subfield code="a">Hay</subfield></datafield></record>"""
        rights = b'<about><r:rights xmlns:r="urn:r">\xc2\xa9 all</r:rights></about>'
        library.write(live("oai:x:1", marc, stamp="2020-02-02", about=rights), prefix="marcxml")
        (record,) = library.ask("GetRecord", identifier="oai:x:1", metadataPrefix="marcxml").records
        second = Holdings(tmp_path_factory.mktemp("hop"), now=NOON + 60)
        second.write(record, prefix="marcxml")
        answer = second.ask("GetRecord", **ONE)
        second.close()
        found = origins(answer)
        assert [each["metadataNamespace"] for each in found] == ["http://www.loc.gov/MARC21/slim"] * 2
        assert [each["altered"] for each in found] == ["true", "false"]
        assert found[1]["datestamp"] == "2020-02-02"
        assert "© all" in "".join(map(str, answer.root.itertext()))

    def test_the_origin_that_came_with_a_record_is_nested_in_ours(
        self, library: Holdings, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        library.write(live("oai:x:1", stamp="2020-02-02"))
        for hop in range(2, 5):
            (record,) = library.ask("GetRecord", **ONE).records
            library.close()
            library = Holdings(tmp_path_factory.mktemp("hop"), now=NOON + 60 * hop)
            library.write(record)
            found = origins(library.ask("GetRecord", **ONE))
            assert len(found) == hop
            assert found[-1]["datestamp"] == "2020-02-02"
            assert found[0]["harvestDate"] == format_request_date(NOON + 60 * hop)
            assert [each["altered"] for each in found] == ["false"] * hop
        library.close()

    def test_what_else_was_said_about_a_record_is_said_again(self, library: Holdings) -> None:
        rights = b'<about><r:rights xmlns:r="urn:r">\xc2\xa9 all</r:rights></about>'
        library.write(live("oai:x:1", about=rights))
        answer = library.ask("GetRecord", **ONE)
        assert len(answer.texts("about")) == 2
        assert "© all" in "".join(map(str, answer.root.itertext()))

    @pytest.mark.parametrize(
        "about", [b"<about>", b"<about>&none;</about>", b"<about><p:x/></about>", b"\x01", b"<about>" * 5000]
    )
    def test_a_broken_word_about_a_record_does_no_harm(self, library: Holdings, about: bytes) -> None:
        library.write(live("oai:x:1", about=about), live("oai:x:2"))
        assert library.listed("ListRecords") == ["oai:x:1", "oai:x:2"]

    @pytest.mark.parametrize("stamp", ["", "yesterday", "2020-13-45"])
    def test_a_stamp_that_is_no_date_gives_no_origin(self, library: Holdings, stamp: str) -> None:
        library.write(live("oai:x:1", stamp=stamp))
        assert origins(library.ask("GetRecord", **ONE)) == []


class TestDamage:
    """What a disk or a person spoilt after it came in."""

    @pytest.fixture
    def spoilt(self, library: Holdings) -> Holdings:
        """Seven records, each in a block of its own, two a page."""
        library.configure("[oai]\nrecords_per_page = 2\n")
        for number in range(7):
            library.write(live(f"oai:x:{number}"))
            library.write(live(f"oai:x:{number}", other()), prefix="kk")
        return library

    def spoil(self, library: Holdings, *numbers: int, prefix: str = "oai_dc") -> None:
        spoiling = (
            "UPDATE block SET data = x'28b52ffd00' WHERE id IN (SELECT block_id FROM payload p"
            " JOIN record r ON r.id = p.record_id JOIN format f ON f.id = p.format_id"
            " WHERE r.identifier = ? AND f.prefix = ?)"
        )
        with library.store.writing() as connection:
            for number in numbers:
                done = connection.execute(spoiling, (f"oai:x:{number}", prefix))
                assert done.rowcount == 1

    @pytest.mark.parametrize("numbers", [(0,), (3,), (5,), (2, 3), (0, 1), (0, 1, 2, 3), (2, 3, 4, 5)])
    def test_a_damaged_record_is_left_out_and_told_of(
        self, spoilt: Holdings, numbers: tuple[int, ...], caplog: pytest.LogCaptureFixture
    ) -> None:
        self.spoil(spoilt, *numbers)
        with caplog.at_level(logging.ERROR):
            found = spoilt.listed("ListRecords")
        assert found == [f"oai:x:{number}" for number in range(7) if number not in numbers]
        for number in numbers:
            assert f"oai:x:{number} as oai_dc" in caplog.text
        assert len(spoilt.listed("ListIdentifiers")) == 7

    @pytest.mark.parametrize("numbers", [(6,), (5, 6), (4, 5, 6), (1, 2, 3, 4, 5, 6)])
    def test_damage_to_the_end_ends_the_list_with_a_valid_page(
        self, spoilt: Holdings, numbers: tuple[int, ...]
    ) -> None:
        self.spoil(spoilt, *numbers)
        pages = list(spoilt.pages())
        whole = [f"oai:x:{number}" for number in range(7) if number not in numbers]
        assert set(whole) == {name for page in pages for name in page.identifiers}
        assert not pages[-1].token

    def test_of_a_damaged_record_alone_it_is_said_that_it_cannot_be_had(self, spoilt: Holdings) -> None:
        self.spoil(spoilt, 1)
        assert spoilt.ask("GetRecord", **ONE).errors == ["cannotDisseminateFormat"]
        assert spoilt.ask("GetRecord", identifier="oai:x:1", metadataPrefix="kk").errors == []

    def test_a_format_is_described_by_a_record_that_can_be_read(self, spoilt: Holdings) -> None:
        self.spoil(spoilt, 0, 1, prefix="kk")
        answer = spoilt.ask("ListMetadataFormats")
        assert answer.texts("metadataNamespace")[1] == "urn:barn"
        assert spoilt.listed("ListRecords", metadataPrefix="kk") == [f"oai:x:{n}" for n in range(2, 7)]

    def test_a_format_of_which_nothing_can_be_read_costs_no_other_answer(self, spoilt: Holdings) -> None:
        self.spoil(spoilt, *range(7), prefix="kk")
        assert spoilt.ask("ListMetadataFormats").texts("metadataPrefix") == ["oai_dc", "kk"]
        asked = spoilt.ask("ListRecords", metadataPrefix="kk")
        assert asked.errors == ["noRecordsMatch"]
        assert len(spoilt.listed("ListRecords")) == 7

    def test_what_is_made_from_a_damaged_payload_is_made_from_another_or_left_out(
        self, library: Holdings
    ) -> None:
        for number in range(2):
            library.write(live(f"oai:x:{number}", dublin_core("first")), prefix="aa")
        library.write(live("oai:x:0", dublin_core("second")), prefix="bb")
        self.spoil(library, 0, 1, prefix="aa")
        answer = library.ask("ListRecords", metadataPrefix="oai_dc")
        assert answer.identifiers == ["oai:x:0"]
        assert b"second" in answer.body

    @pytest.mark.parametrize(
        "bad", [b"\x01", b"\x00", b"\x1f", b"\xff", b"\xc3", b"\xef\xbf\xbe", b"\xed\xa0\x80"]
    )
    def test_no_character_that_xml_cannot_carry_ever_leaves(self, library: Holdings, bad: bytes) -> None:
        payload = dublin_core("x").replace(b"x<", b"x" + bad + b"<")
        library.write(live("oai:x:1"), live("oai:x:2", payload), live("oai:x:3"))
        library.write(live("oai:x:2", other(bad)), live("oai:x:3", other()), prefix="kk")
        assert library.listed("ListRecords") == ["oai:x:1", "oai:x:3"]
        assert library.listed("ListRecords", metadataPrefix="kk") == ["oai:x:3"]
        assert library.ask("GetRecord", identifier="oai:x:2", metadataPrefix="oai_dc").errors == [
            "cannotDisseminateFormat"
        ]

    def test_an_identifier_that_xml_cannot_carry_spoils_no_page(self, library: Holdings) -> None:
        library.write(live("oai:x:1"), live("oai:\x01:2"), live("oai:x:3"))
        for verb in ("ListRecords", "ListIdentifiers"):
            found = library.ask(verb, metadataPrefix="oai_dc").identifiers
            assert found == ["oai:x:1", "oai:\ufffd:2", "oai:x:3"]

    @settings(
        max_examples=tries(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    @given(payload=st.binary(max_size=40), declarations=st.binary(max_size=20))
    def test_whatever_is_in_the_library_characters_stay_legal(
        self, tmp_path_factory: pytest.TempPathFactory, payload: bytes, declarations: bytes
    ) -> None:
        """Tags are another matter: what is no XML at all was never let in."""
        library = Holdings(tmp_path_factory.mktemp("library"))
        library.write(live("oai:x:1", payload, declarations=declarations), live("oai:x:2"))
        body = library.repository.answer("", [("verb", "ListRecords"), ("metadataPrefix", "oai_dc")])
        assert not set(body.decode()) & {chr(number) for number in range(32) if chr(number) not in "\t\n\r"}
        assert b"oai:x:2" in body
        library.close()
