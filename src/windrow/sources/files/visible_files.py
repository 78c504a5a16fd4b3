"""The visible files of a folder: all of them, a single one, the bytes of one.

This is what the rest of Windrow asks; the decisions are `tree`'s.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeAlias

from windrow.sources.files.apache.scope import NotUnderstood
from windrow.sources.files.opening import open_beneath
from windrow.sources.files.relative import is_utf8, split_path
from windrow.sources.files.rules import Rules
from windrow.sources.files.tree import Folder, FoundFile, Tree

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
    rules: Rules,
    *,
    under: str = "",
    on_error: OnError | None = None,
    on_left_out: OnLeftOut | None = None,
) -> Iterator[FoundFile]:
    """Give the visible files below a folder of the tree, in the order of their paths.

    What could not be looked at is skipped and told to `on_error`; a folder that is only gone is not.
    The root is told even when it is gone. What the rules leave out is told to `on_left_out`.
    """
    tree = Tree.at(root, rules)
    report, leave = on_error or _ignore, on_left_out or _ignore
    start = _start(tree, under, report)
    listings = [_list(tree, start, report, leave)] if start else []
    while listings:
        item = next(listings[-1], None)
        if item is None:
            listings.pop()
        elif isinstance(item, Folder):
            listings.append(_list(tree, item, report, leave))
        else:
            yield item
    if tree.withheld:
        report(tree.withheld[0], Withheld())


def look_up(root: Path, path: str, rules: Rules) -> FoundFile | None:
    """Give the file at a relative path, just as `walk` would; None where it is not visible."""
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


def _ignore(path: str, matter: object) -> None:
    """Say nothing."""


def _start(tree: Tree, under: str, report: OnError) -> Folder | None:
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


def _list(tree: Tree, folder: Folder, report: OnError, leave: OnLeftOut) -> Iterator[FoundFile | Folder]:
    """Give what is visible in one folder: files, and folders still to be listed, in the order of paths."""
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
