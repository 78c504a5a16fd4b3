"""The visible files of a folder: listing all, looking up one, and opening one.

This is the interface for all other packages; `visibility` makes the decisions.
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

# Opening a file name by name, so that no link can be inserted on the way after `visibility` has checked the
# path.

_FILE = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)


def open_beneath(root: str, names: Sequence[str]) -> BinaryIO:
    """Open the file at a path of names below a folder; raises OSError if one of them is a link."""
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
    """Open the whole path on systems without openat, and check for links afterwards."""
    path = os.path.join(root, *names)
    file = _as_file(os.open(path, _FILE))
    if os.path.normcase(os.path.realpath(path)) == os.path.normcase(path):
        return file
    file.close()
    raise FileNotFoundError(path)


def _as_file(descriptor: int) -> BinaryIO:
    """Return an open file. It must be a regular one: a folder or pipe may have replaced it."""
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

# Called with a relative path and the error: an OSError if a folder (with everything below) or a file could
# not be read, a UnicodeError for a name that is not UTF-8, NotUnderstood for a line of a folder's .htaccess,
# Withheld once if .htaccess files withhold anything.
OnError: TypeAlias = Callable[[str, Exception], None]
# Called with a relative path (of a folder, with a trailing slash) and why it is hidden.
OnLeftOut: TypeAlias = Callable[[str, str], None]


class Withheld(Exception):
    """An .htaccess withholds files from everyone."""


_GONE = (FileNotFoundError, NotADirectoryError)


def walk(
    root: Path,
    rules: VisibilityRules,
    *,
    under: str = "",
    on_error: OnError | None = None,
    on_left_out: OnLeftOut | None = None,
) -> Iterator[FoundFile]:
    """Yield the visible files below a folder of the tree, sorted by path.

    What could not be read is skipped and reported to `on_error`; a folder that has just been deleted is not,
    except the root. What the rules hide is reported to `on_left_out`.
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
    """Return the file at a relative path as `walk` would; None if it is not visible."""
    return Tree.at(root, rules).look_up(path)


def open_visible(tree: Tree, path: str, *, guards: Collection[str] | None = None) -> BinaryIO:
    """Open a visible file for reading; raises FileNotFoundError if it is not visible, or no longer.

    With `guards`, which the reader has satisfied, a file under any other guard is not opened: what was
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
    """Ignore a report."""


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
    """Yield the visible entries of one folder, sorted by path: files, and folders still to be listed."""
    for doubt in folder.scope.doubts:
        report(folder.path, doubt)
    for entry in _entries(folder, report):
        try:
            if entry.status is None:
                found: FoundFile | Folder | str = tree.judge_folder(folder, entry.name)
            else:
                found = tree.judge_file(folder, entry.name, entry.status)
        except _GONE:
            continue  # deleted since the listing
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
            # With a trailing slash, a folder is sorted where its files belong among all paths.
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
    except OSError:  # a link cycle, or an inaccessible target
        return False


class OpenFile(NamedTuple):
    """An open file with its current size and time. The caller closes it."""

    file: BinaryIO
    size: int
    mtime_ns: int


def open_public(folder: PublishedFolder, path: str) -> OpenFile | None:
    """Open the file at a path; None if it does not exist or is not public."""
    try:
        file = open_visible(Tree.at(folder.root, folder.rules), path, guards=())
    except OSError:
        return None
    status = os.fstat(file.fileno())
    return OpenFile(file, status.st_size, status.st_mtime_ns)
