"""Open pictures with Pillow, with its warnings silenced and its errors as Unreadable."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

from windrow.extract.reading_job import NotInstalled, Unreadable

if TYPE_CHECKING:
    from PIL.ImageFile import ImageFile as Image

MAX_PIXELS = 80_000_000  # that are decoded; larger pictures are described, but not shown


@contextmanager
def open_picture(file: BinaryIO) -> Iterator[Image]:
    """Open a picture without decoding it."""
    try:
        from PIL import Image, UnidentifiedImageError  # noqa: PLC0415 - only needed for pictures
    except ImportError as exc:
        raise NotInstalled("Pillow") from exc
    Image.MAX_IMAGE_PIXELS = None  # the size is checked here, before decoding
    file.seek(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            image = Image.open(file)
        except UnidentifiedImageError as exc:
            raise Unreadable("it is no picture that can be read") from exc
        except (OSError, ValueError, SyntaxError, EOFError, TypeError, OverflowError, KeyError) as exc:
            raise Unreadable(f"it is broken: {exc}") from exc
        with image:
            yield image


def is_too_large(image: Image) -> bool:
    """Return whether it has more pixels than are decoded."""
    return image.width * image.height > MAX_PIXELS
