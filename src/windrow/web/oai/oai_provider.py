"""Lists, a page at a time: ListRecords, ListIdentifiers, ListSets.

A page ends at its number of entries or at its number of bytes, whichever comes first. The token holds the
question and the number of the last record given, so that nothing has to be kept between pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from operator import itemgetter

from windrow.faces.oai.question import Question
from windrow.faces.oai.records import headers, records
from windrow.faces.oai.sets import Chosen
from windrow.store.offering import Row
from windrow.store.selection import Selection
from windrow.wire.oai.answering import render, small
from windrow.wire.oai.answering.moments import write_moment
from windrow.wire.oai.answering.resumption import Position, seal, unseal

_SIZES = itemgetter(10, 11)  # of a row: the bytes of its payload, and of what follows that


def list_some(question: Question) -> Sequence[bytes]:
    """Give a page of ListRecords or ListIdentifiers."""
    position, selection = _start(question)
    entries, following, has_more = _turn(question, position, selection)
    if not entries and position.cursor:  # the rest is gone since, but the schema has no empty list
        entries = _turn(question, replace(position, after=0), selection)[0][:1]
    if not entries:
        raise question.refuse("noRecordsMatch", "No record is in this selection")
    token = b""
    if has_more:
        token = _token(question, following, cursor=position.cursor)
    elif position.cursor:
        token = render.resumption_token("", cursor=position.cursor, size=position.size)
    return render.listing(position.verb, entries, token)


def list_sets(question: Question) -> Sequence[bytes]:
    """Give a page of ListSets."""
    book, limit = question.books.sets, question.config.oai.sets_per_page
    if not len(book):
        raise question.refuse("noSetHierarchy", "This repository has no sets")
    position = Position("ListSets", size=len(book))
    if question.request.token is not None:
        position = _opened(question)
    following = book.page(position.set_spec or "", limit + 1)
    listed = following[:limit] or book.page("", 1)  # as above: what came after is gone since
    token = b""
    if len(following) > limit:
        there = replace(position, set_spec=listed[-1].spec, cursor=position.cursor + limit)
        token = _token(question, there, cursor=position.cursor)
    elif position.cursor:
        token = render.resumption_token("", cursor=position.cursor, size=position.size)
    return (small.list_sets(listed, token),)


def _start(question: Question) -> tuple[Position, Selection]:
    """Where the list stands, and what it is of: from the arguments, or from the token of the page before."""
    request = question.request
    if request.token is not None:
        position = _opened(question)
        return position, _select(question, position)
    position = Position(
        request.verb,
        request.prefix,
        request.since,
        request.until,
        request.is_by_day,
        request.set_spec,
        top=question.offering.moments.last,
    )
    selection = _select(question, position)
    return replace(position, size=question.desk.count(selection)), selection


def _select(question: Question, position: Position) -> Selection:
    formats, prefix = question.books.formats, position.prefix or ""
    if prefix not in formats.prefixes:
        raise question.refuse(
            "cannotDisseminateFormat", f"There is no format {prefix}; see ListMetadataFormats"
        )
    chosen = _choose(question, position.set_spec)
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
    return _dated(question, position, selection)


def _dated(question: Question, position: Position, selection: Selection) -> Selection:
    """The selection between two times, as numbers of changes or by the stamps that came with the records."""
    since, until = position.since, position.until
    if question.view.keeps_stamps:
        return replace(
            selection,
            since=None if since is None else write_moment(since),
            until=None if until is None else write_moment(until),
        )
    moments = question.offering.moments
    return replace(
        selection,
        after_seq=0 if since is None else moments.before(since),
        up_to_seq=None if until is None else moments.before(until + 1),
    )


def _choose(question: Question, spec: str | None) -> Chosen:
    if spec is None:
        return Chosen(tuple(question.books.sources))
    if not len(question.books.sets):
        raise question.refuse("noSetHierarchy", "This repository has no sets")
    chosen = question.books.sets.choose(spec)
    if chosen is None:
        raise question.refuse("noRecordsMatch", f"There is no set {spec}; see ListSets")
    return chosen


def _turn(question: Question, position: Position, selection: Selection) -> tuple[list[bytes], Position, bool]:
    """The entries of the next page, where the one after it begins, and whether there is one."""
    settings = question.config.oai
    is_whole = position.verb == "ListRecords"
    limit = settings.records_per_page if is_whole else settings.identifiers_per_page
    entries: list[bytes] = []
    has_more = True
    while has_more and not entries:  # a page on which nothing can be rendered is passed over
        rows = question.offering.page(selection, after=position.after, limit=limit + 1, size=position.size)
        shown = rows[:limit]
        if is_whole:
            entries, dealt = _render(question, _fitting(shown, settings.page_bytes), position)
        else:
            entries, dealt = list(headers(question, shown)), len(shown)
        has_more = dealt < len(rows)
        if dealt:
            position = replace(position, after=rows[dealt - 1][0], cursor=position.cursor + dealt)
    return entries, position, has_more


def _fitting(rows: Sequence[Row], most: int) -> Sequence[Row]:
    """The rows whose payloads make up a page, that no more of them are unpacked; one at least."""
    if sum(filter(None, chain.from_iterable(map(_SIZES, rows)))) <= most:
        return rows
    size = 0
    for place, row in enumerate(rows):
        size += (row[10] or 0) + (row[11] or 0)
        if size > most and place:
            return rows[:place]
    return rows


def _render(question: Question, rows: Sequence[Row], position: Position) -> tuple[list[bytes], int]:
    """The entries of a page until it is large enough, and how many rows are dealt with by then."""
    entries: list[bytes] = []
    size, most = 0, question.config.oai.page_bytes
    for place, rendered in enumerate(records(question, rows, position.prefix or "")):
        if rendered is not None:
            size += len(rendered)
            if size > most and entries:
                return entries, place
            entries.append(rendered)
    return entries, len(rows)


def _opened(question: Question) -> Position:
    request = question.request
    return unseal(
        request.token or "", key=question.key, scope=question.scope, verb=request.verb, echo=request.pairs
    )


def _token(question: Question, following: Position, *, cursor: int) -> bytes:
    token = seal(following, key=question.key, scope=question.scope)
    return render.resumption_token(token, cursor=cursor, size=following.size)
