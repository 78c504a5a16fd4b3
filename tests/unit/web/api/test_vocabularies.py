from __future__ import annotations

from tests.unit.web.api.office import Office

BASE = "vocabulary://crops/"


def test_vocabularies_are_listed_with_the_fields_they_are_bound_to(office: Office) -> None:
    (listed,) = office.get("/vocabularies")["items"]
    assert (listed["name"], listed["concepts"], listed["fields"]) == ("crops", 3, ["subject"])
    assert office.follow(listed["children"])["items"]


def test_a_concept_is_found_by_uri_notation_and_label_in_any_language(office: Office) -> None:
    found = [
        office.get("/vocabularies/crops/concept", ("concept", name), ("language", "sv"))
        for name in (f"{BASE}2", "2", "oats", "HAVRE")
    ]
    assert {each["uri"] for each in found} == {f"{BASE}2"}
    assert found[0]["label"] == "Havre"
    assert [each["label"] for each in found[0]["broader"]] == ["Jordbruk"]
    assert [[each["uri"] for each in path] for path in found[0]["paths"]] == [[f"{BASE}1"]]


def test_records_are_counted_with_those_below(office: Office) -> None:
    top = office.get("/vocabularies/crops/children")["items"]
    below = office.get("/vocabularies/crops/children", ("concept", "1"))["items"]
    assert [(each["label"], each["children"]) for each in top] == [("Farming", True)]
    assert {each["label"]: each["records"] for each in below} == {"Oats": 12, "Orchards": 0}
    assert top[0]["records"] == 12


def test_an_unknown_concept_or_vocabulary_is_not_found(office: Office) -> None:
    assert office.ask("/vocabularies/none").status == 404
    assert office.ask("/vocabularies/crops/concept", ("concept", "wheat")).status == 404


def test_other_sites_may_ask(office: Office) -> None:
    got = office.ask("/vocabularies/crops/suggest", ("q", "or"), headers={"Origin": "https://form.example"})
    assert got.headers["access-control-allow-origin"] == "*"


def test_suggestions_name_what_was_typed(office: Office) -> None:
    found = office.get("/vocabularies/crops/suggest", ("q", "frukt"), ("language", "en"))["items"]
    assert [(each["label"], each["matched"]) for each in found] == [("Orchards", "Fruktträdgårdar")]


def test_a_search_reports_what_was_added_to_it(office: Office) -> None:
    found = office.get("/search", ("q", "subject:1"))
    assert found["total"] == 12
    assert found["query"] == "subject:1"
    (added,) = found["additions"]
    assert (added["uri"], added["below"], added["is_whole"]) == (f"{BASE}1", 2, True)
    plain = office.get("/search", ("q", "subject:1"), ("vocabulary", "off"), ("match", "all"))
    assert (plain["total"], plain["additions"]) == (0, [])


def test_a_word_in_another_language_finds_the_records_of_the_concept(office: Office) -> None:
    assert office.get("/search", ("q", "havre"))["total"] == 12
    assert office.get("/search", ("q", "havre"), ("vocabulary", "off"), ("match", "all"))["total"] == 0


def test_a_facet_has_concepts_with_their_labels(office: Office) -> None:
    (facet,) = office.get("/facets", ("field", "subject"))["facets"]
    found = {each.get("label", each["value"]): each["count"] for each in facet["values"]}
    assert found == {"Oats": 12, "hay": 48, "straw": 48}
