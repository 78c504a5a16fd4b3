"""Pictures: size, EXIF, IPTC, XMP, drawings."""

from __future__ import annotations

import io
import struct

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from tests.unit.extract.samples import jpeg
from windrow.extract import picture_files
from windrow.extract.readers.image import read, read_date
from windrow.extract.reading_job import Job, Unreadable

JOB = Job("a.jpg", declared="image/jpeg")
XMP = (
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
    '<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"'
    ' xmp:CreateDate="2020-01-01T00:00:00"><dc:title><rdf:Alt><rdf:li xml:lang="fi">Heinä</rdf:li>'
    '<rdf:li xml:lang="x-default">Hay</rdf:li></rdf:Alt></dc:title>'
    "<dc:subject><rdf:Bag><rdf:li>grass</rdf:li>"
    "<rdf:li>June</rdf:li></rdf:Bag></dc:subject></rdf:Description></rdf:RDF></x:xmpmeta>"
)


def test_a_camera_says_who_when_where_and_with_what() -> None:
    exif = {
        0x010F: "Nikon",
        0x0110: "NIKON D40",
        0x013B: "Ann Reed",
        0x8298: "CC0",
        0x010E: "A field",
        0x9003: "2024:05:17 10:20:30",
        0x9011: "+03:00",
        1: "S",
        2: (33.0, 51.0, 30.0),
        3: "E",
        4: (151.0, 12.0, 0.0),
    }
    found = read(io.BytesIO(jpeg((40, 30), exif=exif)), JOB)
    said, measured = dict(found.said), dict(found.measured)
    assert (said["creator"], said["rights"], said["description"]) == ("Ann Reed", "CC0", "A field")
    assert said["date"] == "2024-05-17T10:20:30+03:00"
    assert (measured["width"], measured["height"], measured["camera"]) == ("40", "30", "NIKON D40")
    assert (measured["latitude"], measured["longitude"]) == ("-33.858333", "151.200000")


@pytest.mark.parametrize("wrong", [{2: (91.0, 0.0, 0.0), 4: (1.0, 0.0, 0.0)}, {2: (1.0, 0.0, 0.0)}])
def test_half_a_place_is_none(wrong: dict[int, object]) -> None:
    found = read(io.BytesIO(jpeg(exif={1: "N", 3: "E", **wrong})), JOB)
    assert "latitude" not in dict(found.measured)


def test_xmp_is_believed_before_exif_but_the_camera_knows_when_it_was() -> None:
    made, exif = io.BytesIO(), Image.Exif()
    exif[0x010E] = "from the camera"
    exif.get_ifd(0x8769)[0x9003] = "2024:05:17 10:20:30"
    Image.new("RGB", (8, 8)).save(made, "JPEG", xmp=XMP.encode(), exif=exif)
    found = read(made, JOB)
    assert [value for name, value in found.said if name == "title"] == ["Hay"]
    assert [value for name, value in found.said if name == "subject"] == ["grass", "June"]
    assert dict(found.said)["date"] == "2024-05-17T10:20:30"


def test_iptc_gives_title_people_keywords_and_places() -> None:
    records = b"".join(
        struct.pack(">BBBH", 0x1C, number, dataset, len(value)) + value
        for number, dataset, value in (
            (1, 90, b"\x1b%G"),
            (2, 5, "Hö".encode()),
            (2, 80, b"Ann Reed"),
            (2, 25, b"grass"),
            (2, 25, b"June"),
            (2, 90, b"Umea"),
            (2, 55, b"20240517"),
        )
    )
    resource = b"8BIM\x04\x04\0\0" + struct.pack(">I", len(records)) + records + b"\0" * (len(records) % 2)
    block = b"Photoshop 3.0\0" + resource
    plain = jpeg()
    picture = plain[:2] + b"\xff\xed" + struct.pack(">H", len(block) + 2) + block + plain[2:]
    said = read(io.BytesIO(picture), JOB).said
    assert {("title", "Hö"), ("creator", "Ann Reed"), ("coverage", "Umea"), ("date", "2024-05-17")} <= set(
        said
    )
    assert [value for name, value in said if name == "subject"] == ["grass", "June"]


def test_a_png_says_what_its_texts_say() -> None:
    made, texts = io.BytesIO(), PngInfo()
    texts.add_text("Title", "Hay")
    texts.add_itxt("Author", "Ann Reed")
    Image.new("RGBA", (8, 8)).save(made, "PNG", pnginfo=texts)
    found = read(made, Job("a.png", declared="image/png"))
    assert (dict(found.said)["title"], dict(found.said)["creator"]) == ("Hay", "Ann Reed")
    assert found.media_type == "image/png"


def test_a_picture_with_too_many_pixels_is_described(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture_files, "MAX_PIXELS", 100)
    found = read(io.BytesIO(jpeg((50, 30))), JOB)
    assert dict(found.measured)["width"] == "50"
    assert found.notes == ("it has too many pixels to be shown",)


def test_a_drawing_gives_its_title_size_and_words_and_nothing_of_its_script() -> None:
    drawing = (
        b'<svg xmlns="http://www.w3.org/2000/svg" width="120px" viewBox="0 0 240 90"><title>Plan</title>'
        b"<script>alert('evil')</script><text>North <tspan>field</tspan></text></svg>"
    )
    found = read(io.BytesIO(drawing), Job("a.svg", declared="image/svg+xml"))
    assert (found.said, found.text) == ((("title", "Plan"),), ("North field",))
    assert found.measured == (("width", "120"), ("height", "90"))


@pytest.mark.parametrize("data", [b"", b"\xff\xd8\xff no more", jpeg()[:20], b"<p><svg/></p>"])
def test_what_is_no_picture_is_refused(data: bytes) -> None:
    with pytest.raises(Unreadable):
        read(io.BytesIO(data), JOB)


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("2024:05:17 10:20:30", "2024-05-17T10:20:30"),
        ("2024-05-17", "2024-05-17"),
        ("0000:00:00 00:00:00", ""),
        ("2024:13:01 00:00:00", ""),
        ("2024:05:17 25:00:00", "2024-05-17"),
    ],
)
def test_dates_are_read_where_they_are_dates(written: str, read_as: str) -> None:
    assert read_date(written) == read_as
