"""A sitemap file from whole stretches of records: the quick way, which nearly every file goes.

Beside `making`, which goes the other one where this gives nothing. The bytes are those of `render_records`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from windrow.finding.record_paths import are_plain
from windrow.store.stretches import APART, MOVED, Stretch
from windrow.wire.sitemap import LONGEST_ADDRESS, render_records, written_moment

_APART = APART.encode()
_END = b"</urlset>\n"


def is_plain(stretch: Stretch, start: str) -> bool:
    """Say whether identifiers stand behind a start as they are, and none of the addresses is too long."""
    count = stretch.number - 1 + stretch.moved
    return (
        stretch.is_clear
        and are_plain(stretch.text, marks=APART + MOVED, count=count)
        and len(start) + max(map(len, stretch.text.split(APART))) <= LONGEST_ADDRESS
    )


def render_together(start: str, parts: Iterable[tuple[str, int]]) -> bytes:
    """Give a file of addresses behind a start: of plain identifiers written together, and when each changed.

    In bytes, and each put together once: such a file has millions, and every copy of them costs.
    """
    head = render_records(start, [], []).removesuffix(_END)

    @cache
    def around(at: int) -> tuple[bytes, bytes]:
        line = render_records(start, [APART], [written_moment(at)])
        before, _, behind = line.removeprefix(head).removesuffix(_END).partition(_APART)
        return before, behind

    pieces = [head]
    for text, at in parts:
        before, behind = around(at)
        pieces += (before, text.encode().replace(_APART, behind + before), behind)
    return b"".join((*pieces, _END))
