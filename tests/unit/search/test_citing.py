from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from hypothesis import given, settings

from tests.thorough import tries
from tests.unit.formats.documents import documents
from windrow.model.document import Agent, Document, Identifier, Link, LinkKind, Text
from windrow.search.citations import STYLES, cite, cite_all

THESIS = Document(
    titles=(Text("Hay and straw: a study", "en"),),
    creators=(Agent("Mower, Ann Mary"), Agent("Barn Institute")),
    year=2012,
    types=("Master's thesis",),
    languages=("en",),
    institution="Field University",
    links=(Link("https://barn.example/1", LinkKind.LANDING),),
)
ARTICLE = Document(
    titles=(Text("The future of hay", "en"),),
    creators=(Agent("Mower, Ann"), Agent("Rake, Bo, Jr.")),
    year=2012,
    types=("article",),
    languages=("en",),
    sources=("Journal of Hay",),
    names=(Identifier("doi", "10.1234/hay"),),
)


def lines(document: Document) -> dict[str, str]:
    return {each.style: each.text for each in cite_all(document)}


def italics(document: Document, style: str) -> list[str]:
    return [text for text, is_italic in cite(document, style=style).pieces if is_italic]


def test_a_thesis_in_every_style() -> None:
    assert lines(THESIS) == {
        "apa": "Mower, A. M., & Barn Institute. (2012). Hay and straw: a study [Master's thesis,"
        " Field University]. https://barn.example/1",
        "chicago": "Mower, Ann Mary, and Barn Institute. 2012. “Hay and Straw: A Study.” Master's thesis,"
        " Field University. https://barn.example/1.",
        "mla": "Mower, Ann Mary, and Barn Institute. Hay and Straw: A Study. 2012, https://barn.example/1."
        " Field University, Master's thesis.",
    }
    assert italics(THESIS, "apa") == ["Hay and straw: a study"]


def test_an_article_in_every_style() -> None:
    assert lines(ARTICLE) == {
        "apa": "Mower, A., & Rake, B., Jr. (2012). The future of hay. Journal of Hay. https://doi.org/10.1234/hay",
        "chicago": "Mower, Ann, and Bo Rake Jr. 2012. “The Future of Hay.” Journal of Hay."
        " https://doi.org/10.1234/hay.",
        "mla": "Mower, Ann, and Bo Rake Jr. “The Future of Hay.” Journal of Hay, 2012,"
        " https://doi.org/10.1234/hay.",
    }
    assert italics(ARTICLE, "mla") == ["Journal of Hay"]


def test_only_english_titles_are_written_with_capitals() -> None:
    finnish = replace(ARTICLE, titles=(Text("Heinän tulevaisuus"),), languages=("fi",))
    unknown = replace(ARTICLE, titles=(Text("Heinän tulevaisuus"),), languages=())
    assert "“Heinän tulevaisuus.”" in lines(finnish)["chicago"]
    assert "“Heinän tulevaisuus.”" in lines(unknown)["mla"]


def test_without_an_author_the_title_stands_in_the_authors_place_once() -> None:
    found = lines(replace(THESIS, creators=()))
    assert found["apa"].startswith("Hay and straw: a study. (2012).")
    assert all(line.casefold().count("hay and straw") == 1 for line in found.values())


def test_an_article_in_no_journal_has_no_word_about_editions() -> None:
    article = replace(ARTICLE, sources=(), languages=(), names=())
    assert lines(article)["chicago"] == "Mower, Ann, and Bo Rake Jr. 2012. The future of hay."


def test_a_name_in_letters_without_capitals_is_not_cut_to_initials() -> None:
    document = Document(
        titles=(Text("目録"),), creators=(Agent("山田, 太郎"), Agent("Толстой, Лев")), year=2015
    )
    assert lines(document)["apa"] == "山田, 太郎, & Толстой, Л. (2015). 目録."


def test_without_a_year_there_is_no_date() -> None:
    assert "(n.d.)" in lines(replace(THESIS, year=None))["apa"]


def test_markup_and_mathematics_in_a_title_stay_what_they_are() -> None:
    title = "On <script>alert(1)</script> & <b>$x^2$</b>"
    found = cite(replace(THESIS, titles=(Text(title),), languages=()), style="apa")
    assert title in found.text
    assert italics(replace(THESIS, titles=(Text(title),), languages=()), "apa") == [title]


def test_marks_for_italics_cannot_be_smuggled_in() -> None:
    title = "Hay \ue000not so\ue001 straw"
    found = cite(replace(ARTICLE, titles=(Text(title),)), style="apa")
    assert "Hay not so straw" in found.text
    assert [text for text, is_italic in found.pieces if is_italic] == ["Journal of Hay"]


def test_a_title_with_a_mark_of_its_own_has_no_point_after_it() -> None:
    found = lines(replace(ARTICLE, titles=(Text("What is hay?"),), languages=()))
    assert "What is hay? Journal" in found["apa"]
    assert "“What is hay?” Journal" in found["chicago"]


def test_a_title_that_ends_in_a_point_has_only_that_one() -> None:
    found = lines(replace(ARTICLE, titles=(Text("About hay."),), languages=()))
    assert "About hay. Journal" in found["apa"]
    assert "“About hay.” Journal" in found["chicago"]


@pytest.mark.parametrize(("name", "cited"), [("Dot Press.", "Dot Press"), ("Hay & Co.", "Hay & Co.")])
def test_a_publisher_has_the_point_of_an_abbreviation_and_no_other(name: str, cited: str) -> None:
    book = Document(
        titles=(Text("Hay"),), creators=(Agent("Mower, Ann"),), year=2003, types=("book",), publishers=(name,)
    )
    assert f"{cited}, 2003" in cite(book, style="mla").text


def test_quotations_within_quotations_have_single_marks() -> None:
    found = lines(replace(ARTICLE, titles=(Text("The “best” hay"),), languages=()))
    assert "“The ‘best’ hay.”" in found["chicago"]


def test_five_hundred_authors_are_not_all_named() -> None:
    crowd = tuple(Agent(f"Mower{number}, Ann") for number in range(500))
    found = lines(replace(ARTICLE, creators=crowd))
    assert "… Mower499, A." in found["apa"]
    assert "et al." in found["mla"]
    assert all(len(line) < 1000 for line in found.values())


def test_a_document_that_says_nothing_has_an_empty_line_and_one_that_says_little_a_plain_one() -> None:
    assert lines(Document()) == dict.fromkeys(STYLES, "")
    assert lines(Document(year=2012, institution="Field University")) == dict.fromkeys(
        STYLES, "(2012). Field University."
    )


def test_many_threads_can_cite_at_once() -> None:
    found = [replace(ARTICLE, year=1900 + number) for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        texts = list(pool.map(lambda document: cite(document, style="apa").text, found))
    assert texts == [lines(ARTICLE)["apa"].replace("2012", str(1900 + number)) for number in range(40)]


@settings(max_examples=tries(20), deadline=None)
@given(documents())
def test_whatever_a_document_holds_it_can_be_cited(document: Document) -> None:
    for style in STYLES:
        found = cite(document, style=style)
        assert all(text for text, _ in found.pieces)
        assert "\ue000" not in found.text


@pytest.mark.parametrize("style", STYLES)
def test_every_style_has_a_name_for_people(style: str) -> None:
    assert STYLES[style].title
