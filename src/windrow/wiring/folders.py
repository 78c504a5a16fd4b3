"""Sources that are folders: what publishes one, and what harvests it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from windrow.config.documents import DOCUMENTS
from windrow.config.schema import SourceSettings
from windrow.sources.files.published import PublishedFolder, published_folder

if TYPE_CHECKING:
    from windrow.harvest.folder_runner import FolderRunner
    from windrow.harvest.observer import Observer
    from windrow.harvest.stopping import Stopper
    from windrow.wiring.library import Library


def published(library: Library, settings: SourceSettings) -> PublishedFolder:
    """Give the folder that a source is."""
    return published_folder(settings, library=library.folder)


def folder_runner(
    library: Library,
    settings: SourceSettings,
    *,
    observer: Observer | None = None,
    stopper: Stopper | None = None,
) -> FolderRunner[Any]:
    """Give what harvests the folder that a source is: lists its files, or reads them as documents."""
    if settings.content == DOCUMENTS:
        from windrow.wiring.documents import documents_runner  # noqa: PLC0415 - not needed for other folders

        return documents_runner(library, settings, observer=observer, stopper=stopper)
    from windrow.harvest.files import FilesRunner  # noqa: PLC0415 - it reads many formats

    return FilesRunner(published(library, settings), store=library.store, observer=observer, stopper=stopper)
