"""The answers against the schemas of the protocol."""

from __future__ import annotations

import pytest

from tests.oai_schema import validate
from windrow.demo.thesis_repository import Repository

REPOSITORY = Repository(2000, page_size=400)


@pytest.mark.parametrize(
    "arguments",
    [
        {"verb": "Identify"},
        {"verb": "ListMetadataFormats"},
        {"verb": "ListSets"},
        {"verb": "ListSets", "resumptionToken": "ListSets/////400/0/0"},
        {"verb": "ListIdentifiers", "metadataPrefix": "kk"},
        {"verb": "ListRecords", "metadataPrefix": "oai_dc"},
        {"verb": "ListRecords", "metadataPrefix": "oai_dc", "set": "lumivirta", "from": "2012-01-01"},
        {"verb": "ListRecords", "resumptionToken": "ListRecords/oai_dc////1600/1500000000/0"},
        {"verb": "GetRecord", "metadataPrefix": "oai_dc", "identifier": "oai:theses.example:thesis/0"},
        {"verb": "GetRecord", "metadataPrefix": "oai_dc", "identifier": "oai:theses.example:nothing"},
        {"verb": "ListRecords", "metadataPrefix": "oai_dc", "set": "nowhere"},
        {"verb": "ListRecords", "metadataPrefix": "<>", "set": "&"},
        {"verb": "ListRecords", "resumptionToken": '<&">'},
        {"verb": "\x02"},
    ],
    ids=lambda arguments: "-".join(arguments.values()).encode("ascii", "backslashreplace").decode(),
)
def test_the_answer_is_valid(arguments: dict[str, str]) -> None:
    validate(REPOSITORY.answer(list(arguments.items())))


def test_the_schema_does_refuse() -> None:
    broken = REPOSITORY.answer([("verb", "Identify")]).replace(b"persistent", b"sometimes")
    with pytest.raises(AssertionError):
        validate(broken)
