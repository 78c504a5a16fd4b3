"""Mistakes in a query, in the language of the page: the parser's sentences, known by their shape."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from windrow.faces.shared.catalogues import message
from windrow.faces.shared.tongue import Tongue
from windrow.wire.query.mistakes import Mistake

WHAT = (
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
DONE = (
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
_LONGEST = 500


@dataclass(frozen=True, slots=True)
class Explained:
    """A mistake in words, and the language that they are in."""

    words: str
    language: str


def explain_all(mistakes: Iterable[Mistake], tongue: Tongue) -> list[Explained]:
    """Explain each mistake of a query."""
    return [explain(mistake, tongue) for mistake in mistakes]


def explain(mistake: Mistake, tongue: Tongue) -> Explained:
    """Say what was wrong and what was done about it; in English where the sentence is not known here."""
    what, done = known_as(mistake.message, WHAT), known_as(mistake.done, DONE)
    if what is None or done is None:
        return Explained(str(mistake), "en")
    place = tongue.say("at character {place}", place=str(mistake.position + 1))
    said = (tongue.say(text, **values) for text, values in (what, done))
    return Explained(f"{place}: {'; '.join(said)}", tongue.code)


def known_as(sentence: str, known: tuple[str, ...]) -> tuple[str, dict[str, str]] | None:
    """Give the message that a sentence is, with what stands in its gaps; None for one not known."""
    for text in known:
        found = _shape(text).fullmatch(sentence[:_LONGEST])
        if found is not None:
            return text, found.groupdict()
    return None


@cache
def _shape(text: str) -> re.Pattern[str]:
    return re.compile(_GAP.sub(r"(?P<\1>.+)", re.escape(text)), re.DOTALL)
