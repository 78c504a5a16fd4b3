"""What reads a description out of files of some kind: the plug-in point, and who is plugged in.

An installed package adds one as an entry point of the group `windrow.describers`. `describe` asks those that
read a file's media type.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import Protocol

from windrow.plugins import plugged_in

ENTRY_POINTS = "windrow.describers"
BUILT_IN = ("windrow.sources.files.html_head",)  # each offers one as DESCRIBER


class Describer(Protocol):
    """Finds out what a file says of itself."""

    media_types: frozenset[str]  # those it reads
    most_bytes: int  # how much of a file's beginning it wants to see

    def describe(self, beginning: bytes) -> Iterable[tuple[str, str]]:
        """Give elements of Dublin Core with their words, such as ("title", "Home"), in the order to show.

        A beginning without sense gives nothing. Whatever is raised is noted and costs the file nothing but
        its description.
        """
        ...


@cache
def describers() -> dict[str, tuple[Describer, ...]]:
    """Give those that are plugged in by the media types they read; the built-in ones come last."""
    found: dict[str, tuple[Describer, ...]] = {}
    for describer in (
        *plugged_in(ENTRY_POINTS, "describer"),
        *(import_module(module).DESCRIBER for module in BUILT_IN),
    ):
        for media_type in describer.media_types:
            found[media_type] = (*found.get(media_type, ()), describer)
    return found
