"""The findings of `windrow doctor`: each looks at one thing and says ok, note or problem.

A library that cannot even be opened is what doctors are for: every step that fails is a finding.
"""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from windrow.cli.summary import size
from windrow.cli.terminal import iso_moment, plural
from windrow.config.documents import DOCUMENTS
from windrow.config.schema import FILES
from windrow.errors import WindrowError

if TYPE_CHECKING:
    from windrow.store.health import Health
    from windrow.wiring import Library

OK, NOTE, PROBLEM = "ok", "note", "problem"
_LEAST_FREE_BYTES = 100 * 1000 * 1000
_LITTLE_FREE_BYTES = 1000 * 1000 * 1000
_FIRST_RELEASE = datetime(2025, 1, 1, tzinfo=UTC)  # no clock can be right and earlier than this


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    level: str
    what: str
    detail: str
    hint: str = ""


def look_over(named: str | None) -> list[Finding]:
    """Look at everything there is to look at."""
    from windrow.wiring import open_library

    findings = [*_versions(), _clock()]
    try:
        opened = open_library(named)
    except WindrowError as exc:
        return [Finding(PROBLEM, "settings", str(exc), exc.hint), *findings]
    try:
        return [*_library(opened), *findings]
    finally:
        opened.close()


def _library(opened: Library) -> Iterator[Finding]:
    folder = opened.folder.resolve()
    is_writable = os.access(folder, os.W_OK)
    yield (
        Finding(OK, "library", str(folder))
        if is_writable
        else Finding(
            PROBLEM, "library", f"{folder} cannot be written to", "Give yourself the right to write there."
        )
    )
    yield _settings(opened)
    yield _disk(folder)
    try:
        from windrow.store.health import examine

        health = examine(opened.store)
    except WindrowError as exc:
        yield Finding(PROBLEM, "database", str(exc), exc.hint)
        return
    yield from _database(health, folder)
    yield _index(opened)
    yield from _work(health)
    yield from _sources(opened, health)
    if any(settings.content == DOCUMENTS for settings in opened.config.sources.values()):
        yield from _readers()


def _settings(opened: Library) -> Finding:
    """Whether the settings are good enough for `windrow serve`, with the pictures that they name."""
    from windrow.faces.shared.look import Looks

    try:
        Looks(opened.config)
    except WindrowError as exc:
        return Finding(PROBLEM, "settings", str(exc), exc.hint)
    return Finding(OK, "settings", f"windrow.toml loads, {plural(len(opened.config.sources), 'source')}")


def _disk(folder: Path) -> Finding:
    free = shutil.disk_usage(folder).free
    level = PROBLEM if free < _LEAST_FREE_BYTES else NOTE if free < _LITTLE_FREE_BYTES else OK
    return Finding(
        level, "disk", f"{size(free)} free", "" if level == OK else "Free some space before harvesting."
    )


def _database(health: Health, folder: Path) -> Iterator[Finding]:
    held = sum(path.stat().st_size for path in folder.glob("windrow.db*"))
    yield Finding(OK, "database", f"opens, schema {health.schema}, {size(held)}")
    if health.flaws:
        hint = "Copy the folder away, then restore a backup or harvest anew into a new library."
        yield Finding(PROBLEM, "integrity", "; ".join(health.flaws[:3]), hint)
    else:
        yield Finding(OK, "integrity", "the database is whole")


def _index(opened: Library) -> Finding:
    from windrow.index.failures import REBUILD
    from windrow.index.feeder import LET_GO, changes_behind
    from windrow.index.live import NONE

    generations, trouble = opened.generations, opened.index.trouble
    found = generations.current_state()
    if trouble:
        return Finding(PROBLEM, "index", f"it cannot be read: {trouble}", REBUILD)
    if found is None:
        return Finding(OK, "index", "none; `windrow index` makes it, and so does `windrow serve`")
    index, behind = opened.index.newest(), changes_behind(opened.store, found[1].cursor)
    words = f"{plural(index.records, 'record')}, {size(generations.size())}"
    if index.generation == NONE:
        return Finding(NOTE, "index", "another version of Windrow made it", "windrow index makes it anew")
    held = generations.hold()
    if held is not None:
        words += f", held since {iso_moment(held.since)} at {found[0]}, behind by {plural(behind, 'change')}"
        return Finding(NOTE, "index", words, LET_GO)
    if behind:
        return Finding(NOTE, "index", f"{words}, behind by {plural(behind, 'change')}", "windrow index")
    return Finding(OK, "index", f"{words}, up to date")


def _work(health: Health) -> Iterator[Finding]:
    for name, is_alive in health.leases.items():
        if is_alive:
            yield Finding(NOTE, "at work", f"{name} is being worked on")
        else:
            hint = "The next command that needs it takes it over by itself."
            yield Finding(NOTE, "claim", f"{name} is claimed by a process that is gone", hint)
    for name, count in health.unfinished.items():
        hint = f"windrow harvest {name} goes on from the last page stored."
        yield Finding(NOTE, "unfinished", f"{name}: {plural(count, 'window')} not harvested to the end", hint)
    if health.quarantined:
        words = f"{plural(health.quarantined, 'record')}, {size(health.quarantined_bytes)}"
        yield Finding(NOTE, "quarantine", words, "windrow quarantine list")
    else:
        yield Finding(OK, "quarantine", "empty")


def _sources(opened: Library, health: Health) -> Iterator[Finding]:
    for name, settings in opened.config.sources.items():
        if settings.kind == FILES and not os.access(settings.folder or "", os.R_OK | os.X_OK):
            words = f"{name}: the folder {settings.folder} cannot be read"
            yield Finding(PROBLEM, "source", words, "Is it mounted, and may you read it?")
        if name not in health.harvested and settings.enabled:
            yield Finding(NOTE, "source", f"{name} was never harvested to the end", f"windrow harvest {name}")
    if not opened.config.sources:
        yield Finding(NOTE, "sources", "there are none yet", "windrow source add NAME URL")


def _readers() -> Iterator[Finding]:
    from windrow.extract.missing import INSTALL, has_ghostscript, unread_kinds

    unread = unread_kinds()
    if unread:
        yield Finding(NOTE, "documents", f"not read here: {', '.join(unread)}", INSTALL)
    if not has_ghostscript():
        hint = "Install Ghostscript, then: windrow harvest --full"
        yield Finding(NOTE, "documents", "PostScript is listed without its text", hint)
    if not unread and has_ghostscript():
        yield Finding(OK, "documents", "every kind can be read")


def _clock() -> Finding:
    now = datetime.now(UTC)
    if now < _FIRST_RELEASE or now > _FIRST_RELEASE + timedelta(days=365 * 50):
        return Finding(PROBLEM, "clock", f"this machine says it is {now:%Y-%m-%d}", "Set the clock.")
    return Finding(OK, "clock", f"{now:%Y-%m-%d %H:%M} UTC")


def _versions() -> Iterator[Finding]:
    import pyexpat

    from lxml import etree

    from windrow import __version__
    from windrow.store.health import ENGINE_VERSION

    lxml = ".".join(map(str, etree.LXML_VERSION[:3]))
    libxml = ".".join(map(str, etree.LIBXML_VERSION))
    expat = pyexpat.EXPAT_VERSION.removeprefix("expat_")
    words = f"Windrow {__version__}, Python {platform.python_version()}, SQLite {ENGINE_VERSION}"
    yield Finding(OK, "versions", words)
    yield Finding(OK, "parsers", f"lxml {lxml} (libxml2 {libxml}), expat {expat}")
