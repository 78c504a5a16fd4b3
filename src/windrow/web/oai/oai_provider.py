"""The OAI-PMH 2.0 provider: one request in, one whole response out, for all six verbs.

A list page ends at a number of entries or of bytes, whichever comes first. The resumption token contains the
arguments and the number of the last record returned, so the server keeps no state between pages.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from operator import itemgetter
from urllib.parse import urlsplit

from windrow import __version__
from windrow.config.schema import Config
from windrow.formats import http_header, windrow_document
from windrow.formats.wir import wir_record as wir
from windrow.protocols.oai import provider_response
from windrow.protocols.oai.provider_request import (
    RequestRefused,
    format_request_date,
    parse_arguments,
    parse_request_date,
)
from windrow.protocols.oai.provider_response import envelope, errors
from windrow.protocols.oai.resumption_token import Position, seal, unseal
from windrow.store import store
from windrow.store.published import record_listing, selection
from windrow.store.published.record_listing import Row
from windrow.store.published.selection import Selection
from windrow.store.store import Store
from windrow.web.oai.oai_context import (
    RESERVED_SEGMENT,
    OaiReader,
    OaiRequest,
    VirtualRepository,
    find_repository,
)
from windrow.web.oai.oai_records import render_headers, render_records
from windrow.web.oai.offered_formats import FormatDeriver
from windrow.web.oai.repository_sets import SetSelection

_PAYLOAD_SIZES = itemgetter(10, 11)  # of a row: bytes of its payload and of its `about`


def list_records(question: OaiRequest) -> Sequence[bytes]:
    position, selection = _start_position(question)
    entries, following, has_more = _next_page(question, position, selection)
    if not entries and position.cursor:  # all the rest was deleted since, but the schema allows no empty list
        entries = _next_page(question, replace(position, after=0), selection)[0][:1]
    if not entries:
        raise question.refuse("noRecordsMatch", "No record is in this selection")
    token = b""
    if has_more:
        token = _make_token(question, following, cursor=position.cursor)
    elif position.cursor:
        token = provider_response.resumption_token("", cursor=position.cursor, size=position.size)
    return provider_response.listing(position.verb, entries, token)


def list_sets(question: OaiRequest) -> Sequence[bytes]:
    book, limit = question.books.sets, question.config.oai.sets_per_page
    if not len(book):
        raise question.refuse("noSetHierarchy", "This repository has no sets")
    position = Position("ListSets", size=len(book))
    if question.request.token is not None:
        position = _open_token(question)
    following = book.page(position.set_spec or "", limit + 1)
    listed = following[:limit] or book.page("", 1)  # as above: the rest was deleted since
    token = b""
    if len(following) > limit:
        there = replace(position, set_spec=listed[-1].spec, cursor=position.cursor + limit)
        token = _make_token(question, there, cursor=position.cursor)
    elif position.cursor:
        token = provider_response.resumption_token("", cursor=position.cursor, size=position.size)
    return (provider_response.list_sets(listed, token),)


def _start_position(question: OaiRequest) -> tuple[Position, Selection]:
    """Return position and selection from the arguments, or from the resumption token."""
    request = question.request
    if request.token is not None:
        position = _open_token(question)
        return position, _make_selection(question, position)
    position = Position(
        request.verb,
        request.prefix,
        request.since,
        request.until,
        request.is_by_day,
        request.set_spec,
        top=question.offering.moments.last,
    )
    selection = _make_selection(question, position)
    return replace(position, size=question.desk.count(selection)), selection


def _make_selection(question: OaiRequest, position: Position) -> Selection:
    formats, prefix = question.books.formats, position.prefix or ""
    if prefix not in formats.prefixes:
        raise question.refuse(
            "cannotDisseminateFormat", f"There is no format {prefix}; see ListMetadataFormats"
        )
    chosen = _choose_set(question, position.set_spec)
    offered = formats.sources(prefix)
    sources = tuple(source for source in chosen.sources if source in offered)
    selection = Selection(
        sources,
        position.top,
        rivals=tuple(question.books.sources),
        format_id=formats.number(prefix),
        format_needed=tuple(source for source in sources if not formats.is_made(source, prefix)),
        sets=chosen.sets,
        virtual_sets=chosen.virtual_sets,
        hidden_sets=question.hidden_sets,
    )
    return _limit_dates(question, position, selection)


def _limit_dates(question: OaiRequest, position: Position, selection: Selection) -> Selection:
    """Limit a selection by `from` and `until`, as change numbers or as the records' own datestamps."""
    since, until = position.since, position.until
    if question.view.keeps_stamps:
        return replace(
            selection,
            since=None if since is None else format_request_date(since),
            until=None if until is None else format_request_date(until),
        )
    moments = question.offering.moments
    return replace(
        selection,
        after_seq=0 if since is None else moments.before(since),
        up_to_seq=None if until is None else moments.before(until + 1),
    )


def _choose_set(question: OaiRequest, spec: str | None) -> SetSelection:
    if spec is None:
        return SetSelection(tuple(question.books.sources))
    if not len(question.books.sets):
        raise question.refuse("noSetHierarchy", "This repository has no sets")
    chosen = question.books.sets.choose(spec)
    if chosen is None:
        raise question.refuse("noRecordsMatch", f"There is no set {spec}; see ListSets")
    return chosen


def _next_page(
    question: OaiRequest, position: Position, selection: Selection
) -> tuple[list[bytes], Position, bool]:
    """Return the entries of the next page, the position after it, and whether more follow."""
    settings = question.config.oai
    is_whole = position.verb == "ListRecords"
    limit = settings.records_per_page if is_whole else settings.identifiers_per_page
    entries: list[bytes] = []
    has_more = True
    while has_more and not entries:  # a page on which nothing can be rendered is skipped
        rows = question.offering.page(selection, after=position.after, limit=limit + 1, size=position.size)
        shown = rows[:limit]
        if is_whole:
            entries, dealt = _render_page(question, _rows_fitting(shown, settings.page_bytes), position)
        else:
            entries, dealt = render_headers(question, shown), len(shown)
        has_more = dealt < len(rows)
        if dealt:
            position = replace(position, after=rows[dealt - 1][0], cursor=position.cursor + dealt)
    return entries, position, has_more


def _rows_fitting(rows: Sequence[Row], most: int) -> Sequence[Row]:
    """Return the rows whose payloads fill a page, at least one, so that no more are unpacked."""
    if sum(filter(None, chain.from_iterable(map(_PAYLOAD_SIZES, rows)))) <= most:
        return rows
    size = 0
    for place, row in enumerate(rows):
        size += (row[10] or 0) + (row[11] or 0)
        if size > most and place:
            return rows[:place]
    return rows


def _render_page(question: OaiRequest, rows: Sequence[Row], position: Position) -> tuple[list[bytes], int]:
    """Return the entries of a page until it is full, and the number of rows used."""
    entries: list[bytes] = []
    size, most = 0, question.config.oai.page_bytes
    for place, rendered in enumerate(render_records(question, rows, position.prefix or "")):
        if rendered is not None:
            size += len(rendered)
            if size > most and entries:
                return entries, place
            entries.append(rendered)
    return entries, len(rows)


def _open_token(question: OaiRequest) -> Position:
    request = question.request
    return unseal(
        request.token or "", key=question.key, scope=question.scope, verb=request.verb, echo=request.pairs
    )


def _make_token(question: OaiRequest, following: Position, *, cursor: int) -> bytes:
    token = seal(following, key=question.key, scope=question.scope)
    return provider_response.resumption_token(token, cursor=cursor, size=following.size)


# GetRecord and ListMetadataFormats. Records that lists hide are hidden here too.


def get_record(question: OaiRequest) -> Sequence[bytes]:
    formats, prefix = question.books.formats, question.request.prefix or ""
    row = _find_record(question, formats.number(prefix))
    if prefix not in formats.prefixes:
        raise question.refuse(
            "cannotDisseminateFormat", f"There is no format {prefix}; see ListMetadataFormats"
        )
    if not row[4] and row[8] is None and prefix not in formats.of_record(row):
        raise question.refuse(
            "cannotDisseminateFormat", f"This record is not there as {prefix}; see ListMetadataFormats"
        )
    (rendered,) = render_records(question, (row,), prefix)
    if rendered is None:
        raise question.refuse("cannotDisseminateFormat", f"This record cannot be rendered as {prefix}")
    return provider_response.listing("GetRecord", (rendered,))


def list_metadata_formats(question: OaiRequest) -> Sequence[bytes]:
    """Return the formats of the repository, or those of one record."""
    formats = question.books.formats
    prefixes: Sequence[str] = formats.prefixes
    if question.request.identifier is not None:
        row = _find_record(question, None)
        if row[4]:
            raise question.refuse("noMetadataFormats", "This record is deleted")
        prefixes = formats.of_record(row)
    return (provider_response.list_metadata_formats(formats.facts(prefix) for prefix in prefixes),)


def _find_record(question: OaiRequest, format_id: int | None) -> Row:
    offering, identifier = question.offering, question.request.identifier or ""
    row = offering.one(identifier, tuple(question.books.sources), format_id)
    if row is None or _is_hidden_record(question, row):
        raise question.refuse("idDoesNotExist", "There is no record of this identifier")
    return row


def _is_hidden_record(question: OaiRequest, row: Row) -> bool:
    if not question.hidden_sets:
        return False
    held = selection.list_combination_sets(question.offering, (row[5],)).get(row[5], ())
    return not set(held).isdisjoint(question.hidden_sets)


_MAIL = re.compile(r"[^\s@]+@(?:[^\s@.]+\.)+[^\s@.]+")
_COMPRESSIONS = ("gzip",)


def identify(question: OaiRequest) -> Sequence[bytes]:
    settings = question.config.oai
    return (
        provider_response.identify(
            name=question.view.title,
            base_url=question.base_url,
            admins=(_admin_email(question),),
            earliest=_earliest_datestamp(question),
            compressions=_COMPRESSIONS if settings.compress else (),
            descriptions=_repository_descriptions(question),
        ),
    )


def _admin_email(question: OaiRequest) -> str:
    """Return the contact address; if none is configured, webmaster at the host of the base URL."""
    contact = question.config.oai.admin_email or question.config.library.contact.removeprefix("mailto:")
    host = urlsplit(question.base_url).hostname or ""
    candidates = (contact, f"webmaster@{host}" if re.search("[a-z]", host) else "")
    return next((each for each in candidates if _MAIL.fullmatch(each)), "webmaster@host.invalid")


def _earliest_datestamp(question: OaiRequest) -> int:
    if question.view.keeps_stamps:
        stamp = selection.oldest_stamp(question.offering, tuple(question.books.sources))
        if stamp is not None:
            return parse_request_date(stamp)
    return question.offering.moments.earliest or 0


def _repository_descriptions(question: OaiRequest) -> Sequence[bytes]:
    settings = question.config.oai
    found = [provider_response.friends(settings.friends), provider_response.toolkit("Windrow", __version__)]
    if settings.repository_identifier:
        sample = f"oai:{settings.repository_identifier}:1"
        found.append(provider_response.oai_identifier(settings.repository_identifier, sample))
    if settings.branding_icon:
        link, title = settings.branding_link or "", settings.branding_title or ""
        found.append(provider_response.branding(settings.branding_icon, link=link, title=title))
    return found


# responseDate is set back a little, so that a harvester that uses it as its next `from` also gets records
# that were being written while this response was made.
GRACE_SECONDS = 2
_KEY = "oai_key"
_VERBS: Mapping[str, Callable[[OaiRequest], Sequence[bytes]]] = {
    "Identify": identify,
    "ListMetadataFormats": list_metadata_formats,
    "ListSets": list_sets,
    "GetRecord": get_record,
    "ListIdentifiers": list_records,
    "ListRecords": list_records,
}


class OaiRepository:
    """The repositories of one library, its collections and its sources. Thread-safe."""

    def __init__(
        self,
        store: Store,
        config: Config,
        *,
        base_url: str,
        derivers: Mapping[str, FormatDeriver] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._config = config
        self._base_url = base_url.rstrip("/")
        self._derivers = derivers or {}
        self._clock = clock
        self._key = b""
        self._local = threading.local()
        self._views: dict[str, VirtualRepository] = {}

    def prepare(self) -> None:
        """Prepare the library: create the index for lists, and the key that signs tokens."""
        record_listing.prepare_index(self._store)
        self._key = store.get_secret(self._store, _KEY)

    def address(self, name: str) -> str:
        return f"{self._base_url}/oai/{name}" if name else f"{self._base_url}/oai"

    def is_slow(self, name: str, pairs: Sequence[tuple[str, str]]) -> bool:
        """Return whether a response may take long: first pages are counted, derived formats read files."""
        names = dict(pairs)
        if not names.get("verb", "").startswith("List"):
            return False
        return "resumptionToken" not in names or name in self._derivers

    def meant(self, name: str, pairs: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
        """Return the arguments with a valid resumption token replaced by the arguments it stands for."""
        token = dict(pairs).get("resumptionToken")
        if token is None:
            return pairs
        try:
            position = unseal(token, key=self._key, scope=name)
        except RequestRefused:
            return pairs
        held = {
            "metadataPrefix": position.prefix,
            "from": position.from_text,
            "until": position.until_text,
            "set": position.set_spec,
        }
        return [("verb", position.verb), *((key, value) for key, value in held.items() if value)]

    def answer(
        self, name: str, pairs: Sequence[tuple[str, str]], *, credentials: tuple[str, str] | None = None
    ) -> bytes:
        """Return the response to these arguments; raise NotFound for an unknown repository name."""
        view = self._views.get(name) or self._view(name)
        base_url, now = self.address(name), int(self._clock()) - GRACE_SECONDS
        if not self._key:
            self.prepare()
        try:
            request = parse_arguments(pairs)
            desk = self._desk()
            with desk.offering.reading() as is_news:
                desk.refresh(is_news=is_news)
                question = OaiRequest(self._config, view, desk, request, base_url, self._key, credentials)
                parts = _VERBS[request.verb](question)
        except RequestRefused as refused:
            return envelope(errors(refused.errors), base_url=base_url, response_date=now, echo=refused.echo)
        return envelope(*parts, base_url=base_url, response_date=now, echo=request.pairs)

    def _view(self, name: str) -> VirtualRepository:
        view = self._views[name] = find_repository(self._config, name)
        return view

    def _desk(self) -> OaiReader:
        desk: OaiReader | None = getattr(self._local, "desk", None)
        if desk is None:
            own = (http_header, windrow_document, wir)
            schemas = {each.PREFIX: f"{self.address(RESERVED_SEGMENT)}/{each.SCHEMA_FILE}" for each in own}
            desk = self._local.desk = OaiReader(self._store, self._derivers, schemas)
        return desk
