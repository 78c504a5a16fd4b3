"""What is wrong with the parameters of a request, each fault by its parameter."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

MOST_FAULTS = 20


class Fault(NamedTuple):
    """What is wrong with one parameter."""

    parameter: str
    detail: str


class BadRequest(Exception):
    """A request with faults in its parameters."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)[:MOST_FAULTS]
        super().__init__("; ".join(f"{fault.parameter} {fault.detail}" for fault in self.faults))

    @property
    def sentence(self) -> str:
        """All of them in one sentence, with its mark at the end."""
        words = str(self)
        return words if words.endswith("?") else f"{words}."
