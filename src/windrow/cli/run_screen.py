"""What `windrow run watch` draws on a terminal: one screen, made anew with every look, like `top`."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from windrow.cli.run_watch import amounts
from windrow.cli.summary import duration
from windrow.cli.terminal import printable, shorten, width

if TYPE_CHECKING:
    from windrow.cli.run_watch import Look
    from windrow.store.under_way import Work

HOME, LINE_END, REST = "\x1b[H", "\x1b[K", "\x1b[J"
BAR = 12
NAME = 22
ENDED_SHOWN = 10


def draw(look: Look, ended: Sequence[Work]) -> str:
    """Give the screen: over what was there, so that nothing flickers, and no wider or higher than it is."""
    columns, rows = shutil.get_terminal_size()
    lines = [shorten(line, columns) for line in _lines(look, ended)][: max(1, rows - 1)]
    return HOME + "".join(f"{line}{LINE_END}\r\n" for line in lines) + REST


def _lines(look: Look, ended: Sequence[Work]) -> Iterator[str]:
    count = len(look.running)
    now = datetime.fromtimestamp(look.now, UTC)
    yield f"{now:%Y-%m-%d %H:%M:%S} UTC   {count or 'nothing'} running   Ctrl-C ends"
    yield ""
    for work in look.running.values():
        yield _line(work, look)
    if ended:
        yield from ("", "ended:")
        yield from (_last_word(work) for work in list(ended)[: -ENDED_SHOWN - 1 : -1])


def _line(work: Work, look: Look) -> str:
    spent = max(0.0, look.now - work.since.timestamp())
    words = amounts(work, pace=_pace(work, spent)) or look.lines.get(work.key, "")
    return f"{_name(work)} {_bar(work)} {duration(spent):>10}  {printable(words)}"


def _last_word(work: Work) -> str:
    words = printable(amounts(work) or work.words)
    return f"{_name(work)} {work.outcome:<{BAR}} {words}"


def _name(work: Work) -> str:
    name = shorten(printable(f"{work.name} {work.what or 'job'} {work.number}"), NAME)
    return name + " " * (NAME - width(name))


def _bar(work: Work) -> str:
    """Give how much of what was promised is there; dots where nothing was promised."""
    if not work.total:
        return "·" * BAR
    full = min(BAR, round(BAR * work.done / work.total))
    return "━" * full + "─" * (BAR - full)


def _pace(work: Work, spent: float) -> str:
    if not work.done or not spent:
        return ""
    speed = work.done / spent
    missing = (work.total or 0) - work.done
    left = f", {duration(missing / speed)} left" if missing > 0 else ""
    return f"{speed:,.0f}/s{left}"
