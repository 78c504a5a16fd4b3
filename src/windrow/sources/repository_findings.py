"""What Identify says, held against the clock, the address and the records seen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from windrow.model.stamp import Granularity, read_granularity, read_stamp
from windrow.sources.findings.finding import Finding, good, note
from windrow.wire.oai.answers import Identity

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
    """Say what is known after Identify alone.

    `arrived` is the address after redirects, `moved_to` the base URL that permanent ones lead to.
    """
    yield _introduction(identity)
    yield from _address(identity, asked, arrived, moved_to)
    yield _deletions(identity)
    yield from _clock(identity, now)


def judge_earliest(identity: Identity, stamps: Sequence[datetime], now: datetime) -> Finding:
    """Say whether the earliest datestamp can be true."""
    moment, text = read_stamp(identity.earliest), identity.earliest
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

    `late_days` is what earlier harvests of the source have shown; a single look cannot show it.
    """
    days, reason = 0, ""
    if late_days:
        days, reason = late_days, f"records were listed up to {late_days} days after their datestamps"
    elif _may_be_dspace(identity) and any(_DSPACE.match(spec) for spec in specs):
        # DSpace fills its OAI index by a job at night; items keep the datestamps of the day before.
        days, reason = 2, "it looks like DSpace, which lists records a night after their datestamps"
    elif read_granularity(identity.granularity) is Granularity.DAY:
        days, reason = 1, "dates count by the day, so records of a day may be listed on the next"
    if not days:
        words = "nothing suggests that records are listed later than their datestamps"
        return good(
            "overlap", words, "goes back as far as one page reaches (setting `overlap`)", overlap="auto"
        )
    advice = f"recommends the setting `overlap` = {days}d, beyond the one page that it goes back by itself"
    return note("overlap", reason, advice, overlap=f"{days}d")


def _may_be_dspace(identity: Identity) -> bool:
    """Return False if the repository names other software: an aggregator that passes sets of DSpace on."""
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
    elif _same(arrived) != _same(asked):
        moved = arrived.partition("?")[0]
        action = "follows each time; setting `url` to the new address saves a request each"
        yield note("address", f"it sends us on to {moved}", action, arrived=moved)
    told = identity.base_url
    if told and _same(told) not in (_same(asked), _same(arrived), _same(moved_to or "")):
        words = f"it calls its own address {told[:200]}"
        yield note("address", words, "stays with the address you gave", base_url=told)


def _same(url: str) -> tuple[str, str]:
    """Give what makes two addresses the same to a reader: scheme, a last slash and the query left aside."""
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
    told = read_stamp(identity.response_date or "")
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
    yield note("clock", f"its clock is {_span(abs(skew))} {words} ours", action, **facts)


def _span(span: timedelta) -> str:
    if span.days:
        return f"{span.days:,} day{'s' if span.days > 1 else ''}"
    minutes = span.seconds // 60
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"
