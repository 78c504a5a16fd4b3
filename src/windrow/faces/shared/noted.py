"""What was odd about an address, in the language of the page that works around it."""

from __future__ import annotations

from collections.abc import Iterable

from windrow.faces.shared.tongue import Tongue
from windrow.finding.notes import SENTENCES, Note


def tell_notes(notes: Iterable[Note], tongue: Tongue) -> list[str]:
    """Say each of them."""
    return [tongue.say(SENTENCES[note.code], *note.values) for note in notes]


def tell_filters(notes: Iterable[Note], tongue: Tongue) -> list[str]:
    """Say those about filters: for pages that are in one order, and have pages of their own or none."""
    return tell_notes((note for note in notes if note.is_of_filter), tongue)
