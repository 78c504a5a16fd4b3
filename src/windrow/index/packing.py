"""Cards as bytes: what lies in the index beside the words of a document."""

from __future__ import annotations

import json
from typing import Any

from windrow.index.card import Card, FileCard

_SEVERAL = [
    place for place, default in enumerate(Card(0, "", "")) if default == ()
]  # fields of more than one
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
_decode = json.JSONDecoder().raw_decode  # knows that nothing stands before or behind


def pack(card: Card) -> bytes:
    """A card in few bytes."""
    # Most documents are no files: these few bytes would be a hundredth of their cards.
    return _encode(card if card.file is not None else card[:-1]).encode("utf-8", "surrogatepass")


def unpack(packed: bytes) -> Card:
    """The card again."""
    values: list[Any] = _decode(packed.decode("utf-8", "surrogatepass"))[0]
    for place in _SEVERAL:
        values[place] = tuple(values[place])
    if len(values) < len(Card._fields):
        return Card._make([*values, None])
    return Card._make([*values[:-1], FileCard(*values[-1])])
