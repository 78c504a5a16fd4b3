"""Where the links in a folder lead, so that a change behind one is told of at the link, too.

Kept by `inotify`: the system tells of a file by the name under which it lies, and a link is another.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from windrow.sources.files.apache.scope import FILE_NAME

MOST_IN_A_ROW = 3  # links on one way that are followed back; `tree` follows no more either


class Links:
    """The links met so far, each with the place it leads to. Paths are absolute."""

    def __init__(self) -> None:
        self._met: set[str] = set()
        self._links: dict[str, list[str]] = {}  # by the place they lead to
        self._is_known = True  # where they lead

    def note(self, link: str) -> None:
        """Take in a link that is new, or leads somewhere else now."""
        self._met.add(link)
        self._is_known = False

    def also(self, changed: set[str]) -> set[str]:
        """Give changed paths, and the names that these places have through links."""
        if not self._is_known or not self._met.isdisjoint(changed):
            self._find_places()
        if not self._links:
            return changed
        found, new = set(changed), changed
        for _ in range(MOST_IN_A_ROW):
            new = {name for path in new for name in self._names(path)} | set(self._above(new))
            new -= found
            if not new:
                break
            found |= new
        return found

    def _find_places(self) -> None:
        self._met = {link for link in self._met if os.path.islink(link)}
        self._links = {}
        for link in self._met:
            self._links.setdefault(os.path.realpath(link), []).append(link)
        self._is_known = True

    def _names(self, path: str) -> Iterator[str]:
        """The names of a path through links to it, or to a folder that it lies in."""
        place, rest = path, ""
        while place != os.path.dirname(place):
            for link in self._links.get(place, ()):
                yield link + rest
            place, name = os.path.split(place)
            rest = f"{os.sep}{name}{rest}"

    def _above(self, changed: Iterable[str]) -> Iterator[str]:
        """The links that lead to something below what changed: all of it may be another now."""
        # An .htaccess bears on all that is in its folder.
        tops = {os.path.dirname(path) if os.path.basename(path) == FILE_NAME else path for path in changed}
        for place, links in self._links.items():
            above = os.path.dirname(place)
            while above != os.path.dirname(above) and above not in tops:
                above = os.path.dirname(above)
            if above in tops:
                yield from links
