"""PDF: text by pages, information, contents."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from tests.unit.extract.samples import pdf, scanned_pdf
from windrow.extract.readers.pdf import read, read_pdf_date
from windrow.extract.reading_job import Job, Unreadable
from windrow.model.document import Heading

JOB = Job("a.pdf", declared="application/pdf")
INFO = "/Title (Hay) /Author (Ann Reed) /Keywords (grass, mowing) /CreationDate (D:20240517101530+02'00')"


def test_pages_information_and_language_are_read() -> None:
    found = read(io.BytesIO(pdf(["first page", "second page"], info=INFO, catalog="/Lang (en-GB)")), JOB)
    assert found.text == ("first page", "second page")
    assert found.is_paged
    said = dict(found.said)
    assert (said["title"], said["creator"], said["subject"]) == ("Hay", "Ann Reed", "grass, mowing")
    assert (said["date"], said["language"]) == ("2024-05-17T10:15:30+02:00", "en-GB")
    assert dict(found.measured)["pages"] == "2"


def test_xmp_tells_people_apart_that_the_information_has_in_one_line() -> None:
    packet = (
        b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        b'<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator><rdf:Seq><rdf:li>Ann Reed'
        b"</rdf:li><rdf:li>Bo Ek</rdf:li></rdf:Seq></dc:creator></rdf:Description></rdf:RDF></x:xmpmeta>"
    )
    found = read(io.BytesIO(pdf(["x"], info="/Author (Ann Reed, Bo Ek)") + packet), JOB)
    assert [value for name, value in found.said if name == "creator"] == ["Ann Reed", "Bo Ek"]


def test_contents_lead_to_pages_and_a_circle_in_them_ends() -> None:
    outline = (
        "<< /Type /Outlines /First 10 0 R /Last 10 0 R >>\n"
        "<< /Title (Chapter) /Parent 9 0 R /Dest [7 0 R /Fit] /Next 10 0 R >>"
    )
    found = read(io.BytesIO(pdf(["one", "two"], outline=outline, catalog="/Outlines 9 0 R")), JOB)
    assert found.headings == (Heading("Chapter", 1, 2),)


@pytest.mark.parametrize("data", [b"", b"%PDF-1.4\nnothing", b"no pdf at all"])
def test_what_is_no_pdf_is_refused(data: bytes) -> None:
    with pytest.raises(Unreadable):
        read(io.BytesIO(data), JOB)


def test_a_page_tree_that_leads_to_itself_ends() -> None:
    looping = pdf(["x"]).replace(b"/Kids [5 0 R]", b"/Kids [2 0 R]")
    try:
        found = read(io.BytesIO(looping), JOB)
    except Unreadable:
        return
    assert found.text == ()


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("D:20100310150813Z'", "2010-03-10T15:08:13Z"),
        ("D:2010", "2010"),
        ("D:201003", "2010-03"),
        ("20100310", "2010-03-10"),
        ("D:20100310150813-08'00'", "2010-03-10T15:08:13-08:00"),
        ("D:20101340", ""),
        ("yesterday", ""),
    ],
)
def test_dates_are_read_as_exactly_as_they_are_told(written: str, read_as: str) -> None:
    assert read_pdf_date(written) == read_as


PROSE = "The barley was cut in August and carried home\nbefore the rain came over the hills in the west."
STAMP = "Downloaded from the archive of the museum on 3 May 2024, page {} of 9. All rights reserved."


def text_layer(data: bytes) -> str:
    return dict(read(io.BytesIO(data), JOB).measured).get("text-layer", "")


@pytest.mark.parametrize(
    "pages",
    [
        [("", 1)],
        [("", 1), ("", 1), ("", 0)],
        [("", 8), ("", 8)],
        [("1", 1), ("2", 1), ("3", 1)],
        [("- 12 -", 1), ("Page 13 of 20", 1)],
        [(STAMP.format(number), 1) for number in range(9)],
        [(f"{STAMP.format(number)}\n{number}", 20) for number in range(9)],
    ],
    ids=["one", "blank last", "strips", "numbers", "page numbers", "stamps", "stamps and numbers"],
)
def test_a_scan_without_text_is_known_as_one(pages: list[tuple[str, int]]) -> None:
    found = read(io.BytesIO(scanned_pdf(pages)), JOB)
    assert dict(found.measured)["text-layer"] == "none"
    assert "no text layer" in found.notes[0]


def test_pictures_saved_as_a_pdf_have_no_text_layer() -> None:
    made = io.BytesIO()
    sheets = [Image.new("L", (120, 160), shade) for shade in (250, 240)]
    sheets[0].save(made, "PDF", save_all=True, append_images=sheets[1:])
    assert text_layer(made.getvalue()) == "none"


@pytest.mark.parametrize(
    "pages",
    [
        [(PROSE, 0), (PROSE, 0)],
        [(PROSE, 1), (PROSE, 1)],  # a scan whose words were recognised
        [("", 0)],
        [("Yes", 0)],
        [*[(PROSE, 0)] * 9, ("", 1)],  # a plate among pages of text
    ],
    ids=["text", "recognised", "blank", "a word", "one plate"],
)
def test_what_has_text_or_is_blank_is_no_scan(pages: list[tuple[str, int]]) -> None:
    assert text_layer(scanned_pdf(pages)) == ""


def test_pages_without_text_among_others_are_counted() -> None:
    found = read(io.BytesIO(scanned_pdf([(PROSE, 0), ("", 1), ("2", 1), (PROSE, 0)])), JOB)
    assert dict(found.measured)["text-layer"] == "some pages"
    assert found.notes[0].startswith("2 of its 4 pages are pictures")
