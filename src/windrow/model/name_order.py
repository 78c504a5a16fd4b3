"""Names of people, with the family name first or last: a phrase finds both."""

from __future__ import annotations

from dataclasses import replace

from windrow.model.person_names import NAME_FIELDS
from windrow.model.query import Phrase

LONGEST_NAME = 4  # words; what is longer is hardly a name


def either_way(phrase: Phrase) -> tuple[Phrase, ...]:
    """The phrase, and what else it stands for where it may be a name: "Ida Aho" for "Aho, Ida"."""
    words = phrase.words
    if phrase.slop or not 1 < len(words) <= LONGEST_NAME:
        return (phrase,)
    turned = {words[-1:] + words[:-1], words[1:] + words[:1]} - {words}
    fields = NAME_FIELDS if phrase.field is None else {phrase.field}.intersection(NAME_FIELDS)
    return (phrase, *(replace(phrase, words=way, field=field) for way in sorted(turned) for field in fields))
