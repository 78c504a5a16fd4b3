"""Values of fields as people read them: languages by their names, kinds of files, sizes, months. Pure."""

from __future__ import annotations

import re

from windrow.faces.shared.catalogues import message
from windrow.faces.shared.file_words import kind_words, size_words
from windrow.faces.shared.tongue import Tongue

_MONTH = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])", re.ASCII)
_SIZES = re.compile(r"([0-9]{1,15})?\.\.([0-9]{1,15})?", re.ASCII)
_UNDER, _OVER = message("Less than {size}"), message("{size} and more")


def value_words(field: str, value: str, tongue: Tongue) -> str:
    """Give a value of a field in the words of a language; most stay as they are."""
    match field:
        case "language":
            return tongue.language(value)
        case "year":
            return value.replace("..", "–")
        case "media":
            return kind_words(value, tongue)
        case "size":
            return _size_words(value, tongue)
        case "month" if found := _MONTH.fullmatch(value):
            return tongue.month(int(found[1]), int(found[2]))
        case "folder":
            return value.replace("/", " / ")
        case _:
            return value


def _size_words(span: str, tongue: Tongue) -> str:
    found = _SIZES.fullmatch(span)
    if found is None or not (found[1] or found[2]):
        return size_words(int(span), tongue) if span.isascii() and span.isdecimal() else span
    low, high = int(found[1] or 0), int(found[2]) + 1 if found[2] else None
    if high is None:
        return tongue.say(_OVER, size=size_words(low, tongue))
    if not low:
        return tongue.say(_UNDER, size=size_words(high, tongue))
    return f"{size_words(low, tongue)} – {size_words(high, tongue)}"
