"""Threads that keep the library current while it is served: periodic checks, and one watcher per folder.

Failures are logged and tried again; a thread ends only when it is asked to stop.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection
from typing import Any

from windrow.errors import Interrupted, SourceBusy, WindrowError
from windrow.harvest.folder.folder_run import FolderRunner
from windrow.model.run import Run
from windrow.sources.files.folder_watch import watch
from windrow.sources.files.published_folder import PublishedFolder

# Periodic checks keep the index, the crawler lists, virtual sets and stale records current. A check that
# finds nothing new must be cheap.

CHECK_SECONDS = 1.0  # between two checks
_MAX_RETRY_PAUSE_SECONDS = 60.0

log = logging.getLogger("windrow.keeping")


class PeriodicThread(threading.Thread):
    """Calls `check` periodically until `stop` is set. Failures are retried with growing pauses.

    A repeated failure is logged once; `trouble` is its message. With `is_once` there is a single check, for a
    process that serves a library but does not maintain it.
    """

    def __init__(
        self,
        check: Callable[[], object],
        *,
        name: str,
        trouble: str,
        stop: threading.Event,
        check_seconds: float = CHECK_SECONDS,
        is_once: bool = False,
    ) -> None:
        super().__init__(name=name, daemon=True)
        self._check = check
        self._trouble = trouble
        self._stop_event = stop
        self._check_seconds = check_seconds
        self._is_once = is_once

    def run(self) -> None:
        pause, reported = self._check_seconds, ""
        while not self._stop_event.is_set():
            try:
                self._check()
                pause, reported = self._check_seconds, ""
            except Interrupted:
                return
            except Exception as exc:  # noqa: BLE001 - the worker loop
                pause = min(pause * 2, _MAX_RETRY_PAUSE_SECONDS)
                reported = self._report(exc, reported)
            if self._is_once:
                return
            self._stop_event.wait(pause)

    def _report(self, exc: Exception, reported: str) -> str:
        """Log a failure unless it equals the last one; return its text."""
        if str(exc) != reported:
            if isinstance(exc, WindrowError):
                log.error("%s: %s %s", self._trouble, exc, exc.hint)
            else:
                log.error(self._trouble, exc_info=exc)
        return str(exc)


MAX_CHANGED_PATHS = 500  # checked one by one; beyond that a scan of the whole folder is faster
# Additional complete scans take at most one part in this many of the time.
FULL_SCAN_SHARE = 50
MIN_FULL_SCAN_SECONDS = 60.0
_MIN_RESCAN_PAUSE_SECONDS, _MAX_RESCAN_PAUSE_SECONDS = 0.5, 60.0
_LOG = logging.getLogger(__name__)

HTACCESS = ".htaccess"


class FolderWatcher(threading.Thread):
    """Rescans one folder whenever something in it changes, until `stop` is set."""

    def __init__(
        self,
        folder: PublishedFolder,
        runner: FolderRunner[Any],
        *,
        stop: threading.Event,
        poll_seconds: float | None = None,
        on_changed: Callable[[Run], None] = lambda _: None,
    ) -> None:
        super().__init__(name=f"fresh-{folder.name}", daemon=True)
        self._folder = folder
        self._runner = runner
        self._stopping = stop
        self._poll_seconds = poll_seconds
        self._on_changed = on_changed
        self._whole_seconds = MIN_FULL_SCAN_SECONDS

    def run(self) -> None:
        """Watch and rescan; a watch that fails is set up again."""
        pause = _MIN_RESCAN_PAUSE_SECONDS
        while not self._stopping.is_set():
            try:
                watch(
                    self._folder.root,
                    self._rescan,
                    stop=self._stopping,
                    poll_seconds=self._poll_seconds,
                    whole_seconds=lambda: self._whole_seconds,
                )
            except Exception:  # noqa: BLE001 - the worker loop
                _LOG.exception("watching %s failed; trying again in %.1f s", self._folder.root, pause)
            self._stopping.wait(pause)
            pause = min(pause * 2, _MAX_RESCAN_PAUSE_SECONDS)

    def _rescan(self, changed: Collection[str] | None) -> None:
        """Scan what changed, repeating until that succeeds."""
        paths = None if changed is None else condense_paths(changed)
        pause = _MIN_RESCAN_PAUSE_SECONDS
        while not self._stopping.is_set():
            begun = time.monotonic()
            if self._try(paths):
                if paths is None:
                    took = time.monotonic() - begun
                    self._whole_seconds = max(MIN_FULL_SCAN_SECONDS, took * FULL_SCAN_SHARE)
                return
            self._stopping.wait(pause)
            pause = min(pause * 2, _MAX_RESCAN_PAUSE_SECONDS)

    def _try(self, paths: list[str] | None) -> bool:
        try:
            run = self._runner.refresh(paths)
        except Interrupted:
            return False
        except SourceBusy:
            _LOG.info("%s is being harvested by somebody else; looking again soon", self._folder.name)
            return False
        except WindrowError as exc:
            _LOG.warning("%s could not be looked at: %s %s", self._folder.name, exc, exc.hint)
            return False
        except Exception:  # noqa: BLE001 - the worker loop
            _LOG.exception("%s could not be looked at", self._folder.name)
            return False
        if run is not None:
            self._report(run)
        return True

    def _report(self, run: Run) -> None:
        counters, words = run.counters, "; ".join(problem.message for problem in run.problems)
        reported = (self._folder.name, run.outcome, counters.added, counters.changed, counters.deleted, words)
        level = logging.WARNING if words else logging.INFO
        _LOG.log(level, "%s: %s, %d new, %d changed, %d gone %s", *reported)
        self._on_changed(run)


def condense_paths(changed: Collection[str]) -> list[str] | None:
    """Return the paths to scan, none below another; None if the whole folder should be scanned.

    An .htaccess file affects everything in its folder.
    """
    wide = {path.removesuffix(HTACCESS).rstrip("/") if _is_htaccess(path) else path for path in changed}
    if "" in wide or len(wide) > MAX_CHANGED_PATHS:
        return None
    kept: list[str] = []
    for path in sorted(wide, key=lambda path: path.split("/")):
        if not kept or not path.startswith(f"{kept[-1]}/"):
            kept.append(path)
    return kept


def _is_htaccess(path: str) -> bool:
    return path.rpartition("/")[2] == HTACCESS
