from __future__ import annotations

import io
from pathlib import Path

import pytest
import rdflib
from rdflib.compare import isomorphic

from tests.fixtures import Place, own, shared
from tests.unit.vocabularies.shelf import vocabulary
from windrow.errors import UsageError
from windrow.model.thesaurus import Concept, ConceptMapping, Label, Note
from windrow.store.store import Store
from windrow.vocabularies import rdf_child, skos, vocabulary_files
from windrow.vocabularies.vocabulary_files import export_vocabulary, import_vocabulary
from windrow.vocabularies.vocabulary_view import VocabularyView

# Of rdflib, when it reads JSON-LD.
pytestmark = pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated:DeprecationWarning")
ENDINGS = {"ttl": "turtle", "rdf": "xml", "nt": "nt", "jsonld": "json-ld"}
GRAPH = """\
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xl: <http://www.w3.org/2008/05/skos-xl#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix : <http://example.org/> .
:scheme a skos:ConceptScheme ; dct:title "Hay"@en, "Hö"@sv ; skos:hasTopConcept :grass .
:grass a skos:Concept ; skos:notation "1", "G"^^:code ; skos:prefLabel "Grass"@en, "Gräs"@SV ;
  skos:altLabel "Lawn"@en ; skos:hiddenLabel "gras" ; skos:narrower :hay ;
  skos:scopeNote "All \\"green\\" of it\\n"@en ; skos:definition [ rdf:value "A plant" ] ;
  skos:exactMatch <http://other.example/grass> ; dct:created "2024-01-02"^^xsd:date .
:hay a skos:Concept ; skos:broader :grass, :feed ;
  xl:prefLabel [ xl:literalForm "Hay"@en ] ; skos:related :barn .
:straw a skos:Concept ; :partOf :hay ; owl:deprecated true ; dct:isReplacedBy :hay .
:partOf rdfs:subPropertyOf skos:broader .
:group a skos:Collection ; skos:prefLabel "A group"@en ; skos:member :hay, :grass .
"""


@pytest.fixture
def hay(store: Store, tmp_path: Path) -> VocabularyView:
    path = tmp_path / "hay.ttl"
    path.write_text(GRAPH, encoding="utf-8")
    import_vocabulary(store, "hay", path)
    return VocabularyView(store, "hay")


def concept(view: VocabularyView, name: str) -> Concept:
    found = view.concept(f"http://example.org/{name}")
    assert found is not None
    return found


def written(view: VocabularyView, store: Store, kind: str) -> bytes:
    file = io.BytesIO()
    export_vocabulary(view, store, file, kind)
    return file.getvalue()


def graph(data: bytes | str, kind: str) -> rdflib.Graph:
    """Return a graph with its literals as RDF 1.1 compares them, which rdflib itself does not quite do."""
    made = rdflib.Graph()
    for subject, predicate, value in rdflib.Graph().parse(data=data, format=ENDINGS[kind]):
        made.add((subject, predicate, _plain(value)))
    return made


def _plain(value: rdflib.term.Node) -> rdflib.term.Node:
    if not isinstance(value, rdflib.Literal):
        return value
    if value.language:
        return rdflib.Literal(str(value), lang=value.language.lower())
    return rdflib.Literal(str(value)) if value.datatype == rdflib.XSD.string else value


def test_a_concept_has_what_its_statements_say(hay: VocabularyView) -> None:
    grass = concept(hay, "grass")
    assert set(grass.notations) == {"1", "G"}
    assert set(grass.preferred) == {Label("Grass", "en"), Label("Gräs", "sv")}
    assert grass.alternative == (Label("Lawn", "en"),)
    assert grass.hidden == (Label("gras"),)
    assert grass.notes == (Note("scope", 'All "green" of it\n', "en"),)
    assert grass.mappings == (ConceptMapping("exact", "http://other.example/grass"),)
    assert grass.top_of == ("http://example.org/scheme",)


def test_labels_that_are_resources_are_read(hay: VocabularyView) -> None:
    assert concept(hay, "hay").preferred == (Label("Hay", "en"),)


def test_a_special_case_of_a_relation_that_the_file_declares_counts(hay: VocabularyView) -> None:
    assert [each.uri for each in hay.broader("http://example.org/straw")] == ["http://example.org/hay"]
    straw = concept(hay, "straw")
    assert straw.is_deprecated
    assert straw.replaced_by == ("http://example.org/hay",)


def test_collections_and_schemes_are_no_concepts(hay: VocabularyView) -> None:
    assert {each.uri.rpartition("/")[2] for each in hay.walk()} == {"grass", "hay", "straw"}
    assert hay.vocabulary.label(("sv",)) == "Hö"


@pytest.mark.parametrize("kind", ENDINGS)
def test_what_came_as_rdf_goes_out_as_the_same_graph(hay: VocabularyView, store: Store, kind: str) -> None:
    assert isomorphic(graph(written(hay, store, kind), kind), graph(GRAPH, "ttl"))


@pytest.mark.parametrize("kind", ENDINGS)
def test_what_was_written_is_read_back_as_the_same_vocabulary(
    hay: VocabularyView, store: Store, tmp_path: Path, kind: str
) -> None:
    path = tmp_path / f"again.{kind}"
    path.write_bytes(written(hay, store, kind))
    import_vocabulary(store, "again", path)
    again = VocabularyView(store, "again")
    assert list(map(unordered, again.walk())) == list(map(unordered, hay.walk()))


@pytest.mark.parametrize("kind", ENDINGS)
def test_a_table_goes_out_as_skos_and_comes_back_the_same(
    topics: VocabularyView, store: Store, tmp_path: Path, kind: str
) -> None:
    path = tmp_path / f"again.{kind}"
    path.write_bytes(written(topics, store, kind))
    import_vocabulary(store, "again", path)
    again = VocabularyView(store, "again")
    assert list(map(unordered, again.walk())) == list(map(unordered, topics.walk()))
    assert isomorphic(graph(written(again, store, kind), kind), graph(path.read_bytes(), kind))


@pytest.mark.parametrize("kind", ENDINGS)
@pytest.mark.parametrize(
    ("place", "path"),
    [
        (own, "vocab/barn/tools.ttl"),
        (own, "vocab/barn/hierarchy.ttl"),
        (own, "vocab/barn/rights.rdf"),
        (shared, "vocab/NatLibFi__Annif/archaeology/yso-archaeology.rdf"),
        (shared, "vocab/NatLibFi__Skosmos/test-hierarchy.ttl"),
        (shared, "vocab/skohub-io__skohub-vocabs/systematik.ttl"),
        (
            shared,
            "vocab/openaire__guidelines-cris-managers/coar_accessrights_skos-xl_v1.0_19122018110854.rdf",
        ),
        (shared, "vocab/NatLibFi__Skosmos/cbd.ttl"),
    ],
)
def test_vocabularies_go_out_as_the_graph_they_came_as(
    store: Store, place: Place, path: str, kind: str
) -> None:
    source = place(path)
    import_vocabulary(store, "real", source)
    before = graph(source.read_bytes(), source.suffix[1:])
    after = graph(written(VocabularyView(store, "real"), store, kind), kind)
    assert isomorphic(after, before)


def test_concepts_as_triples_are_the_graph_that_is_expected() -> None:
    made = Concept(
        "http://example.org/1",
        ("1",),
        (Label("Grass", "en"), Label("Gräs", "sv")),
        notes=(Note("scope", "Green"),),
        broader=("http://example.org/0",),
        mappings=(ConceptMapping("close", "http://other.example/1"),),
        schemes=("http://example.org/s",),
        is_deprecated=True,
    )
    file = io.BytesIO()
    vocabulary_files.write_rdf(skos.triples([made]), file, "ttl")
    expected = """\
    @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
    @prefix owl: <http://www.w3.org/2002/07/owl#> .
    <http://example.org/1> a skos:Concept ; skos:notation "1" ; skos:prefLabel "Grass"@en, "Gräs"@sv ;
      skos:scopeNote "Green" ; skos:broader <http://example.org/0> ; owl:deprecated true ;
      skos:closeMatch <http://other.example/1> ; skos:inScheme <http://example.org/s> .
    """
    assert isomorphic(
        graph(file.getvalue(), "ttl"),
        graph(expected, "ttl"),
    )


def bomb() -> bytes:
    entities = b'<!ENTITY a "' + b"a" * 50 + b'">'
    for one, other in zip("bcdefghij", "abcdefghi", strict=True):
        entities += f'<!ENTITY {one} "{f"&{other};" * 10}">'.encode()
    return (
        b'<?xml version="1.0"?><!DOCTYPE r [' + entities + b"]>"
        b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:s="http://x/">'
        b'<rdf:Description rdf:about="http://x/1"><s:p>&j;</s:p></rdf:Description></rdf:RDF>'
    )


def nested() -> bytes:
    start = b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:s="http://x/">'
    count = 20_000
    return start + b"<rdf:Description><s:p>" * count + b"</s:p></rdf:Description>" * count + b"</rdf:RDF>"


HOSTILE = {
    "bomb.rdf": bomb(),
    "nested.rdf": nested(),
    "nested.jsonld": b'{"@id":"http://x","http://x/p":' * 20_000 + b"1" + b"}" * 20_000,
    "brackets.jsonld": b"[" * 20_000,
    "nested.ttl": b"@prefix a: <http://x/>. a:a a:b " + b"[ a:b " * 20_000,
    "remote.jsonld": b'{"@context":"http://127.0.0.1:9/context","@id":"http://x","p":1}',
    "external.rdf": b'<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
    b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:s="http://x/">'
    b'<rdf:Description rdf:about="http://x/1"><s:p>&a;</s:p></rdf:Description></rdf:RDF>',
    "latin.ttl": '<http://x/1> <http://www.w3.org/2004/02/skos/core#prefLabel> "Gräs" .'.encode("latin-1"),
    "cut.ttl": b"<http://x/1> <http://x/p>",
    "nothing.ttl": b"",
    "nul.nt": b"\0" * 1000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_with_a_sentence_and_nothing_is_kept(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(vocabulary_files, "MEMORY_BYTES", 512 << 20)
    monkeypatch.setattr(vocabulary_files, "LEAST_SECONDS", 2)
    monkeypatch.setattr(vocabulary_files, "SECONDS_PER_MB", 0)
    path = tmp_path / name
    path.write_bytes(HOSTILE[name])
    with pytest.raises(UsageError) as refused:
        import_vocabulary(store, "hostile", path)
    assert name in str(refused.value)
    assert "passwd" not in str(refused.value)
    assert not VocabularyView(store, "hostile").exists


def test_without_the_package_people_are_told_what_to_install(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vocabulary_files, "find_spec", lambda _name: None)
    path = tmp_path / "hay.ttl"
    path.write_text(GRAPH, encoding="utf-8")
    with pytest.raises(UsageError) as refused:
        import_vocabulary(store, "hay", path)
    assert "pip install 'windrow[vocabularies]'" in refused.value.hint
    assert vocabulary(store, tmp_path).vocabulary.concepts == 9  # a table needs nothing


def test_a_byte_order_mark_and_gzip_are_read_past(tmp_path: Path) -> None:
    import gzip

    path = tmp_path / "hay.ttl.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbfabc"))
    with rdf_child.open_plain(str(path)) as file:
        assert file.read() == b"abc"


def unordered(concept: Concept) -> tuple[object, ...]:
    return (
        concept.uri,
        *(
            frozenset(each)
            for each in (concept.notations, concept.preferred, concept.alternative, concept.notes)
        ),
        *(frozenset(each) for each in (concept.broader, concept.narrower, concept.related, concept.mappings)),
        concept.is_deprecated,
    )
