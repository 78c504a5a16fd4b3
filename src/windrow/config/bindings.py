"""The kind of setting that binds fields of a collection to vocabularies."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from windrow.config.kinds import Kind, SettingError
from windrow.config.layers import shorten, suggest

BOUND_FIELDS = (
    *("subject", "keyword", "creator", "publisher", "journal", "institution", "department", "holding"),
    *("place", "period", "kind", "intensity"),
)
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")

Bindings = tuple[tuple[str, str], ...]  # the name of a vocabulary, by field


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
