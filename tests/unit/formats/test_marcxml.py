from __future__ import annotations

import pytest

from windrow.formats.mapping.agent_names import trim_isbd
from windrow.formats.marc.marcxml import unbracket
from windrow.formats.registry import read
from windrow.model.document import Agent, Document, LinkKind, Subject


def record(*fields: str, leader: str = "00000nam a2200000 a 4500", fixed: str = "") -> Document:
    parts = [f"<leader>{leader}</leader>", f'<controlfield tag="008">{fixed}</controlfield>', *fields]
    return read(f"<record>{''.join(parts)}</record>".encode(), b"", "marc21")


def field(tag: str, subfields: str, ind1: str = " ", ind2: str = " ") -> str:
    """Write `a:Hay|b:a handbook` as a field."""
    pairs = (part.partition(":") for part in subfields.split("|"))
    inside = "".join(f'<subfield code="{code}">{value}</subfield>' for code, _, value in pairs)
    return f'<datafield tag="{tag}" ind1="{ind1}" ind2="{ind2}">{inside}</datafield>'


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("The making of hay /", "The making of hay"),
        ("Sample Press,", "Sample Press"),
        ("Example, Ada B.", "Example, Ada B."),
        ("Example, Ada.", "Example, Ada"),
        ("Sample &amp; Co.", "Sample &amp; Co."),
        ("Hay, U.S.", "Hay, U.S."),
        ("and so on ...", "and so on ..."),
        ("Someone, Some. -", "Someone, Some"),
        (" : ", ""),
    ],
)
def test_punctuation_that_leads_to_the_next_subfield_goes(written: str, shown: str) -> None:
    assert trim_isbd(written) == shown


def test_brackets_of_the_cataloguer_go_only_around_the_whole() -> None:
    assert unbracket("[Sample Press],") == "Sample Press"
    assert unbracket("[A] and [B]") == "[A] and [B]"


def test_a_title_without_isbd_punctuation_gets_it() -> None:
    assert record(field("245", "a:Hay|b:a handbook|n:2|p:Drying")).title == "Hay : a handbook. 2. Drying"


def test_marks_around_an_unsorted_article_go() -> None:
    assert record(field("245", "a:&#x98;Das&#x9C; Heu")).title == "Das Heu"


def test_the_title_proper_stands_first_wherever_its_field_is() -> None:
    document = record(field("130", "a:Uniform"), field("246", "a:Other"), field("245", "a:Proper"))
    assert [title.value for title in document.titles] == ["Proper", "Other", "Uniform"]


def test_the_year_of_field_008_counts_only_where_no_date_is_written_out() -> None:
    fixed = "970312s1997    fi a     b    001 0 eng d"
    assert record(fixed=fixed).year == 1997
    assert record(field("260", "c:[1890?]"), fixed=fixed).year == 1890
    assert record(field("264", "c:1990", ind2="1"), field("264", "c:c2001", ind2="4")).year == 1990


def test_an_unknown_last_digit_in_field_008_is_the_decade() -> None:
    assert record(fixed="970312q196u    fi a     b    001 0 eng d").year == 1960


def test_three_language_codes_in_one_subfield_come_apart() -> None:
    assert record(field("041", "a:engfinswe")).languages == ("en", "fi", "sv")


@pytest.mark.parametrize(
    ("role", "is_creator"), [("e:joint author.", True), ("4:aut", True), ("e:ed.", False), ("4:trl", False)]
)
def test_an_added_name_is_a_creator_only_by_its_role(role: str, is_creator: bool) -> None:
    document = record(field("700", f"a:Sample, Bo,|{role}"))
    assert bool(document.creators) is is_creator
    assert bool(document.contributors) is not is_creator


def test_added_names_without_a_role_are_authors_where_affiliations_are_given() -> None:
    names = field("100", "a:Example, A.|u:Example Institute"), field("700", "a:Sample, B.")
    assert [agent.name for agent in record(*names).creators] == ["Example, A.", "Sample, B."]
    assert [agent.name for agent in record(field("700", "a:Sample, B.")).contributors] == ["Sample, B."]


def test_an_added_name_with_a_title_is_a_related_work() -> None:
    document = record(field("700", "a:Sample, Bo.|t:Straw and I."))
    assert document.relations == ("Sample, Bo. Straw and I.",)
    assert not document.contributors


def test_the_best_of_several_identifiers_is_kept_with_the_name() -> None:
    document = record(field("100", "a:Example, A.|0:(DE-101)1|0:(DE-588)2|0:(orcid)0000-0001-2345-6789"))
    assert document.creators == (Agent("Example, A.", identifier="https://orcid.org/0000-0001-2345-6789"),)
    assert document.extra["marc:100$0"] == ("(DE-101)1", "https://d-nb.info/gnd/2")


def test_a_subject_names_its_scheme_and_language() -> None:
    document = record(
        field("650", "a:Hay|z:Finland", ind2="0"),
        field("650", "a:heinä.|2:yso/fin|0:http://example.org/p1", ind2="7"),
        field("651", "a:Exampleby", ind2="4"),
    )
    assert document.subjects == (
        Subject("Hay -- Finland", "lcsh"),
        Subject("heinä", "yso", "http://example.org/p1", "fi"),
        Subject("Exampleby"),
    )


@pytest.mark.parametrize(
    ("written", "ind2", "kind"),
    [
        ("u:https://example.org/1", "0", LinkKind.LANDING),
        ("u:https://example.org/1|z:Volltext", "0", LinkKind.FULLTEXT),
        ("u:https://example.org/1|3:Table of contents", " ", LinkKind.RELATED),
        ("u:https://example.org/1.pdf|3:Inhaltsverzeichnis", "2", LinkKind.RELATED),
        ("u:https://doi.org/10.5555/1|z:Full text", "0", LinkKind.LANDING),
        ("u:https://example.org/1|q:application/pdf", "0", LinkKind.FULLTEXT),
    ],
)
def test_a_link_is_what_its_field_says(written: str, ind2: str, kind: LinkKind) -> None:
    assert [link.kind for link in record(field("856", written, "4", ind2)).links] == [kind]


def test_a_thesis_note_gives_institution_and_degree() -> None:
    document = record(field("502", "a:Thesis (M. Sc.)--Example University, May 1986."))
    assert document.institution == "Example University"
    assert document.extra["marc:502$b"] == ("M. Sc.",)
    assert "thesis" in document.types


def test_the_leader_says_what_it_is_unless_it_is_the_one_invenio_always_writes() -> None:
    assert record(leader="00000nas a2200000 a 4500").types == ("serial",)
    assert record(leader="00000ncm a2200000 a 4500").types == ("notated music",)
    assert record(leader="00000coc  2200000uu 4500").types == ()


def test_an_authority_record_is_called_by_its_heading() -> None:
    document = record(field("150", "a:Hay"), field("450", "a:Fodder"), leader="00000nz  a2200000n  4500")
    assert document.title == "Hay"
    assert not document.subjects
    assert document.extra["marc:450$a"] == ("Fodder",)


def test_a_journal_article_names_its_place_in_the_journal_once() -> None:
    assert record(field("773", "p:Journal of Straw|v:2014|c:12|y:2014")).sources == (
        "Journal of Straw, 2014, 12",
    )
    assert record(field("773", "t:Journal of Straw.|g:Vol. 3 (2001), p. 1-20")).sources == (
        "Journal of Straw, Vol. 3 (2001), p. 1-20",
    )


@pytest.mark.parametrize("namespace", ["", ' xmlns="http://www.loc.gov/MARC21/slim"', ' xmlns="urn:other"'])
def test_fields_are_known_in_any_namespace(namespace: str) -> None:
    inside = field("245", "a:Hay")
    assert read(f"<record{namespace}>{inside}</record>".encode(), b"", "marcxml").title == "Hay"


def test_of_a_collection_the_first_record_counts_and_the_words_of_the_others_are_kept() -> None:
    one, two = (f"<record>{field('245', f'a:{title}')}</record>" for title in ("One", "Two"))
    document = read(f"<collection>{one}{two}</collection>".encode(), b"", "marcxml")
    assert [title.value for title in document.titles] == ["One"]
    assert document.extra["marc:record"] == ("Two",)


def test_text_outside_subfields_and_unknown_elements_are_kept() -> None:
    document = record('<datafield tag="900">stray<odd>inner</odd></datafield>', "<what>ever</what>")
    assert document.extra["marc:900$?"] == ("inner", "stray")
    assert document.extra["marc:what"] == ("ever",)
