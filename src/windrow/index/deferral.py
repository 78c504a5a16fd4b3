"""Questions that are asked in a hurry: what would take longer is put off instead of answered.

A server answers quick questions apart from slow ones, so that those never wait for these. Which a question is
depends on its estimated cost, which only the index knows: a request is therefore made in a hurry first, and a
second time without if that raised `Deferred`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

QUICK_MICROSECONDS = 50_000.0  # of one processor, estimated, each time the index is asked

_thread = threading.local()


class Deferred(Exception):
    """The answer would take too long to be made in a hurry."""


@contextmanager
def hurrying() -> Iterator[None]:
    """Let what this thread does in the block raise Deferred rather than take long."""
    _thread.is_hurried = True
    try:
        yield
    finally:
        _thread.is_hurried = False


def is_hurried() -> bool:
    """Return whether this thread is in a hurry."""
    return getattr(_thread, "is_hurried", False)
