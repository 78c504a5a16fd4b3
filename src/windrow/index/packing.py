"""Cards as bytes: what lies in the index beside the words of a document. A hot path."""

from __future__ import annotations

import msgspec

from windrow.index.card import Card

pack = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Card).decode


class DamagedCard(ValueError):
    """Bytes that `pack` did not make so."""


def unpack(packed: bytes) -> Card:
    """The card again; DamagedCard for what is none."""
    try:
        return _decode(packed)
    except (msgspec.DecodeError, ValueError) as exc:  # the latter of letters that are none
        raise DamagedCard(f"a card in it is damaged: {exc}") from exc
