"""One value of one field as a query sees it: for judging the terms of a dictionary by themselves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from windrow.model.view import View


class ValueView(View):
    """Something that has just this value, in a field whose values are kept whole."""

    usual = ()

    def __init__(self, field: str, value: str) -> None:
        super().__init__()
        self._field = field
        self._value = value

    @property
    def events(self) -> Sequence[View]:
        """None."""
        return ()

    def texts(self, field: str) -> list[tuple[str, str | None]]:
        """The value, in no language."""
        return [(value, None) for value in self.values(field)]

    def _look(self, field: str) -> Iterable[str]:
        return (self._value,) if field == self._field else ()
