"""Records from pages: which page makes one, under which identifier, and when it is deleted.

The same content at several addresses is one record with all of them. A record exists as long as one page
shows it; when the last one is gone or has lost its metadata, a tombstone takes its place.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from windrow.formats.wir.page_identity import has_metadata, own_identifier
from windrow.formats.wir.wir_record import FetchDetails, without_volatile, write_wir
from windrow.harvest.web.settings import PAGES, CrawlSettings
from windrow.model.record import Granularity, Record, format_datestamp
from windrow.model.run import RecordCounter
from windrow.model.web_page import Page
from windrow.net.politeness import parse_http_date
from windrow.sources.web.fetch import Answer
from windrow.sources.web.urls import BadUrl, web_address
from windrow.store import frontier, sources
from windrow.store.connection import Connection
from windrow.store.records.page_writer import PageWriter
from windrow.store.records.set_hierarchy import SetGroups, name_sets

FORMAT = "wir"
_MOST_REFUSED = 10_000  # identifiers


@dataclass(frozen=True, slots=True)
class Kept:
    """The result of storing a page."""

    identifier: str | None  # of its record; None if the page makes none
    digest: str  # of its text and metadata; equal for the same content at several addresses
    payload_digest: str  # of its record's payload; "" if it makes none
    is_repeat: bool  # another address has shown the same content


class RecordKeeper:
    """Writes the records of one crawl, in transactions that the caller owns."""

    def __init__(
        self,
        addresses: frontier.Frontier,
        settings: CrawlSettings,
        run_id: int,
        *,
        tally: RecordCounter,
        clock: Callable[[], float],
    ) -> None:
        self._frontier = addresses
        self._settings = settings
        self._run_id = run_id
        self._tally = tally
        self._clock = clock
        self._writer: PageWriter | None = None
        self._groups = SetGroups(addresses.source_id)
        self._pending: dict[str, Record] = {}
        self._refused: dict[str, set[int]] = {}  # pages that claim the identifier of another page
        self.asked_again: set[int] = set()  # pages that are requested once more, because others have changed
        self.entries = 0  # written
        self.unchanged = 0  # not written, because their content is unchanged
        self._before = 0, 0
        self._asked_again_now: list[int] = []

    def begin(self) -> None:
        """Begin a transaction that may be rolled back."""
        self._before = self.entries, self.unchanged
        self._asked_again_now.clear()

    def roll_back(self) -> None:
        """Discard the state of a transaction that was rolled back."""
        self._writer = None
        self._groups = SetGroups(self._frontier.source_id)
        self._pending.clear()
        self.entries, self.unchanged = self._before
        self.asked_again.difference_update(self._asked_again_now)

    def keep(self, connection: Connection, row: frontier.Page, page: Page, answer: Answer) -> Kept:
        """Store the record that a page makes, or a tombstone for the one that it made before."""
        digest = _digest(page)
        is_repeat = bool(digest) and self._frontier.is_digest_known(connection, digest, but=row.id)
        identifier, payload_digest = None, ""
        if self._makes_record(page):
            identifier = self._identifier(connection, row, page, digest)
            payload_digest = self._write(connection, row, page, answer, identifier)
        if row.identifier is not None and row.identifier != identifier:
            self.lose(connection, row)
        return Kept(identifier, digest, payload_digest, is_repeat)

    def lose(self, connection: Connection, row: frontier.Page) -> None:
        """Replace a page's record by a tombstone, unless another page shows it."""
        if row.identifier is None:
            return
        others = self._frontier.addresses_of(connection, row.identifier)
        left = [number for number, _, _ in others if number != row.id]
        if left:
            self._ask_again(connection, left[:1])  # its record names the address that is gone
            return
        self._put(Record(row.identifier, self._stamp(), (), is_deleted=True))
        # the identifier is free for them now
        self._ask_again(connection, self._refused.get(row.identifier, ()))

    def _ask_again(self, connection: Connection, pages: Iterable[int]) -> None:
        """Queue pages whose records depend on a change of another page; each once in a crawl."""
        fresh = [page for page in pages if page not in self.asked_again]
        self.asked_again.update(fresh)
        self._asked_again_now += fresh
        self._frontier.force_pages(connection, fresh)

    def _makes_record(self, page: Page) -> bool:
        if page.is_noindex:
            return False
        return self._settings.content == PAGES or has_metadata(page, self._settings.require)

    def _identifier(self, connection: Connection, row: frontier.Page, page: Page, digest: str) -> str:
        """Return the page's own identifier if it is unique, else that of the same content, else its URL."""
        own = own_identifier(page)
        if own is not None:
            holders = self._frontier.addresses_of(connection, own)
            if all(number == row.id or held == digest for number, _, held in holders):
                return own
            if len(self._refused) < _MOST_REFUSED:
                self._refused.setdefault(own, set()).add(row.id)
        same = self._frontier.record_with_digest(connection, digest, but=row.id) if digest else None
        if own is None and same is None and digest and digest == row.digest:
            same = row.identifier  # this is the last page with it
        return same or row.url

    def _write(
        self, connection: Connection, row: frontier.Page, page: Page, answer: Answer, identifier: str
    ) -> str:
        """Write a record unless it is unchanged; return the digest of its payload."""
        holders = [(number, url) for number, url, _ in self._frontier.addresses_of(connection, identifier)]
        addresses = [url for _, url in sorted({*holders, (row.id, row.url)})]
        exchange = FetchDetails(
            url=addresses[0],
            other_urls=tuple(addresses[1:]),
            media_type=answer.media_type or page.media_type,
            charset=page.charset,
            size=len(answer.body),
            status=answer.status,
            last_modified=parse_http_date(answer.headers.get("last-modified", "")),
            server=answer.headers.get("server", ""),
            checksum=hashlib.md5(answer.body, usedforsecurity=False).hexdigest().upper(),
        )
        payload = write_wir(page, exchange)
        digest = hashlib.md5(without_volatile(payload), usedforsecurity=False).hexdigest()
        if digest == row.payload_digest and identifier == row.identifier:
            self.unchanged += 1
            return digest
        self._put(
            Record(
                identifier,
                self._stamp(),
                (_host(addresses[0]),),
                is_deleted=False,
                payload=payload,
            )
        )
        return digest

    def flush(self, connection: Connection) -> None:
        """Write the pending records of this transaction together, so that they share blocks."""
        if not self._pending:
            return
        if self._writer is None:
            format_id = sources.format_id(connection, FORMAT)
            self._writer = PageWriter(
                self._frontier.source_id,
                format_id,
                run_id=self._run_id,
                groups=self._groups,
                tally=self._tally,
            )
        self._writer.write(connection, list(self._pending.values()))
        self.entries += len(self._pending)
        self._pending.clear()
        if self._groups.unnamed:
            named = [(spec, spec.replace("_", ":")) for spec in sorted(self._groups.unnamed)]
            name_sets(connection, self._frontier.source_id, named)
            self._groups.unnamed.clear()

    def _put(self, record: Record) -> None:
        self._pending[record.identifier] = record

    def _stamp(self) -> str:
        """Return the time of the crawl as datestamp: servers date their pages arbitrarily."""
        return format_datestamp(datetime.fromtimestamp(int(self._clock()), UTC), Granularity.SECOND)


def _digest(page: Page) -> str:
    """Return the digest of a page's text and metadata; "" without text."""
    if not page.text_digest:
        return ""
    tags = "\x00".join(f"{tag.name}\x01{tag.content}" for tag in page.tags)
    return hashlib.md5(f"{page.text_digest}\x00{tags}".encode(), usedforsecurity=False).hexdigest()


def _host(url: str) -> str:
    """Return the set of an address: its host. A colon would make the setSpec hierarchical."""
    try:
        return web_address(url).host.replace(":", "_")
    except BadUrl:
        return "unknown"
