"""What `windrow stats` counts: words, whose mistakes are explained, and filters, which must be right.

Scripts take what is printed for what they asked for: a filter that means nothing is an error, as it is in the
files of the portal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from windrow.cli.terminal import hint, printable
from windrow.errors import NotFound, UsageError

if TYPE_CHECKING:
    from windrow.finding.question import Question
    from windrow.wiring import Library

Filters = Sequence[tuple[str, str]]


def read_options(opened: Library, words: str, filters: Filters) -> Question:
    """Give the question in the words and filters of a command; UsageError for a filter that is wrong."""
    from windrow.finding.question import read_question

    for name, value in filters:
        _check(opened, name, value)
    types = opened.types.of_collection(dict(filters).get("collection", ""))
    sources = opened.config.collection_sources
    question = read_question(
        [("q", words), *filters], collections=sources, types=types, expander=opened.expander
    )
    if question.notes:
        raise UsageError(printable(" ".join(note.fault for note in question.notes)))
    for mistake in question.mistakes:
        hint(printable(mistake.sentence))
    return question


def _check(opened: Library, name: str, value: str) -> None:
    if not value.strip():  # a variable of a script that is not set
        raise UsageError(f"--{name} is empty")
    if name == "source":
        _check_source(opened, value.strip())
    if name == "collection":
        _check_collection(opened, value.strip())


def _check_source(opened: Library, name: str) -> None:
    from windrow.model.query import Value

    # Of one that was taken out of windrow.toml alone, the records are still there.
    if not opened.index.count(Value(name, "source")):
        opened.source(name)


def _check_collection(opened: Library, name: str) -> None:
    known = opened.config.collections
    if name not in known:
        listed = ", ".join(sorted(known)) or "none yet"
        raise NotFound(f"there is no collection {name!r}", hint=f"The collections of this library: {listed}.")
