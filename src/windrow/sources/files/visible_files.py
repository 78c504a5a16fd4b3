"""The visible files of a folder: all of them, a single one, the bytes of one.

This is what the rest of Windrow asks; the decisions are `tree`'s.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeAlias

from windrow.sources.files.apache.htaccess_scope import NotUnderstood
from windrow.sources.files.published_folder import PublishedFolder, VisibilityRules
from windrow.sources.files.visibility import Folder, FoundFile, Tree, is_utf8, split_path

# A file opened by its names, one after the other, so that no link can slip in on the way.
# Used by `walk.open_visible` after `tree` has decided on the names.

_FILE = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)


def open_beneath(root: str, names: Sequence[str]) -> BinaryIO:
    """Open the file that these names lead to from a folder; an OSError where one of them is a link."""
    if os.open not in os.supports_dir_fd:
        return open_checked(root, names)
    folder = os.open(root, _FOLDER)
    try:
        for name in names[:-1]:
            inner = os.open(name, _FOLDER | _NO_LINK, dir_fd=folder)
            os.close(folder)
            folder = inner
        return _as_file(os.open(names[-1], _FILE | _NO_LINK, dir_fd=folder))
    finally:
        os.close(folder)


def open_checked(root: str, names: Sequence[str]) -> BinaryIO:
    """Open by the whole path where the system offers nothing better, and look for links afterwards."""
    path = os.path.join(root, *names)
    file = _as_file(os.open(path, _FILE))
    if os.path.normcase(os.path.realpath(path)) == os.path.normcase(path):
        return file
    file.close()
    raise FileNotFoundError(path)


def _as_file(descriptor: int) -> BinaryIO:
    """Return the open file. It must be a regular one: a folder or a pipe may have taken its place."""
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return open(descriptor, "rb")
    os.close(descriptor)
    raise FileNotFoundError("not a regular file")


__all__ = [
    "FoundFile",
    "NotUnderstood",
    "OnError",
    "OnLeftOut",
    "Tree",
    "Withheld",
    "look_up",
    "open_visible",
    "walk",
]

# Called with a relative path and what is the matter: an OSError where a folder (with all that is below)
# or a file could not be looked at, a UnicodeError where a name is not UTF-8, NotUnderstood for a line of a
# folder's .htaccess, Withheld once where .htaccess files keep anything back.
OnError: TypeAlias = Callable[[str, Exception], None]
# Called with a relative path (of a folder with a slash at its end) and why it is left out.
OnLeftOut: TypeAlias = Callable[[str, str], None]


class Withheld(Exception):
    """An .htaccess keeps files back from everybody."""


_GONE = (FileNotFoundError, NotADirectoryError)


def walk(
    root: Path,
    rules: VisibilityRules,
    *,
    under: str = "",
    on_error: OnError | None = None,
    on_left_out: OnLeftOut | None = None,
) -> Iterator[FoundFile]:
    """Yield the visible files below a folder of the tree, in the order of their paths.

    What could not be looked at is skipped and told to `on_error`; a folder that is only gone is not.
    The root is told even when it is gone. What the rules leave out is told to `on_left_out`.
    """
    tree = Tree.at(root, rules)
    report, leave = on_error or _ignore_report, on_left_out or _ignore_report
    start = _start_folder(tree, under, report)
    listings = [_list_folder(tree, start, report, leave)] if start else []
    while listings:
        item = next(listings[-1], None)
        if item is None:
            listings.pop()
        elif isinstance(item, Folder):
            listings.append(_list_folder(tree, item, report, leave))
        else:
            yield item
    if tree.withheld:
        report(tree.withheld[0], Withheld())


def look_up(root: Path, path: str, rules: VisibilityRules) -> FoundFile | None:
    """Return the file at a relative path, just as `walk` would; None where it is not visible."""
    return Tree.at(root, rules).look_up(path)


def open_visible(tree: Tree, path: str, *, guards: Collection[str] | None = None) -> BinaryIO:
    """Open a visible file for reading; FileNotFoundError where it is not, or not any longer.

    With `guards`, those the reader is known to satisfy, a file under any other is not opened: what was
    harvested as public may have been protected since.
    """
    found = tree.look_up(path)
    if found is None or (guards is not None and not set(found.guards) <= set(guards)):
        raise FileNotFoundError(path)
    try:
        return open_beneath(tree.root, split_path(path) or ())
    except OSError:  # there may be a link on the way
        return _open_behind(tree, found)


def _open_behind(tree: Tree, found: FoundFile) -> BinaryIO:
    place = tree.place_of(found)
    if place is None or place == found.path:
        raise FileNotFoundError(found.path)
    try:
        return open_beneath(tree.root, split_path(place) or ())
    except OSError as exc:
        raise FileNotFoundError(found.path) from exc


def _ignore_report(path: str, matter: object) -> None:
    """Say nothing."""


def _start_folder(tree: Tree, under: str, report: OnError) -> Folder | None:
    try:
        return tree.descend(under) if under else tree.top()
    except _GONE:
        return None
    except OSError as exc:
        report(under, exc)
        return None


class _Entry(NamedTuple):
    order: str
    name: str
    status: os.stat_result | None  # None: a folder, perhaps through a link


def _list_folder(
    tree: Tree, folder: Folder, report: OnError, leave: OnLeftOut
) -> Iterator[FoundFile | Folder]:
    """Yield what is visible in one folder: files, and folders still to be listed, in the order of paths."""
    for doubt in folder.scope.doubts:
        report(folder.path, doubt)
    for entry in _entries(folder, report):
        try:
            if entry.status is None:
                found: FoundFile | Folder | str = tree.judge_folder(folder, entry.name)
            else:
                found = tree.judge_file(folder, entry.name, entry.status)
        except _GONE:
            continue  # gone since it was listed
        except OSError as exc:
            report(folder.child(entry.name), exc)
            continue
        if isinstance(found, str):
            leave(folder.child(entry.order), found)
        else:
            yield found


def _entries(folder: Folder, report: OnError) -> list[_Entry]:
    try:
        with os.scandir(folder.real) as listing:
            return sorted(_read_entries(folder, listing, report))
    except OSError as exc:
        if not isinstance(exc, _GONE) or not folder.path:
            report(folder.path, exc)
    return []


def _read_entries(folder: Folder, listing: Iterator[os.DirEntry[str]], report: OnError) -> Iterator[_Entry]:
    for one in listing:
        if not is_utf8(one.name):
            shown = folder.child(one.name).encode("utf-8", "backslashreplace").decode()
            report(shown, UnicodeError("the name is not UTF-8"))
        elif _is_folder(one):
            # A slash at the end sorts a folder where its files belong among all paths.
            yield _Entry(one.name + "/", one.name, None)
        else:
            try:
                yield _Entry(one.name, one.name, one.stat(follow_symlinks=False))
            except _GONE:
                continue
            except OSError as exc:
                report(folder.child(one.name), exc)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link in a circle, or into a place that is closed to us
        return False


# A document's file as it lies there now, opened whole: only what everybody may see.


class OpenFile(NamedTuple):
    """An open file, with what it is at this moment. Whoever asked for it closes it."""

    file: BinaryIO
    size: int
    mtime_ns: int


def open_public(folder: PublishedFolder, path: str) -> OpenFile | None:
    """Open the file at a path; None where it is not there, or not for everybody (any more)."""
    try:
        file = open_visible(Tree.at(folder.root, folder.rules), path, guards=())
    except OSError:
        return None
    status = os.fstat(file.fileno())
    return OpenFile(file, status.st_size, status.st_mtime_ns)
