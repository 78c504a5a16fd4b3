"""What HTTP itself refuses, before any protocol above it is spoken. `app` makes a response of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


class Refused(Exception):
    """The request ends here with an HTTP status and a sentence for whoever sent it.

    With `values` the sentence is a message with gaps; pages translate it before they are filled.
    """

    def __init__(
        self,
        status: int,
        words: str,
        *,
        headers: Sequence[tuple[bytes, bytes]] = (),
        values: Mapping[str, int | str] | None = None,
    ) -> None:
        super().__init__(words.format(**_written(values)) if values else words)
        self.status = status
        self.message = words
        self.values = values or {}
        self.headers = tuple(headers)


def _written(values: Mapping[str, int | str]) -> dict[str, str]:
    return {name: f"{value:,}" if isinstance(value, int) else value for name, value in values.items()}


def check_method(method: str, allowed: tuple[str, ...]) -> None:
    """Refuse a method that is not among those allowed."""
    if method not in allowed:
        listed = ", ".join(allowed)
        raise Refused(405, f"This address takes {listed}.", headers=[(b"allow", listed.encode())])


def check_read(method: str) -> None:
    """Refuse every method but GET and HEAD."""
    check_method(method, ("GET", "HEAD"))
