"""Mistakes in query texts: a code for what was wrong, one for how it was handled, and parameters of both.

The values of the codes are the English texts, which pages translate. No mistake ends a search.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

MOST_MISTAKES = 20  # reported; further ones are treated the same way without a message
Parameter = str | int


class MistakeCode(Enum):
    """What was wrong, worded so that a person can correct it."""

    BAD_NUMBER = "{field} wants a number or a range such as 2010..2014"
    BAD_DATE = "{field} wants a date such as 2014-05-03"
    BAD_RANGE = "this range was not understood; write [2010..2014]"
    BACKWARD_RANGE = "this range ends before it begins"
    LONG_QUERY = "a query has at most {most} characters"
    LONG_PHRASE = "the phrase is too long"
    LONG_WORD = "no word is as long as this"
    FAR_APART = "at most {most} other words can be between the words of a phrase"
    NO_LETTERS = '"{text}" has no letters or digits'
    NOTHING_SOUGHT = "there is nothing to look for here"
    WILDCARD_AND_TILDE = "a word cannot have wildcards and be taken roughly at once"
    MANY_STARS = "a word can have {most} stars at most"
    MANY_SCANS = "a query can have {most} wildcards inside words, tildes and ranges of words at most"
    MANY_EDITS = "more than {most} letters cannot differ"
    NO_WEIGHT = "a weight must be more than nothing"
    BAD_SUFFIX = "a tilde wants 1 or 2 after it, a weight a number such as ^2 or ^0.5"
    BAD_PHRASE_SUFFIX = "a tilde or a weight after a phrase wants a number, as in ~5 or ^2"
    BAD_LEAST = "a number after brackets says how many of several words must be there, as in (a b c)~2"
    LONE_QUOTE = "this quotation mark has no partner"
    UNKNOWN_FIELD = 'there is no field "{name}"'
    MISSPELLED_FIELD = 'there is no field "{name}"; did you mean {near}?'
    EMPTY_FIELD = "nothing follows {name}: (a word is written right after the colon)"
    DETACHED_FIELD = "a field is followed by its word at once, as in {name}:word"
    DEEP_BRACKETS = "brackets are nested too deeply here"
    CLOSES_NOTHING = "this bracket closes nothing"
    NEVER_CLOSED = "this bracket is never closed"
    EMPTY_BRACKETS = "there is nothing in these brackets"
    LONE_NOT = "NOT has nothing after it"
    LONE_OPERATOR = "{name} has nothing beside it"


class Remedy(Enum):
    """How a mistake was handled."""

    FINDS_NOTHING = "it finds nothing"  # of a condition that was not understood: `year:soon`
    LEFT_OUT = "it was left out"  # of something meaningless beside other words: "hay §"
    ALL_LEFT_OUT = "they were left out"
    REST_LEFT_OUT = "the rest of it was left out"
    IGNORED = "it was ignored"
    ALL_IGNORED = "these were ignored"
    TILDE_IGNORED = "the tilde was ignored"
    BRACKETS_IGNORED = "its brackets were ignored"
    TAKEN = "{most} was taken"
    WORDS_TAKEN = "its first {most} words were taken"
    CHARACTERS_TAKEN = "its first {most} characters were taken"
    TURNED = "it was turned round"
    CLOSED = "it was closed at the end"
    AS_WORD = "it was searched for as a word"
    IN_ALL_FIELDS = "what follows was searched for in all fields"


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake. Its English texts are for the command line and the API."""

    position: int  # counted in characters from 0
    code: MistakeCode
    remedy: Remedy
    parameters: tuple[tuple[str, Parameter], ...] = ()

    @property
    def finds_nothing(self) -> bool:
        """Return whether a condition was not understood, so that no record matches it."""
        return self.remedy is Remedy.FINDS_NOTHING

    @property
    def message(self) -> str:
        """What was wrong, in English."""
        return self._english(self.code)

    def __str__(self) -> str:
        return f"at character {self.position + 1}: {self.message}; {self._english(self.remedy)}"

    @property
    def sentence(self) -> str:
        """The description as a sentence; quoted text keeps its capitals."""
        return f"{str(self).replace('at', 'At', 1)}."

    def _english(self, text: MistakeCode | Remedy) -> str:
        template: str = text.value
        return template.format(
            **{name: f"{value:,}" if isinstance(value, int) else value for name, value in self.parameters}
        )


class Mistakes:
    """The mistakes found so far in one text."""

    def __init__(self) -> None:
        self._found: list[Mistake] = []

    @property
    def is_full(self) -> bool:
        return len(self._found) >= MOST_MISTAKES

    def add(self, position: int, code: MistakeCode, remedy: Remedy, **parameters: Parameter) -> None:
        mistake = Mistake(position, code, remedy, tuple(parameters.items()))
        if not self.is_full and mistake not in self._found:
            self._found.append(mistake)

    def in_order(self) -> tuple[Mistake, ...]:
        return tuple(sorted(self._found, key=lambda mistake: mistake.position))
