"""Real records of other repositories: how often a reader finds what a librarian would find in them."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree

from tests.fixtures import shared
from windrow.formats.registry import reader_for
from windrow.model.document import Document

# Where the records lie, the name of their root, and in how many of a hundred a field is filled at least.
EXPECTED = [
    (
        "records/olac__olac/marc/crosswalk/data/sample1000.xml.gz",
        "record",
        {
            "titles": 100,
            "creators": 89,
            "subjects": 99,
            "year": 99,
            "languages": 99,
            "pages": 88,
            "types": 100,
        },
    ),
    (
        "oai/cern-sis__workflows/test_hindawi_api_client_get_metadata_without_from_date.00.xml",
        "marc:record",
        {
            "titles": 100,
            "creators": 100,
            "year": 100,
            "landing": 100,
            "names": 100,
            "pages": 99,
            "sources": 100,
        },
    ),
    (
        "oai/Narodni-repozitar__nr-oai-pmh-harvester",
        "collection",
        {"titles": 100, "creators": 100, "year": 100, "landing": 100, "languages": 100, "descriptions": 80},
    ),
    (
        "oai/MI-DPLA__combine/static_harvest_data/mods_250.xml",
        "mods",
        {
            "titles": 100,
            "creators": 84,
            "year": 99,
            "publishers": 99,
            "languages": 99,
            "landing": 100,
            "pages": 70,
        },
    ),
    (
        "oai/libris__swepub-redux/diva_kth.xml",
        "mods",
        {"titles": 100, "creators": 100, "institution": 100, "department": 100, "sources": 100, "year": 100},
    ),
    (
        "oai-bulk/DigitalLibraryofTennessee__DLTN_XSLT/Memphis_Public/p16108coll12.oai.mods.xml.gz",
        "mods",
        {"titles": 100, "landing": 100, "institution": 99, "subjects": 99, "rights": 99},
    ),
    (
        "oai/timbrody__perl-oai-lib/mets.xml",
        "mets",
        {"titles": 100, "creators": 100, "year": 100, "fulltext": 100, "landing": 100, "institution": 100},
    ),
    (
        "oai/dswarm__dswarm/controller/silberman_02.xml",
        "mets",
        {"titles": 100, "creators": 100, "year": 100, "landing": 100, "institution": 100, "pages": 100},
    ),
    (
        "oai/KBNLdataservices__oai-pmh-bulk-downloader/oai/getrecord/2.xml",
        "DIDL",
        {"titles": 100, "creators": 100, "year": 100, "fulltext": 100, "landing": 100, "sources": 100},
    ),
    (
        "records/dpla__ingestion3/feedbooks.xml",
        "entry",
        {"titles": 100, "creators": 100, "year": 100, "fulltext": 100, "landing": 100, "languages": 100},
    ),
    (
        "oai/ElixirTeSS__TeSS/tess_oai_pmh_listrecords.00.xml",
        "RDF",
        {"titles": 100, "creators": 100, "keywords": 100, "landing": 100, "rights": 100},
    ),
    (
        "records/codarchlab__arachne-oai-pmh-scripts/carare/edm/objekt-test",
        "RDF",
        {"titles": 100, "landing": 100, "institution": 100, "types": 100, "rights": 100},
    ),
    (
        "records/nfdi4objects__lido-examples/kenom_oai_chunk20.xml",
        "lido",
        {"titles": 100, "types": 100, "landing": 100, "fulltext": 95, "subjects": 100, "year": 90},
    ),
    (
        "records/nfdi4objects__lido-examples/AQinDa_DDB-real-data",
        "lido",
        {"titles": 100, "types": 100, "institution": 90, "landing": 90, "rights": 90},
    ),
]


def documents(path: Path, name: str) -> Iterator[Document]:
    for file in sorted(path.glob("*.xml")) if path.is_dir() else [path]:
        body = file.read_bytes()
        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, huge_tree=True, remove_comments=True
        )
        root = etree.fromstring(gzip.decompress(body) if file.suffix == ".gz" else body, parser)
        for element in root.iter(f"{{*}}{name.rpartition(':')[2]}"):
            reader = reader_for(str(element.tag), name)
            if reader is not None and len(element):
                yield reader.read(element)


@pytest.mark.parametrize(("path", "name", "rates"), EXPECTED, ids=[path for path, _, _ in EXPECTED])
def test_real_records_are_filled_as_a_librarian_expects(path: str, name: str, rates: dict[str, int]) -> None:
    found = list(documents(shared(path), name))
    assert found
    for field, rate in rates.items():
        filled = sum(bool(getattr(document, field)) for document in found)
        assert 100 * filled >= rate * len(found), f"{field}: {filled} of {len(found)}"
