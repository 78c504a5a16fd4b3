"""Read one file: detect its type, run its reader, make a picture of it, and bound the result.

Runs in the `child`; tests of readers call it directly. A picture shows the image itself, a page or a cover,
and is always an upright JPEG on white, within the requested size.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO

from windrow.extract.child_protocol import Answer, Errand
from windrow.extract.language_detection import with_language
from windrow.extract.picture_files import is_too_large, open_picture
from windrow.extract.reader_registry import MODULES, find_reader
from windrow.extract.reading_job import Job, NotInstalled, Unreadable
from windrow.extract.signatures import UNKNOWN, is_source_code
from windrow.extract.sniffing import media_type_of
from windrow.model.file_content import TEXT_CUT, UNPICTURED, UNREAD, Extract, is_pictured

if TYPE_CHECKING:
    from PIL.Image import Image


def process_errand(errand: Errand, file: BinaryIO) -> Answer:
    """Process an errand; raises Unreadable if the file cannot be read."""
    if errand.what == "member":
        return Answer(None, _member(file, errand.job).read())
    job = errand.job
    if job.member:
        file, job = _member(file, job), replace(job, name=job.member.rpartition("/")[2], member="")
    media_type = media_type_of(file, job)
    if errand.what == "picture":
        return Answer(None, _picture(file, media_type, job))
    return _read_all(file, media_type, job)


def _read_all(file: BinaryIO, media_type: str, job: Job) -> Answer:
    """Return everything in the file, with a picture if possible."""
    reader = find_reader(media_type)
    if reader is None:
        note = f"It was not read: {_describe_kind(media_type)}."
        return Answer(Extract(media_type, measured=(UNREAD,), notes=(note,)))
    extract = reader.read(file, replace(job, declared=media_type))
    if not (extract.media_type == "text/plain" and is_source_code(job.name)):
        extract = with_language(extract)
    try:
        return Answer(extract, _picture(file, extract.media_type, job))
    except NotInstalled:  # the library that draws it may be installed later
        return Answer(extract)
    except Unreadable:
        return Answer(_unpictured(extract))
    except Exception as exc:  # noqa: BLE001 - the text is worth more than its picture
        note = f"A picture of it could not be made: {type(exc).__name__}"
        return Answer(replace(_unpictured(extract), notes=(*extract.notes, note)))


def _describe_kind(media_type: str) -> str:
    if media_type == UNKNOWN:
        return "it is binary, and of no kind that is known here"
    return f"nothing here reads files of the kind {media_type}"


def _unpictured(extract: Extract) -> Extract:
    """Note that a kind that usually has a picture has none, so that pages show no gap for it."""
    if not is_pictured(extract.media_type):
        return extract
    return replace(extract, measured=(*extract.measured, UNPICTURED))


def _picture(file: BinaryIO, media_type: str, job: Job) -> bytes:

    file.seek(0)
    return render_picture(file, media_type, page=job.page, size=job.size)


def _member(file: BinaryIO, job: Job) -> BinaryIO:
    from windrow.extract.readers.archive import open_member  # noqa: PLC0415 - few files are in archives

    return open_member(file, job.member)


# Limits of what is kept of one file. Readers have limits of their own; these hold for all of them, plug-ins
# included.

FACTS = 500
FACT_CHARACTERS = 20_000
HEADINGS = 5_000
HEADING_CHARACTERS = 500
PAGES = 50_000
NOTES = 50


def bound_extract(extract: Extract, characters: int) -> Extract:
    """Limit an extract, its text to `characters`; a note reports what was left out."""
    text, is_whole = _text(extract.text, characters)
    left_out = (
        () if is_whole else (f"Only the beginning of its text was kept, {characters:,} characters at most.",)
    )
    return replace(
        extract,
        said=_facts(extract.said),
        measured=(*_facts(extract.measured), *(() if is_whole else (TEXT_CUT,))),
        text=text,
        headings=tuple(
            heading._replace(title=heading.title[:HEADING_CHARACTERS])
            for heading in extract.headings[:HEADINGS]
        ),
        notes=tuple(note[:FACT_CHARACTERS] for note in extract.notes[:NOTES]) + left_out,
    )


def _facts(facts: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((name, value[:FACT_CHARACTERS]) for name, value in tuple(facts)[:FACTS])


def _text(pages: tuple[str, ...], characters: int) -> tuple[tuple[str, ...], bool]:
    if len(pages) <= PAGES and sum(map(len, pages)) <= characters:
        return pages, True
    kept, left = [], characters
    for page in pages[:PAGES]:
        kept.append(page[:left])
        left -= len(kept[-1])
        if not left:
            break
    return tuple(kept), False


QUALITY = 80
_NONE = "there is no picture of it"
_REDUCING_GAP = 1.0
_POINTS = 72  # PDF units per inch


def render_picture(file: BinaryIO, media_type: str, *, page: int = 1, size: int = 320) -> bytes:
    """Return a picture of a file; raises Unreadable if there can be none."""
    module = MODULES.get(media_type, "")
    file.seek(0)
    if module == "pdf":
        return _of_pdf(file, page, size)
    if module == "image" and media_type not in ("image/svg+xml", "image/heic"):
        return _shrunk(file, size)
    if module == "audio":
        return _shrunk(io.BytesIO(_cover_of_sound(file)), size)
    if module == "epub":
        return _shrunk(io.BytesIO(_cover_of_book(file)), size)
    raise Unreadable(_NONE)


def _shrunk(file: BinaryIO, size: int) -> bytes:
    from PIL import Image, ImageOps  # noqa: PLC0415 - `open_picture` has checked the import

    with open_picture(file) as image:
        if is_too_large(image):
            raise Unreadable("it has too many pixels to be shown")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                image.draft("RGB", (size, size))
                image.thumbnail((size, size), Image.Resampling.BICUBIC, reducing_gap=_REDUCING_GAP)
                return _written(ImageOps.exif_transpose(image))
            except (OSError, ValueError, SyntaxError, EOFError, OverflowError, ZeroDivisionError) as exc:
                raise Unreadable(f"it is broken: {exc}") from exc


def _written(image: Image) -> bytes:
    from PIL import Image as Images  # noqa: PLC0415

    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        layer = image.convert("RGBA")
        image = Images.new("RGB", layer.size, "white")
        image.paste(layer, mask=layer)
    elif image.mode == "I;16":
        image = image.point(lambda value: value / 256).convert("L")
    if image.mode not in ("RGB", "L"):
        image = image.convert("RGB")
    made = io.BytesIO()
    image.save(made, "JPEG", quality=QUALITY, optimize=False)
    return made.getvalue()


def _of_pdf(file: BinaryIO, number: int, size: int) -> bytes:
    from windrow.extract.readers.pdf import contents, open_pdf  # noqa: PLC0415

    pdf = open_pdf(contents(file))
    try:
        import pypdfium2  # noqa: PLC0415

        if not 1 <= number <= len(pdf):
            raise Unreadable("it has no such page")
        try:
            page = pdf[number - 1]
            width, height = page.get_size()
            if not (0 < width < 1e5 and 0 < height < 1e5):
                raise Unreadable("its page has no size that could be shown")
            bitmap = page.render(scale=min(size / max(width, height), 300 / _POINTS), may_draw_forms=False)
            return _written(bitmap.to_pil())
        except pypdfium2.PdfiumError as exc:
            raise Unreadable(f"its page cannot be shown: {exc}") from exc
        except ImportError as exc:
            raise NotInstalled("Pillow") from exc
    finally:
        pdf.close()


def _cover_of_sound(file: BinaryIO) -> bytes:
    try:
        from tinytag import TinyTag  # noqa: PLC0415
    except ImportError as exc:
        raise NotInstalled("tinytag") from exc
    try:
        tag = TinyTag.get(file_obj=file, tags=True, duration=False, image=True)
        image = tag.images.any
    except Exception as exc:
        raise Unreadable(_NONE) from exc
    if image is None or not image.data:
        raise Unreadable(_NONE)
    return image.data


def _cover_of_book(file: BinaryIO) -> bytes:
    from windrow.extract.readers.epub import part_at, root_file  # noqa: PLC0415
    from windrow.extract.xml_packages import Package, local_name  # noqa: PLC0415

    package = Package(file)
    place, root = root_file(package)
    named = [str(each.get("content")) for each in root.iter() if each.get("name") == "cover"]
    items = [each for each in root.iter() if local_name(each) == "item"]
    for item in items:
        is_cover = "cover-image" in str(item.get("properties")) or str(item.get("id")) in named
        is_image = str(item.get("media-type") or "").startswith("image/")
        if is_image and (is_cover or "cover" in str(item.get("id")).lower()):
            data = package.part(part_at(place.rpartition("/")[0], str(item.get("href") or "")))
            if data:
                return data
    raise Unreadable(_NONE)
