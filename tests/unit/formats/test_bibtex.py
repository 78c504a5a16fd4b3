from __future__ import annotations

import re

import pytest
from hypothesis import given

from tests.unit.formats.documents import TEXTS, documents
from tests.unit.formats.test_csl_json import THESIS
from windrow.formats.citations.bibtex import citation_key, write_bibtex
from windrow.model.document import Agent, Document, Identifier, Link, LinkKind, Text

_FIELD = re.compile(r"  [a-z]+ = (?:\{.*\}|[a-z]{3}),")


def depths(text: str) -> list[int]:
    """How deep in braces each place is, as BibTeX counts them: a backslash makes no difference to it."""
    depth, found = 0, []
    for letter in text:
        depth += (letter == "{") - (letter == "}")
        found.append(depth)
    return found


def fields(entry: str) -> dict[str, str]:
    lines = (line.strip().rstrip(",").partition(" = ") for line in entry.splitlines()[1:-1])
    return {name: value for name, _, value in lines}


def test_a_thesis_is_written_whole() -> None:
    assert write_bibtex(THESIS, "oai:hay:1") == (
        "@phdthesis{mower2012,\n"
        "  author = {Mower, Ann and {Barn Institute}},\n"
        "  editor = {Stack, Eva},\n"
        "  title = {{Hay}},\n"
        "  year = {2012},\n"
        "  month = may,\n"
        "  school = {Field University},\n"
        "  type = {Doctoral dissertation},\n"
        "  pagetotal = {120},\n"
        "  doi = {10.1234/hay},\n"
        "  isbn = {978-951-98548-9-2},\n"
        "  url = {https://barn.example/1},\n"
        "  language = {en},\n"
        "  keywords = {hay, straw, meadows},\n"
        "  abstract = {About hay.},\n"
        "}\n"
    )


@pytest.mark.parametrize(
    ("title", "written"),
    [
        ("50 % of $x_1$ & #2", r"{{50 \% of \$x\_1\$ \& \#2}}"),
        ("a{b", r"{{a{\textbraceleft}b}}"),
        (r"\input{evil}", r"{{{\textbackslash}input{\textbraceleft}evil{\textbraceright}}}"),
        ("x~y^z", r"{{x{\textasciitilde}y{\textasciicircum}z}}"),
        ("two\nlines\x00", "{{two lines}}"),
    ],
)
def test_nothing_in_a_title_is_a_command(title: str, written: str) -> None:
    assert fields(write_bibtex(Document(titles=(Text(title),)), "x"))["title"] == written


def test_a_name_with_and_in_it_stays_one_name() -> None:
    entry = write_bibtex(Document(creators=(Agent("Hay and Straw, Inc."), Agent("And, Ann"))), "x")
    assert fields(entry)["author"] == "{{Hay and Straw, Inc.} and {And, Ann}}"


def test_a_suffix_stands_between_family_and_given_name() -> None:
    assert (
        fields(write_bibtex(Document(creators=(Agent("Rake, Bo, Jr."),)), "x"))["author"] == "{Rake, Jr., Bo}"
    )


def test_an_address_is_not_escaped_for_typesetting_but_cannot_end_its_field() -> None:
    document = Document(
        links=(Link("https://barn.example/a_b?c=1&d={e}", LinkKind.LANDING),),
        names=(Identifier("doi", "10.1/a_{b"),),
    )
    found = fields(write_bibtex(document, "x"))
    assert found["url"] == "{https://barn.example/a_b?c=1&d=%7Be%7D}"
    assert found["doi"] == "{10.1/a_%7Bb}"


def test_keys_are_made_of_name_year_and_title_or_of_the_identifier() -> None:
    document = Document(creators=(Agent("Äng, Örjan"),), year=2012, titles=(Text("The big hay: barns"),))
    assert citation_key(document, "x") == "ang2012barns"
    assert citation_key(Document(), "oai:hay.example:1") == "oaihayexample1"
    assert citation_key(Document(titles=(Text("月"),)), "!!") == "record"


@given(documents(), TEXTS)
def test_whatever_a_document_holds_braces_balance_and_each_field_is_a_line(
    document: Document, identifier: str
) -> None:
    entry = write_bibtex(document, identifier)
    found = depths(entry.rstrip("\n"))
    assert found[-1] == 0
    assert all(depth > 0 for depth in found[entry.index("{") : -1])
    assert re.fullmatch(r"@[a-z]+\{[a-z0-9]+,", entry.split("\n")[0])
    assert all(_FIELD.fullmatch(line) for line in entry.split("\n")[1:-2])
