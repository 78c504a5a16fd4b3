"""Dublin Core that stands deeper than it should, inside a wrapper of the repository software."""

from __future__ import annotations

import pytest

from windrow.formats.registry import read
from windrow.model.document import Agent, Document

DECLARED = (
    b' xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    b' xmlns:dcterms="http://purl.org/dc/terms/" xmlns:qdc="http://dspace.org/qualifieddc/"'
    b' xmlns:etd="http://www.ndltd.org/standards/metadata/etdms/1.0/"'
    b' xmlns:uketd="http://naca.central.cranfield.ac.uk/ethos-oai/2.0/"'
    b' xmlns:dim="http://www.dspace.org/xmlns/dspace/dim" xmlns:kk="http://kk/1.0" xmlns:x="urn:wrapper"'
)


def document(payload: str) -> Document:
    return read(payload.encode(), DECLARED, "")


@pytest.mark.parametrize(
    "root", ["oai_dc:dc", "qdc:qualifieddc", "etd:thesis", "uketd:uketddc", "dcterms:dcterms"]
)
@pytest.mark.parametrize(
    ("start", "end"),
    [
        ('<record xmlns="">', "</record>"),
        ("<x:record>", "</x:record>"),
        ("<x:list><x:record>", "</x:record></x:list>"),
        ('<dc:wrapper kind="a">', "</dc:wrapper>"),
    ],
)
def test_elements_inside_a_wrapper_are_those_of_the_record(root: str, start: str, end: str) -> None:
    found = document(
        f"<{root}>{start}<dc:title>Moss</dc:title><dc:creator>Lind, Ada</dc:creator>"
        f"<dc:date>1931</dc:date><x:shelf>H2019.37/9</x:shelf>{end}</{root}>"
    )
    assert (found.title, found.year) == ("Moss", 1931)
    assert [agent.name for agent in found.creators] == ["Lind, Ada"]
    assert found.extra == {"x:shelf": ("H2019.37/9",)}


def test_what_the_record_says_outside_of_a_wrapper_is_not_joined_by_what_is_inside() -> None:
    found = document(
        "<oai_dc:dc><dc:title>Moss</dc:title><x:part><dc:title>Lichen</dc:title>"
        "<dc:language>fi</dc:language></x:part></oai_dc:dc>"
    )
    assert [text.value for text in found.titles] == ["Moss"]
    assert found.languages == ("fi",)
    assert found.extra == {"dc:title": ("Lichen",)}


def test_what_lies_deeper_than_two_levels_is_found_by_name_where_there_is_no_title_above() -> None:
    found = document(
        "<oai_dc:dc><x:a><x:b><x:c><dc:title>Moss</dc:title><x:d>Fen</x:d></x:c></x:b></x:a></oai_dc:dc>"
    )
    assert found.title == "Moss"
    assert found.extra == {"x:d": ("Fen",)}
    found = document(
        "<oai_dc:dc><dc:title>Bog</dc:title><x:a><x:b><x:c><dc:title>Moss</dc:title></x:c></x:b></x:a></oai_dc:dc>"
    )
    assert [text.value for text in found.titles] == ["Bog"]
    assert found.extra == {"x:a": ("Moss",)}


@pytest.mark.parametrize(
    "inside",
    [
        '<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo><title>Moss</title></titleInfo>'
        '<name type="personal">'
        "<namePart>Lind, Ada</namePart></name><originInfo><dateIssued>1931</dateIssued></originInfo></mods>",
        '<record xmlns="http://www.loc.gov/MARC21/slim"><controlfield tag="008">310101s1931    '
        "fi</controlfield>"
        '<datafield tag="100" ind1="1"><subfield code="a">Lind, Ada</subfield></datafield>'
        '<datafield tag="245"><subfield code="a">Moss</subfield></datafield></record>',
        "<oai_dc:dc><dc:title>Moss</dc:title><dc:creator>Lind, Ada</dc:creator>"
        "<dc:date>1931</dc:date></oai_dc:dc>",
        "&lt;dc&gt;&lt;title&gt;Moss&lt;/title&gt;&lt;creator&gt;Lind, Ada&lt;/creator&gt;"
        "&lt;date&gt;1931&lt;/date&gt;&lt;/dc&gt;",
    ],
)
def test_a_record_of_another_format_in_the_root_of_dublin_core_is_read(inside: str) -> None:
    found = document(f"<oai_dc:dc>{inside}</oai_dc:dc>")
    assert (found.title, found.year) == ("Moss", 1931)
    assert [agent.name for agent in found.creators] == ["Lind, Ada"]


@pytest.mark.parametrize("name", ["value", "content", "text"])
def test_attributes_may_stand_in_the_place_of_text(name: str) -> None:
    found = document(
        f'<oai_dc:dc><dc:title {name}="Moss"/><dc:creator {name}="Lind, Ada"/><dc:date '
        f'{name}="1931"/></oai_dc:dc>'
    )
    assert (found.title, found.year) == ("Moss", 1931)
    assert [agent.name for agent in found.creators] == ["Lind, Ada"]


def test_words_of_an_unknown_structure_do_not_grow_together() -> None:
    found = document(
        "<oai_dc:dc><x:unit><x:id>RMNH.INS.23917</x:id><x:other>ANTVI001</x:other></x:unit></oai_dc:dc>"
    )
    assert found.extra == {"x:unit": ("RMNH.INS.23917", "ANTVI001")}


def test_markup_inside_a_title_is_no_wrapper() -> None:
    assert (
        document("<oai_dc:dc><dc:title>On <i>Sphagnum</i> moss</dc:title></oai_dc:dc>").title
        == "On Sphagnum moss"
    )


def test_fields_of_dspace_are_found_inside_a_wrapper_too() -> None:
    dim = '<dim:dim><x:item><dim:field mdschema="dc" element="title">Moss</dim:field></x:item></dim:dim>'
    kk = '<kk:metadata><x:item><kk:field schema="dc" element="title" value="Moss"/></x:item></kk:metadata>'
    assert document(dim).title == document(kk).title == "Moss"


def test_family_and_given_names_in_elements_of_their_own_are_one_person() -> None:
    found = document(
        "<oai_dc:dc><dc:creator><x:givenName>Ada</x:givenName><x:familyName>Lind</x:familyName></dc:creator>"
        "<dc:contributor><x:person><x:surname>Aho</x:surname><x:forename>Ida</x:forename></x:person>"
        "</dc:contributor></oai_dc:dc>"
    )
    assert found.creators == (Agent("Lind, Ada"),)
    assert found.contributors == (Agent("Aho, Ida"),)


@pytest.mark.parametrize(
    "creator",
    [
        "<dc:creator><x:nachname>Lind</x:nachname><x:vorname>Ada</x:vorname></dc:creator>",
        "<dc:creator><x:Sukunimi>Lind</x:Sukunimi><x:Etunimi>Ada</x:Etunimi></dc:creator>",
        "<dc:creator><x:efternamn>Lind</x:efternamn><x:förnamn>Ada</x:förnamn></dc:creator>",
        "<dc:creator><x:nom>Lind</x:nom><x:prénom>Ada</x:prénom></dc:creator>",
        '<dc:creator familyName="Lind" givenName="Ada"/>',
    ],
)
def test_parts_of_names_are_known_in_other_languages_and_in_attributes(creator: str) -> None:
    assert document(f"<oai_dc:dc>{creator}</oai_dc:dc>").creators == (Agent("Lind, Ada"),)


def test_parts_of_a_name_that_nobody_knows_do_not_grow_together() -> None:
    found = document("<oai_dc:dc><dc:creator><x:p>Ada</x:p><x:q>Lind</x:q></dc:creator></oai_dc:dc>")
    assert found.creators == (Agent("Ada Lind"),)


def test_the_date_of_the_description_is_not_that_of_the_thing() -> None:
    elements = '<dc:date content="metadata update">2020-09-02</dc:date><dc:title>Moss</dc:title>'
    assert document(f"<oai_dc:dc>{elements}</oai_dc:dc>").year is None
    assert document(f"<oai_dc:dc><x:record>{elements}</x:record></oai_dc:dc>").year is None
