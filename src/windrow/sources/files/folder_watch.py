"""Watching a folder for changes: with inotify on Linux, elsewhere by polling.

inotify is used directly. watchfiles ends at the first file name that is not UTF-8; watchdog only logs that
the kernel has dropped events, and ignores folders that cannot be watched. Here such names are skipped, as
everywhere in a folder, and after the rest everything is scanned.
"""

from __future__ import annotations

import ctypes
import errno
import logging
import os
import select
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from windrow.sources.files.apache.htaccess_scope import FILE_NAME
from windrow.sources.files.visibility import is_utf8

# Symbolic links in the folder: the kernel reports a change under the real path of a file, so a change behind
# a link must be reported for the link as well.

MAX_LINK_CHAIN = 3  # links followed back on one path; `visibility` follows no more either


class SymbolicLinks:
    """The links seen so far with their targets. Paths are absolute."""

    def __init__(self) -> None:
        self._met: set[str] = set()
        self._links: dict[str, list[str]] = {}  # by target
        self._is_known = True  # whether targets are up to date

    def note(self, link: str) -> None:
        """Add a link that is new or has a new target."""
        self._met.add(link)
        self._is_known = False

    def also(self, changed: set[str]) -> set[str]:
        """Return changed paths together with their other names through links."""
        if not self._is_known or not self._met.isdisjoint(changed):
            self._find_places()
        if not self._links:
            return changed
        found, new = set(changed), changed
        for _ in range(MAX_LINK_CHAIN):
            new = {name for path in new for name in self._names(path)} | set(self._above(new))
            new -= found
            if not new:
                break
            found |= new
        return found

    def _find_places(self) -> None:
        self._met = {link for link in self._met if os.path.islink(link)}
        self._links = {}
        for link in self._met:
            self._links.setdefault(os.path.realpath(link), []).append(link)
        self._is_known = True

    def _names(self, path: str) -> Iterator[str]:
        """Yield the names of a path through links to it or to a parent folder."""
        place, rest = path, ""
        while place != os.path.dirname(place):
            for link in self._links.get(place, ()):
                yield link + rest
            place, name = os.path.split(place)
            rest = f"{os.sep}{name}{rest}"

    def _above(self, changed: Iterable[str]) -> Iterator[str]:
        """Yield the links to anything below a change: all of it may have changed."""
        # An .htaccess affects everything in its folder.
        tops = {os.path.dirname(path) if os.path.basename(path) == FILE_NAME else path for path in changed}
        for place, links in self._links.items():
            above = os.path.dirname(place)
            while above != os.path.dirname(above) and above not in tops:
                above = os.path.dirname(above)
            if above in tops:
                yield from links


IS_HERE = sys.platform.startswith("linux")

_READ_BYTES = 1 << 16
_EVENT = struct.Struct("iIII")  # watch descriptor, mask, cookie, length of the name
_MODIFIED, _ATTRIBUTES, _WRITTEN, _MOVED_FROM, _MOVED_TO = 0x2, 0x4, 0x8, 0x40, 0x80
_CREATED, _DELETED = 0x100, 0x200  # in the folder
_OVERFLOWN, _IGNORED, _IS_FOLDER = 0x4000, 0x8000, 0x4000_0000
_ONLY_FOLDERS, _NO_LINKS = 0x100_0000, 0x200_0000
_NEW, _GONE = _CREATED | _MOVED_TO, _DELETED | _MOVED_FROM
_ASKED = _MODIFIED | _ATTRIBUTES | _WRITTEN | _NEW | _GONE | _ONLY_FOLDERS | _NO_LINKS
# If no more folders can be watched, watching only some is not enough. With any other error, the folder is
# gone or inaccessible.
_FATAL = frozenset({errno.ENOSPC, errno.ENOMEM, errno.EINVAL, errno.EBADF})


def inotify_changes(
    top: str, stop: threading.Event, *, quiet_ms: int, longest_ms: int, wake_ms: int
) -> Iterator[set[str]]:
    """Yield the paths that changed together; the first set, once watching has started, is empty.

    Later sets may be empty as well.

    Ends when `stop` is set, or when the kernel has dropped events (overflow), after which the caller starts
    again. Raises OSError if the system allows no more watches.
    """
    with _Listener(top) as listener:
        yield set()
        while not stop.is_set() and not listener.is_overflown:
            yield listener.gather(quiet_ms=quiet_ms, longest_ms=longest_ms, wake_ms=wake_ms)


class _Listener:
    """Watches all folders below one, including new ones. Links are not followed.

    A folder that is moved out of it is still watched; no file is found at its old path then.
    """

    def __init__(self, top: str) -> None:
        self._top = top
        self._folders: dict[int, str] = {}  # by watch descriptor
        self._links = SymbolicLinks()
        self.is_overflown = False

    def __enter__(self) -> Self:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._handle = self._call("inotify_init1", os.O_CLOEXEC | os.O_NONBLOCK)
        self._ready = select.poll()
        self._ready.register(self._handle, select.POLLIN)
        try:
            self._listen(self._top)
        except BaseException:
            os.close(self._handle)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._handle)

    def gather(self, *, quiet_ms: int, longest_ms: int, wake_ms: int) -> set[str]:
        """Wait for a change and those that follow closely; return their paths."""
        found: set[str] = set()
        if self._ready.poll(wake_ms):
            end, left = time.monotonic() + longest_ms / 1000, quiet_ms
            found.update(self._read())
            while left > 0 and self._ready.poll(left):
                found.update(self._read())
                left = min(quiet_ms, int((end - time.monotonic()) * 1000))
        return self._links.also(found)

    def _read(self) -> Iterator[str]:
        data, place = os.read(self._handle, _READ_BYTES), 0
        while place < len(data):
            watch, what, _, length = _EVENT.unpack_from(data, place)
            start = place + _EVENT.size
            place = start + length
            yield from self._heed(watch, what, os.fsdecode(data[start:place].rstrip(b"\0")))

    def _heed(self, watch: int, what: int, name: str) -> Iterator[str]:
        """Process one event; yield its path, if that is UTF-8."""
        if what & _OVERFLOWN:
            self.is_overflown = True
        folder = self._folders.pop(watch, None) if what & _IGNORED else self._folders.get(watch)
        if folder is None or what & _IGNORED or not is_utf8(name):
            return
        path = os.path.join(folder, name) if name else folder
        if what & _NEW and what & _IS_FOLDER:  # a folder that was moved here has a new path
            self._listen(path)
        elif what & _NEW and os.path.islink(path):
            self._links.note(path)
        yield path

    def _listen(self, folder: str) -> None:
        """Watch a folder and all below it, and collect the links there."""
        waiting = [folder]
        while waiting:
            path = waiting.pop()
            try:
                self._folders[self._call("inotify_add_watch", self._handle, os.fsencode(path), _ASKED)] = path
                with os.scandir(path) as listing:
                    entries = [entry for entry in listing if is_utf8(entry.name)]
            except OSError as exc:
                if exc.errno in _FATAL:
                    raise
                continue
            for entry in entries:
                if entry.is_symlink():
                    self._links.note(entry.path)
                elif entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)

    def _call(self, name: str, *arguments: object) -> int:
        result = int(getattr(self._libc, name)(*arguments))
        if result < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        return result


# Waiting for changes, reported by the file system or found by polling. Changes close in time are reported
# together: ten thousand files copied at once are a few calls, not ten thousand. `harvest.background_threads`
# scans the reported paths.

QUIET_MS = 50  # without a further change before a report
MAX_GATHER_MS = 300  # maximum delay of a report while changes continue
_WAKE_MS = 500  # how often an idle wait checks for `stop`
FALLBACK_SECONDS = 2.0  # polling interval without file system events, at least
FALLBACK_FACTOR = 4  # and so many times as long as the last look took
MISSING_SECONDS = 0.3  # polling interval for a missing folder
_LOG = logging.getLogger(__name__)

Changed = frozenset[str] | None  # relative paths; None: anything may have changed
OnChange = Callable[[Changed], None]


def watch(
    root: Path,
    on_change: OnChange,
    *,
    stop: threading.Event,
    poll_seconds: float | None = None,
    whole_seconds: Callable[[], float] = lambda: 60.0,
) -> None:
    """Call `on_change` with the changes in a folder until `stop` is set; first with None.

    The first call comes once watching has started, so that nothing is missed in between. None is reported
    again every `whole_seconds`, since a file system may lose events. With `poll_seconds`, the folder is only
    polled.
    """
    is_listening = poll_seconds is None and IS_HERE
    while not stop.is_set():
        if is_listening and root.is_dir():
            try:
                _listen(root, on_change, stop, whole_seconds)
                continue
            except OSError as exc:  # too many folders, an unusual drive
                _LOG.warning("changes in %s are not told of (%s); it is looked at instead", root, exc)
                is_listening = False
        begun = time.monotonic()
        on_change(None)
        pause = max(FALLBACK_SECONDS, FALLBACK_FACTOR * (time.monotonic() - begun))
        stop.wait(poll_seconds or (MISSING_SECONDS if is_listening else pause))


def _listen(
    root: Path, on_change: OnChange, stop: threading.Event, whole_seconds: Callable[[], float]
) -> None:
    """Report file system events until `stop` is set or the folder has been replaced by another."""
    looked_at = None
    top = os.path.realpath(root)
    place = _folder_identity(top)
    for changes in inotify_changes(top, stop, quiet_ms=QUIET_MS, longest_ms=MAX_GATHER_MS, wake_ms=_WAKE_MS):
        if _folder_identity(top) != place:
            return
        now = time.monotonic()
        if looked_at is None or now - looked_at >= whole_seconds():
            looked_at = now
            on_change(None)
        elif changes:
            paths = frozenset(_relative(path, top) for path in changes)
            on_change(None if "" in paths else paths)


def _folder_identity(top: str) -> tuple[int, int] | None:
    """Return the identity of the folder: after a move, the watch would follow the old one."""
    try:
        status = os.stat(top)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _relative(path: str, top: str) -> str:
    """Return a path relative to the folder; "" for the folder itself or a path outside it."""
    inside = path.removeprefix(top).lstrip("/\\")
    return inside.replace(os.sep, "/") if inside != path else ""
