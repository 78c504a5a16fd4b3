"""Cards and rows as JSON: what lies in the index beside the words of a document, and what goes into it.

A hot path. Values from plug-ins may be any kind of text or number, and texts may have halves of letters in
them that cannot be written down: those cost their own time only.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from windrow.index.card import Card


class DamagedCard(ValueError):
    """Bytes that `encode` did not make so."""


def encode(value: object) -> bytes:
    """JSON, in which bytes are base64, as Tantivy wants them."""
    try:
        return _encode(value)
    except UnicodeEncodeError:
        return _encode(_mended(value))


def encode_ascii(value: object) -> str:
    """Return JSON in ASCII, for what is written once and copied often.

    One other letter, such as the sign between an institution and its department, doubles the size of the
    text that it is put into.
    """
    return json.dumps(msgspec.json.decode(encode(value)), separators=(",", ":"))


def unpack(packed: bytes) -> Card:
    """The card in JSON; DamagedCard for what is none."""
    try:
        return _decode(packed)
    except (msgspec.DecodeError, ValueError) as exc:  # the latter of letters that are none
        raise DamagedCard(f"a card in it is damaged: {exc}") from exc


def _plain(value: object) -> object:
    """Text or a number of a class of its own (lxml has one) as what it is."""
    for kind in (str, int):
        if isinstance(value, kind):
            return kind(value)
    raise TypeError(f"{type(value).__name__} cannot be indexed")


def _mended(value: Any) -> Any:
    """The same without halves of surrogate pairs."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list | tuple):
        return [_mended(each) for each in value]
    if isinstance(value, dict):
        return {name: _mended(each) for name, each in value.items()}
    return value


_encode = msgspec.json.Encoder(enc_hook=_plain).encode
_decode = msgspec.json.Decoder(Card).decode
