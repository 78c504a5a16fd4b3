"""Where the documents of a source are, and the resources that they list."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote

from windrow.finding.addresses import record_path
from windrow.wire.resourcesync import Link

CAPABILITIES, RESOURCES, CHANGES, DUMP = "capabilitylist", "resourcelist", "changelist", "resourcedump"
_DOCUMENT = re.compile(r"/([^/]+)/([a-z]+)(?:-([1-9][0-9]{0,8}))?\.(xml|zip)")


class Asked(NamedTuple):
    """A document that is asked for; `part` is 0 where none is named."""

    source: str
    stem: str
    part: int
    suffix: str


def read_path(rest: str) -> Asked | None:
    """Read what is asked for out of the rest of a path; None where nothing could be there."""
    found = _DOCUMENT.fullmatch(rest)
    if found is None:
        return None
    source, stem, part, suffix = found.groups()
    return Asked(source, stem, int(part or 0), suffix)


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses at one site; `url` is without a slash at its end."""

    url: str

    @property
    def description(self) -> str:
        """Of the document that names all sources."""
        return f"{self.url}/.well-known/resourcesync"

    @property
    def about(self) -> str:
        """Of the page that says what the library is."""
        return f"{self.url}/about"

    def document(self, source: str, stem: str, part: int = 0, suffix: str = "xml") -> str:
        """Of a document of a source, or of a part of it."""
        number = f"-{part}" if part else ""
        return f"{self.url}/resourcesync/{quote(source, safe='')}/{stem}{number}.{suffix}"

    def up(self, source: str) -> Link:
        """From a document of a source to the list of all of them."""
        return Link("up", self.document(source, CAPABILITIES))

    def resource(self, source: str, identifier: str, prefix: str) -> str:
        """Of what a record has in a format, as it came."""
        page = record_path(source, identifier)
        return f"{self.url}{page}?format={quote(prefix, safe='', errors='replace')}"

    def relations(self, source: str, identifier: str) -> tuple[Link, ...]:
        """From a resource to the page of its record, and to the list of all records of its source."""
        page = Link("describes", f"{self.url}{record_path(source, identifier)}")
        return page, Link("collection", f"{self.url}/gateway/{quote(source, safe='')}/")
