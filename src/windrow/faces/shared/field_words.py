"""Values of fields as people read them: languages by their names, kinds of files, sizes, months. Pure."""

from __future__ import annotations

import re

from windrow.faces.shared.catalogues import message
from windrow.faces.shared.file_words import kind_words, size_words
from windrow.faces.shared.tongue import Tongue
from windrow.finding.filters import ends_of, is_span
from windrow.finding.topic_labels import TopicLabels
from windrow.model.concepts import ConceptTable
from windrow.model.normalising import label_of

_MONTH = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])", re.ASCII)
_SIZES = re.compile(r"([0-9]{1,15})?\.\.([0-9]{1,15})?", re.ASCII)
_MISSED = {
    "institution": message("Institution"),
    "department": message("Department"),
    "title": message("Title"),
    "creator": message("Author"),
    "year": message("Year"),
    "type": message("Type"),
    "language": message("Language"),
}
_UNDER, _OVER = message("Less than {size}"), message("{size} and more")


def value_words(
    field: str,
    value: str,
    tongue: Tongue,
    types: ConceptTable | None = None,
    topics: TopicLabels | None = None,
) -> str:
    """Give a value of a field in the words of a language; most stay as they are."""
    match field:
        case "type" | "access" | "licence":
            return label_of(field, value, tongue.code, types)
        case "subject" | "keyword" if topics is not None:
            return topics.label(value, tongue.code)
        case "language" | "event_language":
            return tongue.language(value)
        case "year":
            return _year_words(value)
        case "media":
            return kind_words(value, tongue)
        case "size":
            return _size_words(value, tongue)
        case "month" if found := _MONTH.fullmatch(value):
            return tongue.month(int(found[1]), int(found[2]))
        case "missing" if value in _MISSED:
            return tongue.say(_MISSED[value])
        case "folder":
            return value.replace("/", " / ")
        case _:
            return value


def _year_words(span: str) -> str:
    """Years from the first to the last, whichever way round they were asked for."""
    if not is_span(span):
        return span
    low, high = ends_of(span)
    return low if low == high else f"{low}–{high}"


def _size_words(span: str, tongue: Tongue) -> str:
    found = _SIZES.fullmatch(span)
    if found is None or not (found[1] or found[2]):
        return size_words(int(span), tongue) if span.isascii() and span.isdecimal() else span
    first, last = ends_of(span)
    low, high = int(first or 0), int(last) + 1 if last else None
    if high is None:
        return tongue.say(_OVER, size=size_words(low, tongue))
    if not low:
        return tongue.say(_UNDER, size=size_words(high, tongue))
    return f"{size_words(low, tongue)} – {size_words(high, tongue)}"
