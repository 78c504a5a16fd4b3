"""Real records of other repositories through our stylesheets: every word of the metadata is on the page."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lxml import etree, html

from tests.fixtures import shared
from windrow.faces.gateway.sanitising import sanitise
from windrow.faces.gateway.transforming import Transforms

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
ETDMS = b"""<thesis xmlns="http://www.ndltd.org/standards/metadata/etdms/1.0/"><title>Mowing</title>
<creator>Mower, Ann</creator><contributor role="advisor">Rake, Bo</contributor>
<degree><name>Master of Hay</name>
<level>2</level><discipline>Agriculture</discipline><grantor>Field University</grantor></degree></thesis>"""


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


@pytest.mark.parametrize(("prefix", "place"), PLACES)
def test_nothing_of_a_record_is_lost(prefix: str, place: str) -> None:
    transforms = Transforms()
    shown = 0
    for record in list(records(shared(place)))[:MOST]:
        markup = sanitise(transforms.make(etree.tostring(record, with_tail=False), prefix, b"", "en", ""))
        text = squeezed(read(markup).text_content())
        words = {squeezed(each) for each in words_of(record, ATTRIBUTES.get(prefix, ()))}
        assert [each for each in words if each not in text] == []
        shown += bool(words - {""})
    assert shown


def test_a_thesis_is_shown_with_roles_and_degree() -> None:
    markup = sanitise(Transforms().make(ETDMS, "etdms", b"", "en", ""))
    root = read(markup)
    assert "Rake, Bo (advisor)" in root.text_content()
    assert [each.text for each in root.xpath("//dl/dt")] == [
        *("Title", "Author", "Other people", "Degree", "Name", "Level", "Discipline", "Institution")
    ]
