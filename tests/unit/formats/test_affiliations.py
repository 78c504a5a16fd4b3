"""People with several institutions: in every format that names them, each is one by itself."""

from __future__ import annotations

from typing import Any

import pytest

from windrow.exports.portrait import as_dict
from windrow.formats.draft import Draft
from windrow.formats.highwire import tags
from windrow.formats.registry import read
from windrow.formats.schema_org import json_ld
from windrow.model.document import Agent, Document, Text

DATACITE = """
<resource xmlns="http://datacite.org/schema/kernel-4"><creators><creator><creatorName>Mower, Ann</creatorName>
<affiliation>Barn; West</affiliation><affiliation>Field</affiliation></creator></creators></resource>"""
MODS = """
<mods xmlns="http://www.loc.gov/mods/v3"><name><namePart>Mower, Ann</namePart>
<affiliation>Barn; West</affiliation><affiliation>Field</affiliation></name></mods>"""
MARC = """
<record xmlns="http://www.loc.gov/MARC21/slim"><datafield tag="100"><subfield code="a">Mower, Ann</subfield>
<subfield code="u">Barn; West</subfield><subfield code="u">Field</subfield></datafield></record>"""
ARXIV = """
<arXiv xmlns="http://arxiv.org/OAI/arXiv/"><authors><author><keyname>Mower</keyname><forenames>Ann</forenames>
<affiliation>Barn; West</affiliation><affiliation>Field</affiliation></author></authors></arXiv>"""
JPCOAR = """
<jpcoar xmlns="https://github.com/JPCOAR/schema/blob/master/2.0/"><creator>
<creatorName>Mower, Ann</creatorName>
<affiliation><affiliationName>Barn; West</affiliationName><affiliationName>B</affiliationName></affiliation>
<affiliation><affiliationName>Field</affiliationName></affiliation></creator></jpcoar>"""
DOAJ = """
<doajArticle xmlns="https://doaj.org/features/oai_doaj/1.0/"><authors><author><name>Mower, Ann</name>
<affiliationId>1</affiliationId><affiliationId>2</affiliationId></author></authors><affiliationsList>
<affiliationName affiliationId="1">Barn; West</affiliationName>
<affiliationName affiliationId="2">Field</affiliationName></affiliationsList></doajArticle>"""
RDF = """
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dcterms="http://purl.org/dc/terms/"
 xmlns:schema="http://schema.org/"><rdf:Description rdf:about="https://barn.example/1"><dcterms:creator>
<schema:Person><schema:name>Mower, Ann</schema:name><schema:affiliation>Barn; West</schema:affiliation>
<schema:affiliation>Field</schema:affiliation></schema:Person></dcterms:creator></rdf:Description></rdf:RDF>"""
FORMATS = {
    "oai_datacite": DATACITE,
    "mods": MODS,
    "marcxml": MARC,
    "arXiv": ARXIV,
    "jpcoar": JPCOAR,
    "oai_doaj": DOAJ,
    "rdf": RDF,
}


@pytest.mark.parametrize("prefix", FORMATS)
def test_each_institution_of_a_person_is_one_by_itself(prefix: str) -> None:
    document = read(FORMATS[prefix].strip().encode(), b"", prefix)
    assert document.creators == (Agent("Mower, Ann", affiliations=("Barn; West", "Field")),)
    assert not [name for name, values in document.extra.items() if "Field" in values and prefix != "oai_doaj"]


def test_who_is_named_twice_has_the_institutions_of_both() -> None:
    draft = Draft()
    for places in (("Barn", " ", "Barn"), (), ("Field", "Barn")):
        draft.add_creator("Mower, Ann", affiliations=places)
        draft.add_contributor("Rake, Bo", role="editor", affiliations=places)
    document = draft.finish()
    assert [agent.affiliations for agent in document.creators] == [("Barn", "Field")]
    assert [agent.affiliations for agent in document.contributors] == [("Barn", "Field")]


def test_pages_and_exports_name_every_institution() -> None:
    people = (Agent("Mower, Ann", affiliations=("Barn", "Field")), Agent("Rake, Bo"))
    document = Document(titles=(Text("Hay"),), creators=people, year=2020)
    assert as_dict(document)["creators"] == [
        {"name": "Mower, Ann", "affiliations": ["Barn", "Field"]},
        {"name": "Rake, Bo"},
    ]
    written = [tag.content for tag in tags(document, "/1") if tag.name == "citation_author_institution"]
    assert written == ["Barn", "Field"]
    author: Any = json_ld(document, "/1")["author"]
    assert [each["name"] for each in author[0]["affiliation"]] == ["Barn", "Field"]
