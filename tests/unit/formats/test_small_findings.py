"""What real repositories write into the wrong place, and where it belongs."""

from __future__ import annotations

import pytest

from windrow.formats.registry import read
from windrow.model.document import Document, LinkKind

DECLARED = (
    b' xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    b' xmlns:dcterms="http://purl.org/dc/terms/" xmlns:qdc="http://dspace.org/qualifieddc/"'
    b' xmlns:dim="http://www.dspace.org/xmlns/dspace/dim" xmlns:mods="http://www.loc.gov/mods/v3"'
    b' xmlns:marc="http://www.loc.gov/MARC21/slim" xmlns:dcite="http://datacite.org/schema/kernel-4"'
)
MEETING = "Symposium on Moss (3rd : 1998 : Oulu, Finland)"


def document(payload: str) -> Document:
    return read(payload.encode(), DECLARED, "")


def plain(*elements: str) -> list[Document]:
    """Return the document of plain Dublin Core, read the quick way and by the parser."""
    body = "".join(elements)
    return [document(f"<oai_dc:dc>{body}</oai_dc:dc>"), document(f"<oai_dc:dc>{body}<!-- x --></oai_dc:dc>")]


@pytest.mark.parametrize(
    "payload",
    [
        "<qdc:qualifieddc><dcterms:alternative>Bog</dcterms:alternative><dc:title>Moss</dc:title></qdc:qualifieddc>",
        '<dim:dim><dim:field mdschema="dc" element="title" qualifier="alternative">Bog</dim:field>'
        '<dim:field mdschema="dc" element="title">Moss</dim:field></dim:dim>',
        '<dcite:resource><dcite:titles><dcite:title titleType="AlternativeTitle">Bog</dcite:title>'
        "<dcite:title>Moss</dcite:title></dcite:titles></dcite:resource>",
        "<unknown><alternative>Bog</alternative><title>Moss</title></unknown>",
        '<oai_dc:dc><dc:title type="alternative">Bog</dc:title><dc:title>Moss</dc:title></oai_dc:dc>',
        '<oai_dc:dc><dc:title titleType="AlternativeTitle">Bog</dc:title>'
        "<dc:title>Moss</dc:title></oai_dc:dc>",
        '<qdc:qualifieddc><dc:title qualifier="translated">Bog</dc:title>'
        "<dc:title>Moss</dc:title></qdc:qualifieddc>",
    ],
)
def test_the_title_proper_stands_before_the_alternative_one(payload: str) -> None:
    assert [text.value for text in document(payload).titles] == ["Moss", "Bog"]


@pytest.mark.parametrize("name", [":", "-", "–", "[…]", " ; "])
def test_signs_alone_are_no_person(name: str) -> None:
    for found in plain(f"<dc:creator>{name}</dc:creator><dc:contributor>{name}</dc:contributor>"):
        assert (found.creators, found.contributors) == ((), ())


@pytest.mark.parametrize(
    "payload",
    [
        f"<oai_dc:dc><dc:creator>{MEETING}</dc:creator></oai_dc:dc>",
        '<marc:record><marc:datafield tag="111"><marc:subfield code="a">Symposium on Moss</marc:subfield>'
        '<marc:subfield code="n">(3rd :</marc:subfield><marc:subfield code="d">1998 :</marc:subfield>'
        '<marc:subfield code="c">Oulu, Finland)</marc:subfield></marc:datafield></marc:record>',
        f'<mods:mods><mods:name type="conference"><mods:namePart>{MEETING}</mods:namePart></mods:name>'
        "</mods:mods>",
    ],
)
def test_a_conference_is_no_creator(payload: str) -> None:
    found = document(payload)
    assert found.creators == ()
    assert [(agent.name, agent.role) for agent in found.contributors] == [(MEETING, "conference")]


@pytest.mark.parametrize(
    "name",
    [
        "International Conference on Moss (2019 : Oulu)",
        "Conference on Moss. (2nd : Oulu : 1998)",
        "Workshop on Moss (1st : 2001)",
        "15th International Conference on Moss, ICM 2015",
        "Nordic Moss Conference 2019",
        "International Conference on Moss, 2019, Oulu",
        "Kongress für Moos, Oulu 1999",
    ],
)
def test_a_conference_is_known_by_its_words_too(name: str) -> None:
    for found in plain(f"<dc:creator>{name}</dc:creator>"):
        assert (found.creators, [agent.role for agent in found.contributors]) == ((), ["conference"])


def test_people_and_bodies_with_brackets_stay_creators() -> None:
    names = [
        "Lind, Ada (1901-1987)",
        "Barley Point (Firm)",
        "Virtanen, V. (ed.)",
        "Conference Board of Canada",
    ]
    names += ["Congress of Moss Workers", "Lind, Ada, 1901-1987", "Area 51", "National Conference of Bogs"]
    for found in plain(*(f"<dc:creator>{name}</dc:creator>" for name in names)):
        assert [agent.name for agent in found.creators] == names


@pytest.mark.parametrize(
    "payload",
    [
        "<oai_dc:dc><dc:date>info:eu-repo/date/embargoEnd/2031-01-01</dc:date></oai_dc:dc>",
        '<dim:dim><dim:field element="date" qualifier="embargoEnd">2031-01-01</dim:field></dim:dim>',
        '<dim:dim><dim:field element="date" qualifier="embargo">2031-01-01</dim:field></dim:dim>',
        "<oai_dc:dc><dc:date>Embargo until 2031-01-01</dc:date></oai_dc:dc>",
        "<oai_dc:dc><dc:date>2031-01-01 (EMBARGO)</dc:date></oai_dc:dc>",
        '<oai_dc:dc><dc:date type="embargo">2031-01-01</dc:date></oai_dc:dc>',
        "<qdc:qualifieddc><dcterms:dateEmbargo>2031-01-01</dcterms:dateEmbargo></qdc:qualifieddc>",
        "<oai_dc:dc><dc:embargoDate>2031-01-01</dc:embargoDate></oai_dc:dc>",
    ],
)
def test_the_end_of_an_embargo_is_no_year(payload: str) -> None:
    found = document(payload)
    assert found.year is None
    assert [moment.kind for moment in found.dates] == ["embargo"]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("J. Kemp;", "J. Kemp"),
        ("Kemp & Co. ,", "Kemp & Co."),
        ("Oulu :", "Oulu"),
        ("Kemp；", "Kemp"),
        ("Kemp |", "Kemp"),
    ],
)
def test_a_publisher_ends_with_its_name(said: str, kept: str) -> None:
    for found in plain(f"<dc:publisher>{said.replace('&', '&amp;')}</dc:publisher>"):
        assert found.publishers == (kept,)


@pytest.mark.parametrize(
    "said",
    [
        "1234-5679 (online)",
        "ISSN (online): 1234-5679",
        "Print ISSN 1234-5679",
        "1234-5679 [print]",
        "1234-5679",
        "1234‑5679 (PDF)",
        "1234–5679",
    ],
)
def test_an_issn_is_one_whatever_is_said_about_it(said: str) -> None:
    for found in plain(f"<dc:identifier>{said}</dc:identifier>"):
        assert found.names == (("issn", "1234-5679"),)


def test_pictures_beside_a_document_are_no_full_text() -> None:
    addresses = ["https://x.example/item/7/article.pdf", "https://x.example/item/7/map.png"]
    for found in plain(*(f"<dc:identifier>{address}</dc:identifier>" for address in addresses)):
        assert [(link.url, link.kind) for link in found.links] == [
            (addresses[0], LinkKind.FULLTEXT),
            (addresses[1], LinkKind.RELATED),
        ]


def test_a_figure_alone_is_no_full_text_but_a_photograph_may_be() -> None:
    page, figure, photograph = (
        f"https://x.example/item/7{name}" for name in ("", "/Fig_2.jpg", "/IMG_0123.jpg")
    )
    for found in plain(f"<dc:identifier>{page}</dc:identifier><dc:identifier>{figure}</dc:identifier>"):
        assert found.fulltext is None
    for found in plain(f"<dc:identifier>{page}</dc:identifier><dc:identifier>{photograph}</dc:identifier>"):
        assert found.fulltext == photograph


@pytest.mark.parametrize(
    "name",
    ["Figure%203.tif", "table_2.gif", "g001.tif", "cover.jpg", "logo.svg", "equation3.png", "kuva1.jpg"],
)
def test_a_picture_that_is_called_part_of_a_text_is_no_full_text(name: str) -> None:
    page = "https://x.example/item/7"
    for found in plain(
        f"<dc:identifier>{page}</dc:identifier><dc:identifier>{page}/b/{name}</dc:identifier>"
    ):
        assert found.fulltext is None


def test_the_language_of_a_title_is_that_of_its_words_and_not_of_the_thing() -> None:
    for found in plain('<dc:title xml:lang="fi">Sammal</dc:title>'):
        assert [tuple(text) for text in found.titles] == [("Sammal", "fi")]
        assert found.languages == ()


def test_a_text_and_its_language_in_elements_of_their_own_do_not_grow_together() -> None:
    found = read(
        b'<lom xmlns="http://ltsc.ieee.org/xsd/LOM"><general><title><langstring><value>Moss</value><language>en'
        b"</language></langstring></title></general><technical><location><value>https://x.example/7</value>"
        b"<type>URI</type></location></technical></lom>",
        b"",
        "lom",
    )
    assert [tuple(text) for text in found.titles] == [("Moss", "en")]
    assert [link.url for link in found.links] == ["https://x.example/7"]


def test_a_card_whose_line_breaks_were_lost_names_its_person() -> None:
    for card in (
        "begin:vcard fn:Bo Berg end:vcard",
        "BEGIN:VCARD VERSION:3.0 N:Berg;Bo FN:Bo B ORG:Bog END:VCARD",
    ):
        found = read(
            "<lom xmlns='http://ltsc.ieee.org/xsd/LOM'><lifeCycle><contribute><role><value>author</value></role>"
            f"<entity>{card}</entity></contribute></lifeCycle></lom>".encode(),
            b"",
            "lom",
        )
        assert [agent.name for agent in found.creators] in (["Bo Berg"], ["Berg, Bo"])


def test_the_language_of_a_description_is_that_of_the_thing_only_where_it_states_none() -> None:
    found = read(
        b'<mdb:MD_Metadata xmlns:mdb="http://standards.iso.org/iso/19115/-3/mdb/2.0" xmlns:l="urn:l">'
        b'<mdb:defaultLocale><l:PT_Locale><l:language><l:LanguageCode codeListValue="eng"/></l:language>'
        b"</l:PT_Locale></mdb:defaultLocale><mdb:identificationInfo><l:MD_DataIdentification><l:defaultLocale>"
        b'<l:PT_Locale><l:language><l:LanguageCode codeListValue="swe"/></l:language></l:PT_Locale>'
        b"</l:defaultLocale></l:MD_DataIdentification></mdb:identificationInfo></mdb:MD_Metadata>",
        b"",
        "iso19115-3",
    )
    assert found.languages == ("sv",)
    found = read(
        b'<mdb:MD_Metadata xmlns:mdb="http://standards.iso.org/iso/19115/-3/mdb/2.0" xmlns:l="urn:l">'
        b'<mdb:defaultLocale><l:PT_Locale><l:language><l:LanguageCode codeListValue="eng"/></l:language>'
        b"</l:PT_Locale></mdb:defaultLocale></mdb:MD_Metadata>",
        b"",
        "iso19115-3",
    )
    assert found.languages == ("en",)


def test_the_kind_of_an_entity_is_read_from_an_attribute_too() -> None:
    found = read(
        b'<eac xmlns="https://archivists.org/ns/eac/v2"><cpfDescription><identity>'
        b'<entityType value="person"/>'
        b"<nameEntry><part>Lind, Ada</part></nameEntry></identity></cpfDescription></eac>",
        b"",
        "eac",
    )
    assert found.types == ("person",)


@pytest.mark.parametrize(
    ("said", "name", "role"),
    [
        ("Halla, K. J., photographer.", "Halla, K. J.", "photographer"),
        ("Daniel, Mark James 1867-1949 photographer.", "Daniel, Mark James 1867-1949", "photographer"),
        ("Foster, Stephen Collins [composer]", "Foster, Stephen Collins", "composer"),
        ("Gédéon Mpando (sculptor)", "Gédéon Mpando", "sculptor"),
        ("Victoria. Dept. of Crown Lands and Survey.", "Victoria. Dept. of Crown Lands and Survey", None),
        ("Southey, Robert,", "Southey, Robert", None),
        ("Levy Bros.", "Levy Bros.", None),
        ("Smith, J.", "Smith, J.", None),
        ("Diakonia (Sweden)", "Diakonia (Sweden)", None),
        ("Anonymous", "Anonymous", None),
    ],
)
def test_a_name_is_no_longer_than_the_person(said: str, name: str, role: str | None) -> None:
    for field in ("creator", "contributor"):
        for found in plain(f"<dc:{field}>{said}</dc:{field}>"):
            people = found.creators or found.contributors
            assert [(person.name, person.role) for person in people] == [(name, role)]


@pytest.mark.parametrize("said", ["unknown", "Unknown", "N/A", "tuntematon", "okänd"])
def test_where_nobody_is_known_there_is_no_person(said: str) -> None:
    for found in plain(f"<dc:creator>{said}</dc:creator><dc:contributor>{said}</dc:contributor>"):
        assert not found.creators
        assert not found.contributors
        assert found.extra["dc:creator"] == (said,)  # and still found by the word


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Memphis, Tenn. : Memphis Gay Media", "Memphis Gay Media"),
        ("[Harrisburg] : The Bureau", "The Bureau"),
        ("[University of the Meadows]", "University of the Meadows"),
        ("Waverly]", "Waverly"),
        ("D.A.P. [distributor]", "D.A.P. [distributor]"),
        ("Hay: a publisher", "Hay: a publisher"),
    ],
)
def test_a_publisher_is_named_without_place_and_brackets(said: str, name: str) -> None:
    for found in plain(f"<dc:publisher>{said}</dc:publisher>"):
        assert found.publishers == (name,)
        assert found.extra == ({} if said == name else {"dc:publisher": (said,)})


def test_a_text_that_is_too_long_for_a_name_is_left_alone() -> None:
    text = f"Hay : {'oats ' * 100}[composer]"
    for found in plain(f"<dc:publisher>{text}</dc:publisher><dc:creator>{text}</dc:creator>"):
        assert found.publishers == (text,)
        assert [person.name for person in found.creators] == [text]


def test_nobody_is_no_publisher() -> None:
    for found in plain("<dc:publisher>Leningrad : [s.n.]</dc:publisher>"):
        assert found.publishers == ()
        assert found.extra == {"dc:publisher": ("Leningrad : [s.n.]",)}


def grantor(name: str) -> Document:
    return document(
        '<dim:dim><dim:field mdschema="thesis" element="degree" qualifier="grantor">'
        f"{name}</dim:field></dim:dim>"
    )


def test_a_faculty_named_with_its_university_is_its_department() -> None:
    found = grantor("Univerzita Karlova, Pedagogická fakulta, Katedra hudební výchovy")
    assert (found.institution, found.department) == ("Univerzita Karlova", "Katedra hudební výchovy")
    for whole in ("University of California, Berkeley", "Meadow University", "Hay Institute, Dept. of Oats"):
        assert (grantor(whole).institution, grantor(whole).department) == (whole, None)


def test_an_access_right_is_no_licence() -> None:
    for found in plain("<dc:rights>http://purl.org/coar/access_right/c_abf2</dc:rights>"):
        assert found.rights == ("http://purl.org/coar/access_right/c_abf2",)
        assert not found.links


def test_what_has_no_number_of_a_journal_is_no_issn() -> None:
    found = document(
        '<dim:dim><dim:field mdschema="dc" element="identifier" qualifier="issn">FSPC-Mac-149</dim:field>'
        '<dim:field mdschema="dc" element="identifier" qualifier="issn">1234-5678</dim:field></dim:dim>'
    )
    assert [(name.scheme, name.value) for name in found.names] == [
        ("local", "FSPC-Mac-149"),
        ("issn", "1234-5678"),
    ]


def test_the_kind_of_content_is_a_type_only_where_nothing_else_is() -> None:
    genres = '<mods:genre authority="svep" type="publicationType">art</mods:genre>'
    content = '<mods:genre authority="svep" type="contentType">vet</mods:genre>'
    assert document(f"<mods:mods>{genres}{content}</mods:mods>").types == ("art",)


def test_an_aggregated_record_without_a_format_leads_to_its_page() -> None:
    found = document(
        '<record xmlns:edm="http://www.europeana.eu/schemas/edm/"><dcterms:title>Team</dcterms:title>'
        "<edm:isShownAt>https://a.example/id/38</edm:isShownAt>"
        "<edm:preview>https://a.example/x/38</edm:preview>"
        "<edm:dataProvider>Meadow College</edm:dataProvider>"
        "<dcterms:isPartOf>Photos</dcterms:isPartOf></record>"
    )
    assert [(link.url, link.kind) for link in found.links] == [
        ("https://a.example/id/38", LinkKind.LANDING),
        ("https://a.example/x/38", LinkKind.THUMBNAIL),
    ]
    assert (found.institution, found.sources) == ("Meadow College", ("Photos",))


def test_addresses_of_what_is_beside_a_map_do_not_lead_to_it() -> None:
    found = document(
        '<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd"><gmd:referenceSystemInfo>'
        "<gmd:CI_OnlineResource><gmd:linkage><gmd:URL>http://systems.example/</gmd:URL></gmd:linkage>"
        "</gmd:CI_OnlineResource></gmd:referenceSystemInfo><gmd:distributionInfo>"
        "<gmd:CI_OnlineResource><gmd:linkage><gmd:URL>http://maps.example/1</gmd:URL></gmd:linkage>"
        "<gmd:name>Map</gmd:name></gmd:CI_OnlineResource>"
        "<gmd:CI_OnlineResource><gmd:linkage><gmd:URL>http://maps.example/1</gmd:URL></gmd:linkage>"
        "<gmd:name>All levels</gmd:name></gmd:CI_OnlineResource></gmd:distributionInfo></gmd:MD_Metadata>"
    )
    assert [(link.url, link.kind, link.label) for link in found.links] == [
        ("http://maps.example/1", LinkKind.LANDING, "Map"),
        ("http://systems.example/", LinkKind.RELATED, None),
    ]
    assert found.extra["iso:online"] == ("All levels",)
