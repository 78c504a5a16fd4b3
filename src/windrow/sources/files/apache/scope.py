"""What all .htaccess files from the top down to one folder say together.

`tree` makes one for each folder it enters, `guards` one for a folder that was found to be protected.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce
from typing import NamedTuple

from windrow.sources.files.apache import access as who
from windrow.sources.files.apache import serving as how
from windrow.sources.files.apache.access import Access
from windrow.sources.files.apache.htaccess import UNREADABLE, Htaccess, Section, parse_htaccess
from windrow.sources.files.apache.reading import read_regular
from windrow.sources.files.apache.refusals import NOTHING_SAID as NOTHING_REFUSED
from windrow.sources.files.apache.refusals import Refusals, is_refused
from windrow.sources.files.apache.requirement import holds
from windrow.sources.files.apache.serving import Serving

FILE_NAME = ".htaccess"
MOST_BYTES = 1 << 18
# Between a folder and the blocks that single out some of its files: no path has two of them in a row.
SECTIONS = "//"


class Effect(NamedTuple):
    """What the .htaccess files mean for one file."""

    is_hidden: bool
    guards: tuple[str, ...]
    media_type: str | None


@dataclass(frozen=True, slots=True)
class Scope:
    """What holds in one folder: for its files, and for some of them by name."""

    access: Access = who.NOTHING_SAID
    serving: Serving = how.NOTHING_SAID
    sections: tuple[Section, ...] = ()
    refusals: tuple[tuple[str, Refusals], ...] = ()  # with the folders that say so, the innermost last
    guard: str = ""  # the innermost folder with a word on access
    is_open: bool | None = True  # None: depends on who asks; False: closed to everybody

    def below(self, folder: str, path: str) -> Scope:
        """Give what holds in the folder at this absolute path, called `path` from the top."""
        file = read_htaccess(folder)
        if file is None:
            return self
        access = file.access.at(folder).over(self.access)
        sections = tuple(replace(section, access=section.access.at(folder)) for section in file.sections)
        refusals = () if file.refusals == NOTHING_REFUSED else ((folder, file.refusals),)
        return Scope(
            access=access,
            serving=file.serving.over(self.serving),
            sections=self.sections + sections,
            refusals=self.refusals + refusals,
            guard=path if file.bears_on_access else self.guard,
            is_open=holds(access.whole(), None),
        )

    def effect_on(self, name: str) -> Effect:
        """Give what the .htaccess files mean for a file of this name."""
        covering = [section for section in self.sections if section.covers(name)]
        serving = _over((section.serving for section in covering), self.serving)
        singled_out = [section for section in covering if section.bears_on_access]
        is_open, guard = self.is_open, self.guard
        if singled_out:
            is_open = holds(self._access_in(singled_out).whole(), None)
            guard = self.guard + SECTIONS + ",".join(section.digest for section in singled_out)
        return Effect(
            is_hidden=is_open is False or serving.hides(name),
            guards=() if is_open else (guard,),
            media_type=serving.media_type(name),
        )

    def refuses(self, place: str, address: str) -> bool:
        """Say whether the file at this absolute place, with this path in its address, is refused to all."""
        return bool(self.refusals) and is_refused(self.refusals, place, address)

    def access_of(self, digests: str) -> Access | None:
        """Give what holds for the files these blocks single out, or for all others; None: no such block."""
        asked = set(digests.split(",")) if digests else set[str]()
        if not asked <= {section.digest for section in self.sections}:
            return None
        return self._access_in(section for section in self.sections if section.digest in asked)

    def _access_in(self, sections: Iterable[Section]) -> Access:
        return reduce(lambda outer, section: section.access.over(outer), sections, self.access)


def _over(inner: Iterable[Serving], outer: Serving) -> Serving:
    return reduce(lambda merged, serving: serving.over(merged), inner, outer)


def scope_above(root: str) -> Scope:
    """Give what the folders above this one say: a web server reads those, too."""
    scope = Scope()
    for folder in _ancestors(root):
        scope = scope.below(folder, "")
    return scope


def _ancestors(folder: str) -> list[str]:
    """Give the folders above, the outermost first."""
    found: list[str] = []
    while (parent := os.path.dirname(folder)) != folder:
        found.append(parent)
        folder = parent
    return found[::-1]


def read_htaccess(folder: str) -> Htaccess | None:
    """Give what a folder's own .htaccess says, as it is now; None where there is none.

    One that cannot be read closes the folder to everybody, as the web server does.
    """
    try:
        data = read_regular(os.path.join(folder, FILE_NAME), most_bytes=MOST_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return UNREADABLE
    return parse_htaccess(data)
