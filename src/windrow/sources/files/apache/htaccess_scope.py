"""The merged .htaccess files from the top down to one folder.

`visibility` makes one for each folder it enters, `htpasswd` one for a protected folder.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce
from typing import NamedTuple

from windrow.sources.files.apache import access_control as who
from windrow.sources.files.apache import file_serving as how
from windrow.sources.files.apache.access_control import Access, Requirement, holds, names_people
from windrow.sources.files.apache.file_serving import Serving
from windrow.sources.files.apache.htaccess import Doubt, Htaccess, Section, closed, parse_htaccess
from windrow.sources.files.apache.rewriting import (
    NO_REWRITING,
    Request,
    Rewriting,
    is_rewriting,
    is_rewritten,
)

# Reading small configuration files, here and in `htpasswd`. The author of an .htaccess could also name a pipe
# or a device in it, so only regular files are read.

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def read_regular(path: str, *, most_bytes: int, needs_public_read: bool = False) -> bytes:
    """Return the bytes of a regular file; raises OSError if it is not one, too large or unreadable.

    With `needs_public_read`, also if it is not readable by all users of the machine.
    """
    descriptor = os.open(path, _FLAGS)
    try:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise OSError("not a regular file")
        if needs_public_read and not mode & stat.S_IROTH:
            raise OSError("not everybody may read it; see needs_public_read")
        data = _read_up_to(descriptor, most_bytes + 1)
    finally:
        os.close(descriptor)
    if len(data) > most_bytes:
        raise OSError(f"more than {most_bytes} bytes")
    return data


def _read_up_to(descriptor: int, size: int) -> bytes:
    pieces: list[bytes] = []
    while size > 0 and (piece := os.read(descriptor, min(size, 1 << 16))):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


FILE_NAME = ".htaccess"
MAX_HTACCESS_BYTES = 1 << 18
MAX_REASON_CHARACTERS = 200  # of a report: a line can be as long as the file
# Separates a folder from its <Files> sections: no path contains two slashes in a row.
SECTIONS = "//"


class NotUnderstood(Exception):
    """An .htaccess line is not understood, which hides everything it may apply to."""

    def __init__(self, file: str, line: int, reason: str) -> None:
        reason = reason if len(reason) <= MAX_REASON_CHARACTERS else f"{reason[:MAX_REASON_CHARACTERS]}…"
        super().__init__(f"{file}, line {line}: {reason}" if line else f"{file}: {reason}")


class Effect(NamedTuple):
    """The effect of the .htaccess files on one file."""

    is_hidden: bool
    guards: tuple[str, ...]
    media_type: str | None
    follows_links: bool  # if it is a link
    may_rewrite: bool  # whether rules are allowed; where they are not, Apache forbids access


@dataclass(frozen=True, slots=True)
class Scope:
    """The rules for one folder: for its files, and for some of them by name."""

    access: Access = who.NOTHING_SAID
    serving: Serving = how.NOTHING_SAID
    sections: tuple[Section, ...] = ()
    rewriting: tuple[tuple[str, Rewriting], ...] = ()  # with their folders, the innermost last
    guard: str = ""  # the innermost folder with access rules
    is_open: bool | None = True  # None: depends on the user; False: closed for everyone
    doubts: tuple[NotUnderstood, ...] = ()  # of this folder's own file
    # an .htaccess that is not readable by all users is unreadable for the server
    needs_public_read: bool = False

    def below(self, folder: str, path: str) -> Scope:
        """Return the scope of a subfolder with this absolute path, whose path from the top is `path`."""
        file = read_htaccess(folder, needs_public_read=self.needs_public_read)
        if file is None:
            return replace(self, doubts=()) if self.doubts else self
        access = file.access.at(folder).over(self.access)
        sections = tuple(replace(section, access=section.access.at(folder)) for section in file.sections)
        rewriting = () if file.rewriting == NO_REWRITING else ((folder, file.rewriting),)
        place = os.path.join(folder, FILE_NAME)
        return Scope(
            access=access,
            serving=file.serving.over(self.serving),
            sections=self.sections + sections,
            rewriting=self.rewriting + rewriting,
            guard=path if file.bears_on_access else self.guard,
            is_open=_is_open(access.whole()),
            doubts=tuple(
                NotUnderstood(place, *doubt) for doubt in (*file.doubts, *self._engine_doubts(file))
            ),
            needs_public_read=self.needs_public_read,
        )

    def _engine_doubts(self, file: Htaccess) -> tuple[Doubt, ...]:
        """Return the rules of a file for which no file turns RewriteEngine on or off."""
        rules = [rule.line for rule in file.rewriting.rules if not rule.is_harmless]
        on_the_way = (file.rewriting, *(said for _, said in self.rewriting))
        if not rules or any(each.is_on is not None for each in on_the_way):
            return ()
        return (Doubt(rules[0], "no RewriteEngine says whether rules are in force"),)

    def effect_on(self, name: str) -> Effect:
        covering = [section for section in self.sections if section.covers(name)]
        serving = _over((section.serving for section in covering), self.serving)
        singled_out = [section for section in covering if section.bears_on_access]
        is_open, guard = self.is_open, self.guard
        if singled_out:
            is_open = _is_open(self._access_in(singled_out).whole())
            guard = self.guard + SECTIONS + ",".join(section.digest for section in singled_out)
        return Effect(
            is_hidden=is_open is False or serving.hides(name),
            guards=() if is_open else (guard,),
            media_type=serving.media_type(name),
            follows_links=serving.follows_links is not False,
            may_rewrite=serving.rewrites is not False,
        )

    @property
    def follows_links(self) -> bool:
        return self.serving.follows_links is not False

    def rewrites(self, request: Request, effect: Effect) -> bool:
        """Return whether a request for a file in the folder is, or may be, answered with something else."""
        if not self.rewriting:
            return False
        if not effect.may_rewrite and is_rewriting(self.rewriting):
            return True
        return is_rewritten(self.rewriting, request)

    def access_of(self, digests: str) -> Access | None:
        """Return the rules for files in these sections, or for all others; None if a section is gone."""
        asked = set(digests.split(",")) if digests else set[str]()
        if not asked <= {section.digest for section in self.sections}:
            return None
        return self._access_in(section for section in self.sections if section.digest in asked)

    def _access_in(self, sections: Iterable[Section]) -> Access:
        return reduce(lambda outer, section: section.access.over(outer), sections, self.access)


def _over(inner: Iterable[Serving], outer: Serving) -> Serving:
    return reduce(lambda merged, serving: serving.over(merged), inner, outer)


def _is_open(requirement: Requirement) -> bool | None:
    """Return whether access is open to everyone; None if it depends on a name and a password."""
    is_open = holds(requirement, None)
    return False if is_open is None and not names_people(requirement) else is_open


def scope_above(root: str, *, needs_public_read: bool = False) -> Scope:
    """Return the scope of the folders above this one, whose .htaccess files Apache reads, too."""
    scope = Scope(needs_public_read=needs_public_read)
    doubts: tuple[NotUnderstood, ...] = ()
    for folder in _ancestors(root):
        scope = scope.below(folder, "")
        doubts += scope.doubts
    return replace(scope, doubts=doubts)


def _ancestors(folder: str) -> list[str]:
    """Return the parent folders, outermost first."""
    found: list[str] = []
    while (parent := os.path.dirname(folder)) != folder:
        found.append(parent)
        folder = parent
    return found[::-1]


def read_htaccess(folder: str, *, needs_public_read: bool = False) -> Htaccess | None:
    """Parse a folder's .htaccess as it is now; None if there is none.

    An unreadable one denies all access, as in Apache.
    """
    place = os.path.join(folder, FILE_NAME)
    try:
        data = read_regular(place, most_bytes=MAX_HTACCESS_BYTES, needs_public_read=needs_public_read)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as exc:
        return closed(f"it cannot be read ({exc.strerror or exc})")
    return parse_htaccess(data)
