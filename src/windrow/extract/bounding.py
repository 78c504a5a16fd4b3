"""Keeps what a reader gave within what may be kept of one file, in the child, before it is sent.

Readers have bounds of their own; these hold for all of them, and for those that other packages bring.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from windrow.model.extract import TEXT_CUT, Extract

FACTS = 500
FACT_CHARACTERS = 20_000
HEADINGS = 5_000
HEADING_CHARACTERS = 500
PAGES = 50_000
NOTES = 50


def bounded(extract: Extract, characters: int) -> Extract:
    """Give an extract with at most so many characters of text; a note says what was left out."""
    text, is_whole = _text(extract.text, characters)
    left_out = (
        () if is_whole else (f"Only the beginning of its text was kept, {characters:,} characters at most.",)
    )
    return replace(
        extract,
        said=_facts(extract.said),
        measured=(*_facts(extract.measured), *(() if is_whole else (TEXT_CUT,))),
        text=text,
        headings=tuple(
            heading._replace(title=heading.title[:HEADING_CHARACTERS])
            for heading in extract.headings[:HEADINGS]
        ),
        notes=tuple(note[:FACT_CHARACTERS] for note in extract.notes[:NOTES]) + left_out,
    )


def _facts(facts: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((name, value[:FACT_CHARACTERS]) for name, value in tuple(facts)[:FACTS])


def _text(pages: tuple[str, ...], characters: int) -> tuple[tuple[str, ...], bool]:
    if len(pages) <= PAGES and sum(map(len, pages)) <= characters:
        return pages, True
    kept, left = [], characters
    for page in pages[:PAGES]:
        kept.append(page[:left])
        left -= len(kept[-1])
        if not left:
            break
    return tuple(kept), False
