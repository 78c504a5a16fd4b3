"""Folders of documents: what reads them, and where what is made of them is kept. One a library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from windrow.config.source_kinds import FolderSettings
from windrow.errors import UsageError
from windrow.extract.limits import FACTS_BYTES, Limits
from windrow.wiring.virtual_sets import follow_sets

if TYPE_CHECKING:
    from windrow.extract.derived import Derived
    from windrow.extract.pool import Pool
    from windrow.harvest.document_taking import DocumentMeans
    from windrow.harvest.documents import DocumentsRunner
    from windrow.harvest.observer import Observer
    from windrow.harvest.retry import Retried
    from windrow.harvest.stopping import Stopper
    from windrow.model.run import Run
    from windrow.sources.files.published import PublishedFolder
    from windrow.store.cases import Case
    from windrow.store.held_files import HeldRow
    from windrow.wiring.library import Library

MEMBER_FACTS_BYTES = 400  # for the name, size and time of one file in an archive
FILES = "files"  # the folder in the library's for what is made of files


def make_pool(library: Library) -> Pool:
    """Give what reads files, in processes that start when the first is to be read."""
    from windrow.extract.pool import Pool  # noqa: PLC0415 - not needed where nothing is read

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


def make_derived(library: Library) -> Derived:
    """Give where the pictures of documents are kept."""
    from windrow.extract.derived import Derived  # noqa: PLC0415

    return Derived(library.folder / FILES)


def prune_pictures(library: Library) -> None:
    """Let go of the pictures of documents that are no longer in the library."""
    from windrow.harvest import documents  # noqa: PLC0415 - it reads many formats

    documents.prune_pictures(library.store, library.derived)


def documents_runner(
    library: Library,
    settings: FolderSettings,
    *,
    observer: Observer | None = None,
    stopper: Stopper | None = None,
) -> DocumentsRunner:
    """Give what harvests a folder of documents."""
    from windrow.harvest.documents import DocumentsRunner  # noqa: PLC0415 - it reads many formats
    from windrow.wiring.folders import published  # noqa: PLC0415

    return DocumentsRunner(
        published(library, settings),
        store=library.store,
        means=make_means(library, settings),
        observer=observer,
        stopper=stopper,
    )


def make_means(library: Library, settings: FolderSettings) -> DocumentMeans:
    """Give how the documents of a source are taken in, and with what."""
    from windrow.harvest.document_taking import DocumentMeans  # noqa: PLC0415

    return DocumentMeans(
        pool=lambda: library.pool,
        derived=library.derived,
        largest=library.config.documents.largest,
        archive_members=library.config.documents.archive_members,
        has_sidecars=settings.sidecars,
        has_archives=settings.archives,
        keeps_gone=settings.keep_gone,
    )


def drop(library: Library, name: str, documents: Sequence[str]) -> tuple[Run, list[HeldRow]]:
    """Drop documents of a source, now and for all runs to come."""
    from windrow.harvest import document_verdicts  # noqa: PLC0415 - for those who judge by hand

    done = document_verdicts.drop(library.store, documents_folder(library, name), documents)
    follow_sets(library)
    return done


def hide(library: Library, name: str, documents: Sequence[str]) -> tuple[Run, list[HeldRow]]:
    """Let nobody see documents of a source."""
    from windrow.harvest import document_verdicts  # noqa: PLC0415

    done = document_verdicts.hide(library.store, documents_folder(library, name), documents)
    follow_sets(library)
    return done


def restore(
    library: Library, name: str, documents: Sequence[str], *, observer: Observer, stopper: Stopper
) -> tuple[Run | None, list[HeldRow]]:
    """Bring documents back that were dropped, hidden or refused: their files are read again at once."""
    from windrow.harvest import document_verdicts  # noqa: PLC0415

    rows = document_verdicts.release(library.store, documents_folder(library, name), documents)
    runner = documents_runner(library, documents_settings(library, name), observer=observer, stopper=stopper)
    run = runner.refresh(sorted({row.path for row in rows}))
    follow_sets(library)
    return run, rows


def retry(
    library: Library, name: str, wanted: Sequence[Case], *, observer: Observer, stopper: Stopper
) -> list[Retried]:
    """Read files of a source again that could not be read; give what became of each case."""
    from windrow.harvest.document_retry import retry_documents  # noqa: PLC0415

    runner = documents_runner(library, documents_settings(library, name), observer=observer, stopper=stopper)
    done = retry_documents(library.store, runner, name, wanted)
    follow_sets(library)
    return done


def documents_folder(library: Library, name: str) -> PublishedFolder:
    """Give the folder of a source of documents; UsageError where it is something else."""
    from windrow.wiring.folders import published  # noqa: PLC0415

    return published(library, documents_settings(library, name))


def documents_settings(library: Library, name: str) -> FolderSettings:
    """Return the settings of a source of documents; UsageError where it is something else."""
    settings = library.source(name)
    if not isinstance(settings, FolderSettings) or not settings.has_documents:
        raise UsageError(
            f"{name} has no documents", hint='Only folders with content = "documents" have some.'
        )
    return settings
