"""What can be searched and counted of the file behind a document: where it lies, how large it is, what else.

`facts` and `document_view` ask here, so that both say the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from windrow.model.document import Document
from windrow.model.folding import fold

# Files by size, in bytes: each class begins at one of these and ends before the next.
_CLASSES = (0, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)
SIZE_CLASSES = tuple(
    f"{low}..{high - 1}" if high else f"{low}.."
    for low, high in zip(_CLASSES, (*_CLASSES[1:], 0), strict=True)
)
BETWEEN = "="  # a name and its value in an `extra` fact
_OWN_PREFIX = "doc:"  # of what a file or somebody beside it says, in `Document.extra`
_UNTOLD = frozenset(("note",))  # facts of a file that nobody would look for


def folders_of(document: Document) -> tuple[str, ...]:
    """The folder that a file lies in and all that this lies in, the outermost first."""
    if document.file is None or not document.file.folder:
        return ()
    return tuple(accumulate(document.file.folder.split("/"), "{}/{}".format))


def sizes_of(document: Document) -> tuple[str, ...]:
    """The bytes of a file."""
    return () if document.file is None else (str(document.file.size),)


def size_class_of(document: Document) -> tuple[str, ...]:
    """The class of its size, written as a range."""
    if document.file is None:
        return ()
    place = sum(document.file.size >= low for low in _CLASSES[1:])
    return (SIZE_CLASSES[place],)


def media_of(document: Document) -> tuple[str, ...]:
    """What it is by its content."""
    return () if document.file is None else (document.file.media_type,)


def texts_of(document: Document) -> tuple[str, ...]:
    """Its text, page by page."""
    return () if document.file is None else document.file.text


def text_language(document: Document) -> str | None:
    """The language of the text: the document's, which was declared or told from the text itself."""
    return document.languages[0] if len(document.languages) == 1 else None


def extras_of(document: Document) -> tuple[str, ...]:
    """What the document of a file says that no field of its own counts, as name=value."""
    if document.file is None:
        return ()
    return tuple(extra_of(name, value) for name, value in _told(document) if value.strip())


def extra_of(name: str, value: str) -> str:
    """One such fact; names are compared without case."""
    return f"{fold(name)}{BETWEEN}{value}"


def _told(document: Document) -> Iterator[tuple[str, str]]:
    for agent in document.contributors:
        yield "contributor", agent.name
    for name, values in (("rights", document.rights), ("relation", document.relations)):
        yield from ((name, value) for value in values)
    for name, found in document.extra.items():
        yield from ((name.removeprefix(_OWN_PREFIX), value) for value in found)
    if document.file is not None:
        yield from (fact for fact in document.file.facts if fact[0] not in _UNTOLD)
