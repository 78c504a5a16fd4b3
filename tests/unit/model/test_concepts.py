"""One concept for the many wordings of a type, and what an owner adds to the table."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest

from windrow.model.controlled_values import NORMALISED, TYPE, load_controlled_values, wording_key
from windrow.model.counted_fields import field_values, normalised_label, normalised_value
from windrow.model.document import Document

TYPES = load_controlled_values(TYPE)


@pytest.mark.parametrize(
    ("wording", "name"),
    [
        ("AMK-opinnäytetyö", "Bachelor's thesis"),
        ("YH-examensarbete", "Bachelor's thesis"),
        ("bachelor thesis", "Bachelor's thesis"),
        ("Bachelor\N{RIGHT SINGLE QUOTATION MARK}s Thesis", "Bachelor's thesis"),
        ("info:eu-repo/semantics/bachelorThesis", "Bachelor's thesis"),
        ("http://purl.org/coar/resource_type/c_7a1f", "Bachelor's thesis"),
        ("https://purl.org/coar/resource_type/c_7a1f/", "Bachelor's thesis"),
        ("fi=AMK-opinnäytetyö|sv=YH-examensarbete|en=Bachelor's thesis|", "Bachelor's thesis"),
        ("Ylempi AMK-opinnäytetyö", "Master's thesis"),
        ("Pro gradu -tutkielma", "Master's thesis"),
        ("Väitöskirja", "Doctoral thesis"),
        ("doctoralThesis", "Doctoral thesis"),
        ("Dissertation or Thesis", "Thesis"),
        ("StillImage", "Image"),
        ("image/jpeg", "Image"),
        ("Photographs", "Photograph"),
        ("Slides (Photographs)", "Photograph"),
        ("publication/journal-article", "Article"),
        ("http://purl.org/eprint/type/JournalArticle", "Article"),
        ("Revue / Journal", "Journal"),
        ("PeerReviewed", "Peer reviewed"),
        ("TEXT", "Text"),
        ("Doctoral theses", "Doctoral thesis"),
        ("Pro gradu -tutkielmat", "Master's thesis"),
        ("A1 Journal article (refereed), original research", "Research article"),
        ("G2 Pro gradu, diplomityö", "Master's thesis"),
        ("G5 Artikkeliväitöskirja", "Doctoral thesis"),
        ("D4 Julkaistu kehittämis- tai tutkimusraportti taikka -selvitys", "Report"),
        ("Doktorsavhandling, sammanläggning", "Doctoral thesis"),
        ("Kapitel i bok, del av antologi", "Book part"),
        ("Manuskript (preprint)", "Preprint"),
        ("publication-conferencepaper", "Conference paper"),
    ],
)
def test_wordings_of_one_type_have_one_name(wording: str, name: str) -> None:
    assert TYPES.name(wording) == name


@pytest.mark.parametrize(
    "wording",
    [
        "banana",
        "",
        "none",
        "Kaffeekanne",
        "A1",
        "B2 x",
        "http://purl.org/coar/resource_type/c_ffff",
        "x" * 5000,
    ],
)
def test_a_wording_that_is_not_in_the_table_stays_as_it_is(wording: str) -> None:
    assert TYPES.find(wording) is None
    assert TYPES.name(wording) == wording


def test_a_type_in_three_languages_is_counted_once() -> None:
    document = Document(types=("AMK-opinnäytetyö", "YH-examensarbete", "Bachelor's thesis", "banana"))
    assert field_values(document, "type") == ("Bachelor's thesis", "banana")


def test_a_type_is_labelled_in_the_language_of_the_reader() -> None:
    name = "Doctoral thesis"
    labels = [normalised_label("type", name, language) for language in ("en", "sv", "fi")]
    assert labels == ["Doctoral thesis", "Doktorsavhandling", "Väitöskirja"]
    assert normalised_label("type", "banana", "fi") == "banana"


@pytest.mark.parametrize("field", NORMALISED)
def test_every_label_and_wording_leads_to_its_own_concept(field: str) -> None:
    table = load_controlled_values(field)
    for concept in table:
        for label in (concept.name, *concept.labels.values()):
            assert table.name(label) == concept.name, label
            assert normalised_value(field, label) == concept.name


@pytest.mark.parametrize("name", ["resource_types", "access_rights", "licences"])
def test_no_wording_of_a_table_stands_for_two_concepts(name: str) -> None:
    text = files("windrow.model").joinpath(f"tables/{name}.toml").read_text(encoding="utf-8")
    owners: dict[str, str] = {}
    for concept, row in tomllib.loads(text).items():
        for wording in {wording_key(each) for each in (concept, row["sv"], row["fi"], *row["also"])}:
            assert owners.setdefault(wording, concept) == concept, wording


def test_an_owner_adds_wordings_and_types_and_changes_labels() -> None:
    table = TYPES.extended(
        {
            "Kehittämishanke": {"": "master thesis"},
            "Banana": {"en": "Fruit", "sv": "Frukt", "fi": "Hedelmä"},
            "Bachelor's thesis": {"fi": "AMK-opinnäytetyö", "sv": "YH-examensarbete"},
        }
    )
    assert table.name("kehittämishanke") == "Master's thesis"
    assert table.names(("banana", "FRUKT", "apple")) == ("Fruit", "apple")
    assert table.label("Fruit", "fi") == "Hedelmä"
    assert table.label("Bachelor's thesis", "fi") == "AMK-opinnäytetyö"
    assert table.name("AMK-opinnäytetyö tai kandidaatintyö") == "Bachelor's thesis"
    assert table.name("väitöskirja") == "Doctoral thesis"
    assert TYPES.name("banana") == "banana"
