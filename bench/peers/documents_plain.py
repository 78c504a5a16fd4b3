"""`documents_plain.py FOLDER OUT`: what a short script would do with a folder of documents, in one loop.

Plain calls of pypdfium2, Pillow, lxml and tinytag, by the file's suffix: its text, what it says of itself, a
picture of 320 pixels. No process of its own, no limits, no guess of kind, encoding or language, no library: a
line of JSON a file, and the pictures beside it.
"""

from __future__ import annotations

import io
import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import pypdfium2
from lxml import etree, html
from PIL import Image
from tinytag import TinyTag

SIZE = 320
WORD_TEXT = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}t"
Read = tuple[dict[str, Any], list[str], bytes | None]


def drawn(image: Image.Image) -> bytes:
    image.thumbnail((SIZE, SIZE))
    file = io.BytesIO()
    image.convert("RGB").save(file, "JPEG", quality=80)
    return file.getvalue()


def pdf(path: Path) -> Read:
    document = pypdfium2.PdfDocument(path)
    pages = [page.get_textpage().get_text_bounded() for page in document]
    first = document[0]
    scale = SIZE / max(first.get_size())
    return document.get_metadata_dict(), pages, drawn(first.render(scale=scale).to_pil())


def jpg(path: Path) -> Read:
    with Image.open(path) as image:
        exif = image.getexif()
        facts = {str(tag): str(value) for part in (exif, exif.get_ifd(0x8769), exif.get_ifd(0x8825))
                 for tag, value in part.items()}  # fmt: skip
        return facts, [], drawn(image)


def txt(path: Path) -> Read:
    return {}, [path.read_text(encoding="utf-8")], None


def page(path: Path) -> Read:
    tree: Any = html.fromstring(path.read_bytes())
    facts = {"title": tree.findtext(".//title")}
    facts |= {tag.attrib["name"]: tag.get("content") for tag in tree.xpath("//meta[@name]")}
    return facts, [tree.xpath("string(//body)")], None


def docx(path: Path) -> Read:
    with zipfile.ZipFile(path) as package:
        core = etree.fromstring(package.read("docProps/core.xml"))
        body = etree.fromstring(package.read("word/document.xml"))
    return {tag.tag: tag.text for tag in core}, [" ".join(t.text or "" for t in body.iter(WORD_TEXT))], None


def wav(path: Path) -> Read:
    tag = TinyTag.get(path)
    return {"title": tag.title, "seconds": tag.duration}, [], None


READERS = {".pdf": pdf, ".jpg": jpg, ".txt": txt, ".html": page, ".docx": docx, ".wav": wav}


def main(folder: Path, out: Path) -> None:
    out.mkdir()
    with (out / "documents").open("w", encoding="utf-8") as lines:
        for path in sorted(folder.rglob("*.*")):
            facts, text, picture = READERS[path.suffix](path)
            lines.write(json.dumps({"path": str(path.relative_to(folder)), "facts": facts, "text": text}))
            lines.write("\n")
            if picture:
                (out / f"{path.stem}.jpg").write_bytes(picture)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
