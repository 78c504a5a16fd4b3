"""Subjects in several languages that are one topic."""

from __future__ import annotations

import pytest

from windrow.formats.registry import read
from windrow.model.counted_fields import field_values
from windrow.model.document import Document, Subject
from windrow.model.topics import counted_names, decode_wordings, encode_wordings, multilingual_topics

YSO = "http://www.yso.fi/onto/yso/p1"
RAKING = (
    Subject("haravointi", "yso", YSO, "fi"),
    Subject("krattning", "yso", YSO, "sv"),
    Subject("raking", "yso", YSO, "en"),
)


def test_the_same_address_in_several_languages_is_counted_once() -> None:
    document = Document(subjects=(*RAKING, Subject("hay")), keywords=("oats",))
    assert field_values(document, "subject") == ("raking", "hay", "oats")
    assert field_values(document, "keyword") == ("oats",)
    assert field_values(Document(subjects=RAKING), "keyword") == ("raking",)


def test_without_english_the_first_wording_names_the_topic() -> None:
    assert field_values(Document(subjects=RAKING[:2]), "subject") == ("haravointi",)


@pytest.mark.parametrize(
    "subjects",
    [
        (Subject("haravointi", language="fi"), Subject("raking", language="en")),  # lists beside each other
        (Subject("haravointi", "yso", YSO, "fi"), Subject("heinä", "yso", YSO, "fi"), RAKING[2]),
        (Subject("haravointi", "yso", YSO), Subject("raking", "yso", YSO)),  # in no language
        (Subject("haravointi", "yso", YSO, "fi"), Subject("raking", "lcsh", YSO, "en")),
    ],
)
def test_what_is_not_clearly_one_topic_stays_apart(subjects: tuple[Subject, ...]) -> None:
    document = Document(subjects=subjects)
    assert multilingual_topics(document) == []
    assert field_values(document, "subject") == tuple(subject.value for subject in subjects)


def test_an_element_in_several_languages_is_one_topic_and_stays_in_extra() -> None:
    text = "fi=haravointi|sv=krattning|en=raking|"
    payload = (
        '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Hay</dc:title>'
        f"<dc:subject>{text}</dc:subject><dc:subject>hay</dc:subject></oai_dc:dc>"
    )
    document = read(payload.encode(), b"", "oai_dc")
    assert [subject.value for subject in document.subjects] == ["haravointi", "krattning", "raking", "hay"]
    assert document.extra["dc:subject"] == (text,)
    assert field_values(document, "subject") == ("raking", "hay")


def test_a_notation_of_mods_joins_its_languages() -> None:
    payload = (
        '<mods xmlns="http://www.loc.gov/mods/v3" xmlns:xlink="http://www.w3.org/1999/xlink">'
        '<subject lang="swe" authority="uka.se" xlink:href="30302"><topic>Folkhälsa</topic></subject>'
        '<subject lang="eng" authority="uka.se" xlink:href="30302"><topic>Public Health</topic></subject>'
        "</mods>"
    )
    document = read(payload.encode(), b"", "mods")
    assert field_values(document, "subject") == ("Public Health",)


def test_wordings_can_be_read_back() -> None:
    (written,) = encode_wordings(Document(subjects=RAKING))
    topic = decode_wordings(written)
    assert topic is not None
    assert topic.name == "raking"
    assert topic.wordings == {"fi": "haravointi", "sv": "krattning", "en": "raking"}
    assert decode_wordings("raking") is None
    odd = (Subject("a|b", "x", "y", "fi"), Subject("c", "x", "y", "en"))
    assert encode_wordings(Document(subjects=odd)) == ()
    assert counted_names(Document(subjects=odd)) == {"a|b": "c", "c": "c"}
