"""Value kinds for collections and pages: colours, pictures, translations, facets, structures, set roles."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from pathlib import PurePosixPath, PureWindowsPath
from typing import NamedTuple, TypeVar

from windrow.config.fields import shorten, suggest
from windrow.config.kinds import FLAG, Kind, SettingError, choice, is_clean
from windrow.model.set_assignment import METADATA_FIRST, NO_RULES, SETS_FIRST, RoleRules
from windrow.model.set_layouts import DEEPEST, Role

LANGUAGES = ("en", "sv", "fi")  # of the pages
# The facets of the events of a document: all are attributes of the same event.
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
MAX_TEXT_LENGTH = 20_000
MAX_LABEL_LENGTH = 60
MAX_TYPE_LENGTH = 200
MAX_TYPES = 1000

# Texts by language; "" is for every language without a text of its own.
Translated = tuple[tuple[str, str], ...]
# Labels of a type by language, with the wording they are for.
TypeNames = tuple[tuple[str, Translated], ...]
# Labels of a field, by its name.
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


def _read_words(value: object, *, longest: int = MAX_TEXT_LENGTH, is_line: bool = False) -> str:
    if not isinstance(value, str):
        raise SettingError("must be text in quotes")
    if len(value) > longest:
        raise SettingError(f"must be at most {longest} characters long")
    has_control = any(unicodedata.category(letter) in _CONTROL and letter not in "\n\t\r" for letter in value)
    if has_control or (is_line and not is_clean(value)):
        raise SettingError(f"must be {'one line of ' if is_line else ''}text without control characters")
    return value.strip()


def _read_translated(value: object, *, longest: int = MAX_TEXT_LENGTH, is_line: bool = False) -> Translated:
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
        (field, _read_translated(words, longest=MAX_LABEL_LENGTH, is_line=True))
        for field, words in value.items()
    )
    return tuple((field, words) for field, words in read if words)


def _read_types(value: object) -> TypeNames:
    if not isinstance(value, Mapping):
        raise SettingError('must be a table such as { "Project plan" = "Report" }')
    if len(value) > MAX_TYPES:
        raise SettingError(f"must have at most {MAX_TYPES} entries")
    found = []
    for wording, labels in value.items():
        known = _read_words(wording, longest=MAX_TYPE_LENGTH, is_line=True)
        read = _read_translated(labels, longest=MAX_TYPE_LENGTH, is_line=True)
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
    """Return the text for a language: its own, the one for all, the English one, any, or ""."""
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

# Browsing structures: one field, or one within another, such as `title`, `folder > year` and `extra:shelf
# mark > creator`. The portal has a page for each: `web.portal.browse_pages`.

EXTRA = "extra:"  # prefix of a field that only some files have
CLASSIFIED = (
    "title",
    "creator",
    "contributor",
    "year",
    "month",
    "date",
    "folder",
    "subject",
    "keyword",
    "type",
    "language",
    "format",
    "size",
    "publisher",
    "journal",
    "institution",
    "department",
    "source",
    "set",
)
MAX_STRUCTURES = 20
MAX_STRUCTURE_DEPTH = 2
MAX_FIELD_NAME_LENGTH = 64
LEVEL_SEPARATOR = ">"
_ODD = re.compile(r"[^a-z0-9]+")
_RULE = f"fields are: {', '.join(CLASSIFIED)}, and {EXTRA}NAME for any other that files have"


class Structure(NamedTuple):
    """A browsing structure: its fields, the outer one first."""

    fields: tuple[str, ...]

    @property
    def slug(self) -> str:
        """The name of the structure in addresses."""
        plain = (_ODD.sub("-", field.lower().removeprefix(EXTRA)).strip("-") for field in self.fields)
        return "-".join(plain)

    def __str__(self) -> str:
        return f" {LEVEL_SEPARATOR} ".join(self.fields)


def parse_structure(text: str) -> Structure:
    """Parse the text of a setting: "date" browses by year, and alone by the months in it."""
    fields = tuple(" ".join(part.split()) for part in text.split(LEVEL_SEPARATOR))
    if fields == ("date",):
        return Structure(("year", "month"))
    return Structure(tuple("year" if field == "date" else field for field in fields))


def _read_structure(value: object) -> str:
    if not isinstance(value, str) or not is_clean(value):
        raise SettingError('must be a list of texts such as "title" or "folder > year"')
    structure = parse_structure(value)
    if len(structure.fields) > MAX_STRUCTURE_DEPTH:
        raise SettingError(
            f'must have {MAX_STRUCTURE_DEPTH} fields at most in a structure, such as "folder > year"'
        )
    if not all(map(_is_field, structure.fields)):
        raise SettingError(f"must be made of fields, one alone or one > another; {_RULE}")
    if len(set(structure.fields)) < len(structure.fields):
        raise SettingError("must have no field within itself")
    return str(structure)


def _is_field(field: str) -> bool:
    name = field.removeprefix(EXTRA)
    return field in CLASSIFIED or (name != field and 0 < len(name.strip()) <= MAX_FIELD_NAME_LENGTH)


def _read_structures(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise SettingError('must be a list such as ["title", "folder > year"]')
    if len(value) > MAX_STRUCTURES:
        raise SettingError(f"must have {MAX_STRUCTURES} structures at most")
    found = tuple(map(_read_structure, value))
    slugs = [parse_structure(text).slug for text in found]
    if len(set(slugs)) < len(slugs) or not all(slugs):
        raise SettingError("must have no two structures that would have the same address")
    return found


STRUCTURES: Kind[tuple[str, ...]] = Kind(
    "list of fields, or of fields within fields",
    _read_structures,
    lambda text: [part for part in text.split(",") if part.strip()],
    ", ".join,
)

# Roles for sets: institution, department, collection, type, or none.

T = TypeVar("T")
MAX_PATTERNS = 10_000
MAX_PATTERN_LENGTH = 500
_PATTERNS = {role.value: role.value for role in Role if role is not Role.NONE} | {"ignore": Role.NONE.value}
_PREFER = choice(SETS_FIRST, METADATA_FIRST)
KEYS = (*_PATTERNS, "levels", "recognise", "prefer")
_EXAMPLE = 'such as { institution = "com_*", department = ["col_1_2", "col_1_3"] }'


def _read_rules(value: object) -> RoleRules:
    if isinstance(value, RoleRules):
        return value
    if not isinstance(value, Mapping):
        raise SettingError(f"must be a table {_EXAMPLE}")
    for key in value:
        if key not in KEYS:
            raise SettingError(
                f"has no setting {shorten(str(key))}.{suggest(str(key), KEYS)} It has: {', '.join(KEYS)}"
            )
    patterns = {field: _read_patterns(key, value[key]) for key, field in _PATTERNS.items() if key in value}
    _check_apart(patterns)
    return RoleRules(
        **patterns,
        levels=_read_levels(value.get("levels", [])),
        is_recognising=_read_part("recognise", FLAG, value.get("recognise", True)),
        prefer=_read_part("prefer", _PREFER, value.get("prefer", SETS_FIRST)),
        fallback="",  # a separate setting: `institution` of the source
    )


def _read_patterns(key: str, value: object) -> tuple[str, ...]:
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list | tuple) or not all(isinstance(each, str) for each in found):
        raise SettingError(f'must have a pattern, or a list of patterns, as {key}: "com_*"')
    patterns = tuple(each.strip() for each in found)
    if len(patterns) > MAX_PATTERNS:
        raise SettingError(f"must have at most {MAX_PATTERNS:,} patterns as {key}")
    if not all(each and len(each) <= MAX_PATTERN_LENGTH and is_clean(each) for each in patterns):
        raise SettingError(
            f"must have patterns of one line and at most {MAX_PATTERN_LENGTH} characters as {key}"
        )
    return tuple(dict.fromkeys(patterns))


def _check_apart(patterns: Mapping[str, tuple[str, ...]]) -> None:
    seen: dict[str, str] = {}
    for role, each in ((role, each) for role, found in patterns.items() for each in found):
        if seen.setdefault(each, role) != role:
            raise SettingError(f"must give each set one role; {shorten(each)} has two")


def _read_levels(value: object) -> tuple[Role, ...]:
    if not isinstance(value, list | tuple) or len(value) > DEEPEST:
        raise SettingError(
            'must have a list of roles as levels, the outermost first: ["institution", "department"]'
        )
    for each in value:
        if each not in tuple(Role):
            message = f"must have roles as levels, which are: {', '.join(Role)}"
            raise SettingError(message + (suggest(each, Role) if isinstance(each, str) else ""))
    return tuple(Role(each) for each in value)


def _read_part(key: str, kind: Kind[T], value: object) -> T:
    try:
        return kind.read(value)
    except SettingError as exc:
        raise SettingError(f"has a {key} that {exc}") from None


def _parse_rules(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise SettingError('must be JSON such as {"institution": "com_*"}') from None


def written_rules(rules: RoleRules) -> dict[str, object]:
    """Return rules as windrow.toml would have them, without defaults."""
    found: dict[str, object] = {}
    for key, field in _PATTERNS.items():
        patterns = getattr(rules, field)
        if patterns:
            found[key] = patterns[0] if len(patterns) == 1 else list(patterns)
    if rules.levels:
        found["levels"] = [role.value for role in rules.levels]
    if not rules.is_recognising:
        found["recognise"] = False
    if rules.prefer != NO_RULES.prefer:
        found["prefer"] = rules.prefer
    return found


def _show_rules(rules: RoleRules) -> str:
    return json.dumps(written_rules(rules), ensure_ascii=False) if rules != NO_RULES else ""


RULES: Kind[RoleRules] = Kind("table of patterns by role", _read_rules, _parse_rules, _show_rules)

# Vocabularies for the fields of a collection.

BOUND_FIELDS = (
    *("subject", "keyword", "creator", "publisher", "journal", "institution", "department", "holding"),
    *("place", "period", "kind", "intensity"),
)
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")

Bindings = tuple[tuple[str, str], ...]  # (field, name of a vocabulary)


def _read_bindings(value: object) -> Bindings:
    if not isinstance(value, Mapping):
        raise SettingError('must be a table such as { subject = "studera" }')
    for field, name in value.items():
        if field not in BOUND_FIELDS:
            message = f"has no field {shorten(str(field))}.{suggest(str(field), BOUND_FIELDS)}"
            raise SettingError(f"{message} It can have: {', '.join(BOUND_FIELDS)}")
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise SettingError(f"must have the name of a vocabulary as {field}, such as studera")
    return tuple(value.items())


def _parse_bindings(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise SettingError('must be JSON such as {"subject": "studera"}') from None


def _show_bindings(bindings: Bindings) -> str:
    return ", ".join(f"{field} = {name}" for field, name in bindings)


BINDINGS: Kind[Bindings] = Kind(
    "table of vocabularies by field", _read_bindings, _parse_bindings, _show_bindings
)
