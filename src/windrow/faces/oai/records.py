"""Records as bytes: headers, payloads, where they came from. A record that cannot be rendered is left out."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence

from windrow.errors import StoreError
from windrow.faces.oai.making import Harvested, Making
from windrow.faces.oai.question import Question
from windrow.faces.oai.usual import render_usual
from windrow.store.offering import Row
from windrow.wire.oai.answering import render
from windrow.wire.oai.answering.abouts import contents_of
from windrow.wire.oai.answering.provenance import provenance
from windrow.wire.oai.answering.soundness import is_clean
from windrow.wire.oai.answering.wrapping import ROOT_DECLARATIONS

log = logging.getLogger("windrow.oai")


def headers(question: Question, rows: Sequence[Row]) -> Iterator[bytes]:
    """Give the header of each record."""
    offering, sets = question.offering, question.books.sets
    specs = sets.render(offering, {(row[1], row[5]) for row in rows})
    virtual = sets.render_virtual(offering, [row[0] for row in rows])
    keeps_stamps, at, stamp_of, header = (
        question.view.keeps_stamps,
        offering.moments.at,
        render.stamp_of,
        render.header,
    )
    for row in rows:
        stamp = row[6].encode() if keeps_stamps else stamp_of(at(row[3]))
        inside = specs[row[1], row[5]]
        if row[0] in virtual:
            inside += virtual[row[0]]
        yield header(row[2], stamp, inside, is_deleted=bool(row[4]))


def records(question: Question, rows: Sequence[Row], prefix: str) -> Iterable[bytes | None]:
    """Give each record rendered in a format; None for one that cannot be, which is told in the log."""
    if not all(row[8] is not None or row[4] for row in rows):  # some are made when they are asked for
        return _each(question, rows, prefix)
    rendered = render_usual(question, rows, prefix)
    odd = [place for place, each in enumerate(rendered) if each is None]
    if odd:
        for place, each in zip(odd, _each(question, [rows[place] for place in odd], prefix), strict=True):
            rendered[place] = each
    return rendered


def _each(question: Question, rows: Sequence[Row], prefix: str) -> Iterator[bytes | None]:
    stored = question.offering.payloads(rows)
    formats = question.books.formats
    lacking = [row for row in rows if row[8] is None and not row[4]]
    making = Making(formats, lacking, prefix)
    for row, header in zip(rows, headers(question, rows), strict=True):
        if row[4]:
            yield render.record(header, None, b"")
            continue
        try:
            if row[8] is None:
                payload, harvested = _made(making, row)
                abouts = _abouts(question, row, harvested, is_altered=True)
                yield render.record(header, payload, ROOT_DECLARATIONS, abouts)
                continue
            payload, declarations, about = _read(stored, row)
            if question.offering.is_doubtful(row[8]) and not is_clean(payload):
                raise ValueError("it has characters that XML cannot carry")
            abouts = _abouts(question, row, Harvested(prefix, declarations, about), is_altered=False)
            yield render.record(header, payload, declarations, abouts)
        except StoreError:  # no record's fault: whoever asks is to come back
            raise
        except Exception as exc:  # noqa: BLE001 - one record must not take the page with it
            log.error("left out of an answer: %s as %s: %s", row[2], prefix, exc)
            yield None


def _read(stored: Mapping[int, tuple[bytes, bytes, bytes]], row: Row) -> tuple[bytes, bytes, bytes]:
    found = stored.get(row[0])
    if found is None:
        raise LookupError("its payload in the library is damaged")
    return found


def _made(making: Making, row: Row) -> tuple[bytes, Harvested]:
    made = making.make(row)
    if made is None:
        raise LookupError("there is nothing to render it from")
    return made


def _abouts(question: Question, row: Row, harvested: Harvested, *, is_altered: bool) -> Sequence[bytes]:
    """Where a harvested record came from, and what else was said about it there."""
    origin = question.books.origins[row[1]]
    if origin is None:
        return ()
    prefix, declarations, about = harvested
    told = provenance(
        origin_base_url=origin,
        identifier=row[2],
        datestamp=row[6],
        metadata_namespace=question.books.formats.facts(prefix).namespace,  # as it came: it may be mapped
        harvest_date=question.offering.moments.at(row[3]),
        is_altered=is_altered,
        nested=about,
        declarations=declarations,
    )
    return (told, *contents_of(about, declarations)) if about else (told,)
