"""How a search was read: said where nothing was found and its signs may not have been meant as such."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from windrow.faces.shared.tongue import Tongue
from windrow.model.query import And, AtLeast, Not, Or, Phrase, Query, SameEvent, Word

MOST = 5  # conditions that are told


def read_as(query: Query, tongue: Tongue) -> str:
    """Say what was made of the signs in a query; nothing of one that has none."""
    return ", ".join(islice(_told(query, tongue), MOST))


def _told(query: Query, tongue: Tongue) -> Iterator[str]:
    match query:
        case And(parts) | Or(parts) | AtLeast(_, parts):
            for part in parts:
                yield from _told(part, tongue)
        case SameEvent(part):
            yield from _told(part, tongue)
        case Not(part):
            yield tongue.say("without “{words}”", words=_short(part))
        case Word(text, is_pattern=True):
            yield tongue.say("“{word}” with any letters for * and ?", word=text)
        case Word(text, str(field)):
            yield tongue.say("“{words}” in the field {field}", words=text, field=field)
        case Phrase(words, str(field)):
            yield tongue.say("“{words}” in the field {field}", words=" ".join(words), field=field)
        case Phrase(words) if len(words) > 1:
            yield tongue.say("“{words}” side by side", words=" ".join(words))


def _short(query: Query) -> str:
    return query.text if isinstance(query, Word) and query.field is None else str(query)
