"""How a request is turned down: `arguments` and `resumption` raise it, the face too, `render` writes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

Pairs = Sequence[tuple[str, str]]

# What is wrong with these two cannot be repeated as attributes (OAI-PMH 2.0, section 3.2).
NOT_ECHOED = frozenset({"badVerb", "badArgument"})


class OaiError(NamedTuple):
    """One error element of an answer: the protocol's word for it, and ours."""

    code: str
    message: str


class Refused(Exception):
    """A request that the protocol has errors for. `echo` is what the answer's request element repeats."""

    def __init__(self, errors: Sequence[OaiError], echo: Pairs = ()) -> None:
        super().__init__("; ".join(f"{each.code}: {each.message}" for each in errors))
        self.errors = tuple(errors)
        self.echo = () if any(each.code in NOT_ECHOED for each in errors) else tuple(echo)


def refuse(code: str, message: str, *, echo: Pairs = ()) -> Refused:
    """Give the refusal with this one error, to be raised."""
    return Refused((OaiError(code, message),), echo)
