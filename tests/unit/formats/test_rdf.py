from __future__ import annotations

import pytest
from lxml import etree

from windrow.formats.linked_data.rdf_graph import Graph
from windrow.formats.registry import read
from windrow.model.document import Agent, Document, LinkKind

NAMESPACES = (
    ' xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    ' xmlns:dcterms="http://purl.org/dc/terms/" xmlns:foaf="http://xmlns.com/foaf/0.1/"'
    ' xmlns:ore="http://www.openarchives.org/ore/terms/" xmlns:skos="http://www.w3.org/2004/02/skos/core#"'
    ' xmlns:edm="http://www.europeana.eu/schemas/edm/" xmlns:x="urn:x"'
)


def rdf(inside: str, attributes: str = "") -> Document:
    return read(f"<rdf:RDF{attributes}>{inside}</rdf:RDF>".encode(), NAMESPACES.encode(), "rdf")


def about(identifier: str, inside: str, tag: str = "rdf:Description") -> str:
    return f'<{tag} rdf:about="{identifier}">{inside}</{tag}>'


@pytest.mark.parametrize(
    "creator",
    [
        "<dc:creator>Example, Ada</dc:creator>",
        "<dc:creator><foaf:Person><foaf:name>Example, Ada</foaf:name></foaf:Person></dc:creator>",
        '<dc:creator rdf:resource="urn:a"/>',
        '<dc:creator rdf:nodeID="b"/>',
        '<dc:creator rdf:parseType="Resource"><foaf:name>Example, Ada</foaf:name></dc:creator>',
        "<dc:creator><rdf:Seq><rdf:li>Example, Ada</rdf:li></rdf:Seq></dc:creator>",
        '<dc:creator><foaf:Person foaf:name="Example, Ada"/></dc:creator>',
        "<dc:creator><x:Someone><x:name>Example, Ada</x:name></x:Someone></dc:creator>",
    ],
)
def test_a_creator_is_found_however_rdf_writes_it(creator: str) -> None:
    people = about("urn:a", "<foaf:name>Example, Ada</foaf:name>", "foaf:Person")
    people += '<foaf:Person rdf:nodeID="b"><foaf:name>Example, Ada</foaf:name></foaf:Person>'
    document = rdf(people + about("urn:1", f"<dc:title>Hay</dc:title>{creator}"))
    assert document.title == "Hay"
    assert document.creators == (Agent("Example, Ada"),)


def test_the_thing_is_what_the_resource_map_describes() -> None:
    the_map = about("urn:map", '<ore:describes rdf:resource="urn:thing"/><dc:title>The map</dc:title>')
    thing = about("urn:thing", "<dc:title>The thing</dc:title>")
    assert rdf(the_map + thing).title == "The thing"


def test_a_person_with_a_title_is_not_the_thing() -> None:
    person = about("urn:p", "<dc:title>Dr</dc:title>", "foaf:Person")
    assert rdf(person + about("urn:1", "<dc:title>Hay</dc:title>")).title == "Hay"


def test_two_blocks_about_the_same_resource_are_one() -> None:
    document = rdf(about("urn:1", "<dc:title>Hay</dc:title>") + about("urn:1", "<dc:date>1999</dc:date>"))
    assert (document.title, document.year) == ("Hay", 1999)


def test_relative_addresses_are_put_to_the_base() -> None:
    document = rdf(about("record/1", "<dc:title>Hay</dc:title>"), ' xml:base="https://example.org/"')
    assert document.landing == "https://example.org/record/1"


def test_an_address_that_nothing_describes_stays_an_address() -> None:
    document = rdf(about("urn:1", '<dc:subject rdf:resource="https://example.org/s"/>'))
    assert not document.subjects
    assert document.extra["dc:subject"] == ("https://example.org/s",)


def test_a_file_says_by_its_own_node_what_it_is() -> None:
    files = "".join(
        f'<dcterms:hasFormat><x:file rdf:about="https://example.org/{number}">'
        f"<dcterms:format>{form}</dcterms:format></x:file></dcterms:hasFormat>"
        for number, form in enumerate(("application/epub+zip", "image/jpeg", "application/rdf+xml"))
    )
    kinds = [link.kind for link in rdf(about("urn:1", f"<dc:title>Hay</dc:title>{files}")).links]
    assert kinds == [LinkKind.FULLTEXT, LinkKind.THUMBNAIL, LinkKind.RELATED]


def test_text_where_rdf_has_no_place_for_it_is_kept() -> None:
    document = rdf(about("urn:1", "stray<dc:title>Hay</dc:title>"))
    assert document.extra == {"rdf:Description": ("stray",)}


def test_a_graph_as_deep_as_the_parser_allows_is_read_without_recursion() -> None:
    depth = 1000
    start, end = "<rdf:Description><x:p>" * depth, "</x:p></rdf:Description>" * depth
    parser = etree.XMLParser(huge_tree=True)
    root = etree.fromstring(f"<rdf:RDF{NAMESPACES}>{start}deep{end}</rdf:RDF>", parser)
    assert len(Graph(root).nodes) == depth


def test_an_object_of_europeana_is_read_as_one() -> None:
    thing = about("urn:1", "<dc:title>Rake</dc:title><edm:type>IMAGE</edm:type>", "edm:ProvidedCHO")
    shown = '<edm:isShownAt rdf:resource="https://example.org/1"/><edm:dataProvider>Museum</edm:dataProvider>'
    document = rdf(thing + about("urn:2", shown, "ore:Aggregation"))
    assert (document.title, document.landing) == ("Rake", "https://example.org/1")
    assert (document.institution, document.types) == ("Museum", ("IMAGE",))


def test_the_providers_proxy_speaks_before_europeanas() -> None:
    own = about(
        "urn:e", "<edm:europeanaProxy>true</edm:europeanaProxy><dc:title>Added</dc:title>", "ore:Proxy"
    )
    theirs = about("urn:p", "<dc:title>Given</dc:title>", "ore:Proxy")
    document = rdf(about("urn:1", "", "edm:ProvidedCHO") + own + theirs)
    assert [title.value for title in document.titles] == ["Given", "Added"]


def test_a_concept_is_shown_by_its_english_label_or_its_first() -> None:
    labels = '<skos:prefLabel xml:lang="de">Rechen</skos:prefLabel>'
    english = '<skos:prefLabel xml:lang="en">rakes</skos:prefLabel>'
    concepts = about("urn:a", labels + english, "skos:Concept") + about("urn:b", labels, "skos:Concept")
    subjects = '<dc:subject rdf:resource="urn:a"/><dc:subject rdf:resource="urn:b"/>'
    document = rdf(about("urn:1", subjects, "edm:ProvidedCHO") + concepts)
    assert [subject.value for subject in document.subjects] == ["rakes", "Rechen"]


def test_europeana_is_not_the_institution_of_its_own_aggregation() -> None:
    europeana = about("urn:2", "<edm:dataProvider>Europeana</edm:dataProvider>", "edm:EuropeanaAggregation")
    document = rdf(about("urn:1", "<dc:title>Rake</dc:title>", "edm:ProvidedCHO") + europeana)
    assert document.institution is None
    assert document.extra["edm:dataProvider"] == ("Europeana",)
