"""Names of people apart: family, given, suffix. What is no person's name, or no sure one, stays whole."""

from __future__ import annotations

import re
from typing import NamedTuple

from windrow.model.folding import words_of

LONGEST_NAME = 300  # characters that are looked at

# "1950-", "b. 1950", "1950-2010": what catalogues add to tell people apart.
_DATES = re.compile(r"^(?:[bd]\.\s*)?\(?(?:ca\.?\s*)?\d{4}\??\s*(?:[-–]\s*(?:\d{4})?)?\)?\.?$")
_SUFFIXES = frozenset(("jr", "jr.", "sr", "sr.", "ii", "iii", "iv", "v"))
# Words of which one is in the name of an organisation, and hardly ever in that of a person.
_WORDS = (
    "university universitet universitetet universitat universite universidad universita yliopisto"
    " ammattikorkeakoulu yrkeshogskola hogskola hogskolan hogskole institute institut institutet instituutti"
    " institution institutionen department departement laitos faculty tiedekunta fakultet fakulteten"
    " ministry ministerio ministeriet ministere committee council commission agency authority keskus"
    " society association foundation saatio stiftelsen federation organisation organization consortium"
    " laboratory library kirjasto bibliotek museum company corporation inc ltd llc gmbh oy oyj"
    " kunta kommun kaupunki government"
)
_ORGANISED = frozenset(_WORDS.split())


class PersonName(NamedTuple):
    """A person's name in its parts."""

    family: str
    given: str
    suffix: str = ""

    def __str__(self) -> str:
        return ", ".join(filter(None, self))


def person_of(name: str) -> PersonName | None:
    """The parts of a name written "Family, Given"; None for organisations and for what cannot be told."""
    family, *rest = (part.strip() for part in name[:LONGEST_NAME].split(","))
    parts = [part for part in rest if part and not _DATES.match(part)]
    if not family or not parts or is_organisation(name):
        return None
    suffixes = [part for part in parts if part.lower() in _SUFFIXES]
    given = [part for part in parts if part.lower() not in _SUFFIXES]
    if len(given) != 1:  # "Barns, Hay and Straw, Ltd": a list of something
        return None
    return PersonName(family, given[0], suffixes[0] if suffixes else "")


def is_organisation(name: str) -> bool:
    """Whether a word in the name tells that it is no person's."""
    return not _ORGANISED.isdisjoint(words_of(name[:LONGEST_NAME]))
