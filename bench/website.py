"""A web site as files: how many, how large, of what kind and linked how, always the same.

After `words`, before `website_server`. The shape is that of the department site on which a web server's
folder was first offered as a repository: 5,268 files, 292 MB, of which 709 can be reached by links.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from math import log
from pathlib import Path
from random import Random
from urllib.parse import quote

from bench import words

FILES = 5_268
BYTES = 292_000_000
REACHABLE = 709
TOUCHED = 0.25
FIRST_MODIFIED = 1_500_000_000  # 2017: long before any harvest
HOME = "index.html"
PUBLIC_URL = "http://www.bench.example/"  # where the world sees it; nobody ever asks there
LARGEST = 6_000_000  # of one file, before the sum is made to fit
SMALLEST = 200
FAN_OUT = 24  # links on a page that lead on


@dataclass(frozen=True, slots=True)
class Kind:
    """A sort of file: how common, its median size, how far sizes spread, how its bytes begin."""

    suffix: str
    share: float
    median: int
    spread: float  # standard deviation of the logarithm
    magic: bytes = b""


HTML = Kind("html", 0.34, 7_000, 1.0)
KINDS = (
    HTML,
    Kind("gif", 0.20, 4_000, 1.2, b"GIF89a"),
    Kind("jpg", 0.20, 45_000, 1.1, b"\xff\xd8\xff\xe0\x00\x10JFIF\x00"),
    Kind("png", 0.06, 18_000, 1.2, b"\x89PNG\r\n\x1a\n"),
    Kind("pdf", 0.11, 160_000, 1.1, b"%PDF-1.4\n"),
    Kind("txt", 0.09, 5_000, 1.3),
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One file: its path under the root, and what it is made from."""

    number: int
    path: str
    kind: Kind
    size: int
    links: tuple[str, ...] = ()


@dataclass(slots=True)
class Website:
    """The files on disk. `generation` counts how often a quarter of them was rewritten."""

    folder: Path
    entries: tuple[Entry, ...]
    reachable: frozenset[str]
    generation: int = 0

    def hashes(self) -> dict[str, str]:
        """Give the truth, read from the disk: SHA-256 by path."""
        return {entry.path: sha256((self.folder / entry.path).read_bytes()) for entry in self.entries}

    def touch(self) -> set[str]:
        """Rewrite a quarter of the files, other ones each time, as new as now; give their paths."""
        self.generation += 1
        number = round(len(self.entries) * TOUCHED)
        chosen = Random(self.generation).sample(self.entries, number)
        for entry in chosen:
            _write(self.folder / entry.path, content(entry, self.generation))
        return {entry.path for entry in chosen}


def write(folder: Path, *, files: int = FILES) -> Website:
    """Write a site of so many files; fewer than the usual keep the proportions."""
    entries, reachable = plan(files)
    for entry in entries:
        path = folder / entry.path
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, content(entry, 0))
        modified = FIRST_MODIFIED + entry.number * 997
        os.utime(path, (modified, modified))
    return Website(folder, entries, reachable)


def plan(files: int) -> tuple[tuple[Entry, ...], frozenset[str]]:
    """Decide on every file; also give the paths a crawl from the home page finds."""
    random = Random(5_268)
    kinds = [HTML, *random.choices(KINDS, [kind.share for kind in KINDS], k=files - 1)]
    paths = [HOME, *(_path(number, kind) for number, kind in enumerate(kinds) if number)]
    sizes = _sizes(random, kinds, total=round(files * BYTES / FILES))
    found = paths[: max(1, round(files * REACHABLE / FILES))]
    links = _links(found) | _links(paths[len(found) :])
    entries = (
        Entry(number, path, kind, size, links.get(path, ()))
        for number, (path, kind, size) in enumerate(zip(paths, kinds, sizes, strict=True))
    )
    return tuple(entries), frozenset(found)


def content(entry: Entry, generation: int) -> bytes:
    """Give the bytes of a file, `size` of them; pages grow by what their links need."""
    random = Random(entry.number * 1_000 + generation)
    if entry.kind.magic:
        # Pictures and papers come compressed: nobody on the way can make them smaller.
        return entry.kind.magic + random.randbytes(entry.size - len(entry.kind.magic))
    if entry.kind is not HTML:
        return _text(random, entry.size)
    here = os.path.dirname(entry.path)
    links = "".join(f'<li><a href="{_relative(link, here)}">{link}</a></li>\n' for link in entry.links)
    head = (
        '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8">'
        f'<title>{entry.path}</title><meta name="description" content="Page {entry.number}"></head>\n'
        f"<body>\n<ul>\n{links}</ul>\n<p>"
    ).encode()
    tail = b"</p>\n</body>\n</html>\n"
    return head + _text(random, max(0, entry.size - len(head) - len(tail))) + tail


def seed_page(paths: Iterable[str]) -> bytes:
    """Give a page that links to every path, from the root."""
    links = "".join(f'<a href="{quote(path)}">{path}</a>\n' for path in paths)
    return f'<!DOCTYPE html>\n<html lang="en">\n<title>Everything</title>\n{links}</html>\n'.encode()


def sha256(data: bytes) -> str:
    """Give the fingerprint that decides whether a file arrived as it is."""
    return hashlib.sha256(data).hexdigest()


def _path(number: int, kind: Kind) -> str:
    # Ten files a folder, two deep, as sites of people's own pages are.
    return f"people/u{number // 60:03}/part{number // 10 % 6}/f{number:05}.{kind.suffix}"


def _sizes(random: Random, kinds: list[Kind], *, total: int) -> list[int]:
    drawn = [
        min(LARGEST, max(SMALLEST, round(random.lognormvariate(log(kind.median), kind.spread))))
        for kind in kinds
    ]
    # The text stays as drawn; what has weight is stretched until the sum is right.
    heavy = [number for number, kind in enumerate(kinds) if kind.magic]
    if not heavy:
        return drawn
    wanted = total - sum(size for size, kind in zip(drawn, kinds, strict=True) if not kind.magic)
    factor = wanted / sum(drawn[number] for number in heavy)
    for number in heavy:
        drawn[number] = max(SMALLEST, int(drawn[number] * factor))
    drawn[heavy[0]] += total - sum(drawn)
    return drawn


def _links(paths: list[str]) -> dict[str, tuple[str, ...]]:
    """Hang every path below an earlier page, so many to a page, and each page back to the first."""
    pages = [path for path in paths if path.endswith(".html")]
    links: dict[str, list[str]] = {page: [] for page in pages}
    # Pages first: then even the last of them is reached before the links run out.
    order = pages[1:] + [path for path in paths if not path.endswith(".html")]
    for number, path in enumerate(order):
        links[pages[min(number // FAN_OUT, len(pages) - 1)]].append(path)
    return {page: tuple(found) for page, found in links.items()}


def _relative(path: str, start: str) -> str:
    return quote(os.path.relpath(path, start or "."))


def _text(random: Random, size: int) -> bytes:
    pool = _pool()
    start = random.randrange(len(pool) // 2)
    return (pool[start:] + pool * (size // len(pool) + 1))[:size]


@cache
def _pool() -> bytes:
    return " ".join(words.english().draw(Random(11), 60_000)).encode()


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)
