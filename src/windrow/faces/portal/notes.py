"""What was odd about the address of a search, in the language of the page."""

from __future__ import annotations

from collections.abc import Mapping

from windrow.faces.shared.catalogues import message
from windrow.faces.shared.tongue import Tongue
from windrow.finding.notes import Note

# By the codes of `finding.notes`; the names in braces are its values in their order.
_NOTES: Mapping[str, str] = {
    "bad_number": message("{0} is no number for {1}; {2} was taken."),
    "number_bounded": message("{1} cannot be {0}; {2} was taken."),
    "bad_order": message("Results cannot be sorted by {0}."),
    "bad_year": message("{0} is neither a year nor years as in 2010..2014; it was left out."),
    "unknown_collection": message("There is no collection {0}; everything was searched."),
    "many_values": message("At most {0} filters can be set at once; the others were left out."),
    "deepest": message(
        "Only the first {0} of {1} results are shown. A narrower search, or an export, shows the rest."
    ),
    "beyond_end": message("There is no page {0}; this is the last one."),
}


def said(note: Note, tongue: Tongue) -> str:
    """Say a note."""
    known = _NOTES.get(note.code)
    return str(note) if known is None else tongue.say(known, *note.values)
