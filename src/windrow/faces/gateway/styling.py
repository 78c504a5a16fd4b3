"""Metadata made readable by a stylesheet: the library's own where it has one, else one that Windrow has.

The work is done in another process (`styling_child`), which is kept and started again when it ends. A
stylesheet that fails costs one page its looks: the reason is in the log, and our own is used instead.
"""

from __future__ import annotations

import json
import logging
import time
from collections import OrderedDict
from threading import Lock
from typing import NamedTuple

from windrow.faces.gateway.stylesheets import Sheet
from windrow.side_process import ENDED, SideProcess

MOST_BYTES = 4 * 1024 * 1024  # of a payload
MOST_REMEMBERED = 1000  # failures
JOB_SECONDS = 10.0  # by the clock; the process gives itself less time of work
QUICK_SECONDS = 1.0
_CHILD = "windrow.faces.gateway.styling_child"
logger = logging.getLogger("windrow.gateway")


class Work(NamedTuple):
    """A payload to be shown. The same `key` means the same payload."""

    key: str
    payload: bytes
    prefix: str
    language: str
    identifier: str


class Styled(NamedTuple):
    """Markup that is safe on a page; empty where nothing could be made."""

    markup: str
    is_whole: bool = True  # False: not by the stylesheet that it should have been made by


class Styler:
    """Runs stylesheets for one library. Used by many threads at once."""

    def __init__(self, engine: SideProcess | None = None) -> None:
        self.engine = engine or SideProcess(_CHILD, seconds=JOB_SECONDS)
        self._failures: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._turn = Lock()

    def style(self, work: Work, sheet: Sheet | None) -> Styled:
        """Give a payload as markup."""
        if len(work.payload) > MOST_BYTES:
            return Styled("", is_whole=False)
        made = self._tried(work, sheet) if sheet is not None else None
        if made is not None:
            return Styled(made)
        made = self._tried(work, None)
        return Styled(made or "", is_whole=made is not None and sheet is None)

    def _tried(self, work: Work, sheet: Sheet | None) -> str | None:
        """What a stylesheet makes; None where it fails, or failed before."""
        digest, name = (sheet.digest, sheet.name) if sheet else ("", "the usual stylesheet")
        once, always = (digest, work.key), (digest, "")
        if self._failed(once) or (sheet is not None and self._failed(always)):
            return None
        word, body = (b"bad", sheet.problem.encode()) if sheet and sheet.problem else self._asked(work, sheet)
        if word == b"ok":
            return body.decode()
        self._remember(always if word == b"bad" and sheet is not None else once)
        reason = body.decode("utf-8", "replace")
        if word == b"bad":
            logger.warning("%s is not used: %s", name, reason)
        else:
            logger.warning("%s cannot show %s as %s: %s", name, work.identifier, work.prefix, reason)
        return None

    def _asked(self, work: Work, sheet: Sheet | None) -> tuple[bytes, bytes]:
        text = sheet.text if sheet is not None else b""
        told = {"payload": len(work.payload), "sheet": len(text), "prefix": work.prefix}
        told |= {"language": work.language, "identifier": work.identifier}
        job = json.dumps(told).encode() + b"\n" + work.payload + text
        begun = time.monotonic()
        word, body = self.engine.exchange(job)
        if word == ENDED and time.monotonic() - begun < QUICK_SECONDS:
            word, body = self.engine.exchange(job)  # it ended of what others had asked of it before
        return (word, body) if word != ENDED else (b"no", b"it takes too much time or memory")

    def _failed(self, what: tuple[str, str]) -> bool:
        with self._turn:
            return what in self._failures

    def _remember(self, what: tuple[str, str]) -> None:
        with self._turn:
            self._failures[what] = None
            while len(self._failures) > MOST_REMEMBERED:
                self._failures.popitem(last=False)
