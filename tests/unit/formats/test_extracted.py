"""The format of documents: written of what was read, read back into a Document with the file behind it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from windrow.formats.known_formats import richness_rank
from windrow.formats.registry import read
from windrow.formats.windrow_document import (
    DocumentLocation,
    FileFacts,
    StatedFact,
    read_file_facts,
    rewrite_extracted,
    schema,
    without_text,
    write_document_dc,
    write_extracted,
)
from windrow.model.document import Document, DocumentDate, Heading, HeldFile, LinkKind, Text
from windrow.model.file_content import Extract

SCHEMA = etree.XMLSchema(etree.fromstring(schema()))
PLACE = DocumentLocation(
    "https://www.example.org/a/x.pdf", "a/x.pdf", 1234, "2024-05-17T10:20:30Z", "ab" * 32
)
EXTRACT = Extract(
    "application/pdf",
    (("title", "Own < title & more"), ("creator", "Ann"), ("date", "2019-03"), ("coverage", "Rome")),
    (("pages", "3"), ("detected-language", "sv"), ("latitude", "1.5"), ("longitude", "-2.5")),
    ("page one\r\n  with spaces", "", "page three"),
    is_paged=True,
    headings=(Heading("First", 1, 1), Heading("Nowhere", 2)),
    notes=("A font is missing.",),
)


def document(payload: bytes) -> Document:
    return read(payload, b"", "windrow_document")


def held(payload: bytes) -> HeldFile:
    file = document(payload).file
    assert file is not None
    return file


def test_what_was_read_comes_back_page_by_page() -> None:
    payload = write_extracted(PLACE, EXTRACT, reader="pdf", version="1")
    SCHEMA.assertValid(etree.fromstring(payload))
    made = document(payload)
    assert made.titles == (Text("Own < title & more"),)
    assert (made.pages, made.year, made.languages, made.types) == (3, 2019, ("sv",), ("Text",))
    assert made.dates == (DocumentDate("2019-03"),)
    assert made.extra == {"doc:coverage": ("Rome",)}
    assert [(link.url, link.kind, link.media_type) for link in made.links] == [
        ("https://www.example.org/a/x.pdf", LinkKind.FULLTEXT, "application/pdf")
    ]
    file = held(payload)
    assert (file.path, file.size, file.sha256, file.folder) == ("a/x.pdf", 1234, "ab" * 32, "a")
    assert (file.text, file.is_paged, file.headings) == (EXTRACT.text, True, EXTRACT.headings)
    assert file.facts == (*EXTRACT.measured, ("note", "A font is missing."))


def test_what_is_given_stands_for_what_was_read_under_the_same_name() -> None:
    words = [
        StatedFact("title", "Given", "metadata.csv"),
        StatedFact("type", "Thesis", "m"),
        StatedFact("shelf", "B2", "m"),
    ]
    payload = write_extracted(PLACE, EXTRACT, words)
    SCHEMA.assertValid(etree.fromstring(payload))
    made = document(payload)
    assert (made.title, made.types, made.creators[0].name) == ("Given", ("Thesis",), "Ann")
    assert made.extra["doc:shelf"] == ("B2",)


def test_a_document_without_a_title_goes_by_the_name_of_its_file() -> None:
    assert document(write_extracted(PLACE, Extract("image/png"))).titles == (Text("x.pdf"),)


def test_a_declared_language_goes_before_a_detected_one() -> None:
    extract = replace(EXTRACT, said=(("language", "fi"),))
    assert document(write_extracted(PLACE, extract)).languages == ("fi",)


def test_what_lies_in_an_archive_or_is_not_on_the_web_has_no_address() -> None:
    assert document(write_extracted(replace(PLACE, member="in/b.txt"), EXTRACT)).links == ()
    assert document(write_extracted(replace(PLACE, address="urn:windrow:folder:x/a"), EXTRACT)).links == ()


def test_a_description_can_be_rewritten_for_another_place_without_the_file() -> None:
    payload = write_extracted(PLACE, EXTRACT, [StatedFact("title", "Old", "m")])
    moved = replace(PLACE, path="b/y.pdf", address="https://www.example.org/b/y.pdf")
    again = rewrite_extracted(payload, moved, [StatedFact("title", "New", "m")])
    assert again == write_extracted(moved, EXTRACT, [StatedFact("title", "New", "m")])


def test_all_but_the_text_can_be_had_by_itself() -> None:
    payload = write_extracted(PLACE, EXTRACT)
    assert document(without_text(payload)) == replace(
        document(payload), file=held(payload)._replace(text=(), is_paged=False)
    )
    assert read_file_facts(payload) == FileFacts("application/pdf", (*EXTRACT.said, *EXTRACT.measured))


def test_of_all_formats_it_says_most() -> None:
    assert richness_rank("windrow_document") < min(richness_rank("kk"), richness_rank("oai_dc"))


def test_dublin_core_has_what_everybody_can_read() -> None:
    facts = FileFacts("application/pdf", (*EXTRACT.said, *EXTRACT.measured))
    made = write_document_dc(
        PLACE, facts, [StatedFact("title", "Given", "m")], archive="https://x.example/a.zip"
    )
    pairs = {(etree.QName(child).localname, child.text) for child in etree.fromstring(made)}
    assert pairs == {
        ("title", "Given"),
        ("creator", "Ann"),
        ("date", "2019-03"),
        ("type", "Text"),
        ("format", "3 pages"),
        ("format", "application/pdf"),
        ("format", "1234 bytes"),
        ("identifier", PLACE.address),
        ("language", "sv"),
        ("relation", "https://x.example/a.zip"),
        ("coverage", "Rome"),
        ("coverage", "north=1.5; east=-2.5"),
    }


@pytest.mark.parametrize(
    "broken",
    [
        b'<doc:document xmlns:doc="urn:windrow:document:1" path="a"/>',
        b'<d:document xmlns:d="urn:windrow:document:1" path="a" size="x">'
        b"<d:extracted><d:heading/></d:extracted><d:text><d:page/><d:other/></d:text></d:document>",
    ],
)
def test_a_strange_document_is_read_as_far_as_it_goes(broken: bytes) -> None:
    assert held(broken).size == 0


def test_what_lies_nowhere_has_no_file_and_keeps_its_words() -> None:
    found = document(
        b'<d:document xmlns:d="urn:windrow:document:1"><d:extracted><d:fact name="pages">two</d:fact>'
        b"<d:odd>words</d:odd></d:extracted></d:document>"
    )
    assert found.file is None
    assert {value for values in found.extra.values() for value in values} == {"two", "words"}


_WORDS = st.text(max_size=40)
_FACTS = st.lists(st.tuples(st.sampled_from(("title", "creator", "camera", "odd")), _WORDS), max_size=4)


@settings(max_examples=60)
@given(path=_WORDS, facts=_FACTS, pages=st.lists(_WORDS, max_size=3), words=_WORDS)
def test_any_words_give_a_valid_document(
    path: str, facts: list[tuple[str, str]], pages: list[str], words: str
) -> None:
    extract = Extract("text/plain", tuple(facts), text=tuple(pages), notes=(words,))
    payload = write_extracted(
        replace(PLACE, path=path, member=words), extract, [StatedFact("odd", words, words)]
    )
    SCHEMA.assertValid(etree.fromstring(payload))
    document(payload)
