"""Stylesheets that make metadata readable: the library's `xslt/FORMAT.xsl`, or one shipped with Windrow.

Files are looked up at each request. They run in a child process (`stylesheet_child`) that is restarted when
it ends. If a stylesheet fails, the reason is logged and the shipped one is used for that page.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import stat
import time
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from windrow.side_process import ENDED, SideProcess
from windrow.web.i18n.translation import message

STYLESHEET_FOLDER = "xslt"
MAX_STYLESHEET_BYTES = 512 * 1024
# Stricter than metadata format names: only a plain name reaches the file system.
_STYLESHEET_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}(?:\.[A-Za-z0-9_-]{1,20}){0,3}")
_FileState = tuple[int, int, int, int]  # mtime, ctime, size and inode


@dataclass(frozen=True, slots=True)
class Stylesheet:
    """A stylesheet file as it is now. Without text it is unusable, and `problem` is the reason."""

    name: str
    text: bytes
    digest: str
    written: int  # Unix seconds
    problem: str = ""


class Stylesheets:
    """Finds the stylesheets of one library. Thread-safe."""

    def __init__(self, library: Path) -> None:
        self._folder = library / STYLESHEET_FOLDER
        self._known: dict[str, tuple[_FileState, Stylesheet]] = {}
        self._turn = Lock()

    def find(self, prefix: str) -> Stylesheet | None:
        """Return the library's own stylesheet for a format; None where there is none."""
        if _STYLESHEET_NAME.fullmatch(prefix) is None:
            return None
        path = self._folder / f"{prefix}.xsl"
        try:
            status = path.stat()
        except (OSError, ValueError):
            with self._turn:
                self._known.pop(prefix, None)
            return None
        # A copied file may keep its modification time; its change time differs all the same.
        seen = status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
        with self._turn:
            known = self._known.get(prefix)
        if known is None or known[0] != seen:
            is_file = stat.S_ISREG(status.st_mode)
            known = seen, _read_stylesheet(path, int(max(status.st_mtime, status.st_ctime)), is_file=is_file)
            with self._turn:
                self._known[prefix] = known
        return known[1]

    def touched(self) -> int:
        """Return when a stylesheet was last added or removed, in Unix seconds; 0 without the folder."""
        try:
            return int(self._folder.stat().st_mtime)
        except OSError:
            return 0


def _read_stylesheet(path: Path, written: int, *, is_file: bool) -> Stylesheet:
    name = f"{STYLESHEET_FOLDER}/{path.name}"
    text, problem = b"", ""
    if not is_file:
        problem = "it is not a file"
    else:
        try:
            with path.open("rb") as file:
                text = file.read(MAX_STYLESHEET_BYTES + 1)
        except OSError as exc:
            problem = f"it cannot be read: {exc.strerror}"
    if len(text) > MAX_STYLESHEET_BYTES:
        text, problem = b"", f"it has more than {MAX_STYLESHEET_BYTES:,} bytes"
    digest = hashlib.sha256(text or problem.encode()).hexdigest()[:20]
    return Stylesheet(name, text, digest, written, problem)


MAX_PAYLOAD_BYTES = 4 * 1024 * 1024  # of a payload
MAX_CACHED_RESULTS = 1000  # failures
JOB_TIMEOUT_SECONDS = 10.0  # by the clock; the child limits its CPU time to less
QUICK_SECONDS = 1.0
_CHILD = "windrow.web.gateway.stylesheet_child"
logger = logging.getLogger("windrow.gateway")


class StylingJob(NamedTuple):
    """A payload to render. The same `key` means the same payload."""

    key: str
    payload: bytes
    prefix: str
    language: str
    identifier: str


class StyledMarkup(NamedTuple):
    """Markup that is safe on a page; empty where nothing could be made."""

    markup: str
    is_whole: bool = True  # False: not made by the intended stylesheet


class StylesheetRunner:
    """Runs stylesheets for one library. Thread-safe."""

    def __init__(self, engine: SideProcess | None = None) -> None:
        self.engine = engine or SideProcess(_CHILD, seconds=JOB_TIMEOUT_SECONDS)
        self._failures: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._turn = Lock()

    def style(self, work: StylingJob, sheet: Stylesheet | None) -> StyledMarkup:
        if len(work.payload) > MAX_PAYLOAD_BYTES:
            return StyledMarkup("", is_whole=False)
        made = self._tried(work, sheet) if sheet is not None else None
        if made is not None:
            return StyledMarkup(made)
        made = self._tried(work, None)
        return StyledMarkup(made or "", is_whole=made is not None and sheet is None)

    def _tried(self, work: StylingJob, sheet: Stylesheet | None) -> str | None:
        """Return what a stylesheet makes of a payload; None where it fails, or failed before."""
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

    def _asked(self, work: StylingJob, sheet: Stylesheet | None) -> tuple[bytes, bytes]:
        text = sheet.text if sheet is not None else b""
        told = {"payload": len(work.payload), "sheet": len(text), "prefix": work.prefix}
        told |= {"language": work.language, "identifier": work.identifier}
        job = json.dumps(told).encode() + b"\n" + work.payload + text
        begun = time.monotonic()
        word, body = self.engine.exchange(job)
        if word == ENDED and time.monotonic() - begun < QUICK_SECONDS:
            word, body = self.engine.exchange(job)  # the process had ended because of an earlier job
        return (word, body) if word != ENDED else (b"no", b"it takes too much time or memory")

    def _failed(self, what: tuple[str, str]) -> bool:
        with self._turn:
            return what in self._failures

    def _remember(self, what: tuple[str, str]) -> None:
        with self._turn:
            self._failures[what] = None
            while len(self._failures) > MAX_CACHED_RESULTS:
                self._failures.popitem(last=False)


# The labels of the shipped stylesheets (their `w:say` elements), listed here so that they are translated.

STYLESHEET_LABELS = (
    message("About this description"),
    message("Abstract"),
    message("Address"),
    message("Administration"),
    message("Author"),
    message("Available"),
    message("Last changed"),
    message("Contents"),
    message("Date"),
    message("Degree"),
    message("Department"),
    message("Description"),
    message("Discipline"),
    message("Edition"),
    message("Extent"),
    message("Field"),
    message("File"),
    message("Files"),
    message("Format"),
    message("Identifier"),
    message("Institution"),
    message("Item"),
    message("Language"),
    message("Level"),
    message("Licence"),
    message("Made"),
    message("Name"),
    message("Note"),
    message("Other people"),
    message("Other title"),
    message("Page for people"),
    message("Part of"),
    message("Place"),
    message("Place or time"),
    message("Publication"),
    message("Published"),
    message("Publisher"),
    message("Related"),
    message("Rights"),
    message("Series"),
    message("Source"),
    message("Structure"),
    message("Subject"),
    message("Supervisor"),
    message("The file itself is in the XML."),
    message("Time"),
    message("Title"),
    message("Type"),
    message("Where it is"),
)
