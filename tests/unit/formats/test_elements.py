from __future__ import annotations

import pytest
from lxml import etree

from windrow.formats.mapping.xml_records import element_language, element_text, element_words, local_name


def element(xml: str) -> etree._Element:
    return etree.fromstring(xml)


def test_the_text_of_an_element_is_on_one_line() -> None:
    assert element_text(element("<a> one\n  <b>two</b> three </a>")) == "one two three"


def test_the_text_after_an_element_is_not_its_own() -> None:
    assert element_text(element("<a><b>in</b>out</a>")[0]) == "in"


def test_inline_children_join_and_block_children_stand_apart() -> None:
    assert element_text(element("<a>H<sub>2</sub>O<p>one</p><p>two</p></a>")) == "H2Oone two"


def test_comments_and_instructions_have_no_words() -> None:
    assert element_words(element("<a>x<!-- no -->y<?php no ?>z</a>")) == "xyz"


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
    assert element_language(element(xml)) == language


def test_the_local_name_has_no_namespace() -> None:
    root = element('<x:a xmlns:x="urn:x"><!-- c --><b/></x:a>')
    assert [local_name(root), *(local_name(child) for child in root)] == ["a", "", "b"]


def test_a_deep_element_gives_its_text() -> None:
    depth = 1500
    xml = "<a>" * depth + "deep" + "</a>" * depth
    assert element_text(etree.fromstring(xml, etree.XMLParser(huge_tree=True))) == "deep"
