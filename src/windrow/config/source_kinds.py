"""What a source may set depends on what it is: a repository that is asked, or a folder that is read.

`load` asks this last. Only what was said of the source itself counts: what `[harvest]` says for all sources
is said to those it concerns.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from windrow.config.document import Document
from windrow.config.documents import DOCUMENTS
from windrow.config.fields import fields_of
from windrow.config.schema import (
    DOCUMENT_FORMATS,
    FILES,
    FOLDER_FORMATS,
    OF_BOTH,
    OF_DOCUMENTS,
    OF_FOLDERS,
    SOURCES,
    SourceSettings,
)


def settle_kind(source: SourceSettings, given: Collection[str], document: Document) -> SourceSettings:
    """Give the settings as they are for a source of this kind; refuse those that mean nothing to it."""
    for key, problem in _problems(source, given, document.path.parent):
        raise document.problem((SOURCES, source.name, key), f"{SOURCES}.{source.name}.{key} {problem}.")
    if source.kind != FILES:
        return source
    return replace(source, formats=DOCUMENT_FORMATS if source.content == DOCUMENTS else FOLDER_FORMATS)


def unpublished(name: str) -> str:
    """Give what stands for the address of a folder of documents that no web server publishes."""
    return f"urn:windrow:folder:{name}/"


def foreign_keys(kind: str) -> frozenset[str]:
    """Give the settings that mean nothing to a source of this kind."""
    return frozenset(fields_of(SourceSettings)) - OF_BOTH - OF_FOLDERS if kind == FILES else OF_FOLDERS


def _problems(source: SourceSettings, given: Collection[str], library: Path) -> Iterable[tuple[str, str]]:
    is_folder = source.kind == FILES
    for key in sorted(foreign_keys(source.kind).intersection(given)):
        other = "OAI-PMH repositories" if is_folder else f'folders (kind = "{FILES}")'
        yield key, f"is for {other}; {source.name} is none"
    if is_folder:
        for key in sorted(OF_DOCUMENTS.intersection(given) if source.content != DOCUMENTS else ()):
            yield key, f'is for folders of documents: add content = "{DOCUMENTS}"'
        yield from _folder_problems(source, library)


def _folder_problems(source: SourceSettings, library: Path) -> Iterable[tuple[str, str]]:
    parts = urlsplit(source.url)
    if not source.folder:
        yield "kind", 'is "files", which needs a folder as well: add folder = "/srv/www"'
    elif Path(source.folder).resolve() == library.resolve():
        yield "folder", "is the library itself, with its settings and its database; name another folder"
    if parts.query or not parts.path.endswith("/"):
        yield "url", "must be the public address of the folder and end with /; the names of files are added"
    elif parts.username is not None:
        yield "url", "must be a public address, without a user name"
