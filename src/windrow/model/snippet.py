"""The piece of a long text that shows best why it was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from windrow.model.folding import fold

CUT = "…"
WORTH = 10  # how many times a word is to be there to count as much as another word

Span = tuple[int, int]


def snippet(text: str, spans: Sequence[Span], *, length: int = 240) -> tuple[str, list[Span]]:
    """A piece of about this length with as many different marked words as possible, and the marks in it.

    It is cut between words where there are any, and has … where something is left out. The spans are those of
    `highlights`: ascending, not overlapping.
    """
    if len(text) <= length:
        return text, list(spans)
    first, last = _best(text, spans, length) if spans else (0, 0)
    start, end = _window(text, first, last, length)
    before, after = CUT if start else "", CUT if end < len(text) else ""
    shift = len(before) - start
    marks = [
        (max(low, start) + shift, min(high, end) + shift) for low, high in spans if low < end and high > start
    ]
    return before + text[start:end] + after, marks


def _best(text: str, spans: Sequence[Span], length: int) -> Span:
    """From where to where the marks are that together fit, and say most."""
    words = [fold(text[low:high]) for low, high in spans]
    inside: Counter[str] = Counter()
    best, chosen, start = -1, (0, 0), 0
    for place, (_, end) in enumerate(spans):
        inside[words[place]] += 1
        while start < place and end - spans[start][0] > length:
            inside[words[start]] -= 1
            if not inside[words[start]]:
                del inside[words[start]]
            start += 1
        score = WORTH * len(inside) + place - start
        if score > best:
            best, chosen = score, (spans[start][0], end)
    return chosen


def _window(text: str, first: int, last: int, length: int) -> Span:
    """The marks from first to last with as much around them as there is room for, cut between words."""
    spare = max(length - (last - first), 0)
    start = max(0, min(first - spare // 2, len(text) - length))
    end = min(start + length, len(text))
    if start:
        space = text.find(" ", start - 1, first)
        start = start if space < 0 else space + 1
    if end < len(text):
        space = text.rfind(" ", max(last, start + 1), end + 1)
        end = end if space < 0 else space
    return start, end
