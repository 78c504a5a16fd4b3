"""Notices about a query in the language of the page: parser mistakes, ignored parameters, how it was read.

The parser reports mistakes as English sentences, which are matched against message templates here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice

from windrow.model.query import And, AtLeast, Not, Or, Phrase, Query, SameEvent, Word
from windrow.protocols.query.query_tokens import Mistake
from windrow.search.request import SENTENCES, Notice
from windrow.web.i18n.translation import Translator, message

MISTAKES = (
    message("the phrase is too long"),
    message("{field} wants a number or a range such as 2010..2014"),
    message("{field} wants a date such as 2014-05-03"),
    message('"{text}" has no letters or digits'),
    message("at most {most} other words can be between the words of a phrase"),
    message("there is nothing to look for here"),
    message("no word is as long as this"),
    message("a word cannot have wildcards and be taken roughly at once"),
    message("a word can have {most} stars at most"),
    message("a query can have {most} wildcards inside words, tildes and ranges of words at most"),
    message("more than {most} letters cannot differ"),
    message("a weight must be more than nothing"),
    message("a tilde wants 1 or 2 after it, a weight a number such as ^2 or ^0.5"),
    message("a tilde or a weight after a phrase wants a number, as in ~5 or ^2"),
    message("this range ends before it begins"),
    message("this quotation mark has no partner"),
    message('there is no field "{name}"; did you mean {near}?'),
    message('there is no field "{name}"'),
    message("this range was not understood; write [2010..2014]"),
    message("brackets are nested too deeply here"),
    message("this bracket closes nothing"),
    message("this bracket is never closed"),
    message("a query has at most {most} characters"),
    message("nothing follows {name}: (a word is written right after the colon)"),
    message("a field is followed by its word at once, as in {name}:word"),
    message("there is nothing in these brackets"),
    message("NOT has nothing after it"),
    message("{name} has nothing beside it"),
)
REMEDIES = (
    message("its first {most} words were taken"),
    message("it finds nothing"),
    message("what follows was searched for in all fields"),
    message("it was left out"),
    message("{most} was taken"),
    message("its first {most} characters were taken"),
    message("the tilde was ignored"),
    message("it was ignored"),
    message("it was turned round"),
    message("the rest of it was left out"),
    message("it was searched for as a word"),
    message("its brackets were ignored"),
    message("these were ignored"),
    message("it was closed at the end"),
    message("they were left out"),
)
_GAP = re.compile(r"\\\{(\w+)\\\}")
_MAX_SENTENCE_LENGTH = 500


@dataclass(frozen=True, slots=True)
class ExplainedMistake:
    """A mistake as text, and the language of that text."""

    words: str
    language: str


def explain_mistakes(mistakes: Iterable[Mistake], tongue: Translator) -> list[ExplainedMistake]:
    return [explain_mistake(mistake, tongue) for mistake in mistakes]


def explain_mistake(mistake: Mistake, tongue: Translator) -> ExplainedMistake:
    """Return what was wrong and how it was read; in English if the sentence has no known template."""
    what, done = match_message(mistake.message, MISTAKES), match_message(mistake.done, REMEDIES)
    if what is None or done is None:
        return ExplainedMistake(str(mistake), "en")
    place = tongue.say("at character {place}", place=str(mistake.position + 1))
    said = (tongue.say(text, **values) for text, values in (what, done))
    return ExplainedMistake(f"{place}: {'; '.join(said)}", tongue.code)


def match_message(sentence: str, known: tuple[str, ...]) -> tuple[str, dict[str, str]] | None:
    """Return the template of a sentence, with the values of its placeholders; None if unknown."""
    for text in known:
        found = _sentence_pattern(text).fullmatch(sentence[:_MAX_SENTENCE_LENGTH])
        if found is not None:
            return text, found.groupdict()
    return None


@cache
def _sentence_pattern(text: str) -> re.Pattern[str]:
    return re.compile(_GAP.sub(r"(?P<\1>.+)", re.escape(text)), re.DOTALL)


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
