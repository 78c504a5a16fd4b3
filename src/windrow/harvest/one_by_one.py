"""Identifiers first, then each record by itself: for lists that break, and to check that nothing lacks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from windrow.errors import BadXml, HttpRefused, NotOai, OaiError
from windrow.harvest.ahead import Ahead
from windrow.harvest.chain import Chain
from windrow.harvest.work import Work
from windrow.model.record import Record, Reject
from windrow.store import checkpoints, records, sources
from windrow.store.checkpoints import StoredWindow
from windrow.wire.oai.page import Page
from windrow.wire.oai.parse import parse_page
from windrow.wire.oai.request import Request, list_request

MAX_FAILURES = 100  # single records that fail in a row before the window is given up
_REFETCHED = ("idDoesNotExist", "cannotDisseminateFormat")


@dataclass(slots=True)
class Tally:
    """What a pass over the identifiers found."""

    listed: int = 0
    lacking: int = 0  # were not in the library, or were older there
    fetched: int = 0
    failed: int = 0
    claimed: int | None = None
    is_whole: bool = False  # the list of identifiers came to a proper end
    reason: str = ""
    started_at: str | None = None


def headers(work: Work, window: StoredWindow, tally: Tally) -> Iterator[Page]:
    """Give the pages of ListIdentifiers; afterwards the tally says whether that was all."""
    request = list_request(
        "ListIdentifiers",
        prefix=window.format,
        spec=window.spec or None,
        since=window.since,
        until=window.until,
    )
    following: Request | None = request.with_token(window.token) if window.token else request
    chain = Chain()
    while following is not None:
        page, following = _one(work, following, tally)
        if page is None:
            return
        tally.started_at = tally.started_at or page.response_date
        if page.token and page.token.size is not None:
            tally.claimed = page.token.size
        is_repeat, objection = chain.is_repeat(page), chain.objection(page)
        if not (objection and is_repeat):
            tally.listed += len(page.records)
            yield page
        if objection is not None:
            tally.reason = objection
            following = None
    promised = tally.claimed if tally.claimed is not None else 0
    if tally.listed < promised:
        tally.reason = tally.reason or f"the list ended after {tally.listed:,} of {promised:,} identifiers"
    elif not tally.reason or tally.claimed is not None:
        tally.is_whole = True


def _one(work: Work, request: Request, tally: Tally) -> tuple[Page | None, Request | None]:
    """Fetch one page of identifiers."""
    work.stopper.check()
    try:
        answer = next(iter(_fetch(work, request)))
        page = parse_page(answer)
    except (BadXml, NotOai, HttpRefused) as exc:
        tally.reason = str(exc)
        return None, None
    work.tally()
    is_resumed = "resumptionToken" in dict(request.arguments)
    for fault in page.faults:
        if fault.code == "noRecordsMatch" and not is_resumed:
            tally.is_whole = True
        elif is_resumed and tally.claimed is not None and tally.listed >= tally.claimed:
            tally.is_whole = True
        else:
            tally.reason = f"{fault.code}: {fault.text}"
        return None, None
    token = page.token.value if page.token else ""
    return page, request.with_token(token) if token else None


def _fetch(work: Work, request: Request) -> Iterator[bytes]:
    """Ask in the fetching thread, so that a request to stop is heard meanwhile."""
    ahead = Ahead(work.client.ask, request, stopper=work.stopper, is_single=True)
    try:
        for fetched in ahead:
            if fetched.failure is not None:
                raise fetched.failure
            assert fetched.answer is not None
            yield fetched.answer.body
    finally:
        ahead.close()


def fetch_lacking(work: Work, window: StoredWindow, *, by_stamp: bool, is_checkpointed: bool = False) -> Tally:
    """Go over a window's identifiers and fetch what the library lacks, one by one.

    `by_stamp`: what the library has under another datestamp counts as lacking too.
    """
    tally = Tally(claimed=window.claimed, started_at=window.started_at)
    for page in headers(work, window, tally):
        lacking = _lacking(work, window, page.records, by_stamp=by_stamp)
        tally.lacking += len(lacking)
        if not _fetch_all(work, window, lacking, tally):
            tally.is_whole = False
            return tally
        with work.store.writing() as connection:
            gone = [record for record in page.records if record.is_deleted]
            work.put(connection, window.format, gone, page.rejects)
            if is_checkpointed:
                checkpoints.advance(
                    connection,
                    window.id,
                    token=(page.token.value or None) if page.token else None,
                    seen=window.seen + tally.listed,
                    claimed=tally.claimed,
                    started_at=tally.started_at,
                )
        work.show()
        limit = work.options.limit
        if limit is not None and tally.listed >= limit:
            tally.is_whole = True
            return tally
    return tally


def _lacking(work: Work, window: StoredWindow, listed: list[Record], *, by_stamp: bool) -> list[Record]:
    live = {record.identifier: record for record in listed if not record.is_deleted}
    with work.store.writing() as connection:
        format_id = sources.format_id(connection, window.format)
        have = records.stamps_present(connection, work.source.id, list(live), format_id)
    return [
        record
        for name, record in live.items()
        if name not in have or (by_stamp and have[name] != record.stamp)
    ]


def _fetch_all(work: Work, window: StoredWindow, lacking: list[Record], tally: Tally) -> bool:
    """Fetch single records; False when so many fail in a row that going on makes no sense."""
    failures = 0
    for header in lacking:
        work.stopper.check()
        found, reject, is_absent = _fetch_one(work, window, header)
        if found is None and is_absent:
            continue
        with work.store.writing() as connection:
            work.put(connection, window.format, found or [], [reject] if reject else [])
        tally.fetched += bool(found)
        tally.failed += reject is not None
        failures = failures + 1 if reject else 0
        if failures >= MAX_FAILURES:
            tally.reason = f"{failures} records in a row could not be fetched; the last: {reject.reason if reject else ''}"
            return False
        work.tally()
        work.show()
    return True


def _fetch_one(work: Work, window: StoredWindow, header: Record) -> tuple[list[Record] | None, Reject | None, bool]:
    """Give the record, or a reject with the reason; True at the end when it is simply not there."""
    try:
        page = work.client.record(header.identifier, prefix=window.format)
    except OaiError as exc:
        if exc.code in _REFETCHED:
            return None, None, True
        return None, Reject(f"GetRecord: {exc}", b"", header.identifier), False
    except (BadXml, NotOai) as exc:
        return None, Reject(f"GetRecord: {exc}", exc.body, header.identifier), False
    except HttpRefused as exc:
        return None, Reject(f"GetRecord: {exc}", b"", header.identifier), False
    if page.repairs:
        work.tell("repaired", f"{header.identifier} was not well-formed: " + "; ".join(page.repairs))
    if page.records:
        return page.records, None, False
    reject = page.rejects[0] if page.rejects else Reject("GetRecord brought no record", b"", header.identifier)
    return None, Reject(reject.reason, reject.raw, header.identifier), False

