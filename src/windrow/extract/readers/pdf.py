"""PDF: the text of each page, metadata and table of contents, by PDFium, without executing anything.

The information dictionary has precedence, as in other tools; XMP adds what is missing there.
"""

from __future__ import annotations

import ctypes
import mmap
import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from io import UnsupportedOperation
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from windrow.extract.reading_job import Job, NotInstalled, Unreadable
from windrow.extract.xmp import find_packet, read_xmp
from windrow.model.document import Heading
from windrow.model.file_content import Extract

if TYPE_CHECKING:
    import pypdfium2

# Dates in PDF and PostScript: `D:20100310150813+01'00'`, of which any part may be missing.

_DATE = re.compile(
    r"(?:D:)?\s*(\d{4})(?:(\d\d)(?:(\d\d)(?:(\d\d)(?:(\d\d)(?:(\d\d))?)?)?)?)?"
    r"\s*(?:(Z)(?:00'?00)?'?|([+-])(\d\d)'?(?:(\d\d)'?)?)?\s*$"
)


def read_pdf_date(text: str) -> str:
    """Return a date in ISO 8601, as exactly as it is stated; "" if it is invalid."""
    found = _DATE.match(text.strip())
    if found is None:
        return ""
    year, month, day, hour, minute, second, zulu, sign, hours, minutes = found.groups()
    date = "-".join(filter(None, (year, month, day)))
    if hour is not None:
        zone = "Z" if zulu else f"{sign}{hours}:{minutes or '00'}" if sign else ""
        date += f"T{hour}:{minute or '00'}:{second or '00'}{zone}"
    try:
        datetime.fromisoformat(f"{date}-01-01"[: max(len(date), 10)] if len(date) < 10 else date)
    except ValueError:
        return ""
    return date


MOST_PAGES = 5_000  # whose text is read
MOST_LETTERS = 5_000_000
MOST_HEADINGS = 2_000
DEEPEST_HEADING = 12
LEAST_LETTERS = 20  # on a page, excluding repeated lines, for it to have text
ENOUGH_LETTERS = 1_000  # with which a page has text, even if all lines are repeated
LEAST_SHARE = 0.2  # of the pages, from which on image-only pages are reported
COVERED_SHARE = 0.4  # of a page, by pictures
MOST_OBJECTS = 2_000  # of a page that are examined
_IMAGE = 3  # FPDF_PAGEOBJ_IMAGE
_NUMBERS = re.compile(r"\d+")
_PASSWORD_ERROR = 4  # FPDF_ERR_PASSWORD
_LANGUAGE = re.compile(rb"/Lang\s*\(([A-Za-z]{2,3}(?:-[A-Za-z0-9-]{1,30})?)\)")
_INFO = (
    ("title", "Title"),
    ("creator", "Author"),
    ("description", "Subject"),
    ("subject", "Keywords"),
    ("date", "CreationDate"),
    ("modified", "ModDate"),
)


def read(file: BinaryIO, job: Job) -> Extract:  # noqa: ARG001 - a reader
    data = contents(file)
    pdf = open_pdf(data)
    try:
        said = list(_said(pdf, data))
        notes: list[str] = []
        pages = list(_pages(pdf, notes))
        text = tuple(page.text for page in pages)
        measured = [("pages", str(len(pdf))), *_text_layer(pages, notes)]
        software = pdf.get_metadata_value("Producer") or pdf.get_metadata_value("Creator")
        measured += [("software", software)] if software else []
        return Extract(
            "application/pdf",
            said=tuple(said),
            measured=tuple(measured),
            text=text if any(page.strip() for page in text) else (),
            is_paged=True,
            headings=tuple(_headings(pdf)),
            notes=tuple(notes),
        )
    finally:
        pdf.close()


def open_pdf(data: Any) -> pypdfium2.PdfDocument:
    """Open a document; raises Unreadable if it is encrypted or invalid."""
    try:
        import pypdfium2  # noqa: PLC0415 - only needed for PDF
    except ImportError as exc:
        raise NotInstalled("pypdfium2") from exc
    try:
        pdf = pypdfium2.PdfDocument(_buffer(data) if isinstance(data, mmap.mmap) else data)
        if len(pdf) == 0:
            raise Unreadable("it has no pages")
    except pypdfium2.PdfiumError as exc:
        if getattr(exc, "err_code", None) == _PASSWORD_ERROR or "assword" in str(exc):
            raise Unreadable("it is encrypted: it needs a password") from exc
        raise Unreadable(f"it is no PDF that can be read: {exc}") from exc
    return pdf


def contents(file: BinaryIO) -> Any:
    """Return the bytes of a file, memory-mapped if possible."""
    try:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)  # PDFium needs a writable buffer
    except (UnsupportedOperation, AttributeError, ValueError, OSError):  # in memory, or empty
        file.seek(0)
        return file.read()


def _buffer(data: mmap.mmap) -> ctypes.Array[ctypes.c_ubyte]:
    return (ctypes.c_ubyte * len(data)).from_buffer(data)


def _said(pdf: pypdfium2.PdfDocument, data: Any) -> Iterator[tuple[str, str]]:
    found: dict[str, list[str]] = {}
    for name, key in _INFO:
        words = " ".join(pdf.get_metadata_value(key).replace("\0", "").split())
        if name in ("date", "modified"):
            words = read_pdf_date(words)
        if words:
            found.setdefault(name, []).append(words)
    for name, value in read_xmp(_packet(data)):
        if name in found and not (name in ("creator", "subject") and _says_more(found[name], value)):
            continue
        found.setdefault(f"+{name}", []).append(value)
    language = _LANGUAGE.search(data)
    if language:
        found.setdefault("language", [language[1].decode("ascii")])
    for name, values in found.items():
        plain = name.removeprefix("+")
        if name.startswith("+") or f"+{name}" not in found:
            yield from ((plain, value) for value in values)


def _says_more(held: list[str], value: str) -> bool:
    """Return whether XMP lists what the dictionary joins in one line, such as authors and keywords."""
    return len(held) == 1 and value != held[0] and value in held[0]


def _packet(data: Any) -> bytes:
    """Return the last uncompressed packet, which follows those it replaced."""
    place = max(data.rfind(b"<x:xmpmeta"), 0)
    return find_packet(data[place : place + 4_000_000]) if place else b""


class _Page(NamedTuple):
    text: str
    is_picture: bool = False  # covered by pictures, or without text and not blank
    is_blank: bool = False


def _text_layer(pages: list[_Page], notes: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the fact that pages are pictures without text, if that applies to all or many of them."""
    printed = [page for page in pages if not page.is_blank]
    stamps = _stamps(printed)
    textless = sum(page.is_picture and _letters(page.text, stamps) < LEAST_LETTERS for page in printed)
    if not textless or textless < len(printed) * LEAST_SHARE:
        return
    is_whole = textless == len(printed)
    which = "it has no text layer: all" if is_whole else f"{textless:,}"
    notes.append(
        f"{which} of its {len(printed):,} pages are pictures without text, as scans are;"
        " their words cannot be searched"
    )
    yield "text-layer", "none" if is_whole else "some pages"


def _stamps(pages: list[_Page]) -> set[str]:
    """Return the lines that most pages share, ignoring digits, such as stamps of archives."""
    counts = Counter(line for page in pages for line in {_bare(line) for line in page.text.split("\n")})
    least = max(3, len(pages) / 2)
    return {line for line, count in counts.items() if count >= least}


def _letters(text: str, stamps: set[str]) -> int:
    return sum(sum(map(str.isalpha, line)) for line in text.split("\n") if _bare(line) not in stamps)


def _bare(line: str) -> str:
    return _NUMBERS.sub("", line).casefold().strip()


def _looked_at(page: pypdfium2.PdfPage, text: str) -> _Page:
    """Return a page with what is on it besides text; a page with enough text is not examined."""
    letters = sum(map(str.isalpha, text))
    if letters >= ENOUGH_LETTERS:
        return _Page(text)
    objects = list(islice(page.get_objects(max_depth=3), MOST_OBJECTS))
    if not text.strip():
        return _Page(text, is_picture=bool(objects), is_blank=not objects)
    width, height = page.get_size()
    pictures = [each.get_bounds() for each in objects if each.type == _IMAGE]
    covered = sum(max(0.0, right - left) * max(0.0, top - bottom) for left, bottom, right, top in pictures)
    return _Page(text, is_picture=covered >= COVERED_SHARE * width * height)


def _pages(pdf: pypdfium2.PdfDocument, notes: list[str]) -> Iterator[_Page]:
    import pypdfium2  # noqa: PLC0415

    letters = 0
    for number in range(len(pdf)):
        if number >= MOST_PAGES or letters >= MOST_LETTERS:
            notes.append(f"only the text of the first {number:,} pages was read")
            return
        try:
            page = pdf[number]
        except pypdfium2.PdfiumError:
            notes.append(f"page {number + 1} is broken")
            yield _Page("", is_blank=True)
            continue
        try:
            words = page.get_textpage().get_text_bounded(errors="ignore")
            words = words.replace("\r\n", "\n").replace("\ufffe", "-\n").replace("\0", "")
            found = _looked_at(page, words[: MOST_LETTERS - letters])
        except pypdfium2.PdfiumError:
            notes.append(f"page {number + 1} gives no text")
            found = _Page("")
        finally:
            page.close()
        letters += len(found.text)
        yield found


def _headings(pdf: pypdfium2.PdfDocument) -> Iterator[Heading]:
    import pypdfium2  # noqa: PLC0415

    try:
        for count, mark in enumerate(pdf.get_toc(max_depth=DEEPEST_HEADING)):
            if count >= MOST_HEADINGS:
                return
            title = " ".join(mark.get_title().replace("\0", "").split())[:500]
            place = mark.get_dest()
            index = place.get_index() if place is not None else None
            if title:
                yield Heading(title, mark.level + 1, None if index is None else index + 1)
    except pypdfium2.PdfiumError:
        return
