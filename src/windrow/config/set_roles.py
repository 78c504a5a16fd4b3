"""The kind of setting that gives roles to sets: institution, department, collection, type, or none."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypeVar

from windrow.config.kinds import FLAG, Kind, SettingError, choice, is_clean
from windrow.config.layers import shorten, suggest
from windrow.model.set_layouts import DEEPEST, Role
from windrow.model.set_roles import METADATA_FIRST, NO_RULES, SETS_FIRST, RoleRules

T = TypeVar("T")
MOST_PATTERNS = 10_000
LONGEST_PATTERN = 500
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
        fallback="",  # a setting of its own: `institution` of the source
    )


def _read_patterns(key: str, value: object) -> tuple[str, ...]:
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list | tuple) or not all(isinstance(each, str) for each in found):
        raise SettingError(f'must have a pattern, or a list of patterns, as {key}: "com_*"')
    patterns = tuple(each.strip() for each in found)
    if len(patterns) > MOST_PATTERNS:
        raise SettingError(f"must have at most {MOST_PATTERNS:,} patterns as {key}")
    if not all(each and len(each) <= LONGEST_PATTERN and is_clean(each) for each in patterns):
        raise SettingError(
            f"must have patterns of one line and at most {LONGEST_PATTERN} characters as {key}"
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
    """Return rules as windrow.toml has them, without what is so anyway."""
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
