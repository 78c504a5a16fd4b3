"""The kind of source that is a folder: its files listed, or read as documents."""

# ruff: noqa: ARG002 - a folder does not need all that kinds are given

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from threading import Event
from typing import TYPE_CHECKING, Any

from windrow.config.source_kinds import FolderSettings, kind_of
from windrow.errors import UsageError
from windrow.sources.files.published import PublishedFolder, published_folder
from windrow.wiring.source_kinds import Asking, Line, Probed, Shown, SourceKind, Steps, Watch

if TYPE_CHECKING:
    from windrow.config.schema import SourceSettings
    from windrow.harvest.folder_runner import FolderRunner
    from windrow.harvest.keeping_fresh import FreshKeeper
    from windrow.harvest.observer import Observer
    from windrow.harvest.options import HarvestOptions
    from windrow.harvest.retry import Retried
    from windrow.harvest.stopping import Stopper
    from windrow.harvest.trace import Trace
    from windrow.model.run import Run
    from windrow.sources.files.derive import FileDeriver
    from windrow.store.cases import Case
    from windrow.wiring.library import Library

_SHOWN_TYPES = 5
_MARC_TYPES = ("application/marc", "application/marcxml+xml")
_UNITS = ("B", "kB", "MB", "GB", "TB")


class Folders(SourceKind[FolderSettings]):
    """Folders of files and of documents."""

    def probe(self, settings: FolderSettings, asking: Asking) -> Probed:
        """Look at what it shows."""
        found = self._survey(settings, asking)
        return Probed(words=_in_words(found), values=found.as_dict(), hints=list(_hints(settings, found)))

    def check(self, settings: FolderSettings, asking: Asking, *, prefix: str | None = None) -> Shown:
        """Look at what it shows, and what of it could not be looked at."""
        found = self._survey(settings, asking)
        values = {"folder": str(settings.folder), "url": settings.url, **found.as_dict()}
        return Shown(values=values, lines=list(_survey_lines(settings, found)))

    def harvest(
        self, library: Library, settings: FolderSettings, options: HarvestOptions, watch: Watch
    ) -> Run:
        """Harvest its files."""
        runner = folder_runner(library, settings, observer=watch.observer, stopper=watch.stopper)
        return runner.run(options)

    def preview(
        self, library: Library, settings: FolderSettings, options: HarvestOptions, steps: Steps
    ) -> Iterator[Shown]:
        """Look at everything, and count."""
        look = folder_runner(library, settings).look(options)
        counters = look.counters
        problem = "; ".join(each.message for each in look.problems if each.weight.value != "note")
        values = {
            "source": settings.name,
            "folder": str(look.folder.root),
            "new": counters.added,
            "changed": counters.changed,
            "gone": counters.deleted,
            "unchanged": counters.unchanged,
            "problem": problem,
        }
        amounts = ", ".join(f"{values[key]:,} {key}" for key in ("new", "changed", "gone", "unchanged"))
        lines = [Line(settings.name, "bold"), Line(f"  {look.folder.root}", "dim"), Line(f"  {amounts}")]
        if problem:
            lines.append(Line(f"  {problem}", "bad"))
        yield Shown(values=values, lines=lines, has_problem=bool(problem))

    def trace(
        self, library: Library, settings: FolderSettings, identifier: str, steps: Steps | None
    ) -> Trace:
        """Look at the file."""
        found = super().trace(library, settings, identifier, steps)
        if steps is None or (settings.has_documents and "#" in identifier):
            return found  # what is inside an archive would have to be opened
        from windrow.harvest.folder_trace import with_file  # noqa: PLC0415
        from windrow.store.folder_knowledge import FolderKnowledge  # noqa: PLC0415

        find_path = FolderKnowledge(library.store, settings.name).path if settings.has_documents else None
        return with_file(found, published(library, settings), find_path=find_path)

    def problems(self, library: Library, settings: FolderSettings) -> Iterator[tuple[str, str]]:
        """Report a folder that cannot be read."""
        if not os.access(settings.folder or "", os.R_OK | os.X_OK):
            yield f"the folder {settings.folder} cannot be read", "Is it mounted, and may you read it?"

    def retry(
        self, library: Library, settings: FolderSettings, wanted: Sequence[Case], watch: Watch
    ) -> tuple[Run | None, list[Retried]]:
        """Read files again that could not be read."""
        if not settings.has_documents:
            return super().retry(library, settings, wanted, watch)
        from windrow.wiring.documents import retry  # noqa: PLC0415 - not needed for other folders

        done = retry(library, settings.name, wanted, observer=watch.observer, stopper=watch.stopper)
        return None, done

    def watchers(
        self, library: Library, settings: FolderSettings, stop: Event, on_changed: Callable[[Run], None]
    ) -> Sequence[FreshKeeper]:
        """Return what looks at the folder whenever something in it changes."""
        from windrow.harvest.keeping_fresh import FreshKeeper  # noqa: PLC0415 - not needed without folders
        from windrow.harvest.stopping import Stopper  # noqa: PLC0415

        keeper = FreshKeeper(
            published(library, settings),
            folder_runner(library, settings, stopper=Stopper(stop)),
            stop=stop,
            poll_seconds=settings.poll,
            on_changed=on_changed,
        )
        return [keeper]

    def deriver(self, library: Library, settings: FolderSettings) -> FileDeriver:
        """Return what makes digital items of its files."""
        from windrow.sources.files.derive import FileDeriver  # noqa: PLC0415
        from windrow.store.folder_knowledge import FolderKnowledge  # noqa: PLC0415

        known = FolderKnowledge(library.store, settings.name)
        return FileDeriver(
            published(library, settings),
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


def published(library: Library, settings: SourceSettings) -> PublishedFolder:
    """Return the folder that a source is."""
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
    """Give what harvests the folder that a source is: lists its files, or reads them as documents."""
    if settings.has_documents:
        from windrow.wiring.documents import documents_runner  # noqa: PLC0415 - not needed for other folders

        return documents_runner(library, settings, observer=observer, stopper=stopper)
    from windrow.harvest.files import FilesRunner  # noqa: PLC0415 - it reads many formats

    return FilesRunner(published(library, settings), store=library.store, observer=observer, stopper=stopper)


@dataclass(slots=True)
class Survey:
    """What a folder shows."""

    files: int = 0
    bytes: int = 0
    protected: int = 0  # seen only by those who have a password
    types: Counter[str] = field(default_factory=Counter)
    unreadable: list[str] = field(default_factory=list)
    not_understood: list[str] = field(default_factory=list)  # lines of .htaccess files that hide files

    def as_dict(self) -> dict[str, Any]:
        """Give it as plain values, the commonest media type first."""
        return asdict(self) | {"types": dict(self.types.most_common())}


def survey(folder: PublishedFolder) -> Survey:
    """Look at everything in a folder; UsageError where there is no such folder."""
    from windrow.sources.files.describe import type_of  # noqa: PLC0415
    from windrow.sources.files.walk import NotUnderstood, Withheld, walk  # noqa: PLC0415

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
        found.types[type_of(file)] += 1
    return found


def _in_words(found: Survey) -> str:
    """Return a survey in half a line."""
    words = f"{found.files:,} file{'' if found.files == 1 else 's'}, {_size(found.bytes)}"
    return f"{words}, {found.protected:,} of them protected" if found.protected else words


def _hints(settings: FolderSettings, found: Survey) -> Iterator[str]:
    """Say what another kind of source would do better."""
    if any(found.types[each] for each in _MARC_TYPES):
        yield (
            "Files of MARC records are taken for files here. To make a record of each record in them:"
            f" windrow source add NAME --kind marc {settings.folder}"
        )


def _survey_lines(settings: FolderSettings, found: Survey) -> Iterator[Line]:
    yield Line(f"{settings.folder} as {settings.url}", "bold")
    yield Line(f"  {_in_words(found)}")
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


def _size(count: int) -> str:
    """Return a number of bytes as people write it."""
    amount = float(count)
    for unit in _UNITS[:-1]:
        if amount < 1000:
            return f"{amount:,.0f} {unit}" if unit == "B" else f"{amount:,.1f} {unit}"
        amount /= 1000
    return f"{amount:,.1f} {_UNITS[-1]}"
