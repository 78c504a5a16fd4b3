"""Visibility: whether a file is published, by its name, type, .htaccess files and links.

`visible_files.walk` uses it for everything in a folder, `look_up` and `open_visible` for one path; both go
through the same `enter` and `see`, so that a file that is not listed cannot be requested either.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field, replace
from errno import EACCES, ENAMETOOLONG
from pathlib import Path
from typing import NamedTuple

from windrow.sources.files.apache.htaccess_scope import Scope, scope_above
from windrow.sources.files.apache.rewriting import Request
from windrow.sources.files.published_folder import VisibilityRules

# Paths inside the folder: the check for every path from outside, before the disk is accessed.

MAX_FOLDER_DEPTH = 64
MAX_PATH_CHARACTERS = 16384


def split_path(path: str) -> tuple[str, ...] | None:
    """Return the names of a relative path, none for the folder itself; None if the path is invalid.

    Invalid are `..`, `.`, empty names, absolute paths, NUL, names that are not UTF-8, excessively long paths
    and separators of other systems.
    """
    if not path:
        return ()
    if len(path) > MAX_PATH_CHARACTERS or "\0" in path or not is_utf8(path):
        return None
    parts = tuple(path.split("/"))
    if len(parts) > MAX_FOLDER_DEPTH + 1 or any(part in {"", ".", ".."} for part in parts):
        return None
    if os.sep != "/" and any(os.sep in part or ":" in part for part in parts):
        return None
    return parts


def is_utf8(name: str) -> bool:
    """Return whether a name from the disk is UTF-8: others contain lone surrogates."""
    if name.isascii():
        return True
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


# Folders that link to one another make endless paths; real sites chain two links, rarely three.
MAX_FOLDER_LINKS = 3

# Why a file or folder is hidden, apart from its name.
BY_HTACCESS = "an .htaccess refuses it, has it run, or leaves it out of listings"
AS_LINK = "it is a link that leads out of the folder, nowhere, or to what is not shown itself"
NO_FILE = "it is no ordinary file but a pipe, a socket or a device"
NOT_PUBLIC = "not every user of this machine may read it (needs_public_read = false takes it in)"
NOT_OURS = "Windrow's user may not read it"

_EXECUTABLE = stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH
_KNOWS_EFFECTIVE_IDS = os.access in os.supports_effective_ids


class FoundFile(NamedTuple):
    """A visible file. `guards` protect it: only users who satisfy all of them may see it."""

    path: str  # relative, with slashes
    size: int
    mtime_ns: int
    guards: tuple[str, ...]
    media_type: str | None = None  # as declared in an .htaccess; None: by name


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder on a path. `behind` is its real path, if it was reached through a link."""

    path: str
    real: str
    scope: Scope
    parent: Folder | None = None
    depth: int = 0
    links: int = 0
    behind: Folder | None = None

    def child(self, name: str) -> str:
        return f"{self.path}/{name}" if self.path else name

    def is_inside(self, real: str) -> bool:
        """Return whether this folder, or a parent, is the one with this real path."""
        folder: Folder | None = self
        while folder is not None and folder.real != real:
            folder = folder.parent
        return folder is not None


@dataclass(frozen=True, slots=True)
class Tree:
    """A folder on disk with the rules of a source. `root` contains no links.

    A tree is for one scan: it caches what it finds out about folders.
    """

    root: str
    rules: VisibilityRules
    withheld: list[str] = field(default_factory=list, compare=False)  # the first file withheld by .htaccess
    _met: dict[tuple[str, bool], Folder | None] = field(default_factory=dict, compare=False)

    @classmethod
    def at(cls, root: Path, rules: VisibilityRules) -> Tree:
        """Return the tree of a folder, which may itself be a link."""
        return cls(os.path.realpath(root), rules)

    def top(self) -> Folder:
        """Return the folder itself. It is always entered, since it is configured explicitly."""
        above = scope_above(self.root, needs_public_read=self.rules.needs_public_read)
        scope = above.below(self.root, "")
        return Folder("", self.root, replace(scope, doubts=above.doubts + scope.doubts))

    def enter(self, parent: Folder, name: str, *, follow: bool = True) -> Folder | None:
        """Return a subfolder; None if it is hidden. Raises OSError if it is inaccessible."""
        found = self.judge_folder(parent, name, follow=follow)
        return None if isinstance(found, str) else found

    def judge_folder(self, parent: Folder, name: str, *, follow: bool = True) -> Folder | str:
        """Return a subfolder, or why it is hidden. Raises OSError if it is inaccessible."""
        path = parent.child(name)
        hidden = self.rules.why_folder_hidden(path, name)
        if hidden or parent.scope.serving.unlists(name):
            return hidden or BY_HTACCESS
        if parent.depth >= MAX_FOLDER_DEPTH:
            raise OSError(ENAMETOOLONG, f"it lies more than {MAX_FOLDER_DEPTH} folders deep")
        real = os.path.join(parent.real, name)
        status = os.lstat(real)
        if stat.S_ISLNK(status.st_mode):
            return (self._enter_link(parent, path, real) if follow else None) or AS_LINK
        if not stat.S_ISDIR(status.st_mode):
            return NO_FILE
        if not self._is_public(status.st_mode, stat.S_IROTH | stat.S_IXOTH):
            return NOT_PUBLIC
        behind = self.enter(parent.behind, name, follow=False) if parent.behind else None
        if parent.behind and not behind:
            return AS_LINK
        return Folder(
            path, real, parent.scope.below(real, path), parent, parent.depth + 1, parent.links, behind
        )

    def _enter_link(self, parent: Folder, path: str, link: str) -> Folder | None:
        behind = self.folder_at(self._inside(link), follow=False) if parent.scope.follows_links else None
        if behind is None or parent.links >= MAX_FOLDER_LINKS or parent.is_inside(behind.real):
            return None
        scope = parent.scope.below(behind.real, path)
        return Folder(path, behind.real, scope, parent, parent.depth + 1, parent.links + 1, behind)

    def see(
        self, folder: Folder, name: str, status: os.stat_result, *, follow: bool = True
    ) -> FoundFile | None:
        """Return a visible file of a folder, or None. `status` is that of a link itself."""
        found = self.judge_file(folder, name, status, follow=follow)
        return None if isinstance(found, str) else found

    def judge_file(
        self, folder: Folder, name: str, status: os.stat_result, *, follow: bool = True
    ) -> FoundFile | str:
        """Return a visible file of a folder, or why it is hidden. `status` is that of a link itself."""
        path = folder.child(name)
        real = os.path.join(folder.real, name)
        hidden = self.rules.why_file_hidden(path, name, is_executable=_is_executable(real, status))
        if hidden:
            return hidden
        effect = folder.scope.effect_on(name)
        if effect.is_hidden or folder.scope.rewrites(self._request(path), effect):
            if not self.withheld:
                self.withheld.append(path)
            return BY_HTACCESS
        if stat.S_ISLNK(status.st_mode) and not effect.follows_links:
            return AS_LINK
        seen = FoundFile(path, status.st_size, status.st_mtime_ns, effect.guards, effect.media_type)
        if stat.S_ISLNK(status.st_mode):
            behind = self.look_up(self._inside(real), follow=False) if follow else None
            return _merge_link_guards(seen, behind) or AS_LINK
        unreadable = self._why_unreadable(real, status.st_mode)
        if unreadable or folder.behind is None:
            return unreadable or seen
        return _merge_link_guards(seen, self.see(folder.behind, name, status, follow=False)) or AS_LINK

    def _request(self, path: str) -> Request:
        rules = self.rules
        place = os.path.join(self.root, path)
        return Request(place, rules.address_path + path, rules.address_scheme, rules.address_host)

    def look_up(self, path: str | None, *, follow: bool = True) -> FoundFile | None:
        """Return the file at a relative path; None if it is not visible for any reason."""
        above, _, name = (path or "").rpartition("/")
        if split_path(path or "") is None or not name:
            return None
        folder = self.folder_at(above, follow=follow)
        if folder is None:
            return None
        try:
            return self.see(folder, name, os.lstat(os.path.join(folder.real, name)), follow=follow)
        except OSError:
            return None

    def folder_at(self, path: str | None, *, follow: bool = True) -> Folder | None:
        """Return the folder at a relative path; None if it is hidden for any reason."""
        try:
            return None if path is None else self.descend(path, follow=follow)
        except OSError:
            return None

    def descend(self, path: str, *, follow: bool = True) -> Folder | None:
        """Return the folder as `folder_at` does, but raise OSError if it exists and cannot be entered."""
        if split_path(path) is None:
            return None
        if (path, follow) not in self._met:
            self._met[path, follow] = self._reach(path, follow=follow)
        return self._met[path, follow]

    def _reach(self, path: str, *, follow: bool) -> Folder | None:
        above, _, name = path.rpartition("/")
        parent = self.descend(above, follow=follow) if path else None
        folder = self.enter(parent, name, follow=follow) if parent else None if path else self.top()
        if folder and not os.access(folder.real, os.R_OK | os.X_OK, effective_ids=_KNOWS_EFFECTIVE_IDS):
            raise PermissionError(EACCES, os.strerror(EACCES), folder.real)  # as listing it would
        return folder

    def place_of(self, found: FoundFile) -> str | None:
        """Return the real path of a file; None if that is hidden or has more guards."""
        place = self._inside(os.path.join(self.root, found.path))
        if place == found.path:
            return place
        behind = self.look_up(place, follow=False)
        return place if behind and set(behind.guards) <= set(found.guards) else None

    def _inside(self, link: str) -> str | None:
        """Return the target of a link relative to the root; None if it leads out of the tree."""
        real = os.path.realpath(link)
        if real == self.root:
            return ""
        inside = self.root.rstrip(os.sep) + os.sep
        return real.removeprefix(inside).replace(os.sep, "/") if real.startswith(inside) else None

    def _why_unreadable(self, path: str, mode: int) -> str:
        if not stat.S_ISREG(mode):
            return NO_FILE
        if not self._is_public(mode, stat.S_IROTH):
            return NOT_PUBLIC
        return "" if os.access(path, os.R_OK, effective_ids=_KNOWS_EFFECTIVE_IDS) else NOT_OURS

    def _is_public(self, mode: int, bits: int) -> bool:
        return not self.rules.needs_public_read or mode & bits == bits


def _is_executable(path: str, status: os.stat_result) -> bool:
    """Return whether a file, or the target of a link, is executable: links themselves always are."""
    mode = status.st_mode
    if stat.S_ISLNK(mode):
        try:
            mode = os.stat(path).st_mode
        except OSError:  # a broken link
            return False
    return bool(mode & _EXECUTABLE)


def _merge_link_guards(seen: FoundFile, behind: FoundFile | None) -> FoundFile | None:
    """Return the file behind a link, with the guards of both paths."""
    if behind is None:
        return None
    guards = tuple(dict.fromkeys(seen.guards + behind.guards))
    return seen._replace(size=behind.size, mtime_ns=behind.mtime_ns, guards=guards)
