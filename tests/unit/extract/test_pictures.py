"""Pictures of files."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from tests.unit.extract.samples import jpeg, package, pdf
from windrow.extract import picture_files
from windrow.extract.file_reading import render_picture
from windrow.extract.reading_job import Unreadable


def opened(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data))


def test_a_picture_is_made_smaller_and_set_upright() -> None:
    lying = jpeg((800, 400), exif={0x0112: 6})
    made = opened(render_picture(io.BytesIO(lying), "image/jpeg", size=160))
    assert (made.format, made.size) == ("JPEG", (80, 160))


@pytest.mark.parametrize("mode", ["RGBA", "P", "L", "CMYK", "I;16", "1", "LA"])
def test_whatever_the_colours_it_is_a_jpeg_on_white(mode: str) -> None:
    made = io.BytesIO()
    kind = "image/tiff" if mode in ("CMYK", "I;16") else "image/png"
    Image.new(mode, (50, 50)).save(made, "TIFF" if kind == "image/tiff" else "PNG")
    shown = opened(render_picture(made, kind, size=160))
    assert shown.size == (50, 50)
    if mode in ("RGBA", "LA"):
        assert shown.convert("L").getpixel((5, 5)) == 255


def test_each_page_of_a_pdf_can_be_seen() -> None:
    file = io.BytesIO(pdf(["one", "two"]))
    first, second = (render_picture(file, "application/pdf", page=number, size=320) for number in (1, 2))
    assert first != second
    assert opened(first).size == (320, 240)
    with pytest.raises(Unreadable, match="no such page"):
        render_picture(file, "application/pdf", page=3)


def test_a_book_is_seen_by_its_cover() -> None:
    book = (
        '<package><manifest><item id="c" href="c.jpg" media-type="image/jpeg" properties="cover-image"/>'
        "</manifest></package>"
    )
    data = package({"book.opf": book, "c.jpg": jpeg((30, 40))})
    assert opened(render_picture(io.BytesIO(data), "application/epub+zip")).size == (30, 40)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"words", "text/plain"),
        (b"<svg/>", "image/svg+xml"),
        (b"", "image/png"),
        (jpeg()[:200], "image/jpeg"),
        (b"", "audio/mpeg"),
    ],
)
def test_what_cannot_be_shown_is_refused(data: bytes, kind: str) -> None:
    with pytest.raises(Unreadable):
        render_picture(io.BytesIO(data), kind)


def test_what_has_too_many_pixels_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture_files, "MAX_PIXELS", 100)
    with pytest.raises(Unreadable, match="pixels"):
        render_picture(io.BytesIO(jpeg((50, 50))), "image/jpeg")
