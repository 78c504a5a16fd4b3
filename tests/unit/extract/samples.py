"""Small files of many kinds, made on the spot for tests of readers."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence

from PIL import Image


def pdf(pages: Sequence[str], *, info: str = "", outline: str = "", catalog: str = "") -> bytes:
    """A PDF with a line of text a page; `info`, `outline` and `catalog` as PDF writes them."""
    kids = " ".join(f"{5 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {catalog} >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< {info} >>",
    ]
    for number, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 20 100 Td ({text}) Tj ET"
        page = f"/Parent 2 0 R /MediaBox [0 0 200 150] /Contents {6 + 2 * number} 0 R"
        objects.append(f"<< /Type /Page {page} /Resources << /Font << /F1 3 0 R >> >> >>")
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    objects += [each for each in outline.split("\n") if each]
    return _written(objects)


def _written(objects: Sequence[str]) -> bytes:
    written, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(written))
        written += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    trailer = f"trailer\n<< /Size {size} /Root 1 0 R /Info 4 0 R >>\nstartxref\n{len(written)}\n%%EOF\n"
    return written + f"xref\n0 {size}\n0000000000 65535 f \n{table}{trailer}".encode()


def scanned_pdf(pages: Sequence[tuple[str, int]]) -> bytes:
    """A PDF whose pages have a text, and so many strips of a picture that cover the page (0: none at all)."""
    kids = " ".join(f"{5 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        "<< /Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8"
        " /Length 4 >>\nstream\nabcd\nendstream",
    ]
    for number, (text, strips) in enumerate(pages):
        drawn = [
            f"q 190 0 0 {140 / strips:.2f} 5 {5 + at * 140 / strips:.2f} cm /Im0 Do Q" for at in range(strips)
        ]
        lines = text.split("\n") if text else []
        written_ = [f"BT /F1 6 Tf 10 {140 - 7 * at} Td ({line}) Tj ET" for at, line in enumerate(lines)]
        stream = "\n".join([*drawn, *written_])
        page = f"/Parent 2 0 R /MediaBox [0 0 200 150] /Contents {6 + 2 * number} 0 R"
        resources = "/Resources << /Font << /F1 3 0 R >> /XObject << /Im0 4 0 R >> >>"
        objects.append(f"<< /Type /Page {page} {resources} >>")
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    return _written(objects)


def package(parts: Mapping[str, str | bytes]) -> bytes:
    """A zip archive with these parts."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return made.getvalue()


CORE = (
    '<cp:coreProperties xmlns:cp="urn:cp" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    ' xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>Hay</dc:title><dc:creator>Ann Reed</dc:creator>'
    "<cp:keywords>grass</cp:keywords><dcterms:created>2024-05-17T10:00:00Z</dcterms:created></cp:coreProperties>"
)


def docx(body: str = "<w:p><w:r><w:t>Mown in June.</w:t></w:r></w:p>", **parts: str) -> bytes:
    """A Word document."""
    document = f'<w:document xmlns:w="urn:w"><w:body>{body}</w:body></w:document>'
    return package({"word/document.xml": document, "docProps/core.xml": CORE, **parts})


def jpeg(size: tuple[int, int] = (40, 30), *, exif: Mapping[int, object] | None = None) -> bytes:
    """A picture, with fields of EXIF by their numbers; those of the inner directory and of GPS by theirs."""
    made, fields = io.BytesIO(), Image.Exif()
    for number, value in (exif or {}).items():
        if 0x9000 <= number < 0x9300:
            fields.get_ifd(0x8769)[number] = value
        elif number < 0x20:
            fields.get_ifd(0x8825)[number] = value
        else:
            fields[number] = value
    Image.new("RGB", size, "olive").save(made, "JPEG", exif=fields)
    return made.getvalue()
