"""One event of a document as a query sees it, inside `event:( … )`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from windrow.model.document import Event
from windrow.model.query_fields import EVENT_FIELDS
from windrow.model.view import View


class EventView(View):
    """Nothing but what the event itself says: what its document says is no matter here."""

    usual = EVENT_FIELDS

    def __init__(self, event: Event) -> None:
        super().__init__()
        self._event = event

    @property
    def events(self) -> Sequence[View]:
        """Itself: an event within an event is the same one."""
        return (self,)

    def texts(self, field: str) -> list[tuple[str, str | None]]:
        """What stands in a field, in the event's language."""
        return [(value, self._event.language) for value in self.values(field)]

    def _look(self, field: str) -> Iterable[str]:
        if field == "language" or field in EVENT_FIELDS:
            yield getattr(self._event, field) or ""
