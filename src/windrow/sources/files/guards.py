"""Whether somebody may see what an .htaccess protects. Asked by the faces, once for each guard.

A guard is what `walk` put into `FoundFile.guards`: a folder relative to the root, or a folder and the
<Files> blocks that single out some of its files. It is looked at anew each time: a changed .htaccess or
password file holds at once.
"""

from __future__ import annotations

import os
from pathlib import Path

from windrow.sources.files.apache.access import Access
from windrow.sources.files.apache.htpasswd import groups_of, has_password
from windrow.sources.files.apache.requirement import Person, holds
from windrow.sources.files.apache.scope import SECTIONS, Scope, scope_above
from windrow.sources.files.relative import split_path


def is_satisfied(root: Path, guard: str, *, username: str | None, password: str | None) -> bool:
    """Say whether somebody with these credentials, or none, may see what the guard protects.

    A guard whose folder or blocks are gone lets nobody in: the next scan will know better.
    """
    folder, _, digests = guard.partition(SECTIONS)
    scope = _scope_at(os.path.realpath(root), folder)
    access = scope.access_of(digests) if scope else None
    if access is None:
        return False
    requirement = access.whole()
    for_all = holds(requirement, None)
    if for_all is not None:  # no password need be looked at
        return for_all
    return holds(requirement, _recognise(access, username, password)) is True


def _scope_at(root: str, folder: str) -> Scope | None:
    parts = split_path(folder)
    if parts is None or not os.path.isdir(os.path.join(root, *parts)):
        return None
    scope = scope_above(root).below(root, "")
    for depth in range(1, len(parts) + 1):
        path = "/".join(parts[:depth])
        scope = scope.below(os.path.join(root, *parts[:depth]), path)
    return scope


def _recognise(access: Access, username: str | None, password: str | None) -> Person | None:
    """Give the person these credentials belong to; None where they belong to nobody."""
    if username is None or password is None or access.user_file is None:
        return None
    if access.auth_type != "basic" or access.provider not in {None, "file"}:
        return None
    if not has_password(access.user_file, username, password):
        return None
    groups = groups_of(access.group_file, username) if access.group_file else frozenset[str]()
    return Person(username, groups)
