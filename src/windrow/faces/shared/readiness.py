"""Whether an index can be believed: one that is still being made finds too little, and is not quoted.

Nor is an answer put together from two states of it, when another takes its place meanwhile.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Protocol, runtime_checkable

from windrow.faces.shared.catalogues import message
from windrow.faces.shared.refusal import Refused
from windrow.index.protocol import Index

NOT_READY = message("The index of this library is being made. Until it is whole, nothing can be searched.")
READY_SECONDS = 30


@runtime_checkable
class _Growing(Protocol):
    """An index that is made while it is asked."""

    @property
    def is_ready(self) -> bool:
        """Whether it has been up to date once."""


@runtime_checkable
class _Moving(Protocol):
    """An index that is replaced while it is asked."""

    def keeping_still(self) -> AbstractContextManager[None]:
        """Let this thread see one state of it while the block lasts."""


def keeping_still(index: Index) -> AbstractContextManager[None]:
    """Let everything that this thread asks in the block be answered from one state of the index."""
    return index.keeping_still() if isinstance(index, _Moving) else nullcontext()


def check_ready(index: Index) -> None:
    """Refuse as long as not everything can be found; an index that does not tell is whole."""
    if isinstance(index, _Growing) and not index.is_ready:
        raise Refused(503, NOT_READY, headers=[(b"retry-after", str(READY_SECONDS).encode())])
