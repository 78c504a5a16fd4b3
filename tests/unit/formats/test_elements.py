from __future__ import annotations

import pytest
from lxml import etree

from windrow.formats.elements import language_of, local, text_of, words_of


def element(xml: str) -> etree._Element:
    return etree.fromstring(xml)


def test_the_text_of_an_element_is_on_one_line() -> None:
    assert text_of(element("<a> one\n  <b>two</b> three </a>")) == "one two three"


def test_the_text_after_an_element_is_not_its_own() -> None:
    assert text_of(element("<a><b>in</b>out</a>")[0]) == "in"


def test_inline_children_join_and_block_children_stand_apart() -> None:
    assert text_of(element("<a>H<sub>2</sub>O<p>one</p><p>two</p></a>")) == "H2Oone two"


def test_comments_and_instructions_have_no_words() -> None:
    assert words_of(element("<a>x<!-- no -->y<?php no ?>z</a>")) == "xyz"


@pytest.mark.parametrize(
    ("xml", "language"),
    [
        ('<a xml:lang="en_US"/>', "en"),
        ('<a lang="fin"/>', "fi"),
        ('<a language="ger"/>', "de"),
        ('<a xml:lang="-"/>', None),
        ("<a/>", None),
    ],
)
def test_the_language_of_an_element_is_a_code(xml: str, language: str | None) -> None:
    assert language_of(element(xml)) == language


def test_the_local_name_has_no_namespace() -> None:
    root = element('<x:a xmlns:x="urn:x"><!-- c --><b/></x:a>')
    assert [local(root), *(local(child) for child in root)] == ["a", "", "b"]


def test_a_deep_element_gives_its_text() -> None:
    depth = 1500
    xml = "<a>" * depth + "deep" + "</a>" * depth
    assert text_of(etree.fromstring(xml, etree.XMLParser(huge_tree=True))) == "deep"
