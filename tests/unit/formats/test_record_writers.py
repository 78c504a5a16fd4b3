"""Documents written as MARC 21, MODS, SRU's Dublin Core and Windrow's own XML, and read back."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from lxml import etree

from tests.unit.formats.documents import documents
from windrow.formats import windrow_record
from windrow.formats.dublin_core.oai_dc import SRW_NAMESPACE, write_srw_dc
from windrow.formats.marc import marcxml
from windrow.formats.marc.iso2709 import is_record, read_record, records_of
from windrow.formats.marc.marc_record import (
    LONGEST_FIELD,
    LONGEST_RECORD,
    MarcField,
    MarcRecord,
    marc_in,
    write_iso2709,
    write_marc,
    write_marcxml,
)
from windrow.formats.mods import write_mods
from windrow.formats.registry import read
from windrow.model.document import (
    Agent,
    Document,
    DocumentDate,
    Event,
    Identifier,
    Link,
    LinkKind,
    Subject,
    Text,
)
from windrow.model.text.language_codes import bibliographic_code

CHANGED = datetime(2014, 5, 3, 12, 0, tzinfo=UTC)
THESIS = Document(
    titles=(Text("Hö & halm", "sv"), Text("Hay and straw", "en")),
    creators=(Agent("Mower, Ann", "author", None, ("Field University",)), Agent("Rake, Bo")),
    contributors=(Agent("Stack, Cia", "advisor"),),
    subjects=(Subject("meadows", "lcsh", "http://id.example/m"), Subject("ängar", "yso")),
    keywords=("drying",),
    descriptions=(Text("How hay dries.", "en"),),
    publishers=("Barn Press",),
    dates=(DocumentDate("2014-05-03", "issued"),),
    year=2014,
    types=("Doctoral thesis",),
    languages=("sv", "de"),
    pages=80,
    links=(Link("https://hay.example/7.pdf", LinkKind.FULLTEXT, None, "application/pdf"),),
    names=(Identifier("isbn", "9789515100001"), Identifier("doi", "10.1000/7")),
    rights=("CC BY 4.0",),
    institution="Field University",
    department="School of Grass",
    events=(Event("7", "2002p1", "course", "full", "Härnösand", "sv"),),
)


def _values(record: MarcRecord, tag: str, code: str) -> list[str]:
    return [
        text for field in record.fields if field.tag == tag for each, text in field.subfields if each == code
    ]


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(document=documents())
def test_every_document_is_sound_in_every_schema(document: Document) -> None:
    record = write_marc(document, "oai:1", source="barn", changed=CHANGED)
    root = etree.fromstring(write_marcxml(record))
    assert root.tag == f"{{{marcxml.NAMESPACE}}}record"
    assert len(root.findtext(f"{{{marcxml.NAMESPACE}}}leader") or "") == 24
    fixed = root.find(f"{{{marcxml.NAMESPACE}}}controlfield[@tag='008']")
    assert fixed is not None
    assert len(fixed.text or "") == 40
    etree.fromstring(write_mods(document, "oai:1", source="barn"))
    assert etree.fromstring(write_srw_dc(document)).tag == f"{{{SRW_NAMESPACE}}}dc"
    own = etree.fromstring(windrow_record.write_windrow(document, "oai:1", source="barn", stamp="2014"))
    schema = etree.XMLSchema(etree.fromstring(windrow_record.schema()))
    assert schema.validate(own), schema.error_log
    exchanged = write_iso2709(record)
    assert is_record(exchanged)
    assert len(exchanged) == int(exchanged[:5])
    assert list(records_of(exchanged)) == [exchanged[:-1]]


def test_a_record_is_the_same_in_marcxml_and_in_iso_2709() -> None:
    record = write_marc(THESIS, "oai:1", source="barn", changed=CHANGED)
    by_xml = read(write_marcxml(record), b"", "marcxml")
    by_exchange = read_record(write_iso2709(record))
    assert by_exchange.titles == by_xml.titles
    assert by_exchange.creators == by_xml.creators
    assert (by_xml.year, by_exchange.year) == (2014, 2014)


def test_what_is_written_as_marc_is_read_back() -> None:
    found = read(write_marcxml(write_marc(THESIS, "oai:1")), b"", "marcxml")
    assert [title.value for title in found.titles] == ["Hö & halm", "Hay and straw"]
    assert [agent.name for agent in found.creators] == ["Mower, Ann", "Rake, Bo"]
    assert found.year == 2014
    assert found.pages == 80
    assert found.institution == "Field University"
    assert found.descriptions[0].value == "How hay dries."
    assert "meadows" in [subject.value for subject in found.subjects]
    assert found.fulltext == "https://hay.example/7.pdf"
    assert set(found.languages) == {"sv", "de"}


def test_what_is_written_as_mods_is_read_back() -> None:
    found = read(write_mods(THESIS, "oai:1"), b"", "mods")
    assert found.title == "Hö & halm"
    assert [agent.name for agent in found.creators][:2] == ["Mower, Ann", "Rake, Bo"]
    assert (found.year, found.pages) == (2014, 80)
    assert "drying" in (*found.keywords, *(subject.value for subject in found.subjects))
    assert Identifier("doi", "10.1000/7") in found.names


def test_marc_names_the_codes_of_languages_and_thesauri() -> None:
    record = write_marc(THESIS, "oai:1", changed=CHANGED)
    assert _values(record, "041", "a") == ["swe", "ger"]
    assert dict(record.control)["008"][35:38] == "swe"
    assert dict(record.control)["008"][7:11] == "2014"
    assert dict(record.control)["005"] == "20140503120000.0"
    by_thesaurus = {dict(field.subfields)["a"]: field.ind2 for field in record.fields if field.tag == "650"}
    assert by_thesaurus == {"meadows": "0", "ängar": "7"}
    assert _values(record, "518", "p") == ["Härnösand"]


@pytest.mark.parametrize(("code", "wanted"), [("de", "ger"), ("sv", "swe"), ("smn", "smn"), ("x", "")])
def test_languages_have_the_codes_of_libraries(code: str, wanted: str) -> None:
    assert bibliographic_code(code) == wanted


def test_fields_and_records_keep_to_the_lengths_of_the_format() -> None:
    long = "ä" * 20_000
    fields = tuple(MarcField("520", (("a", long),)) for _ in range(30))
    written = write_iso2709(MarcRecord("", (("001", "1"),), fields))
    assert len(written) <= LONGEST_RECORD
    assert int(written[:5]) == len(written)
    entries = written[24 : written.index(b"\x1e")]
    lengths = [int(entries[at + 3 : at + 7]) for at in range(0, len(entries), 12)]
    assert max(lengths) <= LONGEST_FIELD
    assert b"\xc3\x1e" not in written  # no letter is cut in two


def test_separators_in_a_text_do_not_part_fields() -> None:
    record = MarcRecord("", (), (MarcField("245", (("a", "Hay\x1eand\x1fstraw\x1d"),)),))
    assert read_record(write_iso2709(record)).title == "Hay and straw"


def test_harvested_marc_is_taken_as_it_is() -> None:
    payload = (
        f'<collection xmlns="{marcxml.NAMESPACE}"><record><leader>00000cas a2200000 a 4500</leader>'
        '<controlfield tag="001">7</controlfield><datafield tag="245" ind1="1" ind2="0">'
        '<subfield code="a">Hay</subfield></datafield><datafield tag="bad!" ind1="" ind2=""/>'
        "</record></collection>"
    )
    record = marc_in(etree.fromstring(payload))
    assert record == MarcRecord(
        "00000cas a2200000 a 4500", (("001", "7"),), (MarcField("245", (("a", "Hay"),), "1", "0"),)
    )
    assert marc_in(etree.fromstring("<collection/>")) is None
