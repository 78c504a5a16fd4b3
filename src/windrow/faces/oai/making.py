"""Payloads that are not stored in the format asked for, made for one answer.

Beside `formats`, which knows what can be made; `records` asks for one after the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from windrow.errors import BadXml
from windrow.faces.oai.derived import Renderer
from windrow.faces.oai.formats import OAI_DC, FormatBook
from windrow.formats.registry import read
from windrow.formats.richness import rank
from windrow.formats.write_oai_dc import write_oai_dc
from windrow.store.offering import Row

_TOGETHER = 100  # records read at once: the page may be full before the last of many

# A payload, the declarations around it, `about` after it, by prefix.
Held = Mapping[str, tuple[bytes, bytes, bytes]]


class Harvested(NamedTuple):
    """How a record came: in which format, and what was said about it, with the declarations around that."""

    prefix: str
    declarations: bytes = b""
    about: bytes = b""


class Making:
    """Makes payloads of some records in one format: a crosswalk, or what their source derives."""

    def __init__(self, formats: FormatBook, rows: Sequence[Row], prefix: str) -> None:
        """`rows` are the records in the order in which they will be asked for."""
        self._formats = formats
        self._prefix = prefix
        self._numbers = [row[0] for row in rows]
        self._places = {number: place for place, number in enumerate(self._numbers)}
        self._held: Mapping[int, Held] = {}
        self._renderers: dict[int, Renderer | None] = {}

    def make(self, row: Row) -> tuple[bytes, Harvested] | None:
        """Give the payload of a record, and what it was made of.

        None where it is gone, or there is nothing to make it of.
        """
        held, renderer = self._read(row[0]), self._renderer(row[1])
        if renderer is not None:
            rendered = renderer.render(row[2], self._prefix, {name: each[0] for name, each in held.items()})
            return None if rendered is None else (rendered, Harvested(self._prefix))
        if self._prefix == OAI_DC:
            for name in sorted(held, key=rank):
                payload, declarations, about = held[name]
                with suppress(BadXml):
                    made = write_oai_dc(read(payload, declarations, name))
                    return made, Harvested(name, declarations, about)
        return None

    def _renderer(self, source: int) -> Renderer | None:
        if source not in self._renderers:
            self._renderers[source] = self._formats.renderer(source, self._prefix)
        return self._renderers[source]

    def _read(self, number: int) -> Held:
        if number not in self._held:
            place = self._places[number]
            self._held = self._formats.held(self._numbers[place : place + _TOGETHER])
        return self._held[number]
