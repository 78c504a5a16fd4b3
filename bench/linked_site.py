"""The web site of the part `crawl`: linked pages of about 10 KB, a third of them with metadata, on nginx.

Every page hangs below an earlier one, and all link to the same few as menus do. A page holds a server-side
include of its own address: a comment, unless the server is asked to show the site several times over, as
copies whose texts differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from bench import nginx, words

PAGES = 5_740
FAN_OUT = 8  # pages that hang below each
MENU = 16  # links that all pages have in common
PER_FOLDER = 60
PAGE_BYTES = 10_000
ROBOTS = "User-agent: *\nDisallow: /private/\n"
LOCATIONS = """\
        root {folder};
        index index.html;
        types {{ text/html html; text/plain txt; }}
        default_type text/plain;
        location /copies/ {{ alias {copies}/; }}
        location ~ ^/copy[0-9]+/(.*)$ {{ alias {folder}/$1; index index.html; ssi on; }}
"""


@dataclass(frozen=True, slots=True)
class LinkedSite:
    """A folder of pages."""

    folder: Path
    pages: int

    @property
    def paths(self) -> list[str]:
        """Return the paths of all pages; the first is the start page."""
        return [path_of(number) for number in range(self.pages)]

    @property
    def records(self) -> int:
        """Return how many pages have metadata."""
        return sum(map(has_metadata, range(self.pages)))


@dataclass(frozen=True, slots=True)
class Served:
    """A site on the wire."""

    site: LinkedSite
    port: int
    log: Path

    @property
    def url(self) -> str:
        """Return the address of its start page."""
        return f"http://{nginx.HOST}:{self.port}/"

    @property
    def copies_url(self) -> str:
        """Return the address of a page that leads to every copy."""
        return f"{self.url}copies/index.html"

    def requests(self) -> int:
        """Return how many requests were answered so far."""
        return len(nginx.read_log(self.port, self.log))


def path_of(number: int) -> str:
    """Return the path of a page."""
    return "" if number == 0 else f"d{number // PER_FOLDER:03}/p{number:05}.html"


def has_metadata(number: int) -> bool:
    """Return True for a page that makes a record."""
    return number % 3 == 1


def write(folder: Path, *, pages: int = PAGES) -> LinkedSite:
    """Write a site of so many pages."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "robots.txt").write_text(ROBOTS)
    for number in range(pages):
        path = folder / (path_of(number) or "index.html")
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(page(number, pages))
    return LinkedSite(folder, pages)


def page(number: int, pages: int) -> bytes:
    """Return a page. Nine in ten declare their language, as most pages do."""
    random = Random(number)
    below = range(number * FAN_OUT + 1, min((number + 1) * FAN_OUT, pages - 1) + 1)
    others = [random.randrange(pages) for _ in range(4)]
    menu = range(min(MENU, pages))
    links = "".join(
        f'<li><a href="{_relative(number, other)}">{" ".join(_words(random, 3))}</a></li>\n'
        for other in (*menu, *below, *others)
    )
    metadata = _metadata(random) if has_metadata(number) else ""
    language = "" if number % 10 == 9 else ' lang="en"'
    head = (
        f'<!DOCTYPE html>\n<html{language}>\n<head><meta charset="utf-8"><title>Page {number}</title>\n'
        f"{metadata}</head>\n<body>\n"
        f'<h1>Page {number}</h1>\n<!--# echo var="request_uri" -->\n<ul class="menu">\n{links}</ul>\n'
    )
    parts, size = [head], len(head)
    while size < PAGE_BYTES:
        text = " ".join(_words(random, 60))
        parts.append(f'<h2>{text[:40]}</h2>\n<p class="text">{text} <b>{text[:30]}</b>.</p>\n')
        size += len(parts[-1])
    return "".join((*parts, "</body>\n</html>\n")).encode()


@contextmanager
def serve(site: LinkedSite, run: Path, *, copies: int = 0) -> Iterator[Served]:
    """Serve a site until the block ends; `run` is a folder for the configuration and the logs."""
    listing = run / "copies"
    listing.mkdir(parents=True, exist_ok=True)
    links = "".join(f'<a href="/copy{number}/">Copy {number}</a>\n' for number in range(copies))
    (listing / "index.html").write_text(f'<!DOCTYPE html>\n<html lang="en">\n<title>Copies</title>\n{links}')
    locations = LOCATIONS.format(folder=site.folder, copies=listing)
    with nginx.started(run, locations=locations, connections=256) as (_pid, port):
        yield Served(site, port, run / "access.log")


def _metadata(random: Random) -> str:
    fields = {
        "DC.Title": " ".join(_words(random, 6)),
        "DC.Creator": words.name(random),
        "DC.Subject": " ".join(_words(random, 2)),
        "DC.Description": " ".join(_words(random, 25)),
        "DC.Date": f"20{random.randrange(10, 26)}-0{random.randrange(1, 10)}-1{random.randrange(10)}",
    }
    return "".join(f'<meta name="{name}" content="{content}">\n' for name, content in fields.items())


def _relative(number: int, other: int) -> str:
    """Return the address of a page as another one links to it."""
    return f"{'../' if number else ''}{path_of(other)}" or "./"


def _words(random: Random, number: int) -> list[str]:
    return _english().draw(random, number)


@cache
def _english() -> words.Words:
    return words.english()
