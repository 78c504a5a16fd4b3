"""OAI-PMH headers and records as bytes, for lists and for GetRecord.

A record that cannot be rendered is left out and logged, because one damaged record must not fail a page.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

from windrow.errors import StoreError
from windrow.protocols.oai import provider_response
from windrow.protocols.oai.about_containers import Provenance, about_contents, provenance_of
from windrow.protocols.oai.payload_xml import ROOT_DECLARATIONS, is_clean_xml
from windrow.protocols.oai.provider_response import render_datestamp
from windrow.store.published.record_listing import Row
from windrow.web.oai.oai_context import OaiRequest, RepositoryState
from windrow.web.oai.offered_formats import HarvestedPayload, PayloadMaker

logger = logging.getLogger("windrow.oai")


def render_headers(question: OaiRequest, rows: Sequence[Row]) -> list[bytes]:
    offering, sets = question.offering, question.books.sets
    specs = sets.render(offering, {(row[1], row[5]) for row in rows})
    virtual = sets.render_virtual(offering, [row[0] for row in rows])
    if question.view.keeps_stamps:
        stamps = [row[6].encode() for row in rows]
    else:
        stamps = _change_stamps(question, rows)
    header = provider_response.header
    return [
        header(row[2], stamp, specs[row[1], row[5]] + virtual.get(row[0], b""), is_deleted=bool(row[4]))
        for row, stamp in zip(rows, stamps, strict=True)
    ]


def render_records(question: OaiRequest, rows: Sequence[Row], prefix: str) -> Iterator[bytes | None]:
    """Render each record in a format; None for one that cannot be rendered, which is logged."""
    offering, books = question.offering, question.books
    making = PayloadMaker(books.formats, [row for row in rows if row[8] is None and not row[4]], prefix)
    stored = offering.payloads(rows)
    doubtful = {
        block for block in {row[8] for row in rows if row[8] is not None} if offering.is_doubtful(block)
    }
    origins = {
        source: _provenance(books, source, prefix, is_altered=False) for source in {row[1] for row in rows}
    }
    headers, stamps = render_headers(question, rows), _change_stamps(question, rows)
    for row, header, stamp in zip(rows, headers, stamps, strict=True):
        rendered: bytes | None = None
        try:
            if row[4]:
                rendered = provider_response.record(header, None, b"")
            elif row[8] is None:
                payload, harvested = _make_payload(making, row)
                origin = _provenance(books, row[1], harvested.prefix, is_altered=True)
                told = _render_abouts(origin, row, stamp, harvested.about, harvested.declarations)
                rendered = provider_response.record(header, payload, ROOT_DECLARATIONS, told)
            elif row[0] not in stored:
                raise LookupError("its payload in the library is damaged")
            else:
                payload, declarations, about = stored[row[0]]
                if row[8] in doubtful and not is_clean_xml(payload):
                    raise ValueError("it has characters that XML cannot carry")
                told = _render_abouts(origins[row[1]], row, stamp, about, declarations)
                rendered = provider_response.record(header, payload, declarations, told)
        except StoreError:  # not the record's fault: the harvester should try again later
            raise
        except Exception as exc:  # noqa: BLE001 - one record must not fail the page
            logger.error("left out of an answer: %s as %s: %s", row[2], prefix, exc)
        yield rendered


def _change_stamps(question: OaiRequest, rows: Sequence[Row]) -> list[bytes]:
    """Return when the newest change of each record became visible; neighbours mostly changed together."""
    moments, found = question.offering.moments, []
    before, last, stamp = 0, 0, b""
    for row in rows:
        if not before < row[3] <= last:
            before, last, at = moments.stretch(row[3])
            stamp = render_datestamp(at)
        found.append(stamp)
    return found


def _make_payload(making: PayloadMaker, row: Row) -> tuple[bytes, HarvestedPayload]:
    made = making.make(row)
    if made is None:
        raise LookupError("there is nothing to render it from")
    return made


def _provenance(books: RepositoryState, source: int, prefix: str, *, is_altered: bool) -> Provenance | None:
    """Return the provenance of a source's records, harvested in a format; None if it is not harvested."""
    base_url = books.origins[source]
    if base_url is None:
        return None
    return provenance_of(base_url, books.formats.facts(prefix).namespace, is_altered=is_altered)


def _render_abouts(
    origin: Provenance | None, row: Row, stamp: bytes, about: bytes, declarations: bytes
) -> Sequence[bytes]:
    """Return the contents of a record's `about` containers."""
    if origin is None:
        return ()
    told = origin.render(row[2], row[6], stamp, about, declarations)
    return (told, *about_contents(about, declarations)) if about else (told,)
