"""Cards as bytes: what lies in the index beside the words of a document. A hot path.

A card is its fields with a separator between them, which is packed in three fifths of JSON's time. JSON
are those of files, and the odd ones that have a separator in themselves; they begin with a bracket, where
the others begin with a number.
"""

from __future__ import annotations

import json
from typing import Any

from windrow.index.card import Card, FileCard

_BETWEEN, _AFTER = "\x1e", "\x1f"  # between fields, and after each value of those that have several
_FIELDS = len(Card._fields) - 1  # of those that are no files
_NUMBERS = [Card._fields.index(name) for name in ("number", "year", "pages", "change")]
_SEVERAL = [place for place, default in enumerate(Card(0, "", "")) if default == ()]
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
_decode = json.JSONDecoder().raw_decode  # knows that nothing stands before or behind


def pack(card: Card) -> bytes:
    """A card in few bytes."""
    text = _joined(card) if card.file is None else None
    return (text or _encode(card)).encode("utf-8", "surrogatepass")


class DamagedCard(ValueError):
    """Bytes that `pack` did not make so."""


def unpack(packed: bytes) -> Card:
    """The card again; DamagedCard for what is none."""
    try:
        text = packed.decode("utf-8", "surrogatepass")
        return _decoded(text) if text[:1] == "[" else _taken_apart(text)
    except (ValueError, TypeError, LookupError, AttributeError) as exc:
        raise DamagedCard(f"a card in it is damaged: {exc}") from exc


def _decoded(text: str) -> Card:
    values: list[Any] = _decode(text)[0]
    for place in _SEVERAL:
        values[place] = tuple(values[place])
    file = values[-1]
    return Card._make([*values[:-1], None if file is None else FileCard(*file)])


def _joined(card: Card) -> str | None:
    """The fields of a card as one text; None if that could not be taken apart again."""
    parts: list[Any] = list(card[:_FIELDS])
    values = 0
    for place in _SEVERAL:
        values += len(parts[place])
        parts[place] = _AFTER.join((*parts[place], ""))
    for place in _NUMBERS:
        parts[place] = "" if parts[place] is None else str(parts[place])
    text = _BETWEEN.join(parts)
    is_sound = text.count(_BETWEEN) == _FIELDS - 1 and text.count(_AFTER) == values
    return text if is_sound else None


def _taken_apart(text: str) -> Card:
    parts: list[Any] = text.split(_BETWEEN)
    for place in _SEVERAL:
        parts[place] = tuple(parts[place].split(_AFTER)[:-1])
    for place in _NUMBERS:
        parts[place] = int(parts[place]) if parts[place] else None
    return Card._make([*parts, None])
