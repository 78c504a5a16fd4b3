"""What a folder offers beyond what the library keeps of it: oai_didl, made of the file when it is asked for.

The face that answers OAI-PMH is handed one of these for each folder, and takes a renderer for each answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping

from windrow.formats.didl import NAMESPACE
from windrow.formats.didl_item import SCHEMA
from windrow.sources.files.digests import Digests
from windrow.sources.files.guards import is_satisfied
from windrow.sources.files.published import PublishedFolder
from windrow.sources.files.rendering import PREFIX, FileRenderer

FORMATS: Mapping[str, tuple[str, str]] = {PREFIX: (SCHEMA, NAMESPACE)}
_FRESH_SECONDS = 1.0  # how long an answer about freshness may be used again; an older one is never wrong


class FileDeriver:
    """Offers the files of one folder as digital items, and says who may see which. For any thread."""

    def __init__(
        self,
        folder: PublishedFolder,
        *,
        find_guards: Callable[[str], Collection[str]] = lambda _: (),
        find_fresh: Callable[[], int | None] = lambda: None,
        find_path: Callable[[str], str | None] | None = None,
    ) -> None:
        """`find_guards` gives the guards the library knows of a file, `find_fresh` when it last looked.

        `find_path` gives where the file of an identifier lies; without it, that is where its address says.
        """
        self._folder = folder
        self._find_guards = find_guards
        self._find_fresh = find_fresh
        self._find_path = find_path or folder.path
        self._fresh: tuple[float, int | None] = (float("-inf"), None)
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

    def fresh_until(self) -> int | None:
        """Give the Unix second up to which all changes in the folder are in the library; None: unknown."""
        asked, answer = self._fresh
        if time.monotonic() - asked > _FRESH_SECONDS:
            answer = self._find_fresh()
            self._fresh = (time.monotonic(), answer)
        return answer
