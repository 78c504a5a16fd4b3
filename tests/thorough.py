"""How much is tried where any number would do: little at every change, all of it with WINDROW_THOROUGH=1."""

from __future__ import annotations

import os

IS_THOROUGH = os.environ.get("WINDROW_THOROUGH") == "1"
_LESS = 3


def tries(many: int) -> int:
    """Give how many examples a test draws at random: so many where one is thorough, a third otherwise.

    They are others at every run: what a third misses today is met on another day.
    """
    return many if IS_THOROUGH else -(-many // _LESS)
