"""Whether an index can be believed: one that is still being made finds too little, and is not quoted."""

from __future__ import annotations

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


def check_ready(index: Index) -> None:
    """Refuse as long as not everything can be found; an index that does not tell is whole."""
    if isinstance(index, _Growing) and not index.is_ready:
        raise Refused(503, NOT_READY, headers=[(b"retry-after", str(READY_SECONDS).encode())])
