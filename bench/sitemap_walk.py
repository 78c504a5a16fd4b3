"""All sitemaps of a server read as engines read them: the index, then the files it names.

After `crawler`, before the part `gateway`. Files that did not change are told by their validators.
"""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from bench.crawler import Crawler
from bench.errors import ContestantError

INDEX = "/sitemap.xml"
FILE = re.compile(rb"<loc>([^<]{1,4000}\.xml\.gz)</loc>")
PAGES = "/-pages.xml.gz"  # what is no record


@dataclass(slots=True)
class Walked:
    """What was read: files that came, packed, and how many were as before."""

    files: list[bytes] = field(default_factory=list)
    unchanged: int = 0
    tags: dict[str, str] = field(default_factory=dict)

    @property
    def body_bytes(self) -> int:
        """On the wire."""
        return sum(map(len, self.files))

    def records(self) -> int:
        """Count the addresses in the files that came: unpacking is left until nobody's time is taken."""
        return sum(map(_addresses, self.files))


def walk(crawler: Crawler, before: Walked | None = None) -> Walked:
    """Read the index and every file in it; what was read `before` only where it is another now."""
    known, walked = before.tags if before else {}, Walked()
    index = crawler.ask(INDEX)
    if index.status != 200:
        raise ContestantError(f"{INDEX}: HTTP {index.status}")
    for address in FILE.findall(index.text):
        path = urlsplit(address.decode()).path
        if not path.endswith(PAGES):
            _read(crawler, path, known.get(path, ""), walked)
    return walked


def _read(crawler: Crawler, path: str, tag: str, walked: Walked) -> None:
    answer = crawler.ask(path, tag=tag)
    if answer.status not in (200, 304):
        raise ContestantError(f"{path}: HTTP {answer.status}")
    walked.tags[path] = answer.tag or tag
    if answer.status == 304:
        walked.unchanged += 1
    else:
        walked.files.append(answer.body)


def count(folder: Path) -> int:
    """Count the records that sitemaps in a folder name."""
    files = (path for path in folder.rglob("*.xml.gz") if not PAGES.endswith(path.name))
    return sum(_addresses(path.read_bytes()) for path in files)


def _addresses(file: bytes) -> int:
    return gzip.decompress(file).count(b"<loc>")
