"""The description of a document in Dublin Core: what somebody said of it, what it says itself, what it is.

Beside `extracted`, which keeps all that there is; this is what every harvester can read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from windrow.formats.dcmi_types import dcmi_type
from windrow.formats.extracted import Facts, Given, Place
from windrow.formats.plain_dc import write_plain_dc


def write_document_dc(place: Place, facts: Facts, given: Sequence[Given], *, archive: str = "") -> bytes:
    """Give one `<oai_dc:dc>` element. `archive` is the identifier of the archive that the document is in."""
    said = _told(facts, given)
    names = {name for name, words in said if words.strip()}
    elements = [("identifier", place.address), *said, *_measured(facts)]
    if "title" not in names:
        elements.append(("title", (place.member or place.path).rpartition("/")[2]))
    if "date" not in names:
        elements.append(("date", place.modified))
    if not any(fact.name == "type" for fact in given):
        elements.append(("type", dcmi_type(facts.media_type)))
    if "language" not in names:
        elements += [("language", words) for name, words in facts.facts if name == "detected-language"]
    elements += [("format", facts.media_type), ("format", f"{place.size} bytes"), ("relation", archive)]
    return write_plain_dc(elements)


def _told(facts: Facts, given: Sequence[Given]) -> list[tuple[str, str]]:
    """What is said: by those who gave it, and of the rest by the document itself."""
    told = {fact.name for fact in given}
    own = [fact for fact in facts.facts if fact[0] not in told]
    return [*((fact.name, fact.value) for fact in given), *own]


def _measured(facts: Facts) -> Iterator[tuple[str, str]]:
    measured = dict(facts.facts)
    pages, width, height, seconds = map(measured.get, ("pages", "width", "height", "seconds"))
    if pages:
        yield "format", f"{pages} pages" if pages != "1" else "1 page"
    if width and height:
        yield "format", f"{width} x {height} pixels"
    if seconds:
        yield "format", f"{seconds} seconds"
    if measured.get("latitude") and measured.get("longitude"):
        # DCMI Point: how Dublin Core writes a place on the map.
        yield "coverage", f"north={measured['latitude']}; east={measured['longitude']}"
