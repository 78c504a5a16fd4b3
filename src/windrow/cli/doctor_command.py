"""`windrow doctor`: check the library and report each finding as ok, note or problem.

The command must also work for a library that cannot be opened: every step that fails is a finding.
"""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from windrow.cli.invocation import JSON, named_library_folder, print_json
from windrow.cli.run_summary import format_size
from windrow.cli.terminal import add_mask, format_iso_time, plural, print_hint, print_line, printable
from windrow.config.schema import FILE_NAME
from windrow.config.settings_reference import holds_secret
from windrow.errors import WindrowError, install_hint
from windrow.permissions import readers

if TYPE_CHECKING:
    from windrow.store.health import Health
    from windrow.wiring import Library


_STYLES = {"ok": "good", "note": "warn", "problem": "bad"}


def add_doctor(app: typer.Typer) -> None:
    app.command("doctor")(doctor)


def doctor(is_json: Annotated[bool, JSON] = False) -> None:
    """Look the library over: files, settings, database, disk, sources, quarantine, versions.

    Exit codes: 0 nothing is wrong, 1 something is.
    """

    findings = run_checks(named_library_folder())
    if is_json:
        print_json(
            [
                {"level": item.level, "what": item.what, "detail": item.detail, "hint": item.hint or None}
                for item in findings
            ]
        )
    else:
        for item in findings:
            print_line(f"{item.level:<8}", style=_STYLES[item.level], end="")
            print_line(f"{item.what:<11} {printable(item.detail)}")
            if item.hint:
                print_hint(f"{'':<20}{item.hint}")
    raise typer.Exit(1 if any(item.level == "problem" for item in findings) else 0)


OK, NOTE, PROBLEM = "ok", "note", "problem"
_CRITICAL_FREE_BYTES = 100 * 1000 * 1000
_MAX_REPORTED_LINES = 100  # reported one by one for each table
_LOW_FREE_BYTES = 1000 * 1000 * 1000
_READER_NAMES = {"group": "its group", "others": "everybody on this machine"}
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_FIRST_RELEASE = datetime(2025, 1, 1, tzinfo=UTC)  # an earlier system clock is certainly wrong


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    level: str
    what: str
    detail: str
    hint: str = ""


def run_checks(named: str | None) -> list[Finding]:
    from windrow.wiring import open_library

    findings = [*_check_versions(), _check_clock()]
    try:
        opened = open_library(named)
    except WindrowError as exc:
        return [Finding(PROBLEM, "settings", str(exc), exc.hint), *findings]
    add_mask(opened.mask)
    try:
        return [*_check_library(opened), *findings]
    finally:
        opened.close()


def _check_library(opened: Library) -> Iterator[Finding]:
    folder = opened.folder.resolve()
    yield _check_access(opened, folder)
    yield _check_settings(opened)
    yield from _check_permissions(opened)
    yield from _check_programs(opened)
    yield _check_disk(folder)
    try:
        from windrow.store.health import examine

        wanted = {name: each for name, each in opened.config.sources.items() if each.enabled}
        lists = {(name, *each) for name, settings in wanted.items() for each in settings.lists}
        health = examine(opened.store, lists)
    except WindrowError as exc:
        yield Finding(PROBLEM, "database", str(exc), exc.hint)
        return
    yield from _check_database(health, folder)
    yield _check_index(opened)
    yield from _check_quarantine_and_jobs(health)
    yield from _check_notifications(health)
    yield from _check_sources(opened, health)
    yield from _check_z3950(opened)
    yield from _check_gaps(opened)
    yield from _check_own_tables(opened)
    yield from _check_vocabularies(opened)
    if any(settings.has_documents for settings in opened.config.sources.values()):
        yield from _check_readers()


def _check_vocabularies(opened: Library) -> Iterator[Finding]:
    bound = {
        (collection.name, field): name
        for collection in opened.config.collections.values()
        for field, name in collection.vocabulary
    }
    if not bound:
        return
    from windrow.store.vocabulary.concepts import list_revisions

    with opened.store.reading() as connection:
        known = list_revisions(connection)
    for (collection, field), name in bound.items():
        if name not in known:
            detail = f"{collection}.{field} is bound to {name}, which is not there"
            yield Finding(PROBLEM, "vocabulary", detail, f"windrow vocabulary add {name} FILE")
    if all(name in known for name in bound.values()):
        yield Finding(OK, "vocabulary", f"{plural(len(bound), 'field')} bound")


def _check_access(opened: Library, folder: Path) -> Finding:
    try:
        database = opened.store.database
    except WindrowError:
        return Finding(OK, "library", str(folder))  # problems of the database are reported by later checks
    if not database.is_read_only:
        return Finding(OK, "library", str(folder))
    hint = "It can be searched, exported and served. To change it, make the folder and windrow.db writable."
    return Finding(NOTE, "library", f"{folder} is read-only: {database.why_read_only}", hint)


def _check_settings(opened: Library) -> Finding:
    """Check that the settings suffice for `windrow serve`, including the pictures they name."""
    from windrow.web.layout.theme import Themes

    try:
        Themes(opened.config)
    except WindrowError as exc:
        return Finding(PROBLEM, "settings", str(exc), exc.hint)
    return Finding(OK, "settings", f"windrow.toml loads, {plural(len(opened.config.sources), 'source')}")


def _check_permissions(opened: Library) -> Iterator[Finding]:
    """Report files with possible secrets that others can read. Group access may be intended."""
    folder, found = opened.folder.resolve(), []
    settings = folder / FILE_NAME
    who, data = readers(settings), list(_data_paths(folder))
    if who and holds_secret(opened.config):
        level, whom = (PROBLEM, "go") if who == "others" else (NOTE, "g")
        words = f"{FILE_NAME} has secrets in it, and {_READER_NAMES[who]} can read it"
        found.append(Finding(level, "private", words, f"chmod {whom}= {settings}"))
    else:
        data.insert(0, settings)
    for path in _secret_files(opened):
        if readers(path) == "others":
            words = f"{path} holds a secret, and everybody on this machine can read it"
            found.append(Finding(PROBLEM, "private", words, f"chmod go= {path}"))
    exposed = [path for path in data if readers(path) == "others"]
    if exposed:
        words = f"everybody on this machine can read {', '.join(path.name for path in exposed)}"
        hint = f"If that is not meant: chmod o= {' '.join(map(str, exposed))}"
        found.append(Finding(NOTE, "private", words, hint))
    yield from found or [Finding(OK, "private", "nobody can read the library who should not")]


def _secret_files(opened: Library) -> Iterator[Path]:
    config = opened.config
    given = [config.notify.webhook_secret_file]
    given += [config.notify.password_file, config.harvest.password_file, config.z3950.users_file]
    given += [source.password_file for source in config.sources.values()]
    yield from map(Path, dict.fromkeys(filter(None, given)))


def _data_paths(folder: Path) -> Iterator[Path]:
    """Yield the paths that hold records and pages: the database and the folders beside it."""
    yield from sorted(folder.glob("windrow.db*"))
    yield from (folder / name for name in ("index", "files", "logs") if (folder / name).is_dir())


def _check_disk(folder: Path) -> Finding:
    free = shutil.disk_usage(folder).free
    level = PROBLEM if free < _CRITICAL_FREE_BYTES else NOTE if free < _LOW_FREE_BYTES else OK
    return Finding(
        level,
        "disk",
        f"{format_size(free)} free",
        "" if level == OK else "Free some space before harvesting.",
    )


def _check_database(health: Health, folder: Path) -> Iterator[Finding]:
    held = sum(path.stat().st_size for path in folder.glob("windrow.db*"))
    yield Finding(OK, "database", f"opens, schema {health.schema}, {format_size(held)}")
    if health.flaws:
        hint = "Copy the folder away, then restore a backup or harvest anew into a new library."
        yield Finding(PROBLEM, "integrity", "; ".join(health.flaws[:3]), hint)
    else:
        yield Finding(OK, "integrity", "the database is whole")


def _check_index(opened: Library) -> Finding:
    from windrow.index.feeder import LET_GO, changes_behind
    from windrow.index.tantivy.damage import REBUILD
    from windrow.index.tantivy.live_index import NONE

    generations, trouble = opened.generations, opened.index.trouble
    found = generations.current_state()
    if trouble:
        return Finding(PROBLEM, "index", f"it cannot be read: {trouble}", REBUILD)
    if found is None:
        return Finding(OK, "index", "none; `windrow index` makes it, and so does `windrow serve`")
    index, behind = opened.index.newest(), changes_behind(opened.store, found[1].cursor)
    words = f"{plural(index.records, 'record')}, {format_size(generations.size())}"
    if index.generation == NONE:
        return Finding(NOTE, "index", "another version of Windrow made it", "windrow index makes it anew")
    held = generations.hold()
    if held is not None:
        words += (
            f", held since {format_iso_time(held.since)} at {found[0]}, behind by {plural(behind, 'change')}"
        )
        return Finding(NOTE, "index", words, LET_GO)
    if found[1].mark != generations.mark:
        is_ours = generations.has_other_settings(found[1])
        maker = "with other settings than these" if is_ours else "by another version of Windrow"
        return Finding(NOTE, "index", f"{words}, built {maker}", "windrow index")
    if behind:
        return Finding(NOTE, "index", f"{words}, behind by {plural(behind, 'change')}", "windrow index")
    return Finding(OK, "index", f"{words}, up to date")


def _check_quarantine_and_jobs(health: Health) -> Iterator[Finding]:
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
        words = f"{plural(health.quarantined, 'record')}, {format_size(health.quarantined_bytes)}"
        yield Finding(NOTE, "quarantine", words, "windrow quarantine list")
    else:
        yield Finding(OK, "quarantine", "empty")


def _check_notifications(health: Health) -> Iterator[Finding]:
    for is_over, state, words in (
        (True, PROBLEM, "could not be delivered and was given up"),
        (False, NOTE, "could not be delivered yet and is tried again"),
    ):
        found = [entry for entry in health.untold if (entry.given_up is not None) is is_over]
        if found:
            last = found[-1]
            others = f" ({len(found) - 1:,} more)" if len(found) > 1 else ""
            said = f"a message about run {last.run_id} of job {last.job} {words}{others}: {last.problem}"
            yield Finding(state, "notify", said, "windrow notify test")


def _check_z3950(opened: Library) -> Iterator[Finding]:
    """Report whether Z39.50 clients can connect, and only those that should."""
    settings = opened.config.z3950
    if settings.users_file and not os.access(settings.users_file, os.R_OK):
        words = f"the users_file of [z3950], {settings.users_file}, cannot be read: nobody can come in"
        yield Finding(PROBLEM, "z3950", words, f"htpasswd -cB {quote(settings.users_file)} NAME")
        return
    is_open = not settings.allow and not settings.users_file
    if is_open and settings.port is not None and settings.host not in _LOOPBACK:
        words = f"Z39.50 is answered for everybody who reaches {settings.host}, port {settings.port}"
        yield Finding(NOTE, "z3950", words, "If that is not meant: allow or users_file in [z3950]")


def _check_sources(opened: Library, health: Health) -> Iterator[Finding]:
    from windrow.wiring.source_kinds import kind_for

    for name, settings in opened.config.sources.items():
        for words, remedy in kind_for(settings).problems(opened, settings):
            yield Finding(PROBLEM, "source", printable(f"{name}: {words}"), remedy)
        if name not in health.harvested and settings.enabled:
            yield Finding(NOTE, "source", f"{name} was never harvested to the end", f"windrow harvest {name}")
    if not opened.config.sources:
        yield Finding(NOTE, "sources", "there are none yet", "windrow source add NAME URL")


def _check_gaps(opened: Library) -> Iterator[Finding]:
    """Report sources with an unusual share of records without a title, a date or a person."""
    from windrow.index.checks import formats_by_source, gaps_by_source

    found = gaps_by_source(opened.index.newest(), formats_by_source(opened.config))
    for name, gaps in found.items():
        for gap in gaps:
            command = f"windrow record show {quote(gap.example)}" if gap.example else "windrow source compare"
            words = f"{name}: {gap.words()}"
            yield Finding(NOTE, "fields", words, f"{command} shows what such a record says.")


def _check_programs(opened: Library) -> Iterator[Finding]:
    """Report missing programs of jobs. The runner may have another PATH, so this is only a note."""
    path = opened.environ.get("PATH", os.defpath)
    for job in opened.config.jobs.values():
        for step, words in (("before", job.before), ("after", job.after)):
            if not words:
                continue
            program = str(opened.folder / words[0]) if os.sep in words[0] else words[0]
            if shutil.which(program, path=path) is None:
                hint = "Give its whole path, and see that it can be executed (chmod +x)."
                yield Finding(NOTE, f"job {job.name}", f"{step}: there is no program {words[0]}", hint)


def _check_own_tables(opened: Library) -> Iterator[Finding]:
    """Report the lines of the owner's tables that statistics cannot use."""
    from windrow.cli.records.stats_command import own_tables
    from windrow.stats.own_ratios import fault_words, find_unknown_institutions

    own = own_tables(opened.config)
    for name in own.settings:
        table, what = own.get(name), f"table {name}"
        file = table.settings.file
        strangers = find_unknown_institutions(table, opened.index) if opened.index.is_ready else ()
        for fault in table.faults[:_MAX_REPORTED_LINES]:
            detail = f"{file}, line {fault_words(*fault)}" if fault.line else fault.reason
            yield Finding(PROBLEM, what, detail, "Correct the file; it is read again by itself.")
        for row in strangers[:_MAX_REPORTED_LINES]:
            detail = f"{file}, line {row.line}: no record has the institution “{row.institution}”"
            yield Finding(
                NOTE, what, detail, "windrow stats institutions --csv lists how records spell them."
            )
        more = max(len(table.faults) - _MAX_REPORTED_LINES, 0) + max(len(strangers) - _MAX_REPORTED_LINES, 0)
        if more:
            yield Finding(NOTE, what, f"{file}: {plural(more, 'more line')} like these")
        if not table.faults and not strangers:
            yield Finding(OK, what, f"{file}, {plural(len(table.rows), 'row')}")


def _check_readers() -> Iterator[Finding]:
    from windrow.extract.reading_job import has_ghostscript, unread_kinds

    unread = unread_kinds()
    if unread:
        yield Finding(NOTE, "documents", f"not read here: {', '.join(unread)}", install_hint())
    if not has_ghostscript():
        hint = "Install Ghostscript, then: windrow harvest --full"
        yield Finding(NOTE, "documents", "PostScript is listed without its text", hint)
    if not unread and has_ghostscript():
        yield Finding(OK, "documents", "every kind can be read")


def _check_clock() -> Finding:
    now = datetime.now(UTC)
    if now < _FIRST_RELEASE or now > _FIRST_RELEASE + timedelta(days=365 * 50):
        return Finding(PROBLEM, "clock", f"this machine says it is {now:%Y-%m-%d}", "Set the clock.")
    return Finding(OK, "clock", f"{now:%Y-%m-%d %H:%M} UTC")


def _check_versions() -> Iterator[Finding]:
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
