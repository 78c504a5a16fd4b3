"""What the structured readers must bear: no words lost, no recursion, work in proportion to the input."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from windrow.formats import didl, lido, mets, mods
from windrow.formats.linked_data import edm, rdf_xml
from windrow.formats.marc import marcxml
from windrow.formats.registry import Reader
from windrow.formats.repositories import jpcoar, ore
from windrow.model.document import Document

READERS: tuple[Reader, ...] = tuple(
    module.READER for module in (didl, edm, jpcoar, lido, marcxml, mets, mods, ore, rdf_xml)
)
KNOWN = """
    mods titleInfo title nonSort subTitle name namePart role roleTerm originInfo dateIssued subject topic
    genre relatedItem part detail number extent identifier location url abstract language languageTerm
    record leader controlfield datafield subfield dmdSec mdWrap xmlData fileSec fileGrp file FLocat structMap
    div amdSec owner Item Descriptor Statement Component Resource Identifier entry link author category
    summary triples Description RDF Bag li ProvidedCHO Aggregation Proxy prefLabel lido titleSet
    appellationValue event eventType term conceptID eventActor actorInRole actor roleActor eventDate
    displayDate subjectSet subjectConcept repositorySet resourceSet rightsType creator creatorName
    nameIdentifier affiliation degreeGrantor
"""
NAMES = KNOWN.split()
ATTRIBUTES = {
    "tag": ["008", "020", "100", "245", "260", "502", "650", "700", "773", "856", "880", ""],
    "code": ["a", "b", "u", "0", "6", ""],
    "type": ["family", "given", "host", "orcid", "code", "corporate", ""],
    "point": ["start", "end"],
    "MDTYPE": ["MODS", "DC", "OTHER", ""],
    "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about": ["urn:a", "urn:b", "http://[", ""],
    "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}resource": ["urn:a", "https://example.org/1", ""],
    "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}parseType": ["Resource", "Literal"],
    "{http://www.w3.org/XML/1998/namespace}lang": ["en", "de", "??"],
}
SPACES = (
    "",
    "http://www.loc.gov/mods/v3",
    "http://www.loc.gov/MARC21/slim",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "http://purl.org/dc/elements/1.1/",
    "http://www.europeana.eu/schemas/edm/",
    "urn:x",
)
TAGS = st.builds(
    lambda space, name: f"{{{space}}}{name}" if space else name,
    st.sampled_from(SPACES),
    st.sampled_from(NAMES),
)
WORDS = st.sampled_from(
    ["", " ", "Hay", "1999", "10.5555/1", "https://example.org/1.pdf", "a; b", "<p>x &amp;", "ü"]
)
PAIRS = st.sampled_from([(name, value) for name, values in ATTRIBUTES.items() for value in values])
SHAPES: st.SearchStrategy[Any] = st.recursive(
    st.tuples(TAGS, st.lists(PAIRS, max_size=3), WORDS, st.just([])),
    lambda inner: st.tuples(TAGS, st.lists(PAIRS, max_size=3), WORDS, st.lists(inner, max_size=4)),
    max_leaves=25,
)


def build(shape: Any) -> etree._Element:
    tag, attributes, text, inner = shape
    element = etree.Element(tag, dict(attributes))
    element.text = text
    element.extend([build(child) for child in inner])
    return element


def texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for inner in value.values() for text in texts(inner)]
    if isinstance(value, list | tuple):
        return [text for inner in value for text in texts(inner)]
    return [str(value)] if value is not None else []


def repeated(document: Document) -> list[Any]:
    fields = [value for value in asdict(document).values() if isinstance(value, tuple)]
    return [
        field
        for field in [*fields, *document.extra.values()]
        if len({str(value) for value in field}) < len(field)
    ]


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
@settings(deadline=None)
@given(shape=SHAPES)
def test_no_junk_makes_a_reader_stumble(reader: Reader, shape: Any) -> None:
    document = reader.read(build(shape))
    assert all(text.strip() for text in texts(asdict(document)))
    assert not repeated(document)


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
@settings(deadline=None)
@given(names=st.lists(st.sampled_from(NAMES), max_size=12))
def test_a_word_is_never_lost_wherever_it_stands(reader: Reader, names: list[str]) -> None:
    root = element = etree.Element(next(iter(sorted(reader.roots))))
    for name in names:
        element = etree.SubElement(element, name)
    element.text = "Wiesenschaumkraut"
    assert any("wiesenschaumkraut" in text.lower() for text in texts(asdict(reader.read(root))))


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_an_empty_root_is_an_empty_document(reader: Reader) -> None:
    for root in reader.roots:
        assert reader.read(etree.Element(root)) == Document()


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
@pytest.mark.parametrize("names", [NAMES, ["Item"], ["relatedItem"], ["Description"], ["div"], ["category"]])
def test_nesting_as_deep_as_a_parser_lets_through_is_read(reader: Reader, names: list[str]) -> None:
    root = element = etree.Element(next(iter(sorted(reader.roots))))
    for depth in range(2000):
        element = etree.SubElement(element, names[depth % len(names)])
    element.text = "deep"
    assert any("deep" in text for text in texts(asdict(reader.read(root))))


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_a_thousand_long_values_are_all_kept(reader: Reader) -> None:
    root = etree.Element(next(iter(sorted(reader.roots))))
    for number in range(1110):
        etree.SubElement(root, "note").text = f"{number} " + "hay " * 500
    words = " ".join(texts(asdict(reader.read(root)))).split()
    assert {str(number) for number in range(1110)} <= set(words)
