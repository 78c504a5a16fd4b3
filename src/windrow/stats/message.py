"""Words that a table says, apart from the language they are said in: a sentence, and what stands in its gaps.

The English text is its own name: the portal looks it up in its catalogues, a terminal prints it as it is.
"""

from __future__ import annotations

from dataclasses import dataclass


class LanguageCode(str):
    """The code of a language in a gap of a message: whoever says it may name the language."""

    __slots__ = ()


class ConceptName(str):
    """A type, access or licence in a gap of a message: whoever says it may use the label of its language."""

    __slots__ = ()


class EventValue(str):
    """A place or period of an event in a gap of a message, for which a vocabulary may have a label."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence in English with `{gaps}`, and the values for them in the order in which they are named."""

    text: str
    values: tuple[tuple[str, Value], ...] = ()
    leads_to: tuple[tuple[str, str], ...] = ()  # the filter that finds the records it speaks of

    def __str__(self) -> str:
        return english(self)


Value = str | int | float | Message
# What came out of records stays as it is; only messages are said in the reader's language.
Label = str | Message


def message(text: str, **values: Value) -> Message:
    """Give a message with these values in its gaps."""
    return Message(text, tuple(values.items()))


def english(label: Label) -> str:
    """Say it in English."""
    if isinstance(label, str):
        return label
    return label.text.format_map({name: _plain(value) for name, value in label.values})


def _plain(value: Value) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.1f}"
    return english(value)
