"""Every word of the statistics is there in Swedish and in Finnish, with the same gaps in it."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import html

import windrow
from tests.unit.web.statistics.stage import Stage, text_of
from windrow.web.i18n.translation import load_catalogue

ROOT = Path(next(iter(windrow.__path__)))
MARKED = ("message", "say")


def _in_code() -> Iterator[str]:
    for path in (*ROOT.glob("stats/**/*.py"), *ROOT.glob("web/statistics/*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                if name in MARKED:
                    yield str(node.args[0].value)


def _in_templates() -> Iterator[str]:
    for path in ROOT.glob("web/statistics/templates/*.html"):
        text = path.read_text(encoding="utf-8")
        yield from (found[1] for found in re.findall(r"""\b_\((["'])(.*?)\1""", text))
        yield from re.findall(r'several\("(.*?)"', text)


def _gaps(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("language", ["sv", "fi"])
def test_every_message_has_a_translation_with_the_same_gaps(language: str) -> None:
    known = load_catalogue(language)
    used = {*_in_code(), *_in_templates()}
    assert len(used) > 100
    assert not {text for text in used if text not in known}
    for text in used:
        found = known[text]
        if isinstance(found, str):
            assert _gaps(found) == _gaps(text), text


@pytest.mark.parametrize(
    ("language", "heading", "year"), [("sv", "Poster per år", "År"), ("fi", "Tietueet vuosittain", "Vuosi")]
)
def test_a_page_is_in_the_language_that_was_asked_for(
    stage: Stage, language: str, heading: str, year: str
) -> None:
    page = stage.page("/growth", language=language)
    assert text_of(page.xpath("//h2")[0]) == heading
    assert text_of(page.xpath("//th")[0]) == year
    assert re.search(r"× \d,\d\d", text_of(page.xpath("//table")[0]))


@pytest.mark.parametrize(("language", "title"), [("en", "Nothing here"), ("sv", "Här finns ingenting")])
def test_what_is_not_there_has_a_page_in_the_language_with_a_menu_and_a_search_box(
    stage: Stage, language: str, title: str
) -> None:
    asked = {"Accept": "text/html", "Accept-Language": language}
    got = stage.server.ask("/statistics/nothing", headers=asked)
    page: html.HtmlElement = html.fromstring(got.body.decode())
    assert (got.status, page.get("lang"), text_of(page.xpath("//h1")[0])) == (404, language, title)
    assert page.xpath("//header//nav//a")
    assert page.xpath("//main//form//input[@name='q']")


def test_a_program_that_asks_for_what_is_not_there_gets_a_sentence(stage: Stage) -> None:
    got = stage.ask("/nothing", language="sv")
    assert (got.status, got.text) == (404, "There are no such statistics. All there are: /statistics/\n")


def test_where_there_are_no_rows_the_page_says_what_that_means(stage: Stage) -> None:
    page = stage.page("/collaboration?q=nosuchword", language="sv")
    assert "Ingen post nämner två organisationer." in text_of(page.xpath("//section[@id='collaboration']")[0])


def test_languages_are_called_by_their_names(stage: Stage) -> None:
    assert "Finnish" in text_of(stage.page("/languages").xpath("//table")[0])
    assert "suomi" in text_of(stage.page("/languages", language="fi").xpath("//table")[0])
    (title,) = stage.page("/languages", language="sv").xpath("//figure//svg/title")
    assert "finska" in text_of(title)
