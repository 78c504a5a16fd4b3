"""What a folder offers beyond what the library keeps of it: oai_didl, made of the file when it is asked for.

The face that answers OAI-PMH is handed one of these for each folder, and takes a renderer for each answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from windrow.formats.didl import NAMESPACE
from windrow.formats.didl_item import SCHEMA
from windrow.sources.files.digests import Digests
from windrow.sources.files.guards import is_satisfied
from windrow.sources.files.published import PublishedFolder
from windrow.sources.files.rendering import PREFIX, FileRenderer

FORMATS: Mapping[str, tuple[str, str]] = {PREFIX: (SCHEMA, NAMESPACE)}


class FileDeriver:
    """Offers the files of one folder as digital items, and says who may see which. For any thread."""

    def __init__(
        self,
        folder: PublishedFolder,
        *,
        find_guards: Callable[[str], Collection[str]] = lambda _: (),
        find_path: Callable[[str], str | None] | None = None,
    ) -> None:
        """`find_guards` gives the guards the library knows of a file.

        `find_path` gives where the file of an identifier lies; without it, that is where its address says.
        """
        self._folder = folder
        self._find_guards = find_guards
        self._find_path = find_path or folder.path
        self._digests = Digests()

    @property
    def formats(self) -> Mapping[str, tuple[str, str]]:
        """The schema and the namespace of each format it renders, by prefix."""
        return FORMATS

    def renderer(self) -> FileRenderer:
        """Give what renders files as they are from now on; for one answer, and one thread."""
        return FileRenderer(
            self._folder, self._digests, find_guards=self._find_guards, find_path=self._find_path
        )

    def may_see(self, guard: str, username: str | None, password: str | None) -> bool:
        """Say whether these credentials open what a guard protects."""
        return is_satisfied(self._folder.root, guard, username=username, password=password)
