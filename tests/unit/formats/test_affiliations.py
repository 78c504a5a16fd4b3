"""People with several institutions: in every format that names them, each is one by itself."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.formats.affiliated import FORMATS
from windrow.exports.entries import as_dict
from windrow.formats.mapping.document_draft import Draft
from windrow.formats.page_metadata.meta_tags import highwire_tags
from windrow.formats.page_metadata.schema_org import json_ld
from windrow.formats.registry import read
from windrow.model.document import Agent, Document, Text


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
    written = [
        tag.content for tag in highwire_tags(document, "/1") if tag.name == "citation_author_institution"
    ]
    assert written == ["Barn", "Field"]
    author: Any = json_ld(document, "/1")["author"]
    assert [each["name"] for each in author[0]["affiliation"]] == ["Barn", "Field"]
