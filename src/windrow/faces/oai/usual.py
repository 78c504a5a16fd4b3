"""The quick way to render records that are as nearly all are: stored, sound, with nothing said about them.

`records` can render everything, and does what is left over here, to the same bytes. Beside fetching, this
loop is most of what an answer costs, so it calls nothing that it can do without.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from windrow.faces.oai.desk import Books
from windrow.faces.oai.question import Question
from windrow.wire.oai.answering.escaping import escape
from windrow.wire.oai.answering.provenance import is_strict, provenance_frame
from windrow.wire.oai.answering.render import stamp_of
from windrow.wire.oai.answering.soundness import is_clean
from windrow.wire.oai.answering.wrapping import tags_around

_RECORD = (
    b"<record><header><identifier>%b</identifier><datestamp>%b</datestamp>%b</header>%b%b%b%b</record>\n"
)


def render_usual(question: Question, rows: Sequence[tuple[Any, ...]], prefix: str) -> list[bytes | None]:
    """Give the records that are as usual, rendered in a format they are stored in; None for others."""
    offering, books = question.offering, question.books
    keeps_stamps = question.view.keeps_stamps
    blocks, envelopes = offering.unpack(rows)
    doubtful = {block for block in blocks if offering.is_doubtful(block)}
    specs = books.sets.render(offering, {(row[1], row[5]) for row in rows})
    virtual = books.sets.render_virtual(offering, [row[0] for row in rows])
    frames = origin_frames(books, prefix)
    before, last, stamp = 0, 0, b""
    rendered: list[bytes | None] = []
    for number, source, name, seq, is_deleted, group, dated, envelope, block, start, length, about in rows:
        frame = frames[source]
        is_usual = not is_deleted and not about and (frame is None or is_strict(dated))
        data, declarations = blocks.get(block, b""), envelopes.get(envelope)
        if not is_usual or declarations is None or start + length > len(data):
            rendered.append(None)
            continue
        identifier, payload = escape(name), data[start : start + length]
        if block in doubtful and not is_clean(payload):
            rendered.append(None)
            continue
        if not before < seq <= last:
            before, last, at = offering.moments.stretch(seq)
            stamp = stamp_of(at)
        try:
            opening, closing = tags_around(payload, declarations)
        except ValueError:  # they are damaged: `records` says so
            rendered.append(None)
            continue
        told = b"" if frame is None else frame % (stamp, identifier, dated.encode())
        inside = specs[source, group]
        if number in virtual:
            inside += virtual[number]
        shown = dated.encode() if keeps_stamps else stamp
        rendered.append(_RECORD % (identifier, shown, inside, opening, payload, closing, told))
    return rendered


def origin_frames(books: Books, prefix: str) -> dict[int, bytes | None]:
    """What is said of the origin of each source's records, to be filled in; None for those that have none."""
    namespace = books.formats.facts(prefix).namespace
    return {
        source: None if origin is None else b"<about>%b</about>" % provenance_frame(origin, namespace)
        for source, origin in books.origins.items()
    }


def record_frame(told: bytes | None) -> bytes:
    """What is around a record with such an origin, to be filled in.

    With its identifier, datestamp and setSpec elements, tag, payload, tag, and what the origin wants.
    """
    return _RECORD % (*[b"%b"] * 6, told or b"")
