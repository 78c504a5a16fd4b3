"""Notices about a query in the language of the page: mistakes, ignored parameters, how it was read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from windrow.model.query import And, AtLeast, Not, Or, Phrase, Query, SameEvent, Word
from windrow.protocols.query.mistakes import Mistake
from windrow.search.request import SENTENCES, Notice
from windrow.web.i18n.translation import Translator


def explain_mistakes(mistakes: Iterable[Mistake], tongue: Translator) -> list[str]:
    """Return what was wrong with a query and how it was read, a text for each mistake."""
    return [explain_mistake(mistake, tongue) for mistake in mistakes]


def explain_mistake(mistake: Mistake, tongue: Translator) -> str:
    place = tongue.say("at character {place}", place=str(mistake.position + 1))
    values = dict(mistake.parameters)
    what, done = (tongue.say(each.value, **values) for each in (mistake.code, mistake.remedy))
    return f"{place}: {what}; {done}"


def explain_notes(notes: Iterable[Notice], tongue: Translator) -> list[str]:
    return [tongue.say(SENTENCES[note.code], *note.values) for note in notes]


def explain_filter_notes(notes: Iterable[Notice], tongue: Translator) -> list[str]:
    """Explain only the notices about filters: for pages that have no choice of order and no page numbers."""
    return explain_notes((note for note in notes if note.is_of_filter), tongue)


# How a search was read: shown where nothing was found and its operators may not have been meant as such.

_MAX_READ_PARTS = 5  # conditions that are listed


def explain_reading(query: Query, tongue: Translator) -> str:
    """Describe how the operators in a query were read; empty if it has none."""
    return ", ".join(islice(_reading_words(query, tongue), _MAX_READ_PARTS))


def _reading_words(query: Query, tongue: Translator) -> Iterator[str]:
    match query:
        case And(parts) | Or(parts) | AtLeast(_, parts):
            for part in parts:
                yield from _reading_words(part, tongue)
        case SameEvent(part):
            yield from _reading_words(part, tongue)
        case Not(part):
            yield tongue.say("without “{words}”", words=_shorten(part))
        case Word(text, is_pattern=True):
            yield tongue.say("“{word}” with any letters for * and ?", word=text)
        case Word(text, str(field)):
            yield tongue.say("“{words}” in the field {field}", words=text, field=field)
        case Phrase(words, str(field)):
            yield tongue.say("“{words}” in the field {field}", words=" ".join(words), field=field)
        case Phrase(words) if len(words) > 1:
            yield tongue.say("“{words}” side by side", words=" ".join(words))


def _shorten(query: Query) -> str:
    return query.text if isinstance(query, Word) and query.field is None else str(query)
