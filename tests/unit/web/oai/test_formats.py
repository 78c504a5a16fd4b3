"""Formats: what a repository and a record are there in, and oai_dc made of what is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.unit.web.oai.holdings import NOON, Holdings, dublin_core, gone, live, other
from windrow.formats.wir.wir_record import FetchDetails, write_wir
from windrow.model.web_page import MetaTag, Page
from windrow.store.harvests import checkpoints

MARC = b"""<record xmlns="http://www.loc.gov/MARC21/slim"><leader>00000nam a2200000 a 4500</leader>
<controlfield tag="008">240601s2019    sw            000 0 swe d</controlfield>
<datafield tag="100" ind1="1" ind2=" "><subfield code="a">Bergman, Ida</subfield></datafield>
<datafield tag="245" ind1="1" ind2="0"><subfield code="a">Hay &amp; oats</subfield></datafield>
<datafield tag="650" ind1=" " ind2="0"><subfield code="a">Fodder</subfield></datafield></record>"""
MODS = b"""<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo><title>Hay &lt;again&gt;</title></titleInfo>
<name><namePart>Bergman, Ida</namePart></name><originInfo><dateIssued>2019</dateIssued></originInfo></mods>"""
KK = b"""<kk:metadata xmlns:kk="http://kk/1.0"><kk:field name="title" language="fi">Hein\xc3\xa4</kk:field>
<kk:field name="author">Bergman, Ida</kk:field></kk:metadata>"""


@pytest.mark.parametrize(
    ("prefix", "payload", "title"),
    [
        ("marcxml", MARC, "Hay & oats"),
        ("mods", MODS, "Hay <again>"),
        ("kk", KK, None),
        ("barn", other(b"x"), None),
    ],
)
def test_what_was_harvested_in_another_format_is_there_as_oai_dc_too(
    library: Holdings, prefix: str, payload: bytes, title: str | None
) -> None:
    library.write(live("oai:x:1", payload), prefix=prefix)
    assert library.ask("ListMetadataFormats").texts("metadataPrefix") == ["oai_dc", prefix]
    for verb, asked in (("GetRecord", {"identifier": "oai:x:1"}), ("ListRecords", {})):
        answer = library.ask(verb, metadataPrefix="oai_dc", **asked)  # valid against oai_dc.xsd, that is
        assert answer.identifiers == ["oai:x:1"]
        titles = [each.text for each in answer.root.iter("{http://purl.org/dc/elements/1.1/}title")]
        assert title is None or titles == [title]
        (record,) = library.ask(verb, metadataPrefix=prefix, **asked).records
        assert record.payload == payload


def test_oai_dc_is_made_of_the_first_payload_that_can_be_read(library: Holdings) -> None:
    library.write(live("oai:x:1", b"<unclosed>"), prefix="aa")
    library.write(live("oai:x:1", MODS), prefix="bb")
    assert b"Hay &lt;again&gt;" in library.ask("ListRecords", metadataPrefix="oai_dc").body


def test_each_of_many_records_is_made_of_its_own_payload(library: Holdings) -> None:
    library.configure("[oai]\nrecords_per_page = 1000\n")
    names = [f"oai:x:{number}" for number in range(250)]
    library.write(
        *(live(name, MODS.replace(b"Bergman, Ida", name.encode())) for name in names), prefix="mods"
    )
    (answer,) = library.pages("ListRecords", metadataPrefix="oai_dc")
    assert answer.identifiers == names
    creators = [each.text for each in answer.root.iter("{http://purl.org/dc/elements/1.1/}creator")]
    assert creators == names


def test_a_format_is_called_by_its_usual_names_or_by_what_its_records_say(library: Holdings) -> None:
    located = (
        b'<x xmlns="urn:own" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
        b' xsi:schemaLocation="urn:own https://own.example/own.xsd"/>'
    )
    library.write(live("oai:x:1", MARC), prefix="marcxml")
    library.write(live("oai:x:2", located), prefix="own")
    library.write(live("oai:x:3", other()), prefix="barn")
    answer = library.ask("ListMetadataFormats")
    facts = zip(
        *(answer.texts(name) for name in ("metadataPrefix", "schema", "metadataNamespace")), strict=True
    )
    assert {prefix: rest for prefix, *rest in facts} == {
        "oai_dc": [
            "http://www.openarchives.org/OAI/2.0/oai_dc.xsd",
            "http://www.openarchives.org/OAI/2.0/oai_dc/",
        ],
        "marcxml": [
            "http://www.loc.gov/standards/marcxml/schema/MARC21slim.xsd",
            "http://www.loc.gov/MARC21/slim",
        ],
        "own": ["https://own.example/own.xsd", "urn:own"],
        "barn": ["", "urn:barn"],
    }


def test_a_record_is_there_in_its_own_formats_only(library: Holdings) -> None:
    library.write(live("oai:x:1"), live("oai:x:2"))
    library.write(live("oai:x:2", other()), live("oai:x:3", other()), prefix="barn")
    library.write(gone("oai:x:4"))
    asked = {name: library.ask("ListMetadataFormats", identifier=f"oai:x:{name}") for name in "1234"}
    prefixes = {name: answer.texts("metadataPrefix") for name, answer in asked.items()}
    assert prefixes == {"1": ["oai_dc"], "2": ["oai_dc", "barn"], "3": ["oai_dc", "barn"], "4": []}
    assert asked["4"].errors == ["noMetadataFormats"]
    assert library.listed("ListRecords", metadataPrefix="barn") == ["oai:x:2", "oai:x:3", "oai:x:4"]
    assert library.listed("ListIdentifiers", metadataPrefix="barn") == ["oai:x:2", "oai:x:3", "oai:x:4"]
    refused = library.ask("GetRecord", identifier="oai:x:1", metadataPrefix="barn")
    assert refused.errors == ["cannotDisseminateFormat"]


def test_a_format_of_another_source_is_none_of_ours(library: Holdings) -> None:
    library.write(live("oai:x:1"))
    library.write(live("oai:y:1", other()), source="oats", prefix="barn")
    assert library.ask("ListMetadataFormats", at="hay").texts("metadataPrefix") == ["oai_dc"]
    asked = library.ask("ListRecords", at="hay", metadataPrefix="barn")
    assert asked.errors == ["cannotDisseminateFormat"]


def test_a_prefix_that_the_protocol_has_no_spelling_for_is_not_offered(library: Holdings) -> None:
    library.write(live("oai:x:1", other()), prefix="my format")
    assert library.ask("ListMetadataFormats").texts("metadataPrefix") == ["oai_dc"]
    assert library.ask("ListMetadataFormats", identifier="oai:x:1").texts("metadataPrefix") == ["oai_dc"]
    assert library.listed("ListRecords") == ["oai:x:1"]


def test_a_format_that_was_asked_for_and_never_came_is_not_offered(library: Holdings) -> None:
    library.write(live("oai:x:1"))
    with library.store.writing() as connection:
        number, run = library.shelves["hay"].source_id, library.shelves["hay"].run_id
        checkpoints.move_cursor(connection, number, "never", "", run_id=run, next_from=None, size=0)
    assert library.ask("ListMetadataFormats").texts("metadataPrefix") == ["oai_dc"]


def test_a_format_that_only_late_records_have_is_offered_if_a_run_asked_for_it(library: Holdings) -> None:
    library.write(*(live(f"oai:x:{number}") for number in range(80)))
    library.write(live("oai:x:79", other()), prefix="late")
    with library.store.writing() as connection:
        connection.execute("""UPDATE run SET arguments = '{"formats": ["late"]}' WHERE id = 2""")
    assert library.listed("ListRecords", metadataPrefix="late") == ["oai:x:79"]


class Maker:
    """Renders `made` for every record it is asked about, and lets in who says sesame."""

    def __init__(self) -> None:
        self.formats: Mapping[str, tuple[str, str]] = {"made": ("https://made.example/xsd", "urn:made")}
        self.gone: set[str] = set()

    def renderer(self) -> Maker:
        return self

    def render(self, identifier: str, prefix: str, stored: Mapping[str, bytes]) -> bytes | None:
        if identifier in self.gone:
            return None
        return b'<made xmlns="urn:made">%b %d</made>' % (identifier.encode(), len(stored["oai_dc"]))

    def may_see(self, guard: str, username: str | None, password: str | None) -> bool:
        return password == guard


class TestDerived:
    @pytest.fixture
    def maker(self) -> Maker:
        return Maker()

    @pytest.fixture
    def folder(self, tmp_path: Path, maker: Maker) -> Holdings:
        """A folder `www` beside a harvested source."""
        (tmp_path / "www").mkdir()
        files = (
            f'[sources.www]\nkind = "files"\nurl = "https://www.example/"\nfolder = "{tmp_path / "www"}"\n'
        )
        hay = '[sources.hay]\nurl = "https://hay.example/oai"\n'
        (tmp_path / "library").mkdir()
        library = Holdings(tmp_path / "library", hay + files, derivers={"www": maker})
        self.put(library, "a", "2023-05-05T05:05:05Z")
        self.put(library, "b", "2023-06-06T06:06:06Z", sets=("text:html",))
        return library

    def put(self, library: Holdings, name: str, stamp: str, *, sets: tuple[str, ...] = ()) -> None:
        library.write(live(f"https://www.example/{name}", sets=sets, stamp=stamp), source="www")

    def test_a_format_that_is_made_when_asked_for_is_a_format_like_others(self, folder: Holdings) -> None:
        assert folder.ask("ListMetadataFormats", at="www").texts("metadataPrefix") == ["oai_dc", "made"]
        records = folder.ask("ListRecords", at="www", metadataPrefix="made").records
        payload = dublin_core("//www.example/a".rpartition(":")[2])
        assert records[0].payload == b'<made xmlns="urn:made">https://www.example/a %d</made>' % len(payload)
        assert len(records) == 2

    def test_what_is_gone_when_it_is_to_be_made_is_left_out(self, folder: Holdings, maker: Maker) -> None:
        maker.gone.add("https://www.example/a")
        assert folder.listed("ListRecords", at="www", metadataPrefix="made") == ["https://www.example/b"]
        asked = {"identifier": "https://www.example/a", "metadataPrefix": "made"}
        assert folder.ask("GetRecord", at="www", **asked).errors == ["cannotDisseminateFormat"]

    def test_records_of_others_are_not_listed_in_it_unless_they_have_it(self, folder: Holdings) -> None:
        folder.write(live("oai:x:1"), live("oai:x:2"))
        folder.write(live("oai:x:2", other()), prefix="made")
        expected = ["https://www.example/a", "https://www.example/b", "oai:x:2"]
        for verb in ("ListIdentifiers", "ListRecords"):
            assert folder.listed(verb, metadataPrefix="made") == expected

    def test_a_folder_dates_its_records_by_their_files(self, folder: Holdings) -> None:
        stamps = [
            header.stamp for header in folder.ask("ListIdentifiers", at="www", metadataPrefix="made").headers
        ]
        assert stamps == ["2023-05-05T05:05:05Z", "2023-06-06T06:06:06Z"]
        assert folder.ask("Identify", at="www").texts("earliestDatestamp") == ["2023-05-05T05:05:05Z"]
        assert folder.listed(at="www", from_="2023-06-01") == ["https://www.example/b"]
        assert folder.listed(at="www", until="2023-05-05") == ["https://www.example/a"]
        assert folder.listed(at="www", from_="2023-05-05T05:05:06Z", until="2023-06-06T06:06:05Z") == []

    def test_in_the_whole_library_they_are_dated_like_all_others(self, folder: Holdings) -> None:
        folder.write(live("oai:x:1"))
        assert (
            len({header.stamp for header in folder.ask("ListIdentifiers", metadataPrefix="oai_dc").headers})
            == 1
        )

    def test_an_answer_for_a_folder_is_dated_by_the_clock(self, folder: Holdings) -> None:
        folder.now = NOON + 86
        for name in ("www", ""):
            assert folder.ask("Identify", at=name).texts("responseDate") == ["2024-06-01T12:01:24Z"]

    def test_our_own_files_have_no_origin_elsewhere(self, folder: Holdings) -> None:
        assert b"provenance" not in folder.ask("ListRecords", at="www", metadataPrefix="oai_dc").body


class TestGuards:
    """What only some may see is for all others as if it were not there."""

    @pytest.fixture
    def guarded(self, tmp_path: Path) -> Holdings:
        (tmp_path / "www").mkdir()
        (tmp_path / "library").mkdir()
        files = (
            f'[sources.www]\nkind = "files"\nurl = "https://www.example/"\nfolder = "{tmp_path / "www"}"\n'
        )
        library = Holdings(tmp_path / "library", files, derivers={"www": Maker()})
        library.configure("[oai]\nrecords_per_page = 2\nidentifiers_per_page = 2\n")
        for name, guards in (("open", ()), ("a", ("A",)), ("b", ("B",)), ("ab", ("A", "B")), ("end", ())):
            sets = ("text", *(f"\x1fguard:{guard}" for guard in guards))
            library.write(live(f"https://www.example/{name}", sets=sets), source="www")
        library.write(gone("https://www.example/a"), source="www")
        return library

    @pytest.mark.parametrize(
        ("password", "seen"),
        [
            (None, ["open", "end"]),
            ("wrong", ["open", "end"]),
            ("A", ["open", "a", "end"]),
            ("B", ["open", "b", "end"]),
        ],
    )
    @pytest.mark.parametrize("at", ["", "www"])
    def test_lists_and_single_records_show_the_same(
        self, guarded: Holdings, password: str | None, seen: list[str], at: str
    ) -> None:
        credentials = None if password is None else ("ann", password)
        expected = [f"https://www.example/{name}" for name in seen]
        for verb in ("ListRecords", "ListIdentifiers"):
            pages = list(guarded.pages(verb, at=at, credentials=credentials))
            assert [name for page in pages for name in page.identifiers] == expected
            assert len(pages) == 1 or pages[0].place[1] == len(expected)
        for name in ("open", "a", "b", "ab", "end"):
            asked = {"identifier": f"https://www.example/{name}"}
            got = guarded.ask("GetRecord", at=at, credentials=credentials, metadataPrefix="oai_dc", **asked)
            listed = guarded.ask("ListMetadataFormats", at=at, credentials=credentials, **asked)
            if name in seen:
                assert got.errors == []
                assert listed.errors == (["noMetadataFormats"] if name == "a" else [])
            else:
                assert got.errors == listed.errors == ["idDoesNotExist"]

    def test_the_guards_themselves_are_never_shown(self, guarded: Holdings) -> None:
        assert guarded.ask("ListSets", at="www").texts("setSpec") == ["text"]
        for credentials in (None, ("ann", "A")):
            for page in guarded.pages(at="www", credentials=credentials):
                assert b"guard" not in page.body


def test_pages_of_the_robot_are_offered_as_wir_with_its_schema_and_as_oai_dc(library: Holdings) -> None:
    page = Page("https://e.org/c", title="Course", tags=(MetaTag("DC.Title", "Hay & oats"),))
    payload = write_wir(page, FetchDetails(page.url))
    library.write(live("oai:x:1", payload), prefix="wir")
    answer = library.ask("ListMetadataFormats")
    assert answer.texts("metadataPrefix") == ["oai_dc", "wir"]
    assert answer.texts("schema")[1].endswith("/wir.xsd")
    assert answer.texts("metadataNamespace")[1] == "urn:windrow:wir:1"
    assert library.ask("GetRecord", metadataPrefix="wir", identifier="oai:x:1").records[0].payload == payload
    assert b"Hay &amp; oats" in library.ask("ListRecords", metadataPrefix="oai_dc").body
