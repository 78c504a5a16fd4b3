"""What Linux tells of changes in a folder and all below it, straight from the kernel.

`watch` listens to this where there is one. What it uses on other systems ends at the first name that is not
UTF-8, though somebody only reads that file; here such names are passed over, as everywhere in a folder.
"""

from __future__ import annotations

import ctypes
import errno
import os
import select
import struct
import sys
import threading
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Self

from windrow.sources.files.links import Links
from windrow.sources.files.relative import is_utf8

IS_HERE = sys.platform.startswith("linux")

_READ_BYTES = 1 << 16
_EVENT = struct.Struct("iIII")  # which folder, what happened, what belongs together, how long the name is
_MODIFIED, _ATTRIBUTES, _WRITTEN, _MOVED_FROM, _MOVED_TO = 0x2, 0x4, 0x8, 0x40, 0x80
_CREATED, _DELETED = 0x100, 0x200  # in the folder
_OVERFLOWN, _IGNORED, _IS_FOLDER = 0x4000, 0x8000, 0x4000_0000
_ONLY_FOLDERS, _NO_LINKS = 0x100_0000, 0x200_0000
_NEW, _GONE = _CREATED | _MOVED_TO, _DELETED | _MOVED_FROM
_ASKED = _MODIFIED | _ATTRIBUTES | _WRITTEN | _NEW | _GONE | _ONLY_FOLDERS | _NO_LINKS
# Where no more can be watched it is not enough to watch the rest. Any other folder is gone, or closed to us.
_FATAL = frozenset({errno.ENOSPC, errno.ENOMEM, errno.EINVAL, errno.EBADF})


def changes(
    top: str, stop: threading.Event, *, quiet_ms: int, longest_ms: int, wake_ms: int
) -> Iterator[set[str]]:
    """Give the paths that changed together, at first none: then it listens. Now and then there are none.

    It ends when `stop` is set, and where so much changed that the kernel lost count: then begin anew.
    An OSError where the system watches no more folders for us.
    """
    with _Listener(top) as listener:
        yield set()
        while not stop.is_set() and not listener.is_overflown:
            yield listener.gather(quiet_ms=quiet_ms, longest_ms=longest_ms, wake_ms=wake_ms)


class _Listener:
    """Listens to all folders below one, those that are made meanwhile too. Links are not followed.

    A folder that is moved out of it is listened to as before; where it was, nothing is found then.
    """

    def __init__(self, top: str) -> None:
        self._top = top
        self._folders: dict[int, str] = {}  # by the kernel's number
        self._links = Links()
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
        """Wait for a change, and then for those that follow closely; give their paths."""
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
        """Keep up with one change; give its path, if it has one that can be written down."""
        if what & _OVERFLOWN:
            self.is_overflown = True
        folder = self._folders.pop(watch, None) if what & _IGNORED else self._folders.get(watch)
        if folder is None or what & _IGNORED or not is_utf8(name):
            return
        path = os.path.join(folder, name) if name else folder
        if what & _NEW and what & _IS_FOLDER:  # one that was moved here has another path now
            self._listen(path)
        elif what & _NEW and os.path.islink(path):
            self._links.note(path)
        yield path

    def _listen(self, folder: str) -> None:
        """Listen to a folder and all below it, and note the links there."""
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
