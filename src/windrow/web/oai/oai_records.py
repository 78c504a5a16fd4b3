"""OAI-PMH records as bytes: a general renderer, a fast one for plain records, a short GetRecord.

The fast ways handle nearly all requests and records, to the same bytes as the general one, which tests
compare. Anything unusual is left to the general way. A record that cannot be rendered is left out and logged.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes

from windrow.errors import StoreError
from windrow.protocols.oai import provider_response
from windrow.protocols.oai.about_containers import about_contents, is_strict, provenance, provenance_template
from windrow.protocols.oai.payload_xml import ROOT_DECLARATIONS, escape, is_clean_xml, metadata_tags
from windrow.protocols.oai.provider_request import is_uri
from windrow.protocols.oai.provider_response import get_record_template, render_datestamp
from windrow.store.published.record_listing import Row
from windrow.web.oai.oai_context import OaiReader, OaiRequest, RepositoryState, VirtualRepository
from windrow.web.oai.offered_formats import HarvestedPayload, PayloadMaker

# The fast renderer: for records that are stored in the format, undamaged and without `about`. Besides
# reading, this loop is most of the cost of a response, so it makes as few calls as possible.

_RECORD = (
    b"<record><header><identifier>%b</identifier><datestamp>%b</datestamp>%b</header>%b%b%b%b</record>\n"
)


def render_plain_records(
    question: OaiRequest, rows: Sequence[tuple[Any, ...]], prefix: str
) -> list[bytes | None]:
    """Render plain records that are stored in the format; None for the others."""
    offering, books = question.offering, question.books
    keeps_stamps = question.view.keeps_stamps
    blocks, envelopes = offering.unpack(rows)
    doubtful = {block for block in blocks if offering.is_doubtful(block)}
    specs = books.sets.render(offering, {(row[1], row[5]) for row in rows})
    virtual = books.sets.render_virtual(offering, [row[0] for row in rows])
    frames = origin_templates(books, prefix)
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
        if block in doubtful and not is_clean_xml(payload):
            rendered.append(None)
            continue
        if not before < seq <= last:
            before, last, at = offering.moments.stretch(seq)
            stamp = render_datestamp(at)
        try:
            opening, closing = metadata_tags(payload, declarations)
        except ValueError:  # damaged: the general renderer logs it
            rendered.append(None)
            continue
        told = b"" if frame is None else frame % (stamp, identifier, dated.encode())
        inside = specs[source, group]
        if number in virtual:
            inside += virtual[number]
        shown = dated.encode() if keeps_stamps else stamp
        rendered.append(_RECORD % (identifier, shown, inside, opening, payload, closing, told))
    return rendered


def origin_templates(books: RepositoryState, prefix: str) -> dict[int, bytes | None]:
    """Return the provenance template of each source's records; None for sources without provenance."""
    namespace = books.formats.facts(prefix).namespace
    return {
        source: None if origin is None else b"<about>%b</about>" % provenance_template(origin, namespace)
        for source, origin in books.origins.items()
    }


def record_template(told: bytes | None) -> bytes:
    """Return the template of a record.

    It takes identifier, datestamp, setSpec elements, opening tag, payload, closing tag, and the
    provenance values.
    """
    return _RECORD % (*[b"%b"] * 6, told or b"")


logger = logging.getLogger("windrow.oai")


def render_headers(question: OaiRequest, rows: Sequence[Row]) -> Iterator[bytes]:
    offering, sets = question.offering, question.books.sets
    specs = sets.render(offering, {(row[1], row[5]) for row in rows})
    virtual = sets.render_virtual(offering, [row[0] for row in rows])
    keeps_stamps, at, stamp_of, header = (
        question.view.keeps_stamps,
        offering.moments.at,
        provider_response.render_datestamp,
        provider_response.header,
    )
    for row in rows:
        stamp = row[6].encode() if keeps_stamps else stamp_of(at(row[3]))
        inside = specs[row[1], row[5]]
        if row[0] in virtual:
            inside += virtual[row[0]]
        yield header(row[2], stamp, inside, is_deleted=bool(row[4]))


def render_records(question: OaiRequest, rows: Sequence[Row], prefix: str) -> Iterable[bytes | None]:
    """Render each record in a format; None for one that cannot be rendered, which is logged."""
    if not all(row[8] is not None or row[4] for row in rows):  # some are derived on request
        return _render_each(question, rows, prefix)
    rendered = render_plain_records(question, rows, prefix)
    odd = [place for place, each in enumerate(rendered) if each is None]
    if odd:
        for place, each in zip(
            odd, _render_each(question, [rows[place] for place in odd], prefix), strict=True
        ):
            rendered[place] = each
    return rendered


def _render_each(question: OaiRequest, rows: Sequence[Row], prefix: str) -> Iterator[bytes | None]:
    stored = question.offering.payloads(rows)
    formats = question.books.formats
    lacking = [row for row in rows if row[8] is None and not row[4]]
    making = PayloadMaker(formats, lacking, prefix)
    for row, header in zip(rows, render_headers(question, rows), strict=True):
        if row[4]:
            yield provider_response.record(header, None, b"")
            continue
        try:
            if row[8] is None:
                payload, harvested = _make_payload(making, row)
                abouts = _render_abouts(question, row, harvested, is_altered=True)
                yield provider_response.record(header, payload, ROOT_DECLARATIONS, abouts)
                continue
            payload, declarations, about = _read_payload(stored, row)
            if question.offering.is_doubtful(row[8]) and not is_clean_xml(payload):
                raise ValueError("it has characters that XML cannot carry")
            abouts = _render_abouts(
                question, row, HarvestedPayload(prefix, declarations, about), is_altered=False
            )
            yield provider_response.record(header, payload, declarations, abouts)
        except StoreError:  # not the record's fault: the harvester should try again later
            raise
        except Exception as exc:  # noqa: BLE001 - one record must not fail the page
            logger.error("left out of an answer: %s as %s: %s", row[2], prefix, exc)
            yield None


def _read_payload(stored: Mapping[int, tuple[bytes, bytes, bytes]], row: Row) -> tuple[bytes, bytes, bytes]:
    found = stored.get(row[0])
    if found is None:
        raise LookupError("its payload in the library is damaged")
    return found


def _make_payload(making: PayloadMaker, row: Row) -> tuple[bytes, HarvestedPayload]:
    made = making.make(row)
    if made is None:
        raise LookupError("there is nothing to render it from")
    return made


def _render_abouts(
    question: OaiRequest, row: Row, harvested: HarvestedPayload, *, is_altered: bool
) -> Sequence[bytes]:
    origin = question.books.origins[row[1]]
    if origin is None:
        return ()
    prefix, declarations, about = harvested
    told = provenance(
        origin_base_url=origin,
        identifier=row[2],
        datestamp=row[6],
        # as harvested, since the payload may be mapped
        metadata_namespace=question.books.formats.facts(prefix).namespace,
        harvest_date=question.offering.moments.at(row[3]),
        is_altered=is_altered,
        nested=about,
        declarations=declarations,
    )
    return (told, *about_contents(about, declarations)) if about else (told,)


# The three arguments in the two orders that programs use.
_QUERY = re.compile(
    rb"verb=GetRecord&(?:identifier=([^&]{1,1024})&metadataPrefix=([^&]{1,99})"
    rb"|metadataPrefix=([^&]{1,99})&identifier=([^&]{1,1024}))"
)
_NAME = re.compile(rb"[!#-%'-;=?-~]++")  # printable, without characters that XML has to escape


@dataclass(frozen=True, slots=True)
class _RecordTemplate:
    """What all responses for one format of one repository share, while its cached state is valid."""

    books: RepositoryState
    sources: tuple[int, ...]
    format_id: int
    is_telling: Mapping[int, bool]  # whether the records of each source have provenance
    frames: tuple[Mapping[int, bytes], ...]  # the response, by order of arguments and source


class DirectGetRecord:
    """Answers GetRecord for one thread; `views` and `address` are the repository's."""

    def __init__(
        self, desk: OaiReader, views: Mapping[str, VirtualRepository], address: Callable[[str], str]
    ) -> None:
        self._desk = desk
        self._views = views
        self._address = address
        self._courses: dict[tuple[str, bytes], _RecordTemplate] = {}

    def answer(self, name: str, query: bytes, *, now: int) -> bytes | None:
        """Return the whole response to a query string; None where the general way is needed."""
        asked = _QUERY.fullmatch(query)
        if asked is None:
            return None
        identifier, prefix, other_prefix, other = asked.groups()
        place, prefix = (0, prefix) if identifier else (1, other_prefix)
        course = self._courses.get((name, prefix))
        if course is None or course.books is not self._desk.standing.get(name):
            course = self._find_course(name, prefix)
        identifier = _percent_decode(identifier or other)
        if course is None or _NAME.fullmatch(identifier) is None or not is_uri(identifier.decode("ascii")):
            return None
        return self._answer(identifier, course, course.frames[place], now)

    def _find_course(self, name: str, prefix: bytes) -> _RecordTemplate | None:
        books = self._desk.standing.get(name)
        if books is None or not books.sets.are_plain or self._views[name].keeps_stamps:
            return None
        spelled = prefix.decode("latin-1")
        number = books.formats.number(spelled) if spelled in books.formats.prefixes else None
        if number is None:
            return None
        base_url, verb = self._address(name), ("verb", b"GetRecord")
        pairs = ("identifier", b"%b"), ("metadataPrefix", prefix)
        origins = origin_templates(books, spelled)
        frames = tuple(
            {
                source: get_record_template(base_url, (verb, *order), record_template(told))
                for source, told in origins.items()
            }
            for order in (pairs, pairs[::-1])
        )
        is_telling = {source: told is not None for source, told in origins.items()}
        found = _RecordTemplate(books, tuple(books.sources), number, is_telling, frames)
        self._courses[name, prefix] = found
        return found

    def _answer(
        self, identifier: bytes, course: _RecordTemplate, frames: Mapping[int, bytes], now: int
    ) -> bytes | None:
        offering = self._desk.offering
        found = offering.glimpse(identifier.decode("ascii"), course.sources, course.format_id)
        if found is None:
            return None
        source, seq, group, members, dated, declarations, payload = found
        is_telling = course.is_telling[source]
        if not is_clean_xml(payload) or (is_telling and not is_strict(dated)):
            return None
        try:
            opening, closing = metadata_tags(payload, declarations)
        except ValueError:  # damaged, which the general way logs
            return None
        stamp = render_datestamp(offering.moments.at(seq))
        sets = course.books.sets.render_one(source, group, members)
        # One formatting operation: building it piecewise would copy it as many times.
        whole = (render_datestamp(now), identifier, identifier, stamp, sets, opening, payload, closing)
        return frames[source] % ((*whole, stamp, identifier, dated.encode()) if is_telling else whole)


def _percent_decode(value: bytes) -> bytes:
    """Percent-decode a value: first the two escapes that nearly all identifiers have, then the rest."""
    value = value.replace(b"%3A", b":").replace(b"%2F", b"/")  # neither creates a new escape
    return unquote_to_bytes(value.replace(b"+", b" ")) if b"%" in value or b"+" in value else value
