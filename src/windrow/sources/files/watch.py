"""Waiting for something to change in a folder: told by the file system, or by looking every so often.

Changes that come together are told of together: ten thousand files copied at once are a few calls, not ten
thousand. `keeping_fresh` looks at what it is told and stores it.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from windrow.sources.files import inotify

QUIET_MS = 50  # without a further change before one is told of
LONGEST_MS = 300  # that changes are gathered for while they do not end
_WAKE_MS = 500  # how often an idle wait looks up
FALLBACK_SECONDS = 2.0  # between two looks where the file system does not tell
MISSING_SECONDS = 0.3  # between two looks for a folder that is not there
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
    """Call `on_change` with what changed in a folder, until `stop` is set; first with None.

    The first call comes once watching has begun, so that nothing is missed in between. Then None is told
    again every `whole_seconds`: a file system may forget to tell. With `poll_seconds` it is not listened to.
    """
    is_listening = poll_seconds is None
    while not stop.is_set():
        if is_listening and root.is_dir():
            try:
                _listen(root, on_change, stop, whole_seconds)
                continue
            except (
                ImportError,
                OSError,
                RuntimeError,
            ) as exc:  # not installed, too many folders, an odd drive
                _LOG.warning("changes in %s are not told of (%s); it is looked at instead", root, exc)
                is_listening = False
        on_change(None)
        stop.wait(poll_seconds or (MISSING_SECONDS if is_listening else FALLBACK_SECONDS))


def _listen(
    root: Path, on_change: OnChange, stop: threading.Event, whole_seconds: Callable[[], float]
) -> None:
    """Tell what the file system tells, until `stop` is set or another folder stands in this one's place."""
    looked_at = None
    top = os.path.realpath(root)
    place = _place(top)
    for changes in _changes(top, stop):
        if _place(top) != place:
            return
        now = time.monotonic()
        if looked_at is None or now - looked_at >= whole_seconds():
            looked_at = now
            on_change(None)
        elif changes:
            paths = frozenset(_relative(path, top) for path in changes)
            on_change(None if "" in paths else paths)


def _place(top: str) -> tuple[int, int] | None:
    """Which folder it is: one that was moved away is still listened to, and tells nothing of the next."""
    try:
        status = os.stat(top)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _changes(top: str, stop: threading.Event) -> Iterator[set[str]]:
    """Give the paths that changed together; now and then nothing, so that the caller can look up."""
    if inotify.IS_HERE:
        yield from inotify.changes(top, stop, quiet_ms=QUIET_MS, longest_ms=LONGEST_MS, wake_ms=_WAKE_MS)
        return
    import watchfiles  # noqa: PLC0415 - only who serves needs it, and it brings an event loop along

    for changes in watchfiles.watch(
        top,
        watch_filter=None,
        debounce=LONGEST_MS,
        step=QUIET_MS,
        stop_event=stop,
        rust_timeout=_WAKE_MS,
        yield_on_timeout=True,
        raise_interrupt=False,
        ignore_permission_denied=True,
    ):
        yield {path for _, path in changes}


def _relative(path: str, top: str) -> str:
    """Give a path from the folder on; nothing for the folder itself, or for what is not in it."""
    inside = path.removeprefix(top).lstrip("/\\")
    return inside.replace(os.sep, "/") if inside != path else ""
