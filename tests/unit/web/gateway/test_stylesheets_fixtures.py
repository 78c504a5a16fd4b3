"""Records through our stylesheets, own and real ones: every word of the metadata is on the page."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lxml import etree, html

from tests.fixtures import Place, own, shared
from windrow.side_process import SideProcess
from windrow.web.gateway.stylesheets import MAX_PAYLOAD_BYTES, StylesheetRunner, StylingJob
from windrow.web.gateway.xslt_transform import StylesheetCache, sanitise

MOST = 120  # records of a file or folder
OAI = "http://www.openarchives.org/OAI/2.0/"
# Attributes that say what texts say elsewhere.
ATTRIBUTES: dict[str, tuple[str, ...]] = {"kk": ("value",), "didl": ("ref",)}
PLACES = [
    ("oai_dc", "oai-bulk/DigitalLibraryofTennessee__DLTN_XSLT/MTSU/mtsu1.oai.dc.xml.gz"),
    ("oai_dc", "oai-bulk/DigitalLibraryofTennessee__DLTN_XSLT/State_Library/p15138coll1.oai.dc.xml.gz"),
    ("kk", "oai/NatLibFi__melinda-record-import-transformer-publication-archives/transform"),
    ("marcxml", "oai/vufind-org__vufindharvest/marc.xml"),
    ("marcxml", "oai/Narodni-repozitar__nr-oai-pmh-harvester"),
    ("marcxml", "records/NatLibFi__RecordManager/record/marc_alt_script.xml"),
    ("mods", "oai/MI-DPLA__combine/static_harvest_data/mods_250.xml"),
    ("mods", "oai/libris__swepub-redux"),
    ("mets", "oai/dswarm__dswarm/controller/silberman_02.xml"),
    ("mets", "oai/timbrody__perl-oai-lib/mets.xml"),
    ("mets", "oai/miku__oaicrawl/GetRecord-00.xml"),
    ("didl", "oai/KBNLdataservices__oai-pmh-bulk-downloader/oai/getrecord"),
    ("lido", "records/NatLibFi__RecordManager/record"),
    ("datacite", "records/dpla__ingestion3"),
]
OWN_SAMPLES = sorted({prefix for prefix, _ in PLACES})  # the golden files of the same formats
ETDMS = b"""<thesis xmlns="http://www.ndltd.org/standards/metadata/etdms/1.0/"><title>Mowing</title>
<creator>Mower, Ann</creator><contributor role="advisor">Rake, Bo</contributor>
<degree><name>Master of Hay</name>
<level>2</level><discipline>Agriculture</discipline><grantor>Field University</grantor></degree></thesis>"""


KK = b"""<kk:metadata xmlns:kk="http://kk/1.0"><kk:field schema="dc" element="title" value="Mowing"/>
<kk:field schema="dc" element="contributor" qualifier="author" value="Mower, Ann"/>
<kk:field schema="dc" element="contributor" qualifier="painter" value="Rake, Bo"/>
<kk:field schema="dc" element="description" qualifier="abstract" value="On hay."/>
<kk:field schema="dc" element="date" qualifier="issued" value="2020"/>
<kk:field schema="field" element="contributor" qualifier="department" value="Hay"/></kk:metadata>"""


MARC = b"""<record xmlns="http://www.loc.gov/MARC21/slim"><controlfield tag="001">7</controlfield>
<datafield tag="245" ind1="1" ind2=" "><subfield code="a">On hay</subfield></datafield></record>"""
METS = b"""<mets xmlns="http://www.loc.gov/METS/"><dmdSec ID="d"><mdWrap MDTYPE="MARC"><xmlData>%b</xmlData>
</mdWrap></dmdSec></mets>"""
DIDL = b"""<DIDL xmlns="urn:mpeg:mpeg21:2002:02-DIDL-NS"><Item><Component><Resource mimeType="text/xml">%b
</Resource></Component></Item></DIDL>"""
# Each has one thing beside another that is deeper in: as libxslt looks for templates, the worst there is.
ENDLESS = {
    "etdms": (
        b'<thesis xmlns="http://www.ndltd.org/standards/metadata/etdms/1.0/">%b</thesis>',
        b"<title>x</title><degree><name>n</name></degree>",
    ),
    "kk": (
        b'<metadata xmlns="http://kk/1.0">%b</metadata>',
        b'<field element="e" value="v"/><file name="x" href="y"/><other><x>d</x></other>',
    ),
    "marcxml": (
        b'<record xmlns="http://www.loc.gov/MARC21/slim">%b</record>',
        b'<datafield tag="1"><subfield code="a">v</subfield></datafield><x><leader>d</leader></x>',
    ),
    "oai_dc": (
        b'<dc xmlns="http://www.openarchives.org/OAI/2.0/oai_dc/">%b</dc>',
        b"<other><q><r>x</r></q></other><dc><title>b</title></dc>",
    ),
    "mods": (
        b'<mods xmlns="http://www.loc.gov/mods/v3">%b</mods>',
        b"<name><namePart>x</namePart></name><relatedItem><name><namePart>x</namePart></name></relatedItem>",
    ),
}
MANY = 12_000


def records(place: Path) -> Iterator[etree._Element]:
    files = sorted(place.rglob("*.xml")) if place.is_dir() else [place]
    parser = etree.XMLParser(resolve_entities=False, huge_tree=True, remove_comments=True, remove_pis=True)
    for path in files:
        try:
            data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            root = etree.fromstring(data, parser)
        except etree.XMLSyntaxError:
            continue  # these files are of servers that answer so
        inside = root.findall(f".//{{{OAI}}}record/{{{OAI}}}metadata/*")
        yield from inside or [root]


def words_of(record: etree._Element, attributes: tuple[str, ...]) -> Iterator[str]:
    for element in record.iter(etree.Element):
        yield element.text or ""
        yield from (child.tail or "" for child in element)
        yield from (element.get(name, "") for name in attributes)


def read(markup: str) -> Any:
    return html.fragment_fromstring(markup, create_parent="div")


def squeezed(text: str) -> str:
    return re.sub(r"[\s\x7f-\x9f\ufdd0-\ufdef]+", "", text)


@pytest.mark.parametrize(
    ("prefix", "place", "path"),
    [(prefix, own, f"records/{prefix}") for prefix in OWN_SAMPLES]
    + [(prefix, shared, path) for prefix, path in PLACES],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_nothing_of_a_record_is_lost(prefix: str, place: Place, path: str) -> None:
    transforms = StylesheetCache()
    shown = 0
    for record in list(records(place(path)))[:MOST]:
        markup = sanitise(transforms.make(etree.tostring(record, with_tail=False), prefix, b"", "en", ""))
        text = squeezed(read(markup).text_content())
        words = {squeezed(each) for each in words_of(record, ATTRIBUTES.get(prefix, ()))}
        assert [each for each in words if each not in text] == []
        shown += bool(words - {""})
    assert shown


def test_a_thesis_is_shown_with_roles_and_degree() -> None:
    markup = sanitise(StylesheetCache().make(ETDMS, "etdms", b"", "en", ""))
    root = read(markup)
    assert "Rake, Bo (advisor)" in root.text_content()
    assert [each.text for each in root.xpath("//dl/dt")] == [
        *("Title", "Author", "Other people", "Degree", "Name", "Level", "Discipline", "Institution")
    ]


@pytest.mark.parametrize(
    ("language", "labels"),
    [
        ("en", ["Title", "Author", "Other people painter", "Department field", "Abstract", "Published"]),
        ("sv", ["Titel", "Författare", "Andra personer painter", "Enhet field", "Sammanfattning", "Utgiven"]),
    ],
)
def test_what_a_qualifier_has_a_name_for_is_called_by_it(language: str, labels: list[str]) -> None:
    root = read(sanitise(StylesheetCache().make(KK, "kk", b"", language, "")))
    assert [each.text_content() for each in root.xpath("//dl/dt")] == labels


@pytest.mark.parametrize(("prefix", "around"), [("mets", METS), ("didl", DIDL)])
def test_marc_in_another_format_is_shown_in_its_own_manner(prefix: str, around: bytes) -> None:
    root = read(sanitise(StylesheetCache().make(around % MARC, prefix, b"", "en", "")))
    labels = [each.text_content() for each in root.xpath("//dl/dt")]
    assert [each for each in labels if each[-1:].isdigit()] == ["Title 245", "Identifier 001"]


@pytest.mark.parametrize("prefix", list(ENDLESS))
def test_very_many_elements_are_shown_in_the_time_that_a_page_has(engine: SideProcess, prefix: str) -> None:
    around, within = ENDLESS[prefix]
    payload = around % (within * MANY)
    assert len(payload) < MAX_PAYLOAD_BYTES
    assert StylesheetRunner(engine).style(StylingJob("1", payload, prefix, "en", "oai:a"), None).markup
