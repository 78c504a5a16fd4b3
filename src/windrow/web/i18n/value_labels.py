"""Labels of values for people: roles, kinds of dates, file types, sizes, places, years, datestamps.

Formats use English terms: relator codes as their words, and DataCite types in one word. Values without a
label here are shown as in the record.
"""

from __future__ import annotations

import re

from windrow.model.controlled_values import ControlledValues
from windrow.model.counted_fields import normalised_label
from windrow.model.file_content import family_of, short_name
from windrow.model.record import parse_datestamp
from windrow.search.filters import TopicLabels, is_span, span_ends
from windrow.search.request import SearchRequest
from windrow.stats.table import Origin
from windrow.web.i18n.translation import Translator, message

_FAMILIES = {
    "image": message("Picture"),
    "audio": message("Sound recording"),
    "video": message("Film"),
    "text": message("Text"),
}
_PLAIN = "text/plain"
_UNITS = (
    (1_000_000_000, message("{size} GB")),
    (1_000_000, message("{size} MB")),
    (1_000, message("{size} kB")),
)
_WHOLE_UNITS_FROM = 10  # of a unit: from there on a fraction is of no use


def file_type_label(media_type: str, tongue: Translator) -> str:
    """Return the kind of a file, such as "PDF" or "Picture (JPEG)"; else its media type."""
    name, family = short_name(media_type), _FAMILIES.get(family_of(media_type), "")
    if family and name and family_of(media_type) != "text":
        return f"{tongue.say(family)} ({name})"
    if name or not family:
        return name or media_type
    return tongue.say(family) if media_type == _PLAIN else f"{tongue.say(family)} ({media_type})"


def file_size_label(size: int, tongue: Translator) -> str:
    """Format a file size in decimal units, as disk manufacturers do."""
    for least, words in _UNITS:
        if size >= least:
            count = size / least
            return tongue.say(words, size=tongue.number(count, 0 if count >= _WHOLE_UNITS_FROM else 1))
    return tongue.several("{count} byte", "{count} bytes", size)


def duration_label(seconds: float) -> str:
    """Format a duration as 3:05 or 1:02:03."""
    whole = round(seconds)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def coordinates_label(latitude: float, longitude: float, tongue: Translator) -> str:
    """Format coordinates as 60.1699° N, 24.9384° E."""
    north = tongue.say("N") if latitude >= 0 else tongue.say("S")
    east = tongue.say("E") if longitude >= 0 else tongue.say("W")
    return f"{tongue.number(abs(latitude), 4)}° {north}, {tongue.number(abs(longitude), 4)}° {east}"


_MONTH = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])", re.ASCII)
_SIZES = re.compile(r"([0-9]{1,15})?\.\.([0-9]{1,15})?", re.ASCII)
_MISSING_LABELS = {
    "institution": message("Institution"),
    "department": message("Department"),
    "title": message("Title"),
    "creator": message("Author"),
    "year": message("Year"),
    "type": message("Type"),
    "language": message("Language"),
}
_UNDER, _OVER = message("Less than {size}"), message("{size} and more")


def value_label(
    field: str,
    value: str,
    tongue: Translator,
    types: ControlledValues | None = None,
    topics: TopicLabels | None = None,
) -> str:
    """Return the label of a field's value in a language; most values stay unchanged."""
    match field:
        case "type" | "access" | "licence":
            return normalised_label(field, value, tongue.code, types)
        case "subject" | "keyword" if topics is not None:
            return topics.label(value, tongue.code)
        case "language" | "event_language":
            return tongue.language(value)
        case "year":
            return _year_span_label(value)
        case "media":
            return file_type_label(value, tongue)
        case "size":
            return _size_span_label(value, tongue)
        case "month" if found := _MONTH.fullmatch(value):
            return tongue.month(int(found[1]), int(found[2]))
        case "missing" if value in _MISSING_LABELS:
            return tongue.say(_MISSING_LABELS[value])
        case "folder":
            return value.replace("/", " / ")
        case _:
            return value


def _year_span_label(span: str) -> str:
    """Format a range of years, in ascending order."""
    if not is_span(span):
        return span
    low, high = span_ends(span)
    return low if low == high else f"{low}–{high}"


def _size_span_label(span: str, tongue: Translator) -> str:
    found = _SIZES.fullmatch(span)
    if found is None or not (found[1] or found[2]):
        return file_size_label(int(span), tongue) if span.isascii() and span.isdecimal() else span
    first, last = span_ends(span)
    low, high = int(first or 0), int(last) + 1 if last else None
    if high is None:
        return tongue.say(_OVER, size=file_size_label(low, tongue))
    if not low:
        return tongue.say(_UNDER, size=file_size_label(high, tongue))
    return f"{file_size_label(low, tongue)} – {file_size_label(high, tongue)}"


ROLES = (
    message("actor"),
    message("addressee"),
    message("advisor"),
    message("arranger"),
    message("artist"),
    message("author"),
    message("author of afterword"),
    message("author of introduction"),
    message("book designer"),
    message("cartographer"),
    message("collection registrar"),
    message("committee member"),
    message("compiler"),
    message("composer"),
    message("conductor"),
    message("conference"),
    message("contact person"),
    message("contributor"),
    message("creator"),
    message("curator"),
    message("data collector"),
    message("data curator"),
    message("data manager"),
    message("dedicatee"),
    message("degree granting institution"),
    message("degree supervisor"),
    message("director"),
    message("distributor"),
    message("donor"),
    message("editor"),
    message("editor of compilation"),
    message("engraver"),
    message("former owner"),
    message("funder"),
    message("host"),
    message("host institution"),
    message("hosting institution"),
    message("illustrator"),
    message("interviewee"),
    message("interviewer"),
    message("issuing body"),
    message("librettist"),
    message("lyricist"),
    message("maker"),
    message("monitor"),
    message("musician"),
    message("narrator"),
    message("opponent"),
    message("originator"),
    message("other"),
    message("owner"),
    message("patron"),
    message("performer"),
    message("photographer"),
    message("printer"),
    message("producer"),
    message("programmer"),
    message("project director"),
    message("project leader"),
    message("project manager"),
    message("project member"),
    message("publisher"),
    message("publishing director"),
    message("registration agency"),
    message("registration authority"),
    message("related person"),
    message("research group"),
    message("researcher"),
    message("respondent"),
    message("reviewer"),
    message("rights holder"),
    message("singer"),
    message("speaker"),
    message("sponsor"),
    message("supervisor"),
    message("thesis advisor"),
    message("transcriber"),
    message("translator"),
    message("work package leader"),
    message("writer of introduction"),
)
DATES = (
    message("accepted"),
    message("accessioned"),
    message("available"),
    message("collected"),
    message("copyrighted"),
    message("coverage"),
    message("created"),
    message("defended"),
    message("digitized"),
    message("embargo"),
    message("issued"),
    message("metadata"),
    message("modified"),
    message("other"),
    message("published"),
    message("submitted"),
    message("updated"),
    message("valid"),
    message("withdrawn"),
)


def _role_key(text: str) -> str:
    """Normalise a role: ContactPerson, contact-person and contact person are the same."""
    return text.lower().replace(" ", "").replace("-", "")


_ROLES = {_role_key(role): role for role in ROLES}


def role_label(role: str, tongue: Translator) -> str:
    """Return the label of a role; the record's own word if it is unknown."""
    known = _ROLES.get(_role_key(role))
    return role if known is None else tongue.say(known)


def date_kind_label(kind: str, tongue: Translator) -> str:
    """Return the label of a kind of date; the record's own word if it is unknown."""
    return tongue.say(kind) if kind in DATES else kind


# The forms of OAI-PMH, which are valid in <time datetime>; other forms are shown unchanged.
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_SECOND = re.compile(rf"{_DAY.pattern}T[0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}Z")


def datestamp_label(stamp: str, tongue: Translator) -> str:
    """Format a datestamp; empty if it cannot be parsed."""
    moment = parse_datestamp(stamp)
    if moment is None:
        return ""
    if _SECOND.fullmatch(stamp):
        return tongue.moment(moment)
    return tongue.day(moment) if _DAY.fullmatch(stamp) else ""


def describe_origin(
    title: str,
    question: SearchRequest,
    tongue: Translator,
    types: ControlledValues | None = None,
    topics: TopicLabels | None = None,
) -> Origin:
    """Return the title and filters of counted records, as pages, files and commands show them."""
    words = [("q", question.text)] if question.text else []
    found = [
        (field, value_label(field, value, tongue, types, topics))
        for field, values in question.filters.items()
        for value in values
    ]
    return Origin(title, (*words, *found))
