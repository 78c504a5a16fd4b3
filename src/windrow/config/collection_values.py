"""The kinds of value that say how pages look: colours, pictures, words in several languages, facets."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from pathlib import PurePosixPath, PureWindowsPath

from windrow.config.kinds import Kind, SettingError, is_clean

LANGUAGES = ("en", "sv", "fi")  # of the pages
# What the events of a document have in common with others: each is a slot of the same event.
EVENT_FACETS = ("period", "place", "kind", "intensity", "event_language", "time")
FACET_FIELDS = (
    "institution",
    "department",
    "year",
    "type",
    "language",
    "access",
    "licence",
    "subject",
    "keyword",
    "creator",
    "publisher",
    "journal",
    "source",
    "set",
    "holding",
    "missing",
    "folder",
    "media",
    "size",
    *EVENT_FACETS,
)
LABELLED = (
    *FACET_FIELDS,
    *("title", "contributor", "description", "date", "month", "pages", "identifier", "rights", "text"),
)
PICTURES = (".svg", ".png", ".jpg", ".jpeg", ".webp")
LONGEST_WORDS = 20_000
LONGEST_LABEL = 60
LONGEST_TYPE = 200
MOST_TYPES = 1000

# Words by language; "" stands for every language that has none of its own.
Translated = tuple[tuple[str, str], ...]
# Labels of a type by language, by a wording that stands for it.
TypeNames = tuple[tuple[str, Translated], ...]
# What a field is called, by its name.
Labels = tuple[tuple[str, Translated], ...]

_COLOUR = re.compile(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})")
_CONTROL = frozenset({"Cc", "Cs"})


def _read_colour(value: object) -> str:
    if not isinstance(value, str) or not _COLOUR.fullmatch(value):
        raise SettingError("must be a colour such as #1a5c3a")
    digits = value[1:].lower()
    return "#" + (digits if len(digits) == 6 else "".join(digit * 2 for digit in digits))


def _read_picture(value: object) -> str:
    if not isinstance(value, str) or not value or not is_clean(value):
        raise SettingError("must be the name of a file in the library folder")
    path, there = PurePosixPath(value), PureWindowsPath(value)
    if path.is_absolute() or there.drive or there.root or ".." in (*path.parts, *there.parts):
        raise SettingError("must be a file in the library folder, written from there on and without ..")
    if path.suffix.lower() not in PICTURES:
        raise SettingError(f"must end in one of {', '.join(PICTURES)}")
    return value


def _read_words(value: object, *, longest: int = LONGEST_WORDS, is_line: bool = False) -> str:
    if not isinstance(value, str):
        raise SettingError("must be text in quotes")
    if len(value) > longest:
        raise SettingError(f"must be at most {longest} characters long")
    has_control = any(unicodedata.category(letter) in _CONTROL and letter not in "\n\t\r" for letter in value)
    if has_control or (is_line and not is_clean(value)):
        raise SettingError(f"must be {'one line of ' if is_line else ''}text without control characters")
    return value.strip()


def _read_translated(value: object, *, longest: int = LONGEST_WORDS, is_line: bool = False) -> Translated:
    if isinstance(value, Mapping):
        unknown = [language for language in value if language not in LANGUAGES]
        if unknown:
            raise SettingError(f"must have only these languages: {', '.join(LANGUAGES)}")
        read = {name: _read_words(words, longest=longest, is_line=is_line) for name, words in value.items()}
        return tuple((name, words) for name, words in read.items() if words)
    words = _read_words(value, longest=longest, is_line=is_line)
    return (("", words),) if words else ()


def _read_labels(value: object) -> Labels:
    if not isinstance(value, Mapping):
        raise SettingError('must be a table such as { department = "Degree programme" }')
    for field in value:
        if field not in LABELLED:
            raise SettingError(f"must name fields, which are: {', '.join(LABELLED)}")
    read = (
        (field, _read_translated(words, longest=LONGEST_LABEL, is_line=True))
        for field, words in value.items()
    )
    return tuple((field, words) for field, words in read if words)


def _read_types(value: object) -> TypeNames:
    if not isinstance(value, Mapping):
        raise SettingError('must be a table such as { "Project plan" = "Report" }')
    if len(value) > MOST_TYPES:
        raise SettingError(f"must have at most {MOST_TYPES} entries")
    found = []
    for wording, labels in value.items():
        known = _read_words(wording, longest=LONGEST_TYPE, is_line=True)
        read = _read_translated(labels, longest=LONGEST_TYPE, is_line=True)
        if not known or not read:
            raise SettingError("must have a wording and a type in every entry, neither of them empty")
        found.append((known, read))
    return tuple(found)


def _read_facets(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or any(field not in FACET_FIELDS for field in value):
        raise SettingError(f"must be a list of fields out of these: {', '.join(FACET_FIELDS)}")
    if len(set(value)) < len(value):
        raise SettingError("must have no field twice")
    return tuple(value)


def _parse_table(text: str) -> object:
    """Read a text, or a table in JSON where it looks like one."""
    if not text.lstrip().startswith("{"):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise SettingError('must be a text, or JSON such as {"en": "Theses", "fi": "Opinnäytteet"}') from None


def _show_translated(words: Translated) -> str:
    return "; ".join(f"{language}: {text}" if language else text for language, text in words)


def _show_labels(labels: Labels) -> str:
    return ", ".join(f"{field} = {_show_translated(words)}" for field, words in labels)


def in_language(words: Translated, language: str) -> str:
    """Give the words for a language: its own, those for all, those in English, any, nothing."""
    known = dict(words)
    return known.get(language) or known.get("") or known.get("en") or next(iter(known.values()), "")


COLOUR: Kind[str] = Kind("colour as #rrggbb", _read_colour)
PICTURE: Kind[str] = Kind("file in the library folder", _read_picture)
TRANSLATED: Kind[Translated] = Kind(
    "text, or a table of texts by language (en, sv, fi)", _read_translated, _parse_table, _show_translated
)
LABELS: Kind[Labels] = Kind("table of texts by field", _read_labels, _parse_table, _show_labels)
TYPES: Kind[TypeNames] = Kind("table of types by wording", _read_types, _parse_table, _show_labels)
FACETS: Kind[tuple[str, ...]] = Kind(
    "list of fields", _read_facets, lambda text: re.split(r"[\s,]+", text.strip(" \t\r\n,")), ", ".join
)
