"""What a face answers at once at one of its paths: without waiting for anything, so that no task is needed.

A face that has an `at_once` is asked for this by `app`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from windrow.faces.shared.response import Header


class Prompt(NamedTuple):
    """For programs without credentials: queries with this mark in them have this answer, status 200."""

    mark: bytes
    answer: Callable[[bytes], bytes]  # the query; what goes wrong it raises, as any face does
    headers: tuple[Header, ...]
