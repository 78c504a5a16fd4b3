"""Theses as metadata."""

from __future__ import annotations

from dataclasses import replace

import pytest
from lxml import etree

from windrow.demo.theses import Thesis, write_thesis
from windrow.demo.thesis_formats import FORMATS, render_kk, render_marcxml, render_oai_dc, render_qdc

DC = "{http://purl.org/dc/elements/1.1/}"
TERMS = "{http://purl.org/dc/terms/}"
KK = "{http://kk/1.0}"
MARC = "{http://www.loc.gov/MARC21/slim}"

THESES = [write_thesis(1, number) for number in range(400)]


@pytest.mark.parametrize("prefix", sorted(FORMATS))
def test_every_thesis_is_well_formed_in_every_format(prefix: str) -> None:
    for thesis in THESES:
        root = etree.fromstring(FORMATS[prefix].render(thesis))
        assert etree.QName(root).namespace == FORMATS[prefix].namespace


def test_oai_dc_says_everything_there_is_to_say() -> None:
    for thesis in THESES:
        root = etree.fromstring(render_oai_dc(thesis))
        assert [each.text for each in root.iter(DC + "title")] == [text for _, text in thesis.titles]
        assert [each.text for each in root.iter(DC + "description")] == [text for _, text in thesis.abstracts]
        assert [each.text for each in root.iter(DC + "subject")] == [word for _, word in thesis.keywords]
        assert [each.text for each in root.iter(DC + "creator")] == list(thesis.authors)
        assert [each.text for each in root.iter(DC + "identifier")] == [thesis.landing, thesis.fulltext]


def test_an_oai_dc_record_has_about_two_kilobytes() -> None:
    sizes = [len(render_oai_dc(thesis).encode()) for thesis in THESES]
    assert 1600 < sum(sizes) / len(sizes) < 2600


def test_kk_keeps_languages_and_qualifiers() -> None:
    for thesis in THESES:
        root = etree.fromstring(render_kk(thesis))
        fields = [
            (each.get("element"), each.get("qualifier"), each.get("language"), each.get("value"))
            for each in root.iter(KK + "field")
        ]
        assert ("title", None, thesis.language, thesis.titles[0][1]) in fields
        assert ("contributor", "author", "none", thesis.authors[0]) in fields
        assert ("subject", "degreeprogram", "fi", thesis.department.programme.finnish) in fields
        assert [each.get("href") for each in root.iter(KK + "file")] == [thesis.fulltext]


def test_qdc_tells_abstracts_by_language() -> None:
    for thesis in THESES:
        root = etree.fromstring(render_qdc(thesis))
        found = [
            (each.get("{http://www.w3.org/XML/1998/namespace}lang"), each.text)
            for each in root.iter(TERMS + "abstract")
        ]
        assert found == list(thesis.abstracts)


def test_marcxml_has_a_title_an_author_and_a_fixed_field_of_forty_characters() -> None:
    for thesis in THESES:
        root = etree.fromstring(render_marcxml(thesis))
        assert _subfield(root, "245", "a") == thesis.titles[0][1]
        assert _subfield(root, "100", "a") == thesis.authors[0]
        fixed = root.find(f"{MARC}controlfield[@tag='008']")
        assert fixed is not None
        assert len(fixed.text or "") == 40


def _subfield(root: etree._Element, tag: str, code: str) -> str | None:
    return root.findtext(f"{MARC}datafield[@tag='{tag}']/{MARC}subfield[@code='{code}']")


def test_markup_in_a_title_stays_text() -> None:
    thesis = _with_title('<i>Sus</i> & "co" 🌲')
    for render in (render_oai_dc, render_qdc):
        title = etree.fromstring(render(thesis)).find(DC + "title")
        assert title is not None
        assert title.text == '<i>Sus</i> & "co" 🌲'
    field = etree.fromstring(render_kk(thesis)).find(f"{KK}field[@element='title']")
    assert field is not None
    assert field.get("value") == '<i>Sus</i> & "co" 🌲'


def _with_title(title: str) -> Thesis:
    thesis = write_thesis(1, 0)
    return replace(thesis, titles=((thesis.language, title),))
