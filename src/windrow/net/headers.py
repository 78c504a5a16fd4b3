"""The headers of an answer: `response` reads them, everybody else looks them up here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping


class Headers(Mapping[str, str]):
    """Looked up whatever the case of the name; a header that came several times is one with commas."""

    def __init__(self, items: Iterable[tuple[str, str]]) -> None:
        self._values: dict[str, list[str]] = {}
        for name, value in items:
            self._values.setdefault(name.lower(), []).append(value)

    def __getitem__(self, name: str) -> str:
        return ", ".join(self._values[name.lower()])

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def all(self, name: str) -> tuple[str, ...]:
        """Give every value of a header that may come several times, such as Set-Cookie."""
        return tuple(self._values.get(name.lower(), ()))
