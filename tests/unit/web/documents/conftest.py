"""A folder of documents, and a library beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.unit.search.catalogue import Catalogue
from tests.unit.web.documents.folder import Folder
from tests.unit.web.documents.stage import opened
from tests.unit.web.portal.stage import Portal

Open = Callable[[], Portal]


@contextmanager
def shelved(path: Path) -> Iterator[Folder]:
    """Give an empty folder, and a library that has the folder `library` beside it."""
    library, files = path / "library", path / "files"
    library.mkdir()
    files.mkdir()
    catalogue = Catalogue(library)
    yield Folder(files, catalogue)
    catalogue.close()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    with shelved(tmp_path) as made:
        yield made


@pytest.fixture
def serve(tmp_path: Path, folder: Folder) -> Iterator[Open]:
    """Open the portal over all that is in the folder by then."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(opened(tmp_path / "library", folder))
