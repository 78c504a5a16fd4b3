from __future__ import annotations

from lxml import etree

from tests.unit.web.api.office import Office

ONE = "/records/hay/oai:hay.example:1/v1"


def test_a_record_has_its_document_and_how_it_came(office: Office) -> None:
    found = office.get(ONE)
    assert found["document"]["titles"] == [{"value": "Meadows in summer 1"}]
    assert found["formats"][0]["prefix"] == "oai_dc"
    assert found["sets"] == [{"spec": "theses", "name": "theses"}]
    assert found["changed"].endswith("Z")
    assert "history" not in found


def test_a_slash_in_an_identifier_may_be_written_either_way(office: Office) -> None:
    assert office.get("/records/hay/oai:hay.example:1%2Fv1") == office.get(ONE)


def test_more_is_given_where_it_is_asked_for(office: Office) -> None:
    wanted = [("include", name) for name in ("citations", "history", "raw", "similar")]
    found = office.get(ONE, *wanted)
    assert found["citations"]["apa"].startswith("Rake, B. (2001). Meadows in summer 1")
    assert [each["kind"] for each in found["history"]] == ["added"]
    assert etree.fromstring(found["raw"]["oai_dc"]).findtext("{*}title") == "Meadows in summer 1"
    assert len(found["similar"]) <= 5
    assert "oai:hay.example:1/v1" not in {each["identifier"] for each in found["similar"]}


def test_a_withdrawn_record_is_gone_and_an_unknown_one_not_found(office: Office) -> None:
    assert office.ask("/records/hay/oai:hay.example:gone").status == 410
    assert office.ask("/records/hay/oai:hay.example:none").status == 404
    assert office.ask("/records/straw/oai:hay.example:1").status == 404
