"""What a page of records shows: size, damage, deletions, the shape of its datestamps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from windrow.model.record import Record
from windrow.model.stamp import Granularity, read_granularity, read_stamp
from windrow.sources.findings.finding import Finding, good, note, problem
from windrow.wire.oai.page import Page

_PROPER = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?", re.ASCII)
_DAY_DIGITS = len("YYYYMMDD")


def judge_page(page: Page, prefix: str) -> Iterator[Finding]:
    """Say what the first page of a list shows."""
    yield _size(page, prefix)
    names = [record.identifier for record in page.records]
    if len(set(names)) < len(names):
        words = f"{len(names) - len(set(names)):,} identifiers came twice on one page"
        yield note("duplicates", words, "keeps each once, as it came last")
    deleted = sum(record.is_deleted for record in page.records)
    if deleted:
        words = f"{deleted:,} of {len(names):,} records on the first page are deleted"
        yield good("tombstones", words, "keeps a tombstone for each", deleted=deleted)


def judge_damage(pages: Sequence[Page]) -> Iterator[Finding]:
    """Say what was not well-formed, and what cannot be kept as a record."""
    repairs = list(dict.fromkeys(repair for page in pages for repair in page.repairs))
    if repairs:
        words = "pages are not well-formed XML: " + "; ".join(repairs[:3])
        action = "repairs them, keeps the pages as they came and says so in the run"
        yield problem("xml", words, action, repairs=repairs)
    rejects = [reject for page in pages for reject in page.rejects]
    if rejects:
        total = len(rejects) + sum(len(page.records) for page in pages)
        words = f"{len(rejects):,} of {total:,} records seen cannot be read: {rejects[0].reason}"
        yield problem("records", words, "keeps such records in quarantine and goes on", count=len(rejects))


def _size(page: Page, prefix: str) -> Finding:
    count = len(page.records) + len(page.rejects)
    size = page.token.size if page.token else None
    facts = {"format": prefix, "claimed": size, "page": count}
    has_more = bool(page.token and page.token.value)
    if not has_more:
        if size is not None and size > count:
            words = f"the list ends after {count:,} of {size:,} records"
            return problem("size", words, "checks with ListIdentifiers and fetches what lacks", **facts)
        words = f"{count:,} record{'' if count == 1 else 's'} as {prefix}, all on one page"
        return good("size", words, **facts)
    if not size:
        words = f"how many records there are as {prefix} is not said; {count:,} come a page"
        return note("size", words, "follows the list to its end", **facts)
    words = f"{size:,} records as {prefix}, {count:,} a page"
    return good("size", words, "compares what comes with this number", **facts)


def stamps_of(records: Sequence[Record]) -> list[datetime]:
    """Give the datestamps that can be read."""
    return [moment for record in records if (moment := read_stamp(record.stamp)) is not None]


def judge_stamps(records: Sequence[Record], said: str) -> Iterator[Finding]:
    """Hold the datestamps of records against the granularity that Identify names."""
    texts = [record.stamp.strip() for record in records]
    if not texts:
        return
    odd = [text for text in texts if not _PROPER.fullmatch(text)]
    if odd:
        words = f"datestamps are not written as the protocol says ({odd[0][:40]!r})"
        action = "reads them all the same" if read_stamp(odd[0]) else "keeps them as they come"
        yield note("datestamps", words, action, example=odd[0])
    readable = [text for text in texts if read_stamp(text)]
    is_fine = any(sum(map(str.isdigit, text)) > _DAY_DIGITS for text in readable)
    finest = Granularity.SECOND if is_fine else Granularity.DAY
    told = read_granularity(said)
    if readable and told is not None and told is not finest:
        words = f"Identify says times by the {told}, the records carry them by the {finest}"
        yield note("datestamps", words, f"asks by the {told}", told=told.value, found=finest.value)
