"""Sources that are folders: what publishes one, and what harvests it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windrow.config.schema import SourceSettings
from windrow.sources.files.published import PublishedFolder, published_folder

if TYPE_CHECKING:
    from windrow.harvest.files import FilesRunner
    from windrow.harvest.observer import Observer
    from windrow.harvest.stopping import Stopper
    from windrow.wiring.library import Library


def published(library: Library, settings: SourceSettings) -> PublishedFolder:
    """Give the folder that a source is."""
    return published_folder(settings, library=library.folder)


def files_runner(
    library: Library,
    settings: SourceSettings,
    *,
    observer: Observer | None = None,
    stopper: Stopper | None = None,
) -> FilesRunner:
    """Give what harvests the folder that a source is."""
    from windrow.harvest.files import FilesRunner  # noqa: PLC0415 - it reads many formats

    return FilesRunner(published(library, settings), store=library.store, observer=observer, stopper=stopper)
