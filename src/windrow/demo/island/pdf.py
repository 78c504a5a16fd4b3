"""Writes PDF files of a few pages: one font, lines of text, document information and an outline.

Just what the demo's leaflets need, by ISO 32000-1; the standard fonts need not be embedded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

WIDTH, HEIGHT = 420, 595  # A5 in points
_MARGIN = 46
_LETTERS = 58  # on a line
_SIZE, _LEADING, _HEADING_SIZE = 11, 15, 17
_ESCAPED = str.maketrans({"\\": "\\\\", "(": "\\(", ")": "\\)"})


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its heading is in the outline too."""

    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class Leaflet:
    """A few pages, and what is said of them. `colour` is red, green and blue, 0 to 1."""

    name: str  # of the file
    title: str
    creator: str
    subject: str
    created: str  # YYYYMMDD
    language: str
    colour: tuple[float, float, float]
    pages: Sequence[Page]


def write_pdf(leaflet: Leaflet) -> bytes:
    """Give a leaflet as a PDF file."""
    count = len(leaflet.pages)
    # Objects by number: catalog, pages, two fonts, information, outline, then three for each page.
    first = 7
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R /Outlines 6 0 R /Lang {_text(leaflet.language)} >>",
        f"<< /Type /Pages /Count {count} /Kids [{' '.join(f'{first + 3 * n} 0 R' for n in range(count))}] >>",
        _font("Helvetica"),
        _font("Helvetica-Bold"),
        _information(leaflet),
        f"<< /Type /Outlines /First {first + 2} 0 R /Last {first + 3 * count - 1} 0 R /Count {count} >>",
    ]
    for number, page in enumerate(leaflet.pages):
        at = first + 3 * number
        content = _content(leaflet, page, number + 1)
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Contents {at + 1} 0 R"
            " /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>",
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
            _entry(page.heading, at, is_first=number == 0, is_last=number == count - 1),
        ]
    return _file(objects)


def _file(objects: Sequence[str]) -> bytes:
    """Objects with the table that says where each begins."""
    written = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(written))
        written += f"{number} 0 obj\n{body}\nendobj\n".encode("cp1252")
    start = len(written)
    rows = "".join(f"{place:010} 00000 n \n" for place in places)
    written += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{rows}".encode()
    written += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info 5 0 R >>\n".encode()
    return bytes(written + f"startxref\n{start}\n%%EOF\n".encode())


def _font(name: str) -> str:
    return f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>"


def _information(leaflet: Leaflet) -> str:
    return (
        f"<< /Title {_text(leaflet.title)} /Author {_text(leaflet.creator)}"
        f" /Keywords {_text(leaflet.subject)} /Creator {_text('Windrow demo')}"
        f" /CreationDate (D:{leaflet.created}120000Z) >>"
    )


def _entry(heading: str, page: int, *, is_first: bool, is_last: bool) -> str:
    before = "" if is_first else f" /Prev {page - 1} 0 R"
    after = "" if is_last else f" /Next {page + 5} 0 R"
    return f"<< /Title {_text(heading)} /Parent 6 0 R /Dest [{page} 0 R /Fit]{before}{after} >>"


def _text(words: str) -> str:
    """A text string: in UTF-16 where it is not plain ASCII."""
    if words.isascii():
        return f"({words.translate(_ESCAPED)})"
    wide = f"\ufeff{words}".encode("utf-16-be")
    return f"<{wide.hex()}>"


def _content(leaflet: Leaflet, page: Page, number: int) -> str:
    red, green, blue = leaflet.colour
    band = 150 if number == 1 else 60
    drawn = [f"{red} {green} {blue} rg 0 {HEIGHT - band} {WIDTH} {band} re f 1 g"]
    if number == 1:
        drawn.append(_lines(wrap(leaflet.title, 24), HEIGHT - 68, font="F2", size=24, leading=30))
    else:
        drawn.append(_lines([leaflet.title], HEIGHT - 36, font="F1", size=9, leading=9))
    drawn.append("0.15 g")
    top = HEIGHT - band - 44
    drawn.append(_lines([page.heading], top, font="F2", size=_HEADING_SIZE, leading=_LEADING))
    drawn.append(_lines(wrap(page.text, _LETTERS), top - 30, font="F1", size=_SIZE, leading=_LEADING))
    drawn.append(_lines([str(number)], 30, font="F1", size=9, leading=9))
    return "\n".join(drawn)


def _lines(lines: Sequence[str], top: int, *, font: str, size: int, leading: int) -> str:
    shown = " T* ".join(f"({line.translate(_ESCAPED)}) Tj" for line in lines)
    return f"BT /{font} {size} Tf {leading} TL {_MARGIN} {top} Td {shown} ET"
