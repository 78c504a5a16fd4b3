from __future__ import annotations

import pytest

from windrow.formats.mapping.document_draft import Draft
from windrow.model.document import Document, DocumentDate, Identifier, Link, LinkKind, Subject, Text


def test_an_untouched_draft_is_an_empty_document() -> None:
    assert Draft().finish() == Document()


def test_empty_and_repeated_values_are_ignored() -> None:
    draft = Draft()
    for _ in range(2):
        for value in ("", "  ", "Moss"):
            draft.add_title(value)
            draft.add_creator(value)
            draft.add_contributor(value)
            draft.add_subject(value)
            draft.add_keyword(value)
            draft.add_description(value)
            draft.add_publisher(value)
            draft.add_date(value)
            draft.add_type(value)
            draft.add_language(value)
            draft.add_extent(value)
            draft.add_identifier(value)
            draft.add_rights(value)
            draft.add_source(value)
            draft.add_relation(value)
            draft.add_institution(value)
            draft.add_department(value)
    document = draft.finish()
    assert document.titles == (Text("Moss"),)
    assert document.keywords == document.publishers == document.types == ("Moss",)
    assert document.rights == document.sources == document.relations == ("Moss",)
    assert document.dates == (DocumentDate("Moss"),)
    assert document.names == (Identifier("local", "Moss"),)
    assert document.extra == {"dc:language": ("Moss",), "dc:extent": ("Moss",)}
    assert len(document.creators) == len(document.contributors) == len(document.subjects) == 1


def test_the_same_words_in_another_language_are_another_title() -> None:
    draft = Draft()
    draft.add_title("Radio", "en")
    draft.add_title("Radio", "de")
    assert draft.finish().titles == (Text("Radio", "en"), Text("Radio", "de"))


def test_an_abstract_goes_before_other_descriptions() -> None:
    draft = Draft()
    draft.add_description("Bound in calf.")
    draft.add_description("About calves.", is_abstract=True)
    assert [text.value for text in draft.finish().descriptions] == ["About calves.", "Bound in calf."]


def subjects(*fields: str) -> list[str]:
    draft = Draft()
    for field in fields:
        draft.add_subjects(field)
    return [subject.value for subject in draft.finish().subjects]


@pytest.mark.parametrize(
    ("fields", "topics"),
    [
        (("bees; wasps;",), ["bees", "wasps"]),
        (("bees|wasps",), ["bees", "wasps"]),
        (("bees, wasps, garden ants",), ["bees", "wasps", "garden ants"]),
        (("Lean production, history",), ["Lean production, history"]),
        (("Sample, Ada, 1815-1852",), ["Sample, Ada, 1815-1852"]),
        (("bees, wasps, ants", "honey"), ["bees, wasps, ants", "honey"]),
        (("honey", "bees, wasps, ants"), ["honey", "bees, wasps, ants"]),
        (("Insects -- Europe, North, History",), ["Insects -- Europe, North, History"]),
        (
            ("A long heading that goes on and on, with more of it, and then some more of it",),
            ["A long heading that goes on and on, with more of it, and then some more of it"],
        ),
        (("M&uuml;cken; Bienen",), ["Mücken", "Bienen"]),
    ],
)
def test_keywords_in_one_field_come_apart_and_headings_stay_whole(
    fields: tuple[str, ...], topics: list[str]
) -> None:
    assert subjects(*fields) == topics


def test_a_subject_worded_in_several_languages_is_one_for_each() -> None:
    draft = Draft()
    draft.add_subjects("fi=mehiläiset|en=bees|")
    assert draft.finish().subjects == (
        Subject("mehiläiset", language="fi"),
        Subject("bees", language="en"),
    )


def test_makers_in_one_field_come_apart_at_semicolons_only() -> None:
    draft = Draft()
    draft.add_creators("Sample, Ada; M&uuml;ster, Eva")
    assert [agent.name for agent in draft.finish().creators] == ["Sample, Ada", "Müster, Eva"]


def test_a_type_in_several_languages_counts_in_english_and_keeps_the_rest() -> None:
    draft = Draft()
    draft.add_type("fi=Opinnäytetyö|sv=Examensarbete|en=Thesis|")
    document = draft.finish()
    assert document.types == ("Thesis",)
    assert document.extra == {"dc:type": ("fi=Opinnäytetyö|sv=Examensarbete|en=Thesis|",)}


def test_a_type_without_an_english_wording_counts_in_its_first() -> None:
    draft = Draft()
    draft.add_type("fi=Väitöskirja|sv=Doktorsavhandling|")
    assert draft.finish().types == ("Väitöskirja",)


def test_an_embargo_is_no_date_of_publication() -> None:
    draft = Draft()
    draft.add_date("info:eu-repo/date/embargoEnd/2018-05-27")
    draft.add_date("2019-01-01T10:00:00Z")
    document = draft.finish()
    assert document.dates[0].kind == "embargo"
    assert document.year == 2019


def test_a_doi_is_a_name_and_a_landing_page() -> None:
    draft = Draft()
    draft.add_identifier("doi:10.1234/x")
    document = draft.finish()
    assert document.names == (Identifier("doi", "10.1234/x"),)
    assert document.landing == "https://doi.org/10.1234/x"


def test_the_record_names_the_scheme_where_looks_do_not_tell() -> None:
    draft = Draft()
    draft.add_identifier("10037.1/12", scheme="hdl")
    document = draft.finish()
    assert document.names == (Identifier("hdl", "10037.1/12"),)
    assert document.landing == "https://hdl.handle.net/10037.1/12"


def test_a_citation_among_identifiers_is_a_source() -> None:
    draft = Draft()
    citation = "Sample, Ada (1980) Tides and tables. Journal of Examples, 12. pp. 26-32."
    draft.add_identifier(citation)
    assert draft.finish().sources == (citation,)


def test_words_after_an_address_are_kept_as_a_name() -> None:
    draft = Draft()
    draft.add_identifier("http://example.org/ see there")
    assert draft.finish().names == (Identifier("local", "http://example.org/ see there"),)


def test_landing_pages_come_first_then_full_text() -> None:
    draft = Draft()
    draft.add_rights("http://creativecommons.org/licenses/by/4.0/")
    draft.add_identifier("https://example.org/files/a.pdf")
    draft.add_identifier("https://example.org/12")
    assert [link.kind for link in draft.finish().links] == [
        LinkKind.LANDING,
        LinkKind.FULLTEXT,
        LinkKind.LICENSE,
    ]


def test_a_relation_that_holds_the_file_is_the_landing_page() -> None:
    draft = Draft()
    draft.add_relation("http://eprints.example.org/148/")
    draft.add_relation("http://elsewhere.example.org/")
    draft.add_identifier("http://eprints.example.org/148/1/a.pdf")
    document = draft.finish()
    assert document.landing == "http://eprints.example.org/148/"
    assert document.links[-1] == Link("http://elsewhere.example.org/", LinkKind.RELATED)


def test_the_host_alone_is_nobodys_landing_page() -> None:
    draft = Draft()
    draft.add_relation("http://eprints.example.org/")
    draft.add_identifier("http://eprints.example.org/148/1/a.pdf")
    assert draft.finish().landing is None


def test_a_relation_below_the_landing_page_is_the_full_text() -> None:
    draft = Draft()
    draft.add_relation("https://journal.example.org/article/view/12/34")
    draft.add_identifier("https://journal.example.org/article/view/12")
    assert draft.finish().fulltext == "https://journal.example.org/article/view/12/34"


def test_an_identifier_says_more_than_a_relation_to_the_same_address() -> None:
    draft = Draft()
    draft.add_relation("https://example.org/a.pdf")
    draft.add_identifier("https://example.org/a.pdf")
    assert draft.finish().links == (Link("https://example.org/a.pdf", LinkKind.FULLTEXT),)


def test_a_link_that_is_no_address_stays_in_extra() -> None:
    draft = Draft("x")
    draft.add_link("javascript:alert(1)")
    document = draft.finish()
    assert document.links == ()
    assert document.extra == {"x:link": ("javascript:alert(1)",)}


def test_a_description_that_is_an_address_is_a_link() -> None:
    draft = Draft()
    draft.add_description("http://commons.example.edu/news/1132/thumbnail.jpg")
    document = draft.finish()
    assert document.descriptions == ()
    assert document.links[0].kind is LinkKind.THUMBNAIL


def test_the_first_institution_and_department_count_and_others_are_kept() -> None:
    draft = Draft("kk")
    for value in ("-", "School of Moss", "School of Fern"):
        draft.add_institution(value)
        draft.add_department(value)
    document = draft.finish()
    assert document.institution == document.department == "School of Moss"
    assert document.extra == {
        "kk:institution": ("-", "School of Fern"),
        "kk:department": ("-", "School of Fern"),
    }


def test_the_first_extent_that_counts_pages_gives_their_number() -> None:
    draft = Draft()
    for value in ("application/pdf", "12 pages", "99 pages"):
        draft.add_extent(value, "format")
    document = draft.finish()
    assert document.pages == 12
    assert document.extra == {"dc:format": ("application/pdf", "12 pages", "99 pages")}
