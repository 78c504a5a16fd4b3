"""What Office files say of themselves, in `docProps`: the same in documents, sheets and slides."""

from __future__ import annotations

from collections.abc import Iterator

from windrow.extract.packages import Package, local, words

_CORE = {
    "title": "title",
    "creator": "creator",
    "subject": "description",
    "description": "description",
    "keywords": "subject",
    "category": "subject",
    "created": "date",
    "modified": "modified",
    "language": "language",
    "identifier": "identifier",
}
_APP = {"Company": "publisher", "Application": "software", "Pages": "pages", "Slides": "pages"}
_MEASURED = ("software", "pages")

Pairs = list[tuple[str, str]]


def properties(package: Package) -> tuple[Pairs, Pairs]:
    """Give what is said, and what is measured."""
    found = [*_named(package, "docProps/core.xml", _CORE), *_named(package, "docProps/app.xml", _APP)]
    found = [(name, value) for name, value in dict.fromkeys(found) if (name, value) != ("pages", "0")]
    said = [pair for pair in found if pair[0] not in _MEASURED]
    return said, [pair for pair in found if pair[0] in _MEASURED]


def _named(package: Package, part: str, names: dict[str, str]) -> Iterator[tuple[str, str]]:
    root = package.tree(part)
    for element in root if root is not None else ():
        value = words(element)
        if value and local(element) in names:
            yield names[local(element)], value
