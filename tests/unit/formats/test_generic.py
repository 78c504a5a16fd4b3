"""Formats that nobody wrote a reader for: what can be told by the look of names, and nothing lost."""

from __future__ import annotations

import pytest

from windrow.formats.registry import read
from windrow.model.document import Agent, Document


def document(payload: str) -> Document:
    return read(payload.encode(), b"", "unknown")


def test_a_known_record_inside_an_unknown_envelope_is_read_by_its_own_reader() -> None:
    found = document(
        "<envelope><sender>Post office</sender><body>"
        '<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo><nonSort>The</nonSort><title>moss</title></titleInfo>'
        "</mods></body></envelope>"
    )
    assert found.title == "The moss"
    assert found.extra == {"sender": ("Post office",)}


def test_several_known_records_in_one_envelope_are_not_taken_for_one() -> None:
    record = '<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo><title>{}</title></titleInfo></mods>'
    found = document(f"<list>{record.format('Moss')}{record.format('Fen')}</list>")
    assert [text.value for text in found.titles] == ["Moss", "Fen"]


def test_marc_without_its_namespace_is_known_by_its_leader() -> None:
    found = document(
        "<record><leader>00000nam a2200000 c 4500</leader>"
        '<datafield tag="245"><subfield code="a">Moss /</subfield></datafield></record>'
    )
    assert found.title == "Moss"


def test_a_name_in_an_attribute_and_a_value_in_a_holder_are_understood() -> None:
    found = document(
        '<card><element name="Title"><data>Moss</data></element><field name="dc.creator">Lind, Ada</field>'
        "<author><name>Aho, Ida</name></author><name>Box 7</name></card>"
    )
    assert found.title == "Moss"
    assert [agent.name for agent in found.creators] == ["Lind, Ada", "Aho, Ida"]
    assert found.extra == {"name": ("Box 7",)}


def test_family_and_given_names_are_one_person_in_the_role_they_stand_in() -> None:
    found = document(
        "<card><author><givenName>Ada</givenName><familyName>Lind</familyName></author>"
        "<contactPerson><surname>Aho</surname><givenName>Ida</givenName><phone>040 123 456</phone>"
        "</contactPerson></card>"
    )
    assert found.creators == (Agent("Lind, Ada"),)
    assert found.contributors == (Agent("Aho, Ida", "contactperson"),)
    assert found.extra == {"phone": ("040 123 456",)}


def test_attributes_with_text_are_kept_and_those_about_the_text_are_not() -> None:
    found = document(
        '<card kind="index" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
        ' xsi:schemaLocation="urn:a urn:b">'
        '<shelf label="Upper row" code="b12" remark="behind the door"/></card>'
    )
    assert found.extra == {
        "shelf@label": ("Upper row",),
        "shelf@code": ("b12",),
        "shelf@remark": ("behind the door",),
    }


@pytest.mark.parametrize(
    "head",
    ["<leader>00000 jm 22000001 0000</leader>", "<leader/>", "", "<leader>00000nam a2200000 i 4500</leader>"],
)
@pytest.mark.parametrize("namespace", ["", ' xmlns="http://www.openarchives.org/OAI/2.0/"'])
def test_marc_is_read_without_its_namespace_and_with_any_leader(head: str, namespace: str) -> None:
    found = document(
        f"<record{namespace}>{head}<datafield tag='100' ind1='1'><subfield code='a'>Lind, Ada</subfield>"
        "</datafield><datafield tag='245'><subfield code='a'>Moss /</subfield></datafield></record>"
    )
    assert found.title == "Moss"
    assert [agent.name for agent in found.creators] == ["Lind, Ada"]


def test_mab_is_not_taken_for_marc() -> None:
    found = document(
        '<record xmlns="http://www.ddb.de/professionell/mabxml/mabxml-1.xsd"><leader>01130nM2</leader>'
        '<datafield tag="331"><subfield code="a">Moos</subfield></datafield></record>'
    )
    assert "Moos" in {value for values in found.extra.values() for value in values}
    assert found.types == ()
