"""The answers against the schemas of the protocol."""

from __future__ import annotations

import pytest
from lxml import etree

from tests.fixtures import shared
from windrow.demo.thesis_repository import Repository

REPOSITORY = Repository(2000, page_size=400)
DRIVER = """<schema xmlns="http://www.w3.org/2001/XMLSchema">
<import namespace="http://www.openarchives.org/OAI/2.0/" schemaLocation="{folder}/OAI-PMH.xsd"/>
<import namespace="http://www.openarchives.org/OAI/2.0/oai_dc/" schemaLocation="{folder}/oai_dc.xsd"/>
<import namespace="http://www.openarchives.org/OAI/2.0/oai-identifier"
 schemaLocation="{folder}/oai-identifier.xsd"/>
</schema>"""


@pytest.fixture(scope="module")
def schema() -> etree.XMLSchema:
    folder = shared("xsd").as_uri()
    parser = etree.XMLParser(no_network=True)
    return etree.XMLSchema(etree.fromstring(DRIVER.format(folder=folder), parser))


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
def test_the_answer_is_valid(schema: etree.XMLSchema, arguments: dict[str, str]) -> None:
    answer = etree.fromstring(REPOSITORY.answer(list(arguments.items())))
    schema.assertValid(answer)


def test_the_schema_does_refuse(schema: etree.XMLSchema) -> None:
    broken = REPOSITORY.answer([("verb", "Identify")]).replace(b"persistent", b"sometimes")
    assert not schema.validate(etree.fromstring(broken))
