"""Handling of Ctrl-C and SIGTERM while a command runs."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def handle_stop_signals(handle: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    """Call `handle` with the number of each signal that means stop, during the block."""
    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
