"""The quick way through plain oai_dc, for records of the shape nearly every server writes.

It cuts a payload at its elements by searching for bytes, and looks up what each adds to the document; most
have been seen before. `registry` tries this way first. Whatever is not plain (other tags, comments, CDATA,
what is not well-formed) gets no answer here and goes through the parser, to the same document.
"""

from __future__ import annotations

from windrow.formats.flat_document import Lists, empty, gather
from windrow.formats.flat_tags import Shape, shape_of
from windrow.formats.flat_text import text_of
from windrow.formats.flat_values import LINKS, RULES, Portions
from windrow.model.document import Document, Link, LinkKind

MOST_SHAPES = 8
MOST_PORTIONS = 10_000  # kept for each shape
LONGEST_KEPT_BYTES = 200

_SPACES = b" \t\r\n"


class FlatReader:
    """Reads plain oai_dc with one of these root elements, in Clark notation."""

    def __init__(self, roots: frozenset[str]) -> None:
        self._roots = roots
        self._shapes: dict[tuple[bytes, bytes], Shape | None] = {}

    def read(self, payload: bytes, declarations: bytes) -> Document | None:
        """The document of a payload; None when it is one for the parser."""
        head, _, rest = payload.partition(b">")
        try:
            shape = self._shapes[head, declarations]
        except KeyError:
            shape = self._shape_of(head, declarations)
        pieces = _cut(rest, shape) if shape is not None else None
        return _document_of(pieces, shape) if pieces and shape is not None else None

    def _shape_of(self, head: bytes, declarations: bytes) -> Shape | None:
        if len(self._shapes) >= MOST_SHAPES:
            self._shapes.clear()
        shape = self._shapes[head, declarations] = shape_of(head, declarations, self._roots)
        return shape


def _cut(rest: bytes, shape: Shape) -> list[bytes] | None:
    """Every element, from behind its mark to the next; None where something else stands between the tags."""
    if not rest.endswith(shape.end):
        rest = rest.rstrip(_SPACES)
        if not rest.endswith(shape.end):
            return None
    pieces = rest.split(shape.mark)
    pieces[-1] = pieces[-1].removesuffix(shape.end)
    return None if pieces.pop(0).strip(_SPACES) else pieces


def _document_of(pieces: list[bytes], shape: Shape) -> Document | None:
    lists, known = empty(), shape.portions
    for piece in pieces:
        portions = known.get(piece)
        if portions is None:
            portions = _portions_of(piece, shape)
            if portions is None:
                return None
        for place, key, value in portions:
            held = lists[place]
            if key not in held:
                held[key] = value
            elif place == LINKS and value.kind is not LinkKind.RELATED and held[key].kind is LinkKind.RELATED:
                held[key] = value
    return gather(lists)


def _portions_of(piece: bytes, shape: Shape) -> Portions | None:
    """What an element adds; None where it is no plain element, or not well-formed."""
    spelling, _, rest = piece.partition(b">")
    body, _, end = rest.partition(b"<")
    start = shape.start_of(spelling)
    if start is None or (end != start.end and end.rstrip(_SPACES) != start.end):
        return None
    text = text_of(body)
    if text is None:
        return None
    portions = RULES[start.name](text, start.language)
    if portions is not None and len(piece) < LONGEST_KEPT_BYTES:
        if len(shape.portions) >= MOST_PORTIONS:
            shape.portions.clear()
        shape.portions[piece] = portions
    return portions
