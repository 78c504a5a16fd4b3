from __future__ import annotations

import pytest

from windrow.formats.registry import read
from windrow.model.document import Agent, Document, DocumentDate, Identifier, LinkKind, Subject, Text


def mods(inside: str) -> Document:
    namespaces = b' xmlns="http://www.loc.gov/mods/v3" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return read(f"<mods>{inside}</mods>".encode(), namespaces, "mods")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("<nonSort>The</nonSort><title>hay</title>", "The hay"),
        ("<nonSort>L'</nonSort><title>herbe</title>", "L'herbe"),
        ("<title>Hay</title><subTitle>a study</subTitle>", "Hay : a study"),
        ("<title>Hay :</title><subTitle>a study</subTitle>", "Hay : a study"),
        ("<title>Hay.</title><partNumber>2</partNumber><partName>Straw</partName>", "Hay. 2. Straw"),
        ("Hay alone", "Hay alone"),
    ],
)
def test_the_parts_of_a_title_are_joined(written: str, shown: str) -> None:
    assert mods(f"<titleInfo>{written}</titleInfo>").title == shown


def test_the_main_title_stands_before_its_translation() -> None:
    translated = '<titleInfo type="translated" lang="sv"><title>Hö</title></titleInfo>'
    assert mods(f"{translated}<titleInfo><title>Hay</title></titleInfo>").titles == (
        Text("Hay"),
        Text("Hö", "sv"),
    )


def test_a_name_without_a_role_made_the_thing() -> None:
    assert mods("<name><namePart>Anyone, A.</namePart></name>").creators == (Agent("Anyone, A."),)


def test_someone_is_a_creator_when_one_of_several_roles_says_so() -> None:
    roles = "".join(f"<role><roleTerm>{role}</roleTerm></role>" for role in ("ill", "aut"))
    document = mods(f"<name><namePart>Anyone, A.</namePart>{roles}</name>")
    assert document.creators == (Agent("Anyone, A.", "illustrator"),)
    assert document.extra["mods:name/role"] == ("author",)


def test_an_orcid_in_a_description_identifies_the_person() -> None:
    described = "<description>orcid.org=0000-0001-2345-6789</description><description>local=7</description>"
    document = mods(f"<name><namePart>Anyone, A.</namePart>{described}</name>")
    assert document.creators[0].identifier == "https://orcid.org/0000-0001-2345-6789"
    assert document.extra["mods:name/description"] == ("local=7",)


def test_a_body_behind_the_work_gives_institution_and_department() -> None:
    parts = "<namePart>Example University</namePart><namePart>School</namePart><namePart>Hay Lab</namePart>"
    document = mods(f'<name type="corporate">{parts}<role><roleTerm>pbl</roleTerm></role></name>')
    assert (document.institution, document.department) == ("Example University", "Hay Lab")


def test_a_publisher_by_role_counts_only_where_none_is_named() -> None:
    name = "<name><namePart>Dept</namePart><role><roleTerm>publisher</roleTerm></role></name>"
    assert mods(name).publishers == ("Dept",)
    named = "<originInfo><publisher>Sample Press</publisher></originInfo>"
    assert mods(name + named).publishers == ("Sample Press",)


def test_start_and_end_of_a_date_are_one_span() -> None:
    dates = (
        '<dateIssued point="end">1910</dateIssued><dateIssued point="start" keyDate="yes">1900</dateIssued>'
    )
    assert mods(f"<originInfo>{dates}</originInfo>").dates == (DocumentDate("1900/1910", "issued"),)


def test_an_end_without_a_start_is_a_date_of_its_own() -> None:
    assert mods('<originInfo><dateIssued point="end">1910</dateIssued></originInfo>').year == 1910


def test_the_year_of_digitisation_is_not_the_year_of_the_thing() -> None:
    scan = "<dateIssued>2020</dateIssued><publisher>Scan House</publisher>"
    scanned = f'<originInfo eventType="digitization">{scan}</originInfo>'
    document = mods(scanned + "<originInfo><dateCreated>1890</dateCreated></originInfo>")
    assert document.year == 1890
    assert not document.publishers


def test_topics_side_by_side_come_apart_unless_they_are_from_a_vocabulary() -> None:
    topics = "<topic>drying</topic><topic>stacking</topic>"
    assert mods(f"<subject>{topics}</subject>").subjects == (Subject("drying"), Subject("stacking"))
    heading = mods(f'<subject authority="lcsh">{topics}</subject>').subjects
    assert heading == (Subject("drying -- stacking", "lcsh"),)


def test_a_genre_in_three_languages_counts_in_english() -> None:
    words = '<genre lang="eng">Article</genre><genre lang="swe">Artikel</genre>'
    document = mods(f'{words}<genre type="contentType">ref</genre>')
    assert document.types == ("Article",)
    assert document.extra["mods:genre"] == ("Artikel", "ref")


def test_codes_are_types_where_there_is_nothing_else() -> None:
    assert mods('<genre authority="svep" type="publicationType">art</genre>').types == ("art",)


@pytest.mark.parametrize(
    ("attributes", "kind"),
    [
        ('access="raw object"', LinkKind.FULLTEXT),
        ('access="preview"', LinkKind.THUMBNAIL),
        ('usage="primary display"', LinkKind.LANDING),
        ('displayLabel="FULLTEXT"', LinkKind.FULLTEXT),
        ('displayLabel="iiif-manifest"', LinkKind.RELATED),
        ("", LinkKind.LANDING),
    ],
)
def test_an_address_is_what_its_attributes_say(attributes: str, kind: LinkKind) -> None:
    links = mods(f"<location><url {attributes}>https://example.org/1</url></location>").links
    assert [link.kind for link in links] == [kind]


def test_the_primary_address_is_the_landing_page_before_an_identifier() -> None:
    identifier = '<identifier type="doi">10.5555/1</identifier>'
    document = mods(identifier + '<location><url usage="primary">https://example.org/1</url></location>')
    assert document.landing == "https://example.org/1"


def test_identifiers_are_named_by_their_type_and_invalid_ones_are_set_aside() -> None:
    document = mods(
        '<identifier type="hdl">2043/15776</identifier><identifier type="isi">A1</identifier>'
        '<identifier type="isbn" invalid="yes">1</identifier>'
    )
    assert document.names == (Identifier("hdl", "2043/15776"), Identifier("isi", "A1"))
    assert document.extra["mods:identifier"] == ("1",)


def test_a_host_is_a_source_with_its_place_and_a_grant_is_not() -> None:
    part = "<part><detail><number>6</number></detail><extent><start>1</start><end>9</end></extent></part>"
    host = f'<relatedItem type="host"><titleInfo><title>Journal</title></titleInfo>{part}</relatedItem>'
    genre = "<genre>grantAgreement</genre>"
    grant = f'<relatedItem type="host"><titleInfo><title>Money</title></titleInfo>{genre}</relatedItem>'
    document = mods(host + grant)
    assert document.sources == ("Journal, 6, 1-9",)
    assert document.relations == ("Money",)


def test_a_shelf_is_no_institution() -> None:
    code = '<physicalLocation authority="marcorg">DE-1</physicalLocation>'
    document = mods(f"<location><physicalLocation>Box 3</physicalLocation>{code}</location>")
    assert document.institution is None
    assert document.extra["mods:location/physicalLocation"] == ("Box 3", "DE-1")


def test_a_bare_extent_is_a_number_of_pages() -> None:
    assert mods("<physicalDescription><extent>73</extent></physicalDescription>").pages == 73


def test_words_nobody_foresaw_are_kept_under_the_part_they_stand_in() -> None:
    document = mods("<extension><a xmlns='urn:x'>one<b>two</b>three</a></extension><note>four</note>")
    assert document.extra == {
        "mods:extension/a": ("one three",),
        "mods:extension/b": ("two",),
        "mods:note": ("four",),
    }
