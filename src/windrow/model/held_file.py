"""A file behind a document: where it lies in its folder, what it is made of, and its text page by page."""

from __future__ import annotations

from typing import NamedTuple


class Heading(NamedTuple):
    """An entry of a file's own table of contents."""

    title: str
    level: int = 1
    page: int | None = None  # the page it leads to, the first being 1


class HeldFile(NamedTuple):
    """What the library knows of the file itself. Its title, creators and so on are the document's."""

    path: str  # from its folder on, with slashes
    media_type: str  # by its content
    size: int  # bytes
    sha256: str  # in hexadecimal digits
    member: str = ""  # inside the archive at `path`; empty: the file itself
    text: tuple[str, ...] = ()  # page by page; one where it has no pages; none where it has no text
    is_paged: bool = False  # whether `text` has the file's own pages
    headings: tuple[Heading, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()  # technical ones by the names in `model.extract`

    @property
    def folder(self) -> str:
        """The folder it lies in, from the source's folder on; empty: that itself."""
        return self.path.rpartition("/")[0]

    @property
    def name(self) -> str:
        """What it is called, without its folders."""
        return (self.member or self.path).rpartition("/")[2]

    @property
    def has_words(self) -> bool:
        """Whether there is text to read, and not only the page numbers of a scan."""
        return self.fact("text-layer") != "none" and any(map(str.strip, self.text))

    def fact(self, name: str) -> str:
        """The first fact of a name, or nothing."""
        return next((value for key, value in self.facts if key == name), "")
