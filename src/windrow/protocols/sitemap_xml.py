"""Sitemaps (sitemaps.org, 0.9): index files and files of addresses.

The same values always yield the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from xml.sax.saxutils import escape

MOST_ADDRESSES = 50_000  # in one file, and files in one index
MOST_BYTES = 50 * 1024 * 1024  # of one file, before it is compressed
LONGEST_ADDRESS = 2047
# Length with `&` and `'` escaped. Files of 20,000 addresses then never exceed the size limit.
LONGEST_WRITTEN = 2500

_SPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_SPECIAL = "&<>'\""
_QUOTES = {"'": "&apos;", '"': "&quot;"}


def render_lastmod(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def render_index(files: Iterable[tuple[str, str | None]]) -> bytes:
    body = "".join(f"<sitemap><loc>{_words(url)}</loc>{_lastmod(at)}</sitemap>\n" for url, at in files)
    return f'{_HEAD}<sitemapindex xmlns="{_SPACE}">\n{body}</sitemapindex>\n'.encode()


def render_pages(urls: Iterable[str]) -> bytes:
    return _file("".join(f"<url><loc>{_words(url)}</loc></url>\n" for url in urls))


def render_records(start: str, paths: Sequence[str], moments: Iterable[str]) -> bytes:
    """Return a file of addresses with the same prefix, with the last change of each.

    Addresses longer than the protocol allows are left out.
    """
    begun, written = _words(start), paths
    together = "".join(paths)
    if any(letter in together for letter in _SPECIAL):
        written = [_words(path) for path in paths]
    longest = max(map(len, written), default=0)
    if len(begun) + longest > LONGEST_ADDRESS:
        return _file("".join(_short_enough(start, paths, moments)))
    return _file(
        "".join(
            [
                f"<url><loc>{begun}{path}</loc><lastmod>{at}</lastmod></url>\n"
                for path, at in zip(written, moments, strict=True)
            ]
        )
    )


def _short_enough(start: str, paths: Sequence[str], moments: Iterable[str]) -> Iterable[str]:
    for path, at in zip(paths, moments, strict=True):
        written = _words(start + path)
        if len(start) + len(path) <= LONGEST_ADDRESS and len(written) <= LONGEST_WRITTEN:
            yield f"<url><loc>{written}</loc><lastmod>{at}</lastmod></url>\n"


def _file(body: str) -> bytes:
    return f'{_HEAD}<urlset xmlns="{_SPACE}">\n{body}</urlset>\n'.encode()


def _lastmod(at: str | None) -> str:
    return f"<lastmod>{at}</lastmod>" if at else ""


def _words(url: str) -> str:
    return escape(url, _QUOTES)
