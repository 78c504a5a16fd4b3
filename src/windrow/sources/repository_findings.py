"""Findings about a repository: what its responses mean for harvesting. Pure.

`repository_probe` sends the requests.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from urllib.parse import urlsplit

from windrow.formats.registry import registry
from windrow.model.record import Granularity, Record, parse_datestamp, parse_granularity
from windrow.model.set_assignment import NO_RULES, RoleRules, SetRoles
from windrow.model.set_layouts import KnownSet, Role, SetTree
from windrow.net.client import ASKED_TO_WAIT, Answer
from windrow.net.politeness import Wait
from windrow.protocols.oai.oai_page import Page
from windrow.protocols.oai.repository_info import Identity, MetadataFormat, SetEntry

# A finding, and how Windrow deals with it.

MAX_TEXT_CHARACTERS = 400


class Grade(StrEnum):
    """How a finding affects harvesting."""

    GOOD = "good"
    NOTE = "note"  # worth mentioning; Windrow copes with it
    PROBLEM = "problem"  # costs records, time or certainty


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding as text; `action` completes the sentence "Windrow …"; `facts` are for programs."""

    topic: str
    grade: Grade
    found: str
    action: str = ""
    facts: Mapping[str, object] = field(default_factory=dict)


def shorten(text: str) -> str:
    """Return text of limited length: a repository's name may be a megabyte long."""
    return text if len(text) <= MAX_TEXT_CHARACTERS else text[: MAX_TEXT_CHARACTERS - 1] + "…"


def good(topic: str, found: str, action: str = "", /, **facts: object) -> Finding:
    """Return a finding about something as it should be."""
    return Finding(topic, Grade.GOOD, shorten(found), action, facts)


def note(topic: str, found: str, action: str = "", /, **facts: object) -> Finding:
    """Return a finding worth mentioning."""
    return Finding(topic, Grade.NOTE, shorten(found), action, facts)


def problem(topic: str, found: str, action: str = "", /, **facts: object) -> Finding:
    """Return a finding about something that costs records, time or certainty."""
    return Finding(topic, Grade.PROBLEM, shorten(found), action, facts)


# Delivery: compression, media type, speed, waits.

_XML_TYPES = ("xml",)
_SMALL_BYTES = 1500  # many servers do not compress what fits one packet


def judge_delivery(answers: Sequence[Answer], waits: Sequence[Wait]) -> Iterator[Finding]:
    yield from _compression(answers)
    yield from _media_type(answers)
    yield from _waits(answers, waits)


def judge_speed(pages: Sequence[Answer], *, page_size: int, claimed: int | None, delay: float) -> Finding:
    """Judge how fast records arrive, and how long all of them take."""
    seconds = sum(page.seconds for page in pages) / len(pages)
    rate = page_size / max(seconds, 0.001)
    facts: dict[str, object] = {
        "milliseconds_a_page": round(seconds * 1000),
        "records_a_second": round(rate, 1),
    }
    words = f"{seconds * 1000:,.0f} ms a page, {rate:,.0f} records/s"
    if not claimed or not page_size:
        return good("speed", words, **facts)
    whole = -(-claimed // page_size) * (seconds + delay)
    facts["estimate_seconds"] = round(whole)
    return good("speed", words, f"needs about {_format_seconds(whole)} for everything", **facts)


def _compression(answers: Sequence[Answer]) -> Iterator[Finding]:
    large = max(answers, key=lambda answer: len(answer.body))
    coding = large.headers.get("content-encoding", "")
    if large.wire_bytes and large.wire_bytes < len(large.body):
        ratio = len(large.body) / large.wire_bytes
        words = f"answers are compressed ({coding or 'unannounced'}), {ratio:.1f} to 1"
        yield good("compression", words, coding=coding, ratio=round(ratio, 2))
    elif len(large.body) > _SMALL_BYTES:
        words = "answers are not compressed"
        yield note("compression", words, "takes them as they are; it only costs time", coding="")


def _media_type(answers: Sequence[Answer]) -> Iterator[Finding]:
    types = {answer.headers.get("content-type", "").partition(";")[0].strip().lower() for answer in answers}
    odd = sorted(kind for kind in types if not any(word in kind for word in _XML_TYPES))
    if odd:
        words = f"XML is sent as {odd[0][:60] or 'nothing in particular'}"
        yield note("media-type", words, "looks at the answer, not at its label", types=odd)


def _waits(answers: Sequence[Answer], waits: Sequence[Wait]) -> Iterator[Finding]:
    asked = [wait.seconds for wait in waits if wait.reason == ASKED_TO_WAIT]
    if asked:
        times = "once" if len(asked) == 1 else f"{len(asked)} times"
        words = f"it asked us {times} to wait, for {max(1, round(max(asked)))} s at most"
        yield note(
            "retry-after", words, "waits as long as it asks, and remembers it across runs", seconds=asked
        )
    retries = sum(answer.retries for answer in answers)
    if retries > len(asked):
        count = retries - len(asked)
        words = f"{count} request{'' if count == 1 else 's'} had to be tried again"
        yield note("retries", words, "tries again by itself (setting `attempts`)", retries=retries)


def _format_seconds(seconds: float) -> str:
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.0f} h"


# Formats: which ones Windrow reads, and which it only stores.

_MAX_SHOWN = 12


def reader_name(offered: MetadataFormat) -> str | None:
    """Return the name of the reader for a format, by its prefix, else by its namespace."""
    readers = registry().readers
    for reader in readers:
        if offered.prefix == reader.name or offered.prefix in reader.prefixes:
            return reader.name
    namespace = f"{{{offered.namespace}}}"
    for reader in readers:
        if offered.namespace and any(root.startswith(namespace) for root in reader.roots):
            return reader.name
    return None


def judge_formats(offered: Sequence[MetadataFormat]) -> Finding:
    readers = {item.prefix: reader_name(item) for item in offered}
    known = [prefix for prefix, reader in readers.items() if reader]
    other = [prefix for prefix, reader in readers.items() if not reader]
    words = f"{len(readers)} format{'' if len(readers) == 1 else 's'}: {_join_some(list(readers))}"
    action = f"reads {'all of them' if not other else _join_some(known) or 'none of them'}"
    if other:
        action += f"; keeps {_join_some(other)} as it comes and picks out the fields it can"
    return (good if known else note)("formats", words, action, formats=readers)


def _join_some(words: list[str]) -> str:
    shown = ", ".join(words[:_MAX_SHOWN])
    return shown if len(words) <= _MAX_SHOWN else f"{shown} and {len(words) - _MAX_SHOWN} more"


SKEW = timedelta(minutes=2)
_OLDEST_YEAR = 1980
_DSPACE = re.compile(r"(?:com|col|hdl)_\d")
_DSPACE_SOFTWARE = re.compile("dspace|xoai|lyncode|oaicat", re.IGNORECASE)
_DELETIONS = {
    "persistent": (
        good,
        "deletions are reported and remembered for good",
        "marks deleted records at every harvest",
    ),
    "transient": (
        note,
        "deletions are reported, but not remembered for ever",
        "also compares all identifiers now and then (setting `reconcile`)",
    ),
    "no": (
        note,
        "deletions are not reported",
        "compares all identifiers now and then (setting `reconcile`) and marks what is gone",
    ),
}


def judge_identity(
    identity: Identity, *, asked: str, arrived: str, moved_to: str | None = None, now: datetime
) -> Iterator[Finding]:
    """Judge the response to Identify.

    `arrived` is the address after redirects, `moved_to` the base URL that permanent ones lead to.
    """
    yield _introduction(identity)
    yield from _address(identity, asked, arrived, moved_to)
    yield _deletions(identity)
    yield from _clock(identity, now)


def judge_earliest(identity: Identity, stamps: Sequence[datetime], now: datetime) -> Finding:
    """Judge whether the earliest datestamp can be true."""
    moment, text = parse_datestamp(identity.earliest), identity.earliest
    action = "never uses it as a bound, so nothing is missed"
    facts = {"earliest": text}
    if moment is None:
        words = f"the earliest datestamp is no date ({text[:40]!r})" if text else "no earliest datestamp"
        return note("earliest", words, action, **facts)
    if stamps and min(stamps) < moment:
        words = f"the earliest datestamp {text} is wrong: a record has {min(stamps):%Y-%m-%d}"
        return note("earliest", words, action, **facts)
    if moment > now + timedelta(days=1) or moment.year < _OLDEST_YEAR:
        return note("earliest", f"the earliest datestamp {text} is not plausible", action, **facts)
    return good("earliest", f"the earliest datestamp is {text}", "believes it where windows are cut", **facts)


def judge_overlap(identity: Identity, specs: Iterable[str], *, late_days: int | None) -> Finding:
    """Recommend how far before the last harvest the next one should start.

    `late_days` comes from earlier harvests of the source; a single probe cannot determine it.
    """
    days, reason = 0, ""
    if late_days:
        days, reason = late_days, f"records were listed up to {late_days} days after their datestamps"
    elif _may_be_dspace(identity) and any(_DSPACE.match(spec) for spec in specs):
        # DSpace updates its OAI index in a nightly job; items keep the datestamps of the day before.
        days, reason = 2, "it looks like DSpace, which lists records a night after their datestamps"
    elif parse_granularity(identity.granularity) is Granularity.DAY:
        days, reason = 1, "dates count by the day, so records of a day may be listed on the next"
    if not days:
        words = "nothing suggests that records are listed later than their datestamps"
        return good(
            "overlap", words, "goes back as far as one page reaches (setting `overlap`)", overlap="auto"
        )
    advice = f"recommends the setting `overlap` = {days}d, beyond the one page that it goes back by itself"
    return note("overlap", reason, advice, overlap=f"{days}d")


def _may_be_dspace(identity: Identity) -> bool:
    """Return False if the repository names other software: it may aggregate sets of DSpace."""
    return not identity.software or bool(_DSPACE_SOFTWARE.search(identity.software))


def _introduction(identity: Identity) -> Finding:
    name = f"“{identity.name}”" if identity.name else "a repository without a name"
    admins = f", run by {', '.join(identity.admins[:3])}" if identity.admins else ""
    facts = {"name": identity.name, "protocol": identity.protocol, "admins": list(identity.admins)}
    if identity.protocol != "2.0":
        said = f"version {identity.protocol[:20]!r}" if identity.protocol else "no version"
        return note("identify", f"{name}{admins}, gives {said}", "speaks OAI-PMH 2.0 with it anyway", **facts)
    return good("identify", f"{name}, OAI-PMH 2.0{admins}", **facts)


def _address(identity: Identity, asked: str, arrived: str, moved_to: str | None) -> Iterator[Finding]:
    if moved_to is not None:
        action = "follows each time; `windrow source edit NAME --url URL` takes the new address over"
        yield note("address", f"it has moved permanently to {moved_to}", action, moved_to=moved_to)
    elif _comparable_url(arrived) != _comparable_url(asked):
        moved = arrived.partition("?")[0]
        action = "follows each time; setting `url` to the new address saves a request each"
        yield note("address", f"it sends us on to {moved}", action, arrived=moved)
    told = identity.base_url
    if told and _comparable_url(told) not in (
        _comparable_url(asked),
        _comparable_url(arrived),
        _comparable_url(moved_to or ""),
    ):
        words = f"it calls its own address {told[:200]}"
        yield note("address", words, "stays with the address you gave", base_url=told)


def _comparable_url(url: str) -> tuple[str, str]:
    """Return an address for comparison, without scheme, trailing slash and query."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", url
    return parts.netloc.rpartition("@")[2].lower(), parts.path.rstrip("/")


def _deletions(identity: Identity) -> Finding:
    kind, words, action = _DELETIONS.get(identity.deletion, _DELETIONS["no"])
    if identity.deletion not in _DELETIONS:
        words = (
            f"it says {identity.deletion[:40]!r} of deletions"
            if identity.deletion
            else "no word on deletions"
        )
    return kind("deletions", words, action, deletion=identity.deletion)


def _clock(identity: Identity, now: datetime) -> Iterator[Finding]:
    told = parse_datestamp(identity.response_date or "")
    if told is None:
        action = "starts the next harvest a day earlier instead"
        yield note("clock", "answers carry no responseDate", action, skew_seconds=None)
        return
    skew = told - now
    facts = {"skew_seconds": round(skew.total_seconds())}
    if abs(skew) <= SKEW:
        yield good("clock", "its clock agrees with ours", **facts)
        return
    if skew > timedelta():
        words, action = "ahead of", "starts each harvest by our own clock, so that nothing falls in between"
    else:
        words, action = "behind", "goes by its clock, not ours, so nothing falls in between"
    yield note("clock", f"its clock is {_format_timedelta(abs(skew))} {words} ours", action, **facts)


def _format_timedelta(span: timedelta) -> str:
    if span.days:
        return f"{span.days:,} day{'s' if span.days > 1 else ''}"
    minutes = span.seconds // 60
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"


# Pages of records: size, damage, deletions and datestamps.

_PROPER = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?", re.ASCII)
_DAY_DIGITS = len("YYYYMMDD")


def judge_page(page: Page, prefix: str) -> Iterator[Finding]:
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
    """Judge ill-formed pages and invalid records."""
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


def readable_stamps(records: Sequence[Record]) -> list[datetime]:
    return [moment for record in records if (moment := parse_datestamp(record.stamp)) is not None]


def judge_stamps(records: Sequence[Record], said: str) -> Iterator[Finding]:
    """Compare the datestamps of records with the granularity in Identify."""
    texts = [record.stamp.strip() for record in records]
    if not texts:
        return
    odd = [text for text in texts if not _PROPER.fullmatch(text)]
    if odd:
        words = f"datestamps are not written as the protocol says ({odd[0][:40]!r})"
        action = "reads them all the same" if parse_datestamp(odd[0]) else "keeps them as they come"
        yield note("datestamps", words, action, example=odd[0])
    readable = [text for text in texts if parse_datestamp(text)]
    is_fine = any(sum(map(str.isdigit, text)) > _DAY_DIGITS for text in readable)
    finest = Granularity.SECOND if is_fine else Granularity.DAY
    told = parse_granularity(said)
    if readable and told is not None and told is not finest:
        words = f"Identify says times by the {told}, the records carry them by the {finest}"
        yield note("datestamps", words, f"asks by the {told}", told=told.value, found=finest.value)


# Sets: how many, how deep, and which names occur twice.

_HANDLE = re.compile(r"(?:com|col|hdl)_(\d+_\d+)$")


def judge_sets(entries: Sequence[SetEntry], *, is_whole: bool, size: int | None) -> Finding:
    """Judge the sets; `is_whole` is False if only the first pages were read."""
    specs = Counter(entry.spec for entry in entries)
    depth = max((spec.count(":") + 1 for spec in specs), default=0)
    twins = _same_name(entries)
    repeats = sum(1 for count in specs.values() if count > 1)
    amount = f"{len(specs):,}" if is_whole else (f"{size:,}" if size else f"more than {len(specs):,}")
    words = f"{amount} set{'' if amount == '1' else 's'}"
    words += f", {depth} levels deep" if depth > 1 else ""
    facts = {"listed": len(specs), "is_whole": is_whole, "claimed": size, "depth": depth, "same_name": twins}
    if not twins and not repeats:
        return good("sets", words, "reads their names after the first harvest", **facts)
    said = [f"{twins:,} share{'s' if twins == 1 else ''} a name with another" if twins else ""]
    said += [f"{repeats:,} listed twice" if repeats else ""]
    words += "; " + ", ".join(filter(None, said))
    return note("sets", words, "merges those that hold the same records", **facts)


def _same_name(entries: Sequence[SetEntry]) -> int:
    """Count the sets with the name of another under the same parent.

    Communities and collections of DSpace are listed without their parents, and faculties of two universities
    may have the same name: they are the same only if they have the same handle.
    """
    seen: dict[tuple[str, str, str], set[str]] = {}
    for entry in entries:
        if entry.name:
            handle = _HANDLE.search(entry.spec)
            place = (entry.spec.rpartition(":")[0], handle[1] if handle else "")
            seen.setdefault((*place, entry.name), set()).add(entry.spec)
    return sum(len(specs) - 1 for specs in seen.values())


# Roles of sets: institutions, departments and types, recognised by layout.

EXAMPLES = 3
MAX_NAME_CHARACTERS = 60
_ACTION = "takes them from the sets; windrow source sets NAME shows and changes that"
_NOTHING = (
    "takes institutions from the metadata; windrow source sets NAME --institution PATTERN names the sets"
)


def recognise_roles(
    entries: Iterable[SetEntry], combinations: Iterable[Sequence[str]], rules: RoleRules = NO_RULES
) -> SetRoles:
    """Return the roles of the listed sets and of the combinations of sets that records are in."""
    known = [KnownSet(entry.spec, entry.name) for entry in entries]
    return SetRoles(SetTree(known, combinations), rules)


def role_names(roles: SetRoles, role: Role) -> list[str]:
    """Return the names of the sets with a role; equal names under the same parent count once."""
    nodes = roles.tree.nodes
    found = ((nodes[spec].parents, roles.name(spec)) for spec, each in roles.roles.items() if each is role)
    return [name for _, name in dict.fromkeys(found)]


def describe_roles(roles: SetRoles) -> str:
    """Return the roles of the sets in one line: how many have which, with examples."""
    parts = []
    for role in Role:
        names = role_names(roles, role) if role is not Role.NONE else []
        if names:
            noun = role.value if len(names) == 1 else f"{role.value}s"
            different = list(dict.fromkeys(map(_cut, names)))
            some = ", ".join(different[:EXAMPLES]) + (" …" if len(different) > EXAMPLES else "")
            parts.append(f"{len(names):,} {noun} ({some})")
    return "; ".join(parts)


def describe_layouts(roles: SetRoles) -> str:
    return ", ".join(layout.value for layout in roles.tree.layouts)


def judge_roles(roles: SetRoles) -> Finding | None:
    """Judge the roles of the sets; None if there are no sets."""
    if not roles.tree.nodes:
        return None
    facts: dict[str, object] = {
        "layouts": {layout.value: count for layout, count in roles.tree.layouts.items()},
        "roles": {role.value: len(role_names(roles, role)) for role in Role if role is not Role.NONE},
    }
    layout, words = describe_layouts(roles), describe_roles(roles)
    if not words:
        return note("institutions", "the sets follow no layout that is known", _NOTHING, **facts)
    by_layout = f"by their layout ({layout}), the sets are" if layout else "the sets are"
    return good("institutions", f"{by_layout} {words}", _ACTION, **facts)


def _cut(name: str) -> str:
    return name if len(name) <= MAX_NAME_CHARACTERS else f"{name[: MAX_NAME_CHARACTERS - 1]}…"
