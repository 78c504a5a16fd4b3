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
        '<card kind="index" version="v2" lang="sv" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
        ' xsi:schemaLocation="urn:a urn:b">'
        '<shelf label="Upper row" code="b12" remark="behind the door"/></card>'
    )
    assert found.extra == {
        "card@kind": ("index",),
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


MOSS = "<title>Moss</title><creator>Lind, Ada</creator><date>1931</date><language>sv</language>"
MARC = (
    "<record><leader>00000nam a2200000 a 4500</leader><datafield tag='100' ind1='1'><subfield "
    "code='a'>Lind, Ada"
    "</subfield></datafield><datafield tag='245'><subfield code='a'>Moss</subfield></datafield></record>"
)


@pytest.mark.parametrize(
    "payload",
    [
        '<card title="Moss" creator="Lind, Ada" date="1931" language="sv"/>',
        '<box><card title="Moss" author="Lind, Ada" year="1931" lang="sv"/></box>',
        '<c xmlns:dc="http://purl.org/dc/elements/1.1/" dc:title="Moss" dc:creator="Lind, Ada" '
        'dc:date="1931" dc:language="sv"/>',
        "<c><title value='Moss'/><creator value='Lind, Ada'/><date content='1931'/><language "
        "value='sv'/></c>",
        "<c><field key='title'>Moss</field><field key='creator'>Lind, Ada</field><field "
        "key='year'>1931</field>"
        "<field key='language'>sv</field></c>",
        "<c><field label='Title' value='Moss'/><field label='Author' value='Lind, Ada'/>"
        "<field label='Date' value='1931'/><field label='Language' value='sv'/></c>",
        "<head><meta name='DC.title' content='Moss'/><meta name='DC.creator' content='Lind, Ada'/>"
        "<meta name='DC.date' content='1931'/><meta name='DC.language' content='sv'/></head>",
        '<dublin_core><dcvalue element="title" qualifier="none">Moss</dcvalue>'
        '<dcvalue element="contributor" qualifier="author">Lind, Ada</dcvalue>'
        '<dcvalue element="date" qualifier="issued">1931</dcvalue>'
        '<dcvalue element="language" qualifier="iso">sv</dcvalue></dublin_core>',
        "<c><DC.Title>Moss</DC.Title><DC.Creator>Lind, Ada</DC.Creator><DC.Date>1931</DC.Date>"
        "<DC.Language>sv</DC.Language></c>",
        "<c><DocumentTitle>Moss</DocumentTitle><AuthorName>Lind, Ada</AuthorName>"
        "<PublicationYear>1931</PublicationYear><LanguageCode>sv</LanguageCode></c>",
        "<datensatz><titel>Moss</titel><autor>Lind, Ada</autor><jahr>1931</jahr>"
        "<sprache>sv</sprache></datensatz>",
        "<tietue><nimeke>Moss</nimeke><tekijä>Lind, Ada</tekijä><vuosi>1931</vuosi>"
        "<kieli>sv</kieli></tietue>",
        '<c>{"title": "Moss", "creators": [{"name": "Lind, Ada"}], "issued": 1931, '
        '"dc:language": ["sv"]}</c>',
        '<c><d><![CDATA[{"titles": [{"title": "Moss"}], "author": {"family": "Lind", "given": "Ada"},'
        ' "year": "1931", "language": "sv"}]]></d></c>',
        '{"title": "Moss", "creator": "Lind, Ada", "date": "1931", "language": "sv"}',
        f"<c><d><![CDATA[<?xml version='1.0'?><dc>{MOSS}</dc>]]></d></c>",
        f"<c><d>{('<dc>' + MOSS + '</dc>').replace('<', '&lt;')}</d></c>",
        "<DC><TITLE>Moss</TITLE><CREATOR>Lind, Ada</CREATOR><DATE>1931</DATE><LANGUAGE>sv</LANGUAGE></DC>",
    ],
)
def test_what_a_record_says_is_found_whatever_its_shape(payload: str) -> None:
    found = document(payload)
    assert [text.value for text in found.titles] == ["Moss"]
    assert [agent.name for agent in found.creators] == ["Lind, Ada"]
    assert (found.year, found.languages) == (1931, ("sv",))


@pytest.mark.parametrize(
    "around", ["<w><b>{}</b></w>", "<w xmlns='urn:w'><b xmlns=''>{}</b></w>", "<c>{}</c>"]
)
def test_marc_without_its_namespace_is_found_inside_an_envelope(around: str) -> None:
    found = document(around.format(MARC))
    assert (found.title, [agent.name for agent in found.creators]) == ("Moss", ["Lind, Ada"])


def test_the_older_format_for_marc_is_read_as_marc() -> None:
    found = document(
        '<oai_marc xmlns="http://www.openarchives.org/OAI/1.1/oai_marc"><fixfield id="008">'
        '"310101s1931    fi                  swe  "</fixfield><varfield id="245" i1="1" i2="0">'
        '<subfield label="a">Moss</subfield></varfield><varfield id="100" i1="1" i2=" ">'
        '<subfield label="a">Lind, Ada</subfield></varfield></oai_marc>'
    )
    assert (found.title, found.year, found.languages) == ("Moss", 1931, ("sv",))
    assert [agent.name for agent in found.creators] == ["Lind, Ada"]


def test_a_record_without_a_title_is_called_by_its_name() -> None:
    assert document("<thing><name>Moss</name><height>3 cm</height></thing>").title == "Moss"
    assert document("<thing><part><name>Moss</name></part><height>3 cm</height></thing>").title is None


@pytest.mark.parametrize(
    "payload",
    [
        "<c><d>&lt;p&gt;Moss and &lt;title&gt;fen&lt;/title&gt;&lt;/p&gt;</d></c>",
        "<c><d>&lt;!DOCTYPE a [&lt;!ENTITY b 'c'&gt;]&gt;&lt;a&gt;&lt;title&gt;fen"
        "&lt;/title&gt;&lt;/a&gt;</d></c>",
        "<c><d>{moss and fen}</d></c>",
        f"<c><d>{'[' * 100_000}fen{']' * 100_000}</d></c>",
        '<c><d>["moss", "fen"]</d></c>',
    ],
)
def test_text_that_is_no_record_stays_text(payload: str) -> None:
    found = document(payload)
    assert found.titles == ()
    assert "fen" in "".join(found.extra["d"])


def test_a_record_that_stood_as_text_is_not_kept_a_second_time() -> None:
    found = document('<c><box>Shelf 7</box><d>{"title": "Moss", "colour": "green"}</d></c>')
    assert found.title == "Moss"
    assert found.extra == {"colour": ("green",), "box": ("Shelf 7",)}


def test_a_record_as_text_is_bounded() -> None:
    deep = '{"a":' * 60 + '"fen"' + "}" * 60
    many = ",".join(f'"k{number}": "fen"' for number in range(20_000))
    assert document(f'<c>{{"title": "Moss", "deep": {deep}}}</c>').title == "Moss"
    found = document(f'<c>{{"title": "Moss", {many}}}</c>')
    assert found.title == "Moss"
    assert len(found.extra) <= 10_001


def test_words_of_attributes_are_no_fields_unless_they_make_a_record() -> None:
    found = document('<c><link title="Moss" href="urn:x"/><note type="aside">Fen</note></c>')
    assert (found.titles, found.types) == ((), ())
