"""The addresses of concepts lead back to them, whatever their URIs are."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from tests.fixtures import Place, own, shared
from tests.unit.vocabularies.shelf import vocabulary
from windrow.store.store import Store
from windrow.vocabularies.vocabulary_directory import PublishedVocabulary, VocabularyDirectory
from windrow.vocabularies.vocabulary_files import import_vocabulary

ODD = ("a b", "å", "50%", "x.ttl", "..", "a/b", "a?b", "c#", "1;2", "a+b", "(1)", "a%20b", "Ω" * 300)


def read_back(place: PublishedVocabulary, path: str) -> str | None:
    """The URI of the concept that a path leads to, as a server reads it."""
    parts = urlsplit(path)
    if parts.query:
        return parse_qs(parts.query)["uri"][0]
    found = place.find(unquote(parts.path.removeprefix(f"{place.path}concept/")))
    return found.uri if found else None


def test_odd_codes_lead_back(store: Store, tmp_path: Path) -> None:
    vocabulary(store, tmp_path, "code,label\n" + "".join(f'"{code}",label\n' for code in ODD), "odd")
    place = VocabularyDirectory(store).find("odd")
    assert place is not None
    uris = [each.uri for each in place.view.walk()]
    assert len(uris) == len(ODD)
    paths = {uri: place.concept_path(uri) for uri in uris}
    assert {uri: read_back(place, path) for uri, path in paths.items()} == {uri: uri for uri in uris}
    assert len(set(paths.values())) == len(ODD)


def test_the_commonest_beginning_is_left_out_of_addresses(store: Store, tmp_path: Path) -> None:
    lines = ["http://a.example/1", *(f"http://b.example/x#{number}" for number in range(3))]
    vocabulary(store, tmp_path, "uri,label\n" + "".join(f"{uri},label\n" for uri in lines), "mixed")
    place = VocabularyDirectory(store).find("mixed")
    assert place is not None
    assert place.concept_path("http://b.example/x#2") == "/vocabulary/mixed/concept/2"
    assert place.concept_path("http://a.example/1").endswith("/concept?uri=http%3A%2F%2Fa.example%2F1")
    assert place.find("1") is not None
    assert place.find("7") is None


def test_updates_and_removals_are_followed(store: Store, tmp_path: Path) -> None:
    now = [0.0]
    directory = VocabularyDirectory(store, clock=lambda: now[0])
    assert not directory
    vocabulary(store, tmp_path)
    assert not directory  # it has looked a moment ago
    now[0] += 1
    assert [each.name for each in directory.places] == ["topics"]
    mark, place = directory.mark, directory.find("topics")
    now[0] += 1
    assert directory.find("topics") is place
    path = tmp_path / "topics.csv"
    path.write_text("code,label\n1,one\n", encoding="utf-8")
    import_vocabulary(store, "topics", path, is_new=False)
    now[0] += 1
    assert directory.mark != mark
    changed = directory.find("topics")
    assert changed is not None
    assert changed.vocabulary.concepts == 1


VOCABULARIES = (
    (own, "barn/tools.ttl"),
    (own, "barn/weather.jsonld"),
    (own, "barn/circle.ttl"),
    (shared, "NatLibFi__Skosmos/yso.ttl"),
    (shared, "hbz__lobid-resources/rpb.ttl"),
    (shared, "hbz__lobid-resources/nwbib.ttl"),
)


@pytest.mark.parametrize(("place", "name"), VOCABULARIES)
def test_concepts_of_vocabularies_lead_back(store: Store, place: Place, name: str) -> None:
    import_vocabulary(store, "real", place(f"vocab/{name}"))
    published = VocabularyDirectory(store).find("real")
    assert published is not None
    uris = [each.uri for each in published.view.walk()]
    assert [read_back(published, published.concept_path(uri)) for uri in uris] == uris
