"""How answers travel: compression, media type, speed, waiting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from windrow.net.answer import Answer
from windrow.net.client import ASKED_TO_WAIT
from windrow.net.politeness import Wait
from windrow.sources.findings.finding import Finding, good, note

_XML_TYPES = ("xml",)
_SMALL_BYTES = 1500  # many servers do not compress what fits one packet


def judge_delivery(answers: Sequence[Answer], waits: Sequence[Wait]) -> Iterator[Finding]:
    """Say how the answers so far came."""
    yield from _compression(answers)
    yield from _media_type(answers)
    yield from _waits(answers, waits)


def judge_speed(pages: Sequence[Answer], *, page_size: int, claimed: int | None, delay: float) -> Finding:
    """Say how fast records come, and how long all of them take."""
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
    return good("speed", words, f"needs about {_span(whole)} for everything", **facts)


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


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.0f} h"
