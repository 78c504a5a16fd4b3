"""The record format of the robot: written of a page, read back into a Document."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from tests.fixtures import Place, own_and_shared, studera
from tests.thorough import tries
from windrow.formats.registry import read
from windrow.formats.wir.page_tags import read_event
from windrow.formats.wir.wir_record import FetchDetails, schema, without_volatile, write_wir
from windrow.model.document import Agent, Document, DocumentDate, Event, Identifier, LinkKind, Subject, Text
from windrow.model.web_page import Item, MetaTag, Page, PageLink
from windrow.sources.web.page import parse_page

SCHEMA = etree.XMLSchema(etree.fromstring(schema()))
URL = "https://www.example.edu/courses/1"
NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
GOLDEN = """<wir xmlns="urn:windrow:wir:1">
<robot>Windrow URL=&quot;https://www.example.edu/courses/1&quot;</robot>
<rec-id>ABCD</rec-id>
<orig-rec-id>c-1</orig-rec-id>
<last-modified>Sun, 01 Nov 2026 12:00:00 GMT</last-modified>
<controlled-terms>
<cterm scheme="UDK">51</cterm>
</controlled-terms>
<availability>
<available><linkage>https://www.example.edu/courses/1</linkage><format>{kind}</format></available>
<available><linkage>https://www.example.edu/?course=1</linkage></available>
<publisher>The University</publisher>
<schedule>
<event>e-1;2026p1;campus;full;Oulu;fi;day</event>
</schedule>
<medium>Basic</medium>
</availability>
<title>A &lt; B &amp; C</title>
<access>
<constraint>none</constraint>
</access>
<inf><nh>1</nh><nl>2</nl><size>99</size><language>en</language></inf>
<relation><phrase>Home</phrase><uri>https://www.example.edu/</uri><type>anchor</type></relation>
<relation><uri>mailto:a@example.edu</uri><type>anchor</type></relation>
<sample>
<heading>Course</heading>
<text>Words
of the page</text>
</sample>
<server>nginx</server>
<meta-tags>
<meta name="DC.Subject" scheme="UDK" lang="en">51</meta>
<meta name="dc:publisher">The University</meta>
<meta name="STUDERA.identifier">c-1</meta>
<meta name="STUDERA.event">e-1;2026p1;campus;full;Oulu;fi;day;</meta>
<meta name="STUDERA.type">Basic</meta>
<meta name="STUDERA.prerequisites">none</meta>
</meta-tags>
<items>
<item>{&quot;@type&quot;:&quot;Course&quot;,&quot;name&quot;:&quot;Å&quot;}</item>
</items>
<main-text>Only these words</main-text>
</wir>""".replace("{kind}", "text/html; Charset=UTF-8")
PAGE = Page(
    URL,
    charset="UTF-8",
    language="en",
    title="A < B & C",
    headings=("Course",),
    tags=(
        MetaTag("DC.Subject", "51", "UDK", "en"),
        MetaTag("dc:publisher", "The University"),
        MetaTag("STUDERA.identifier", "c-1"),
        MetaTag("STUDERA.event", "e-1;2026p1;campus;full;Oulu;fi;day;"),
        MetaTag("STUDERA.type", "Basic"),
        MetaTag("STUDERA.prerequisites", "none"),
    ),
    links=(PageLink("https://www.example.edu/", "Home"), PageLink("mailto:a@example.edu", kind="other")),
    items=({"@type": "Course", "name": "Å"},),
    text="Words\nof the page",
    main_text="Only these words",
)
EXCHANGE = FetchDetails(
    URL,
    ("https://www.example.edu/?course=1", URL),
    size=99,
    server_date=NOON,
    last_modified=NOON.replace(day=1),
    server="nginx",
    checksum="abcd",
    checked=NOON,
)


def document(*tags: tuple[str, str], items: tuple[Item, ...] = (), title: str = "") -> Document:
    page = Page(URL, title=title, tags=tuple(MetaTag(*tag) for tag in tags), items=items)
    return read(write_wir(page, FetchDetails(URL)), b"", "wir")


def test_a_page_is_written_in_the_layout_of_combine() -> None:
    payload = write_wir(PAGE, EXCHANGE)
    assert payload.decode() == GOLDEN
    SCHEMA.assertValid(etree.fromstring(payload))


def test_the_time_of_the_fetch_does_not_change_the_payload() -> None:
    later = replace(EXCHANGE, checked=NOON.replace(hour=13), server_date=NOON.replace(hour=13))
    assert write_wir(PAGE, later) == write_wir(PAGE, EXCHANGE)
    timed = write_wir(PAGE, EXCHANGE, with_times=True)
    assert b"<rec-checked>Wed, 18 Nov 2026 12:00:00 GMT</rec-checked>" in timed
    SCHEMA.assertValid(etree.fromstring(timed))


def test_a_page_that_is_modified_whenever_it_is_asked_for_has_no_such_date() -> None:
    assert b"<last-modified>" not in write_wir(PAGE, replace(EXCHANGE, last_modified=NOON))


def test_a_nonce_is_no_difference_between_records() -> None:
    def payload(nonce: str) -> bytes:
        page = replace(PAGE, tags=(*PAGE.tags, MetaTag("csrf-token", nonce)))
        return without_volatile(write_wir(page, replace(EXCHANGE, checksum=nonce, size=len(nonce))))

    assert payload("a") == payload("bcd")
    assert payload("a") != without_volatile(write_wir(replace(PAGE, title="Other"), EXCHANGE))


@own_and_shared
def test_the_course_of_studera_becomes_the_record_of_its_robot(place: Place) -> None:
    expected = studera(place)
    body = place("studera").joinpath("page.html").read_bytes()
    page = parse_page(body, url=expected["url"], headers={"content-type": "text/html"})
    exchange = FetchDetails(expected["url"], checksum=hashlib.md5(body, usedforsecurity=False).hexdigest())
    record = etree.fromstring(write_wir(page, exchange))
    assert record.findtext("{*}orig-rec-id") == expected["local identifier"]
    assert record.findtext("{*}inf/{*}nh") == str(expected["headings"])
    assert record.findtext("{*}inf/{*}nl") == str(expected["links"])
    made = read(etree.tostring(record), b"", "wir")
    assert made.title == expected["title"]
    assert made.subjects == (Subject(expected["controlled term"], "STUDERA"),)
    assert made.publishers == (expected["publisher"],)
    assert made.types == (expected["type"],)
    assert made.prerequisites == (expected["prerequisites"],)
    assert made.names == (Identifier("local", expected["local identifier"]),)
    assert made.landing == expected["url"]
    assert [list(event) for event in made.events] == expected["events"]


@own_and_shared
def test_our_record_of_the_course_has_the_elements_of_the_old_one_in_their_order(place: Place) -> None:
    old = etree.fromstring(
        place("studera").joinpath("wir.xml").read_bytes(), etree.XMLParser(remove_comments=True)
    )
    body = place("studera").joinpath("page.html").read_bytes()
    url = old.findtext("availability/available/linkage") or ""
    page = parse_page(body, url=url, headers={"content-type": "text/html"})
    new = etree.fromstring(
        write_wir(
            page, replace(EXCHANGE, url=url, other_urls=(), server="Microsoft-IIS/5.0"), with_times=True
        )
    )
    names = [etree.QName(element).localname for element in new]
    assert [name for name in names if name in {element.tag for element in old}] == [
        *(element.tag for element in old if element.tag not in ("relation", "sample", "server")),
        *["relation"] * studera(place)["links"], "sample", "server",
    ]  # fmt: skip
    for path in (
        "orig-rec-id",
        "title",
        "availability/publisher",
        "availability/medium",
        "access/constraint",
        "inf/nl",
    ):
        assert new.findtext("/".join(f"{{*}}{part}" for part in path.split("/"))) == old.findtext(path)


@own_and_shared
def test_the_record_of_combine_is_read_too(place: Place) -> None:
    expected = studera(place)
    made = read(place("studera").joinpath("wir.xml").read_bytes(), b"", "wir")
    assert made.title == expected["title"]
    assert made.events[1] == Event(*expected["events"][1])
    assert (made.publishers, made.types) == ((expected["publisher"],), (expected["type"],))
    assert made.subjects[0].value == expected["controlled term"]


@pytest.mark.parametrize(
    "name", ["DC.Title", "dc:title", "DCTERMS.title", "dc_title", "Dc.TITLE", "DCT:Title"]
)
def test_dublin_core_is_read_in_any_case_and_with_any_separator(name: str) -> None:
    assert document((name, "Moss")).titles == (Text("Moss"),)


def test_dublin_core_is_read_with_its_qualifiers_schemes_and_languages() -> None:
    page = Page(
        URL,
        tags=(
            MetaTag("DC.Title", "Sammal", None, "fi"),
            MetaTag("DC.Title.Alternative", "Moss"),
            MetaTag("DC.Creator", "Aho, Anna"),
            MetaTag("DCTERMS.issued", "2024-05-01"),
            MetaTag("DC.Date.Modified", "2025"),
            MetaTag("DC.Subject", "sammalet", "YSO"),
            MetaTag("DC.Identifier", "10.1234/moss", "DOI"),
            MetaTag("DCTERMS.abstract", "About moss.", None, "en"),
            MetaTag("DC.Coverage.spatial", "Oulu"),
            MetaTag("DC.Rights", "https://creativecommons.org/licenses/by/4.0/"),
        ),
    )
    made = read(write_wir(page, FetchDetails(URL)), b"", "wir")
    assert made.titles == (Text("Sammal", "fi"), Text("Moss"))
    assert made.creators == (Agent("Aho, Anna"),)
    assert (made.year, made.dates) == (
        2024,
        (DocumentDate("2024-05-01", "issued"), DocumentDate("2025", "modified")),
    )
    assert made.subjects == (Subject("sammalet", "YSO"),)
    assert made.names == (Identifier("doi", "10.1234/moss"),)
    assert made.descriptions == (Text("About moss.", "en"),)
    assert made.extra["wir:dc.coverage.spatial"] == ("Oulu",)
    assert LinkKind.LICENSE in {link.kind for link in made.links}


def test_highwire_tags_are_read_with_institutions_behind_their_authors() -> None:
    made = document(
        ("citation_title", "Moss"), ("citation_author", "Anna Aho"), ("citation_author_institution", "Oulu"),
        ("citation_author_orcid", "0000-0001-2345-6789"), ("citation_author", "Bo Ek"),
        ("citation_publication_date", "2024/05/01"), ("citation_journal_title", "Journal of Moss"),
        ("citation_volume", "12"), ("citation_issue", "3"), ("citation_firstpage", "45"),
        ("citation_lastpage", "67"),
        ("citation_doi", "10.1234/moss"), ("citation_issn", "1234-5679"), ("citation_pdf_url", "https://e.org/get?1"),
        ("citation_keywords", "moss; bog"), ("citation_language", "en"), ("citation_abstract", "About moss."),
        ("DC.Title", "Moss"), ("DC.Creator", "Aho, Anna"), ("DC.Publisher", "Press"),
    )  # fmt: skip
    assert made.titles == (Text("Moss"),)
    assert made.creators == (
        Agent("Anna Aho", None, "https://orcid.org/0000-0001-2345-6789", ("Oulu",)),
        Agent("Bo Ek"),
    )
    assert (made.year, made.sources, made.publishers) == (2024, ("Journal of Moss 12(3), 45-67",), ("Press",))
    assert set(made.names) == {Identifier("doi", "10.1234/moss"), Identifier("issn", "1234-5679")}
    assert made.fulltext == "https://e.org/get?1"
    assert (made.keywords, made.languages, made.types) == (("moss", "bog"), ("en",), ("Article",))
    assert made.extra["wir:dc.creator"] == ("Aho, Anna",)


def test_a_course_is_read_with_its_instances_as_events() -> None:
    course: Item = {
        "@type": "Course",
        "name": {"@value": "Geometri", "@language": "sv"},
        "description": "About geometry.",
        "provider": {"@type": "CollegeOrUniversity", "name": "Mid University"},
        "courseCode": "MA-1",
        "coursePrerequisites": ["Algebra", {"@type": "AlignmentObject", "name": "Calculus"}],
        "inLanguage": "sv-SE",
        "hasCourseInstance": [
            {
                "@type": "CourseInstance",
                "courseMode": "online",
                "name": "Autumn",
                "startDate": "2026-09-01",
                "endDate": "2026-12-01",
                "location": {"@type": "Place", "name": "Sundsvall"},
                "inLanguage": "sv",
            }
        ],
    }
    made = document(items=(course,))
    assert made.titles == (Text("Geometri", "sv"),)
    assert (made.institution, made.types, made.languages) == ("Mid University", ("Course",), ("sv",))
    assert made.names == (Identifier("local", "MA-1"),)
    assert made.events == (Event(None, "Autumn", "online", None, "Sundsvall", "sv", "2026-09-01/2026-12-01"),)
    assert made.prerequisites == ("Algebra", "Calculus")


def test_articles_theses_datasets_and_books_are_read() -> None:
    person = {"@type": "Person", "name": "Aho, Anna", "sameAs": "https://orcid.org/0000-0001-2345-6789",
              "affiliation": {"@type": "Organization", "name": "Oulu"}}  # fmt: skip
    made = document(
        items=(
            {
                "@type": ["ScholarlyArticle", "Thesis"],
                "@id": "https://doi.org/10.1234/moss",
                "headline": "Moss",
                "author": [person, {"@type": "Role", "roleName": "drawings", "author": "Ek, Bo"}],
                "datePublished": "2024-05-01",
                "isPartOf": {"@type": "Periodical", "name": "Journal of Moss"},
                "keywords": "moss, bog",
                "about": {"@type": "DefinedTerm", "name": "Mosses", "inDefinedTermSet": "LCSH"},
                "license": "https://creativecommons.org/licenses/by/4.0/",
                "encoding": {"contentUrl": "https://e.org/f/1", "encodingFormat": "application/pdf"},
                "isbn": "978-951-42-1234-5",
                "numberOfPages": 120,
            },
        )
    )
    assert made.creators == (
        Agent("Aho, Anna", None, "https://orcid.org/0000-0001-2345-6789", ("Oulu",)),
        Agent("Ek, Bo", "drawings"),
    )
    assert (made.title, made.year, made.pages, made.sources) == ("Moss", 2024, 120, ("Journal of Moss",))
    assert made.subjects == (Subject("Mosses", "LCSH"),)
    assert (made.keywords, made.fulltext) == (("moss", "bog"), "https://e.org/f/1")
    assert Identifier("doi", "10.1234/moss") in made.names


def test_a_page_without_metadata_goes_by_its_title_and_description() -> None:
    made = document(("description", "What it is."), ("keywords", "a, b"), title="Home")
    assert (made.title, made.descriptions, made.keywords) == ("Home", (Text("What it is."),), ("a", "b"))
    assert made.landing == URL


@pytest.mark.parametrize(
    ("line", "event"),
    [
        ("a;b;c;d;e;sv;f", Event("a", "b", "c", "d", "e", "sv", "f")),
        (
            "mh-1;2001p4;flexibel;full;2280;sv;dag;",
            Event("mh-1", "2001p4", "flexibel", "full", "2280", "sv", "dag"),
        ),
        ("a;;;;;swe", Event("a", language="sv")),
        ("a;b;c;d;e;zz-?;f;g;h", Event("a", "b", "c", "d", "e", "zz-?", "f; g; h")),
        (" ; ;;", None),
        ("", None),
    ],
)
def test_events_are_read_leniently(line: str, event: Event | None) -> None:
    assert read_event(line) == event


ANY = st.text(max_size=30)
VISIBLE = st.text(
    st.characters(min_codepoint=33, max_codepoint=0x2FF, exclude_categories=["Cc", "Zs"]),
    min_size=1,
    max_size=20,
)


@settings(deadline=None, max_examples=tries(150))
@given(
    title=ANY,
    words=ANY,
    tags=st.lists(st.tuples(ANY, ANY, ANY, ANY), max_size=5),
    item=st.dictionaries(ANY, ANY, max_size=3),
    url=ANY,
)
def test_any_page_is_written_as_well_formed_xml(
    title: str, words: str, tags: list[tuple[str, str, str, str]], item: dict[str, str], url: str
) -> None:
    page = Page(
        url, title=title, text=words, main_text=words, headings=(words,), items=(item,), language=title,
        tags=tuple(MetaTag(*tag) for tag in tags), links=(PageLink(url, words),),
    )  # fmt: skip
    payload = write_wir(page, FetchDetails(url, (words,), server=title, checksum=words), with_times=True)
    etree.fromstring(payload)
    assert isinstance(read(payload, b"", "wir"), Document)


TERMS = VISIBLE.filter(lambda text: not set(text) & set(";|=&<"))
PERIODS = st.from_regex(r"[0-9]{4}p[1-4]", fullmatch=True)


@settings(deadline=None, max_examples=tries(100))
@given(
    title=VISIBLE,
    subjects=st.lists(TERMS, max_size=4, unique=True),
    periods=st.lists(PERIODS, max_size=4, unique=True),
)
def test_title_tags_and_events_survive_the_round_trip(
    title: str, subjects: list[str], periods: list[str]
) -> None:
    tags = [("DC.Title", title), *(("DC.Subject", subject, "S") for subject in subjects)]
    tags += [("STUDERA.event", f"x;{period};;;;;") for period in periods]
    page = Page(URL, tags=tuple(MetaTag(*tag) for tag in tags))
    payload = write_wir(page, FetchDetails(URL))
    made = read(payload, b"", "wir")
    assert [subject.value for subject in made.subjects if subject.scheme] == subjects
    assert [event.period for event in made.events] == periods
    root = etree.fromstring(payload)
    assert [(meta.get("name"), meta.text) for meta in root.iterfind("{*}meta-tags/{*}meta")] == [
        (tag[0], tag[1]) for tag in tags
    ]
