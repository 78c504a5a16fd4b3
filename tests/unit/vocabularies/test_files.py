from __future__ import annotations

import gzip
import io
from datetime import UTC, datetime
from pathlib import Path

import pytest
import zstandard

from tests.fixtures import OWN, SHARED, own, shared_too
from tests.unit.vocabularies.shelf import CLIMATE, table, vocabulary
from windrow.errors import UsageError
from windrow.model.thesaurus import Concept, Label
from windrow.store.store import Store
from windrow.vocabularies.vocabulary_audit import check_vocabulary, find_unmatched
from windrow.vocabularies.vocabulary_files import detect_format, export_vocabulary, import_vocabulary
from windrow.vocabularies.vocabulary_view import VocabularyView

BASE = "vocabulary://topics/"
NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
REFUSED = {
    "refused/README": "no ending",
    "refused/bad-address.rdf": "IRI",
    "refused/no-concepts.ttl": "no concepts",
    "refused/nothing.rdf": "no concepts",
    "refused/tree.xml": "neither RDF nor Zthes",
    "refused/words.rdf": "Unexpected text",
    "DOAJ__doaj/lccSubjects.xml": "neither RDF nor Zthes",
    "DOAJ__doaj/portality/migrate/p1p2/lccSubjects.xml": "neither RDF nor Zthes",
    "DSpace__DSpace/nsi.xml": "neither RDF nor Zthes",
    "DSpace__DSpace/LICENCES": "no ending",
    "NatLibFi__Annif-tutorial/stw-zbw/README.md.gz": "no ending",
    "NatLibFi__Skosmos/test-marc.ttl": "no concepts",
    "cmader__qSKOS/invalidCharacters.rdf": "IRI",
    "cmader__qSKOS/nocontent.rdf": "no concepts",
    "cmader__qSKOS/skosxl.rdf": "Unexpected text",
}
ZTHES = """<?xml version="1.0"?>
<Zthes xmlns:dc="http://purl.org/dc/elements/1.1/">
<thes><dc:title>Sports</dc:title></thes>
<term><termId>1</termId><termName>Sport</termName><termType>TT</termType><termLanguage>en</termLanguage>
  <relation><relationType>NT</relationType><termId>2</termId><termName>Skiing</termName></relation></term>
<term><termId>2</termId><termName>Skiing</termName><termType>PT</termType><termLanguage>en</termLanguage>
  <termNote label="definition">On snow.</termNote>
  <relation><relationType>BT</relationType><termId>1</termId><termName>Sport</termName></relation>
  <relation><relationType>UF</relationType><termId>3</termId><termName>Ski sports</termName></relation>
  <relation><relationType>LE</relationType><termId>4</termId><termName>Skidåkning</termName>
    <termLanguage>sv</termLanguage></relation></term>
<term><termId>5</termId><termName>Skis</termName><termType>ND</termType><termLanguage>en</termLanguage>
  <relation><relationType>USE</relationType><termId>2</termId></relation></term>
</Zthes>"""


def files() -> list[Path]:
    """The project's own files and, where they are, the real ones."""
    folders = (OWN / "vocab", SHARED / "vocab")
    return [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]


def name_of(path: Path) -> str:
    return str(path.relative_to((OWN if path.is_relative_to(OWN) else SHARED) / "vocab"))


@pytest.mark.parametrize("path", files(), ids=name_of)
def test_every_file_is_taken_in_or_refused_with_a_reason(store: Store, path: Path) -> None:
    reason = REFUSED.get(name_of(path))
    if reason is not None:
        with pytest.raises(UsageError, match=reason):
            import_vocabulary(store, "real", path)
        assert not VocabularyView(store, "real").exists
        return
    report = import_vocabulary(store, "real", path)
    assert report.added.total == report.vocabulary.concepts > 0
    check_vocabulary(store, "real")
    view = VocabularyView(store, "real")
    assert sum(1 for _ in view.walk()) == report.vocabulary.concepts
    for concept in view.top_concepts()[:3]:
        view.paths(concept.uri)


def test_there_are_files_of_every_kind() -> None:
    assert all(folder.is_dir() for folder in shared_too("vocab"))
    kinds = {path.suffix for path in own("vocab/barn").iterdir()}
    assert kinds == {".ttl", ".rdf", ".jsonld", ".nt", ".csv", ".xml"}


def test_a_table_has_labels_in_several_languages_and_parents(topics: VocabularyView) -> None:
    found = topics.concept(f"{BASE}310")
    assert found is not None
    assert found.notations == ("310",)
    assert set(found.preferred) == {
        Label("Climate change", "en"),
        Label("Klimatförändring", "sv"),
        Label("Ilmastonmuutos", "fi"),
    }
    assert found.alternative == (Label("Global warming", "en"), Label("Climatic change", "en"))
    assert found.broader == (f"{BASE}300",)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("300,Natural sciences\n", "no heading"),
        ("label,label@sv\nHay,Hö\n", "no column `code`"),
        ("code,label\n", "no concepts"),
        ('code,label\n1,"' + "x" * 2_000_000, "cannot be read as a table"),
    ],
)
def test_a_table_that_is_none_is_refused(store: Store, tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "topics.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=reason):
        import_vocabulary(store, "topics", path)


def test_another_encoding_is_named_or_refused(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "topics.csv"
    path.write_bytes("code;label@sv\n1;Hö\n".encode("latin-1"))
    with pytest.raises(UsageError, match="not utf-8") as refused:
        import_vocabulary(store, "topics", path)
    assert "--encoding" in refused.value.hint
    import_vocabulary(store, "topics", path, encoding="latin-1")
    assert VocabularyView(store, "topics").find("hö") is not None
    path.write_bytes("code\tlabel@sv\n1\tHö\n".encode("utf-16"))
    import_vocabulary(store, "other", path)
    assert VocabularyView(store, "other").find("hö") is not None


def test_zthes_is_read_with_its_relations(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "sports.xml"
    path.write_text(ZTHES, encoding="utf-8")
    import_vocabulary(store, "sports", path)
    view = VocabularyView(store, "sports")
    skiing = view.find("2")
    assert skiing is not None
    assert set(skiing.preferred) == {Label("Skiing", "en"), Label("Skidåkning", "sv")}
    assert {label.text for label in skiing.alternative} == {"Ski sports", "Skis"}
    assert skiing.notes[0][:2] == ("definition", "On snow.")
    assert [each.label() for each in view.broader(skiing.uri)] == ["Sport"]
    assert view.vocabulary.label() == "Sports"
    assert view.vocabulary.concepts == 2


@pytest.mark.parametrize("kind", ["zthes", "csv"])
def test_what_is_written_as_zthes_or_a_table_is_read_back_the_same(
    topics: VocabularyView, store: Store, tmp_path: Path, kind: str
) -> None:
    file = io.BytesIO()
    export_vocabulary(topics, store, file, kind)
    path = tmp_path / f"again.{'xml' if kind == 'zthes' else kind}"
    path.write_bytes(file.getvalue())
    assert detect_format(path) == kind
    report = import_vocabulary(store, "topics", path, is_new=False)
    assert (report.added.total, report.removed.total, report.renamed.total) == (0, 0, 0)
    found = topics.concept(f"{BASE}310")
    assert found is not None
    assert set(found.alternative) == {Label("Global warming", "en"), Label("Climatic change", "en")}
    assert [each.uri for each in topics.broader(f"{BASE}311")] == [f"{BASE}310"]


def test_zthes_with_prefixes_that_mean_nothing_is_refused(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "sports.xml"
    path.write_text(ZTHES.replace("xmlns:dc=", "xmlns:other="), encoding="utf-8")
    with pytest.raises(UsageError, match=r"sports\.xml cannot be read"):
        import_vocabulary(store, "sports", path)


def test_a_bomb_in_zthes_is_not_unpacked(store: Store, tmp_path: Path) -> None:
    entities = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(12))
    path = tmp_path / "bomb.xml"
    path.write_text(
        f'<!DOCTYPE Zthes [<!ENTITY e0 "boom">{entities}]><Zthes><term><termId>1</termId>'
        "<termName>a&e12;</termName></term></Zthes>",
        encoding="utf-8",
    )
    with pytest.raises(UsageError, match=r"bomb\.xml cannot be read"):
        import_vocabulary(store, "bomb", path)


@pytest.mark.parametrize("ending", ["csv", "xml", "ttl"])
def test_a_cut_archive_is_refused(store: Store, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"topics.{ending}.gz"
    path.write_bytes(gzip.compress(CLIMATE.encode() * 100)[:-200])
    with pytest.raises(UsageError):
        import_vocabulary(store, "topics", path, kind={"xml": "zthes"}.get(ending, ending))


def test_an_update_reports_what_is_different(topics: VocabularyView, store: Store, tmp_path: Path) -> None:
    new = CLIMATE.replace("Estonian", "Estonian language").replace("420,400", "430,400")
    new = new.replace("code,parent,", "deprecated,code,parent,").replace("\n", "\n,").rstrip(",")
    new = new.replace("\n,312", "\nyes,312").replace("Changes of the climate", "Changing climate")
    path = tmp_path / "new.csv"
    path.write_text(new, encoding="utf-8")
    trial = import_vocabulary(store, "topics", path, is_new=False, is_trial=True, clock=lambda: NOON)
    assert topics.find("430") is None  # nothing was kept
    report = import_vocabulary(store, "topics", path, is_new=False, clock=lambda: NOON)
    assert report == trial
    assert report.added.examples == ((f"{BASE}430", "Sign languages"),)
    assert report.removed.examples == ((f"{BASE}420", "Sign languages"),)
    assert report.renamed.examples == ((f"{BASE}412", "Estonian language"),)
    assert report.deprecated.examples == ((f"{BASE}312", "Glacier retreat"),)
    assert report.changed == 1
    assert topics.vocabulary.revision == 2


def test_a_title_given_by_hand_outlives_updates(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "sports.xml"
    path.write_text(ZTHES, encoding="utf-8")
    import_vocabulary(store, "sports", path, title="Our sports")
    import_vocabulary(store, "plain", path)
    path.write_text(ZTHES.replace("<dc:title>Sports", "<dc:title>All sports"), encoding="utf-8")
    for name, expected in (("sports", "Our sports"), ("plain", "All sports")):
        import_vocabulary(store, name, path, is_new=False)
        assert VocabularyView(store, name).vocabulary.label() == expected


def test_an_update_that_fails_leaves_everything_as_it_was(
    topics: VocabularyView, store: Store, tmp_path: Path
) -> None:
    before = list(topics.walk())
    path = tmp_path / "broken.csv"
    path.write_text(CLIMATE, encoding="utf-8")
    path.write_bytes(path.read_bytes() + b"500,,\xff\xff")
    with pytest.raises(UsageError):
        import_vocabulary(store, "topics", path, is_new=False)
    assert list(topics.walk()) == before
    assert topics.vocabulary.revision == 1


def test_a_name_is_taken_once_and_an_update_needs_one(
    topics: VocabularyView, store: Store, tmp_path: Path
) -> None:
    path = tmp_path / "topics.csv"
    with pytest.raises(UsageError, match="already"):
        import_vocabulary(store, "topics", path)
    with pytest.raises(UsageError, match="no vocabulary other"):
        import_vocabulary(store, "other", path, is_new=False)


def test_a_check_reports_what_is_odd(store: Store, tmp_path: Path) -> None:
    text = """code,parent,label@en,related
1,3,One,
2,1,Two,
3,2,Three,
4,1|2,,
5,9,Five,5
6,,Six,
7,,six,
1,,Uno,
"""
    vocabulary(store, tmp_path, text, "odd")
    found = check_vocabulary(store, "odd")
    base = "vocabulary://odd/"
    assert {kind: each.total for kind, each in found.items()} == {
        "circle": 1,
        "missing_label": 1,
        "orphan": 3,
        "several_parents": 1,
        "own_neighbour": 1,
        "missing_concept": 1,
        "same_label": 2,
        "several_labels": 2,
    }
    assert found["circle"].examples[0].detail == f"{base}1 {base}2 {base}3"
    assert found["missing_concept"].examples == ((f"{base}5", f"{base}9"),)


def test_nothing_is_odd_about_a_plain_vocabulary(topics: VocabularyView, store: Store) -> None:
    assert check_vocabulary(store, "topics") == {}


def test_values_that_name_no_concept_are_counted(topics: VocabularyView) -> None:
    from tests.oracle.memory_index import MemoryIndex
    from tests.unit.vocabularies.library import entries
    from windrow.index.protocol import EVERYTHING

    index = MemoryIndex(entries({1: ("310", "hay"), 2: ("Hay",), 3: ("hay",), 4: ("KLIMATFÖRÄNDRING",)}))
    found = find_unmatched(topics, index, "theses", "subject", EVERYTHING)
    assert (found.matched, found.unmatched, found.records) == (2, 2, 3)
    assert [tuple(each[:2]) for each in found.examples] == [("hay", 2), ("Hay", 1)]


def test_the_statements_kept_are_packed(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "one.nt"
    path.write_text(
        '<http://x/1> <http://www.w3.org/2004/02/skos/core#prefLabel> "One" .\n', encoding="utf-8"
    )
    import_vocabulary(store, "one", path)
    with store.reading() as connection:
        ((data,),) = connection.execute("SELECT data FROM vocabulary_graph")
    assert zstandard.ZstdDecompressor().decompress(data) == path.read_bytes()


def test_a_view_walks_up_and_down(topics: VocabularyView) -> None:
    assert [each.label(("sv",)) for each in topics.top_concepts()] == ["Naturvetenskap", "Språk"]
    assert [each.notation for each in topics.narrower(f"{BASE}400")] == ["410", "420"]
    assert [[each.notation for each in path] for path in topics.paths(f"{BASE}411")] == [["400", "410"]]
    assert topics.paths(f"{BASE}400") == [[]]


def test_several_parents_are_several_paths_and_a_circle_ends(store: Store, tmp_path: Path) -> None:
    view = vocabulary(
        store, tmp_path, table({"1": (), "2": (), "3": ("1", "2"), "4": ("5",), "5": ("4",)}), "dag"
    )
    paths = view.paths("vocabulary://dag/3")
    assert [[each.notation for each in path] for path in paths] == [["1"], ["2"]]
    assert [[each.notation for each in path] for path in view.paths("vocabulary://dag/4")] == [["5"]]


def test_a_search_finds_beginnings_then_words(topics: VocabularyView) -> None:
    found = [(each.text, each.uri) for each in topics.search("fin")]
    assert found == [("Finnic languages", f"{BASE}410"), ("Finnish", f"{BASE}411")]
    assert {each.uri for each in topics.search("languages")} == {f"{BASE}400", f"{BASE}410", f"{BASE}420"}
    assert [each.uri for each in topics.search("level sea")] == [f"{BASE}311"]
    assert topics.search("***") == []


def test_labels_are_listed_from_a_to_z_page_by_page(topics: VocabularyView) -> None:
    assert topics.initials("en") == ["C", "E", "F", "G", "L", "N", "S"]
    first = topics.listed("en", limit=4)
    rest = topics.listed("en", after=first[-1], limit=100)
    labels = [each.text for each in (*first, *rest)]
    assert labels == sorted(labels, key=str.lower)
    assert len(labels) == 9
    assert [each.text for each in topics.listed("sv", letter="S")] == ["Språk"]


@pytest.mark.parametrize(
    ("languages", "expected"),
    [(("sv",), "Gräs"), (("fr",), "Grass"), (("en-gb",), "Grass"), (("pt",), "Erva"), ((), "Grass")],
)
def test_a_label_falls_back_to_other_languages(languages: tuple[str, ...], expected: str) -> None:
    labels = (Label("Erva", "pt-br"), Label("Grass", "en"), Label("Gräs", "sv"))
    assert Concept("urn:1", ("1",), labels).label(languages) == expected
    assert Concept("urn:1", ("1",)).label(languages) == "1"
    assert Concept("urn:1").label(languages) == "urn:1"


def test_letters_are_in_the_order_of_the_language(store: Store, tmp_path: Path) -> None:
    text = "code,label@sv,label@en\n1,Ål,Eel\n2,Zebra,Zebra\n3,Apa,Ape\n4,Öga,Eye\n5,Ärta,Pea\n"
    view = vocabulary(store, tmp_path, text, "animals")
    assert view.initials("sv") == ["A", "Z", "Å", "Ä", "Ö"]
    assert [each.text for each in view.listed("sv")] == ["Apa", "Zebra", "Ål", "Ärta", "Öga"]
    assert [each.text for each in view.listed("sv", letter="Ä")] == ["Ärta"]


def test_a_search_goes_on_without_a_vocabulary_that_was_just_removed(
    topics: VocabularyView, store: Store
) -> None:
    from tests.unit.vocabularies.library import Expanding
    from windrow.protocols.query.query_parser import parse_query
    from windrow.store.vocabulary import concepts

    expander = Expanding({"theses": {"subject": [topics]}})
    with store.writing() as connection:
        assert concepts.remove_vocabulary(connection, "topics")
    query = parse_query("subject:400").query
    assert expander.expand(query).query == query
    assert expander.label("subject", "400", "en") is None
    assert expander.branches("subject", {"400": 1}, (), limit=5) is None
