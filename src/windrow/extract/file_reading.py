"""A picture of a file, for people to see what it is: itself in small, a page, a cover.

Always a JPEG on white, upright, no larger than was asked for.
"""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING, BinaryIO

from windrow.extract.kinds import MODULES
from windrow.extract.picture_files import is_too_large, opened_picture
from windrow.extract.refusing import NotInstalled, Unreadable

if TYPE_CHECKING:
    from PIL.Image import Image

QUALITY = 80
_NONE = "there is no picture of it"
_REDUCING_GAP = 1.0
_POINTS = 72  # a PDF's units to the inch


def picture(file: BinaryIO, media_type: str, *, page: int = 1, size: int = 320) -> bytes:
    """Give a picture of a file; Unreadable where there can be none."""
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
    from PIL import Image, ImageOps  # noqa: PLC0415 - `opened_picture` has seen to it

    with opened_picture(file) as image:
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
    from windrow.extract.packages import Package, local  # noqa: PLC0415
    from windrow.extract.readers.epub import part_at, root_file  # noqa: PLC0415

    package = Package(file)
    place, root = root_file(package)
    named = [str(each.get("content")) for each in root.iter() if each.get("name") == "cover"]
    items = [each for each in root.iter() if local(each) == "item"]
    for item in items:
        is_cover = "cover-image" in str(item.get("properties")) or str(item.get("id")) in named
        is_image = str(item.get("media-type") or "").startswith("image/")
        if is_image and (is_cover or "cover" in str(item.get("id")).lower()):
            data = package.part(part_at(place.rpartition("/")[0], str(item.get("href") or "")))
            if data:
                return data
    raise Unreadable(_NONE)
