"""A document as schema.org has it."""

from __future__ import annotations

import json

import pytest

from windrow.formats.page_metadata.schema_org import in_script, json_ld
from windrow.model.document import (
    Agent,
    Document,
    DocumentDate,
    Event,
    Identifier,
    Link,
    LinkKind,
    Subject,
    Text,
)

ADDRESS = "https://windrow.example/record/hay/1"


def test_a_thesis_has_everything_in_its_place() -> None:
    document = Document(
        titles=(Text("Hay", "en"), Text("Heinä", "fi")),
        creators=(
            Agent("Mower, Ann", "author", "https://orcid.org/0000-0002-1825-0097", ("Field University",)),
        ),
        contributors=(Agent("Rake, Bo", "advisor"), Agent("Barn Institute")),
        subjects=(Subject("hay", "AGROVOC", "https://terms.example/hay", "en"), Subject("straw")),
        keywords=("meadows", "drying"),
        descriptions=(Text("About hay."),),
        publishers=("Barn Press",),
        dates=(DocumentDate("2012-05-03T10:00:00Z", "issued"),),
        year=2012,
        types=("Doctoral thesis",),
        languages=("en",),
        pages=120,
        links=(
            Link("https://barn.example/1", LinkKind.LANDING),
            Link("https://barn.example/1.pdf", LinkKind.FULLTEXT, "The thesis", "application/pdf"),
            Link("https://barn.example/1.jpg", LinkKind.THUMBNAIL),
            Link("https://licences.example/by", LinkKind.LICENSE),
        ),
        names=(Identifier("doi", "10.1234/hay"),),
        rights=("openAccess",),
        sources=("Barn Series 7",),
        institution="Field University",
        department="School of Grass",
    )
    assert json_ld(document, ADDRESS) == {
        "@context": "https://schema.org",
        "@type": "Thesis",
        "@id": ADDRESS,
        "url": ADDRESS,
        "name": [{"@language": "en", "@value": "Hay"}, {"@language": "fi", "@value": "Heinä"}],
        "author": {
            "@type": "Person",
            "name": "Mower, Ann",
            "@id": "https://orcid.org/0000-0002-1825-0097",
            "affiliation": {"@type": "Organization", "name": "Field University"},
        },
        "contributor": [
            {
                "@type": "Role",
                "roleName": "advisor",
                "contributor": {"@type": "Person", "name": "Rake, Bo"},
            },
            {"@type": "Organization", "name": "Barn Institute"},
        ],
        "about": [
            {
                "@type": "DefinedTerm",
                "name": {"@language": "en", "@value": "hay"},
                "inDefinedTermSet": "AGROVOC",
                "url": "https://terms.example/hay",
            },
            {"@type": "DefinedTerm", "name": "straw"},
        ],
        "keywords": ["meadows", "drying"],
        "description": "About hay.",
        "publisher": {"@type": "Organization", "name": "Barn Press"},
        "datePublished": "2012-05-03",
        "genre": "Doctoral thesis",
        "inLanguage": "en",
        "identifier": {"@type": "PropertyValue", "propertyID": "doi", "value": "10.1234/hay"},
        "copyrightNotice": "openAccess",
        "isPartOf": {"@type": "CreativeWork", "name": "Barn Series 7"},
        "sourceOrganization": {
            "@type": "Organization",
            "name": "Field University",
            "department": {"@type": "Organization", "name": "School of Grass"},
        },
        "sameAs": "https://barn.example/1",
        "license": "https://licences.example/by",
        "thumbnailUrl": "https://barn.example/1.jpg",
        "encoding": {
            "@type": "MediaObject",
            "contentUrl": "https://barn.example/1.pdf",
            "encodingFormat": "application/pdf",
            "name": "The thesis",
        },
        "materialExtent": {"@type": "QuantitativeValue", "value": 120, "unitText": "pages"},
    }


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("article", "ScholarlyArticle"),
        ("Master's thesis", "Thesis"),
        ("Book", "Book"),
        ("Book chapter", "Chapter"),
        ("Technical report", "Report"),
        ("Dataset", "Dataset"),
        ("Course", "Course"),
        ("Kurssi", "Course"),
        ("Still image", "ImageObject"),
        ("Sound", "AudioObject"),
        ("Moving image", "VideoObject"),
        ("Map", "Map"),
        ("Software", "SoftwareSourceCode"),
        ("Journal", "Periodical"),
        ("Patent", "CreativeWork"),
        ("something else", "CreativeWork"),
    ],
)
def test_a_thing_has_the_type_of_its_kind(kind: str, name: str) -> None:
    assert json_ld(Document(types=(kind,)), ADDRESS)["@type"] == name


def test_a_course_has_who_gives_it_and_its_occasions() -> None:
    event = Event("H-1", "autumn 2012", "evening", "half time", "Meadow", "sv", "2012-09-01")
    node = json_ld(
        Document(
            types=("Course",), institution="Field University", events=(event, Event(time="weeks 36 to 40"))
        ),
        ADDRESS,
    )
    assert node["provider"] == {"@type": "Organization", "name": "Field University"}
    assert node["hasCourseInstance"] == [
        {
            "@type": "CourseInstance",
            "identifier": "H-1",
            "name": "autumn 2012",
            "courseMode": "evening",
            "courseWorkload": "half time",
            "location": "Meadow",
            "inLanguage": "sv",
            "startDate": "2012-09-01",
        },
        {"@type": "CourseInstance", "description": "weeks 36 to 40"},
    ]


def test_a_dataset_is_distributed_and_a_picture_is_where_it_is() -> None:
    links = (Link("https://barn.example/1", LinkKind.FULLTEXT),)
    data = json_ld(Document(types=("Dataset",), links=links), ADDRESS)
    assert data["distribution"] == {"@type": "DataDownload", "contentUrl": "https://barn.example/1"}
    assert "encoding" not in data
    assert json_ld(Document(types=("Image",), links=links), ADDRESS)["contentUrl"] == "https://barn.example/1"


def test_a_book_has_its_pages_and_its_number() -> None:
    node = json_ld(
        Document(types=("Book",), pages=90, names=(Identifier("isbn", "978-951-98548-9-2"),)), ADDRESS
    )
    assert (node["numberOfPages"], node["isbn"]) == (90, "978-951-98548-9-2")


def test_an_article_has_its_pages_in_the_journal() -> None:
    node = json_ld(Document(types=("article",), sources=("Journal of Hay, 3, 1, 5-9",)), ADDRESS)
    assert (node["pageStart"], node["pageEnd"]) == ("5", "9")


@pytest.mark.parametrize(
    ("agent", "kind"),
    [
        (Agent("Mower, Ann"), "Person"),
        (Agent("Ann Mower"), "Person"),
        (Agent("Anna Maria von Heu"), "Person"),
        (Agent("Plato", identifier="https://orcid.org/0000-0002-1825-0097"), "Person"),
        (Agent("Field University"), "Organization"),
        (Agent("HAYCORP"), "Organization"),
        (Agent("Friends of Hay and Straw Everywhere"), "Organization"),
    ],
)
def test_people_are_told_from_bodies(agent: Agent, kind: str) -> None:
    assert json_ld(Document(creators=(agent,)), ADDRESS)["author"] == {
        "@type": kind,
        "name": agent.name,
    } | ({"@id": agent.identifier} if agent.identifier else {})


def test_a_creator_in_a_role_of_their_own_is_an_author_in_that_role() -> None:
    assert json_ld(Document(creators=(Agent("Mower, Ann", "painter"),)), ADDRESS)["author"] == {
        "@type": "Role",
        "roleName": "painter",
        "author": {"@type": "Person", "name": "Mower, Ann"},
    }


def test_json_in_a_script_cannot_end_it_and_says_the_same() -> None:
    data = {"name": "</script><!--&amp;\u2028\u2029 ä"}
    written = in_script(data)
    assert not set(written) & set("<>&\u2028\u2029")
    assert json.loads(written) == data
