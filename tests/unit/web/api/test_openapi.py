from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given

from tests.unit.formats.documents import documents
from tests.unit.web.api.office import Office
from tests.unit.web.api.shaping import faults
from windrow.config.collection_values import EVENT_FACETS
from windrow.exports.entries import as_dict
from windrow.model.document import (
    Agent,
    Document,
    DocumentDate,
    Event,
    HeldFile,
    Identifier,
    Link,
    Subject,
    Text,
)
from windrow.web.api.answer_types import answer_schemas
from windrow.web.api.endpoints import ENDPOINTS, Endpoint, find_endpoint
from windrow.web.http.http_request import HttpRefusal

EXAMPLES = {"source": "hay", "identifier": "oai:hay.example:1/v1", "name": "totals", "vocabulary": "crops"}
PARTS: dict[str, Any] = {
    "Text": Text, "Agent": Agent, "Subject": Subject, "Date": DocumentDate, "Link": Link, "Name": Identifier,
    "Event": Event,
}  # fmt: skip
NEEDED = {
    "/facets": [("field", "type")],
    "/suggest": [("q", "mea")],
    "/vocabularies/{vocabulary}/concept": [("concept", "1")],
    "/vocabularies/{vocabulary}/search": [("q", "o")],
    "/vocabularies/{vocabulary}/suggest": [("q", "o")],
}
# Two values of each parameter that lead to different answers, with what else it needs.
TELLING: dict[str, tuple[str | None, str]] = {
    "q": ("meadows", "nurses"),
    "match": (None, "all"),
    "department": (None, "No such"),
    "institution": (None, "No such"),
    "year": (None, "2005..2007"),
    "type": (None, "Article"),
    "language": (None, "sv"),
    "access": (None, "No such"),
    "licence": (None, "No such"),
    "subject": (None, "oats"),
    "keyword": (None, "oats"),
    "creator": (None, "Rake, Bo"),
    "publisher": (None, "Barn Press"),
    "journal": (None, "No such"),
    "source": (None, "oats"),
    "set": (None, "open"),
    "holding": (None, "No such"),
    "missing": (None, "institution"),
    **dict.fromkeys(EVENT_FACETS, (None, "No such")),
    "folder": (None, "No such"),
    "media": (None, "application/pdf"),
    "size": (None, "0..9999"),
    "collection": (None, "north"),
    "sort": ("oldest", "newest"),
    "per_page": ("1", "2"),
    "cursor": (None, ""),
    "facet": (None, "type"),
    "field": ("type", "language"),
    "limit": ("1", "2"),
    "letter": ("M", "R"),
    "days": ("1", "2"),
    "include": (None, "citations"),
    "vocabulary": ("on", "off"),
    "concept": ("1", "2"),
}
CASES = [
    pytest.param(endpoint, parameter.name, id=f"{endpoint.path} {parameter.name}")
    for endpoint in ENDPOINTS
    for parameter in endpoint.parameters
    if not parameter.is_in_path
]


def filled(endpoint: Endpoint) -> str:
    return re.sub(r"{(\w+)}", lambda found: EXAMPLES[found[1]], endpoint.path)


def needed(endpoint: Endpoint, *, but: str = "") -> list[tuple[str, str]]:
    return [pair for pair in NEEDED.get(endpoint.path, []) if pair[0] != but]


@pytest.fixture(scope="module")
def description(office: Office) -> Any:
    return office.get("/openapi.json")


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.path)
def test_every_documented_address_answers_as_documented(
    office: Office, description: Any, endpoint: Endpoint
) -> None:
    value = office.get(filled(endpoint), *needed(endpoint))
    schemas = description["components"]["schemas"]
    operation = description["paths"][endpoint.path]["get"]
    schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    assert faults(value, schema, schemas) == []


@given(documents())
def test_every_document_is_as_described(document: Document) -> None:
    assert faults(as_dict(document), answer_schemas()["Document"], answer_schemas()) == []


def test_every_field_of_a_document_and_of_its_parts_is_described() -> None:
    file = HeldFile("a.zip", "text/plain", 1, "ab", "b.txt", ("Hay",), facts=(("pages", "2"),))
    schemas = answer_schemas()
    assert faults(as_dict(Document(file=file)), schemas["Document"], schemas) == []
    assert list(schemas["Document"]["properties"]) == [item.name for item in fields(Document)]
    for name, part in PARTS.items():
        assert list(schemas[name]["properties"]) == list(part._fields)
        always = [each for each in part._fields if part._field_defaults.get(each, "") not in (None, ())]
        assert schemas[name]["required"] == always


def test_nothing_is_called_an_object_and_left_at_that() -> None:
    assert list(bare_objects(answer_schemas(), "")) == []


def bare_objects(schema: Any, place: str) -> Iterator[str]:
    if isinstance(schema, dict):
        if schema.get("type") == "object" and not {"properties", "additionalProperties"} & schema.keys():
            yield place
        for name, part in schema.items():
            yield from bare_objects(part, f"{place}.{name}")


@pytest.mark.parametrize(("endpoint", "name"), CASES)
def test_every_documented_parameter_changes_the_answer(office: Office, endpoint: Endpoint, name: str) -> None:
    one, other = TELLING[name]
    path, others = filled(endpoint), needed(endpoint, but=name)
    if endpoint.path == "/suggest" and name == "limit":
        others = [("q", "me")]
    if endpoint.path == "/suggest" and name == "q":
        one, other = "me", "nu"
    if endpoint.path.startswith("/vocabularies/") and name == "q":
        one, other = "farm", "oats"
    if name == "vocabulary":
        others = [*others, ("q", "subject:1")]
    if name == "match":
        others = [("q", "medows")]
    if name == "cursor":
        others = [("per_page", "1")]
        found = re.findall("cursor=([^&]+)", office.get(path, *others)["next"])
        other = unquote(found[0].replace("+", " "))
    first = office.ask(path, *others, *([] if one is None else [(name, one)]))
    second = office.ask(path, *others, (name, other))
    assert (first.status, second.status) == (200, 200), second.text
    assert first.body != second.body


def test_the_description_is_openapi_by_its_structure(description: Any) -> None:
    assert description["openapi"].startswith("3.1.")
    assert {"title", "version"} <= description["info"].keys()
    names = [operation["get"]["operationId"] for operation in description["paths"].values()]
    assert len(names) == len(set(names))
    for path, item in description["paths"].items():
        assert path.startswith("/")
        operation = item["get"]
        in_path = {each["name"] for each in operation["parameters"] if each["in"] == "path"}
        assert in_path == set(re.findall(r"{(\w+)}", path))
        assert all(each["required"] for each in operation["parameters"] if each["in"] == "path")
        pairs = [(each["name"], each["in"]) for each in operation["parameters"]]
        assert len(pairs) == len(set(pairs))
        assert all(each["schema"] and each["description"] for each in operation["parameters"])
        assert "200" in operation["responses"]
        assert all(response["description"] for response in operation["responses"].values())


def test_every_shape_that_is_named_is_described_and_every_one_described_is_used(description: Any) -> None:
    named = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(description)))
    assert named == set(description["components"]["schemas"])


def test_the_first_page_lists_every_address(office: Office) -> None:
    listed = [item["path"] for item in office.get("/")["items"]]
    assert listed == [f"/api/v1{endpoint.path}" for endpoint in ENDPOINTS]


@pytest.mark.parametrize(
    "path", ["/nothing", "/search/more", "/browse", "/browse/colours", "/records/hay", "/"]
)
def test_other_addresses_lead_nowhere(path: str) -> None:
    with pytest.raises(HttpRefusal):
        find_endpoint(path)


def test_the_description_is_made_once_for_all_who_ask(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = office.ask("/openapi.json", ("asked", "first"))

    def describe_again(desk: object) -> None:
        raise AssertionError("it was made again")

    monkeypatch.setattr("windrow.web.api.api_front_end.describe_api", describe_again)
    for number in range(3):
        assert office.ask("/openapi.json", ("asked", str(number))).body == first.body
