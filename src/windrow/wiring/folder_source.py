"""The kind of source that is a folder: its files are listed, or read as documents.

A folder is harvested, checked, previewed and watched here. Reading documents needs a pool of processes and
a store of pictures, one of each per library.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from threading import Event
from typing import TYPE_CHECKING, Any

from windrow.config.source_kinds import FolderSettings, kind_of
from windrow.errors import UsageError
from windrow.extract.reading_job import FACTS_BYTES, Limits
from windrow.sources.files.published_folder import PublishedFolder, published_folder
from windrow.wiring.sets import follow_sets
from windrow.wiring.source_kinds import Asking, Line, Probed, Shown, SourceKind, Steps, Watch

if TYPE_CHECKING:
    from windrow.config.schema import SourceSettings
    from windrow.extract.picture_store import PictureStore
    from windrow.extract.pool import Pool
    from windrow.harvest.background_threads import FolderWatcher
    from windrow.harvest.documents.document_intake import IntakeSettings
    from windrow.harvest.documents.document_runs import DocumentsRunner
    from windrow.harvest.folder.folder_run import FolderRunner
    from windrow.harvest.options import HarvestOptions, Observer, Stopper
    from windrow.harvest.quarantine_retry import RetriedCase
    from windrow.harvest.trace import Trace
    from windrow.model.run import Run
    from windrow.sources.files.digital_items import FileDeriver
    from windrow.store.harvests.folder_state import KnownFile
    from windrow.store.harvests.quarantine_cases import QuarantineCase
    from windrow.wiring.library import Library


MEMBER_FACTS_BYTES = 400  # the name, size and time of one file in an archive
DERIVED_FILES_FOLDER = "files"  # the folder, inside the library's, of what is made from files


def make_pool(library: Library) -> Pool:
    """Return the process pool that reads files; its processes start with the first file."""
    from windrow.extract.pool import Pool  # noqa: PLC0415 - not needed unless files are read

    settings = library.config.documents
    limits = Limits(
        time_seconds=settings.time_limit,
        memory_bytes=settings.memory_limit,
        text_characters=settings.text_limit,
        facts_bytes=FACTS_BYTES + settings.archive_members * MEMBER_FACTS_BYTES,
    )
    pool = Pool(settings.workers, limits)
    library.closing.callback(pool.close)
    return pool


def make_derived(library: Library) -> PictureStore:
    from windrow.extract.picture_store import PictureStore  # noqa: PLC0415

    return PictureStore(library.folder / DERIVED_FILES_FOLDER)


def prune_pictures(library: Library) -> None:
    """Remove the pictures of documents that are no longer in the library."""
    from windrow.harvest.documents import document_runs  # noqa: PLC0415 - imports readers of many formats

    document_runs.prune_pictures(library.store, library.derived)


def documents_runner(
    library: Library,
    settings: FolderSettings,
    *,
    observer: Observer | None = None,
    stopper: Stopper | None = None,
) -> DocumentsRunner:
    from windrow.harvest.documents.document_runs import DocumentsRunner  # noqa: PLC0415 - imports readers of many formats

    return DocumentsRunner(
        open_published_folder(library, settings),
        store=library.store,
        means=make_document_settings(library, settings),
        observer=observer,
        stopper=stopper,
    )


def make_document_settings(library: Library, settings: FolderSettings) -> IntakeSettings:
    from windrow.harvest.documents.document_intake import IntakeSettings  # noqa: PLC0415

    return IntakeSettings(
        pool=lambda: library.pool,
        derived=library.derived,
        largest=library.config.documents.largest,
        archive_members=library.config.documents.archive_members,
        has_sidecars=settings.sidecars,
        has_archives=settings.archives,
        keeps_gone=settings.keep_gone,
    )


def drop(library: Library, name: str, documents: Sequence[str]) -> tuple[Run, list[KnownFile]]:
    from windrow.harvest.documents import document_runs  # noqa: PLC0415 - only for commands about documents

    done = document_runs.drop_documents(library.store, documents_folder(library, name), documents)
    follow_sets(library)
    return done


def hide(library: Library, name: str, documents: Sequence[str]) -> tuple[Run, list[KnownFile]]:
    from windrow.harvest.documents import document_runs  # noqa: PLC0415

    done = document_runs.hide_documents(library.store, documents_folder(library, name), documents)
    follow_sets(library)
    return done


def restore(
    library: Library, name: str, documents: Sequence[str], *, observer: Observer, stopper: Stopper
) -> tuple[Run | None, list[KnownFile]]:
    """Restore documents that were dropped, hidden or refused: their files are read again at once."""
    from windrow.harvest.documents import document_runs  # noqa: PLC0415

    rows = document_runs.release_documents(library.store, documents_folder(library, name), documents)
    runner = documents_runner(library, documents_settings(library, name), observer=observer, stopper=stopper)
    run = runner.refresh(sorted({row.path for row in rows}))
    follow_sets(library)
    return run, rows


def retry(
    library: Library, name: str, wanted: Sequence[QuarantineCase], *, observer: Observer, stopper: Stopper
) -> list[RetriedCase]:
    """Read quarantined files of a source again. Return the outcome of each case."""
    from windrow.harvest.documents.document_runs import retry_documents  # noqa: PLC0415

    runner = documents_runner(library, documents_settings(library, name), observer=observer, stopper=stopper)
    done = retry_documents(library.store, runner, name, wanted)
    follow_sets(library)
    return done


def documents_folder(library: Library, name: str) -> PublishedFolder:
    """Return the folder of a source of documents; UsageError for other sources."""

    return open_published_folder(library, documents_settings(library, name))


def documents_settings(library: Library, name: str) -> FolderSettings:
    """Return the settings of a source of documents; UsageError for other sources."""
    settings = library.source(name)
    if not isinstance(settings, FolderSettings) or not settings.has_documents:
        raise UsageError(
            f"{name} has no documents", hint='Only folders with content = "documents" have some.'
        )
    return settings


# ruff: noqa: ARG002 - a folder does not need every argument of the protocol


_SHOWN_TYPES = 5
_MARC_TYPES = ("application/marc", "application/marcxml+xml")
_UNITS = ("B", "kB", "MB", "GB", "TB")


class Folders(SourceKind[FolderSettings]):
    """Folders of files and of documents."""

    def probe(self, settings: FolderSettings, asking: Asking) -> Probed:
        found = self._survey(settings, asking)
        return Probed(
            words=_describe_survey(found), values=found.as_dict(), hints=list(_hints(settings, found))
        )

    def check(self, settings: FolderSettings, asking: Asking, *, prefix: str | None = None) -> Shown:
        """Survey the folder, and report what could not be read."""
        found = self._survey(settings, asking)
        values = {"folder": str(settings.folder), "url": settings.url, **found.as_dict()}
        return Shown(values=values, lines=list(_survey_lines(settings, found)))

    def harvest(
        self, library: Library, settings: FolderSettings, options: HarvestOptions, watch: Watch
    ) -> Run:
        runner = folder_runner(library, settings, observer=watch.observer, stopper=watch.stopper)
        return runner.run(options)

    def preview(
        self, library: Library, settings: FolderSettings, options: HarvestOptions, steps: Steps
    ) -> Iterator[Shown]:
        scan = folder_runner(library, settings).scan(options)
        counters = scan.counters
        problem = "; ".join(each.message for each in scan.problems if each.weight.value != "note")
        values = {
            "source": settings.name,
            "folder": str(scan.folder.root),
            "new": counters.added,
            "changed": counters.changed,
            "gone": counters.deleted,
            "unchanged": counters.unchanged,
            "problem": problem,
        }
        amounts = ", ".join(f"{values[key]:,} {key}" for key in ("new", "changed", "gone", "unchanged"))
        lines = [Line(settings.name, "bold"), Line(f"  {scan.folder.root}", "dim"), Line(f"  {amounts}")]
        if problem:
            lines.append(Line(f"  {problem}", "bad"))
        yield Shown(values=values, lines=lines, has_problem=bool(problem))

    def trace(
        self, library: Library, settings: FolderSettings, identifier: str, steps: Steps | None
    ) -> Trace:
        found = super().trace(library, settings, identifier, steps)
        if steps is None or (settings.has_documents and "#" in identifier):
            return found  # the members of an archive would require opening it
        from windrow.harvest.trace import add_folder_answer  # noqa: PLC0415
        from windrow.store.harvests.folder_state import FolderLookup  # noqa: PLC0415

        find_path = FolderLookup(library.store, settings.name).path if settings.has_documents else None
        return add_folder_answer(found, open_published_folder(library, settings), find_path=find_path)

    def problems(self, library: Library, settings: FolderSettings) -> Iterator[tuple[str, str]]:
        if not os.access(settings.folder or "", os.R_OK | os.X_OK):
            yield f"the folder {settings.folder} cannot be read", "Is it mounted, and may you read it?"

    def retry(
        self, library: Library, settings: FolderSettings, wanted: Sequence[QuarantineCase], watch: Watch
    ) -> tuple[Run | None, list[RetriedCase]]:
        if not settings.has_documents:
            return super().retry(library, settings, wanted, watch)

        done = retry(library, settings.name, wanted, observer=watch.observer, stopper=watch.stopper)
        return None, done

    def watchers(
        self, library: Library, settings: FolderSettings, stop: Event, on_changed: Callable[[Run], None]
    ) -> Sequence[FolderWatcher]:
        """Return a watcher that harvests when something in the folder changes."""
        from windrow.harvest.background_threads import FolderWatcher  # noqa: PLC0415 - not needed without folders
        from windrow.harvest.options import Stopper  # noqa: PLC0415

        keeper = FolderWatcher(
            open_published_folder(library, settings),
            folder_runner(library, settings, stopper=Stopper(stop)),
            stop=stop,
            poll_seconds=settings.poll,
            on_changed=on_changed,
        )
        return [keeper]

    def deriver(self, library: Library, settings: FolderSettings) -> FileDeriver:
        """Return the deriver that makes digital items of the files."""
        from windrow.sources.files.digital_items import FileDeriver  # noqa: PLC0415
        from windrow.store.harvests.folder_state import FolderLookup  # noqa: PLC0415

        known = FolderLookup(library.store, settings.name)
        return FileDeriver(
            open_published_folder(library, settings),
            find_guards=known.guards,
            find_path=known.path if settings.has_documents else None,
        )

    def _survey(self, settings: FolderSettings, asking: Asking) -> Survey:
        asking.steps.step("Looking")
        try:
            return survey(published_folder(settings, library=asking.config.path))
        finally:
            asking.steps.done()


FOLDER = Folders()


def open_published_folder(library: Library, settings: SourceSettings) -> PublishedFolder:
    return published_folder(as_folder(settings), library=library.folder)


def as_folder(settings: SourceSettings) -> FolderSettings:
    """Return the settings of a folder; UsageError for a source of another kind."""
    if not isinstance(settings, FolderSettings):
        raise UsageError(f"{settings.name} is {kind_of(settings).label}, and not a folder")
    return settings


def folder_runner(
    library: Library,
    settings: FolderSettings,
    *,
    observer: Observer | None = None,
    stopper: Stopper | None = None,
) -> FolderRunner[Any]:
    if settings.has_documents:
        return documents_runner(library, settings, observer=observer, stopper=stopper)
    from windrow.harvest.folder.file_listing import FilesRunner  # noqa: PLC0415 - imports readers of many formats

    return FilesRunner(
        open_published_folder(library, settings), store=library.store, observer=observer, stopper=stopper
    )


@dataclass(slots=True)
class Survey:
    """The content of a folder, in numbers."""

    files: int = 0
    bytes: int = 0
    protected: int = 0  # visible only with a password
    types: Counter[str] = field(default_factory=Counter)
    unreadable: list[str] = field(default_factory=list)
    not_understood: list[str] = field(default_factory=list)  # lines of .htaccess files that hide files

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, the commonest media type first."""
        return asdict(self) | {"types": dict(self.types.most_common())}


def survey(folder: PublishedFolder) -> Survey:
    """Count everything in a folder; UsageError if there is no such folder."""
    from windrow.sources.files.file_description import file_media_type  # noqa: PLC0415
    from windrow.sources.files.visible_files import NotUnderstood, Withheld, walk  # noqa: PLC0415

    if not folder.root.is_dir():
        raise UsageError(
            f"{folder.root} is not a folder that can be read", hint="Check the path, and who may read it."
        )
    found = Survey()

    def note(path: str, error: Exception) -> None:
        if isinstance(error, NotUnderstood):
            found.not_understood.append(str(error))
        elif not isinstance(error, Withheld):
            found.unreadable.append(path)

    for file in walk(folder.root, folder.rules, on_error=note):
        found.files += 1
        found.bytes += file.size
        found.protected += bool(file.guards)
        found.types[file_media_type(file)] += 1
    return found


def _describe_survey(found: Survey) -> str:
    words = f"{found.files:,} file{'' if found.files == 1 else 's'}, {_format_size(found.bytes)}"
    return f"{words}, {found.protected:,} of them protected" if found.protected else words


def _hints(settings: FolderSettings, found: Survey) -> Iterator[str]:
    """Yield hints at another kind of source that would suit the folder better."""
    if any(found.types[each] for each in _MARC_TYPES):
        yield (
            "Files of MARC records are taken for files here. To make a record of each record in them:"
            f" windrow source add NAME --kind marc {settings.folder}"
        )


def _survey_lines(settings: FolderSettings, found: Survey) -> Iterator[Line]:
    yield Line(f"{settings.folder} as {settings.url}", "bold")
    yield Line(f"  {_describe_survey(found)}")
    for media_type, count in found.types.most_common(_SHOWN_TYPES):
        yield Line(f"  {count:>9,}  {media_type}")
    if len(found.types) > _SHOWN_TYPES:
        yield Line(f"             and {len(found.types) - _SHOWN_TYPES:,} more media types")
    for path in found.unreadable[:_SHOWN_TYPES]:
        yield Line(f"  could not be looked at: {path or 'the folder itself'}", "bad")
    for line in found.not_understood[:_SHOWN_TYPES]:
        yield Line(f"  not shown: what this may apply to: {line}", "warn")
    if len(found.not_understood) > _SHOWN_TYPES:
        more = len(found.not_understood) - _SHOWN_TYPES
        yield Line(f"  and {more:,} more such lines; --json lists all")


def _format_size(count: int) -> str:
    amount = float(count)
    for unit in _UNITS[:-1]:
        if amount < 1000:
            return f"{amount:,.0f} {unit}" if unit == "B" else f"{amount:,.1f} {unit}"
        amount /= 1000
    return f"{amount:,.1f} {_UNITS[-1]}"
