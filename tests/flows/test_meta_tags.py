"""Real records in every format at hand: what engines read in the head of their pages is what the records say.

Payload → document → tags and JSON-LD in an HTML page → extruct → the same document, field by field.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
from lxml import etree

from tests.fixtures import shared
from tests.unit.formats.page_reading import ADDRESS, document_in, in_order, normal, read_page
from windrow.formats.registry import read, reader_for, registry
from windrow.model.document import Document

MOST_RECORDS = 25  # of one place
GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "formats"
# Where there are real records, and the name of the format's root element.
REAL = [
    ("oai_dc", "oai/CenterForOpenScience__scrapi/caltech.00.xml", "dc"),
    ("oai_dc", "oai/CenterForOpenScience__scrapi/cambridge.00.xml", "dc"),
    ("oai_dc", "oai/CenterForOpenScience__scrapi/calpoly.00.xml", "dc"),
    ("kk", "oai/NatLibFi__melinda-record-import-transformer-publication-archives", "metadata"),
    ("qdc", "oai/tulibraries__aggregator_mdx/deprecated/fixtures/p16002coll25.oai.qdc.xml", "qualifieddc"),
    (
        "marcxml",
        "oai/cern-sis__workflows/test_hindawi_api_client_get_metadata_without_from_date.00.xml",
        "record",
    ),
    ("marcxml", "oai/vufind-org__vufindharvest/marc.xml", "record"),
    ("mods", "oai/MI-DPLA__combine/static_harvest_data/mods_250.xml", "mods"),
    ("mods", "oai/libris__swepub-redux/dedup_merge.xml", "mods"),
    ("mets", "oai/timbrody__perl-oai-lib/mets.xml", "mets"),
    ("mets", "oai/dswarm__dswarm/controller/silberman_02.xml", "mets"),
    ("didl", "oai/KBNLdataservices__oai-pmh-bulk-downloader/oai/getrecord", "DIDL"),
    ("rdf", "oai/ElixirTeSS__TeSS/tess_oai_pmh_listrecords.00.xml", "RDF"),
    ("rdf", "records/codarchlab__arachne-oai-pmh-scripts/carare/edm/objekt-test", "RDF"),
    ("datacite", "oai/afuetterer__oaipmh-scythe/list_records.04.xml", "resource"),
    ("datacite", "oai/EUDAT-B2FIND__md-ingestion", "resource"),
    ("xoai", "oai/Narodni-repozitar__nr-oai-pmh-harvester", "metadata"),
    ("lido", "records/nfdi4objects__lido-examples/AQinDa_DDB-real-data", "lido"),
    ("ore", "records/dpla__ingestion3", "entry"),
    ("arXiv", "oai/inspirehep__hepcrawl/unit/responses/arxiv", "arXiv"),
    ("jpcoar", "records/JPCOAR__schema/2.0/samples", "jpcoar"),
]
FIELDS = [field.name for field in fields(Document) if field.name not in ("extra", "events", "file")]
SAMPLES = sorted(GOLDEN.glob("*/*.xml"))


def documents(path: Path, form: str, name: str) -> Iterator[Document]:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True, remove_comments=True)
    for file in sorted(path.rglob("*.xml")) if path.is_dir() else [path]:
        try:
            root = etree.fromstring(file.read_bytes(), parser)
        except etree.XMLSyntaxError:
            continue
        for element in root.iter(f"{{*}}{name}"):
            reader = reader_for(str(element.tag), form)
            if reader is not None and reader.name == form and len(element):
                yield reader.read(element)


def assert_survives(document: Document) -> None:
    page = read_page(document)
    expected, found = normal(document), in_order(document_in(page))
    for field in FIELDS:
        assert getattr(found, field) == getattr(expected, field), field
    assert_core_agrees(page_core=page.core, document=expected)
    assert page.node["@id"] == page.graph["og:url"] == page.said("DC.identifier")[0] == ADDRESS
    if expected.titles:
        assert page.citation["citation_title"] == [page.graph["og:title"]] == [expected.titles[0].value]
        assert len(page.citation.get("citation_author", ())) == len(expected.creators)
        assert page.citation["citation_abstract_html_url"] == [ADDRESS]


def assert_core_agrees(*, page_core: dict[str, list[tuple[str, str | None]]], document: Document) -> None:
    """Dublin Core says the same as the JSON-LD, as far as it has words for it."""
    words = {name: [content for content, _ in tags] for name, tags in page_core.items()}
    assert page_core.get("DC.title", []) == list(document.titles)
    assert page_core.get("DC.description", []) == list(document.descriptions)
    assert set(words.get("DC.creator", [])) == {agent.name for agent in document.creators}
    assert set(words.get("DC.contributor", [])) == {agent.name for agent in document.contributors}
    assert set(words.get("DC.subject", [])) == {
        *(each.value for each in document.subjects),
        *document.keywords,
    }
    assert words.get("DC.publisher", []) == list(document.publishers)
    assert words.get("DC.type", []) == list(document.types)
    assert words.get("DC.language", []) == list(document.languages)
    assert words.get("DC.rights", []) == list(document.rights)
    assert words.get("DC.source", []) == list(document.sources)
    assert words.get("DCTERMS.extent", []) == ([f"{document.pages} pages"] if document.pages else [])
    assert words.get("DC.contributor.institution", [None]) == [document.institution]
    assert words.get("DC.contributor.department", [None]) == [document.department]
    joined = "\n".join(words["DC.identifier"])
    assert all(name.value in joined for name in document.names)


@pytest.mark.parametrize(("form", "path", "name"), REAL, ids=[f"{form}-{path}" for form, path, _ in REAL])
def test_what_engines_read_of_real_records_is_what_the_records_say(form: str, path: str, name: str) -> None:
    found = 0
    for found, document in enumerate(documents(shared(path), form, name), start=1):
        assert_survives(document)
        if found == MOST_RECORDS:
            break
    assert found, f"no {form} there"


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: f"{sample.parent.name}-{sample.stem}")
def test_what_engines_read_of_a_sample_of_each_format_is_what_it_says(sample: Path) -> None:
    assert_survives(read(sample.read_bytes(), b"", sample.parent.name))


def test_the_real_records_are_in_ten_formats_and_the_samples_in_all() -> None:
    assert len({form for form, _, _ in REAL}) >= 10
    assert {reader.name for reader in registry(with_plugins=False).readers} <= {
        sample.parent.name for sample in SAMPLES
    }
