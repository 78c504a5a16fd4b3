"""Tables in the language of a page: labels from the catalogues, numbers as people there write them.

A column of a field is called as the settings call the field, where they do.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from windrow.faces.shared.field_words import value_words
from windrow.faces.shared.look import LABELS, Look
from windrow.faces.shared.tongue import Tongue
from windrow.finding.topic_labels import TopicLabels
from windrow.model.concepts import NORMALISED
from windrow.model.expansion import Expander
from windrow.stats.message import ConceptName, EventValue, Label, LanguageCode, Message
from windrow.stats.table import Cell, Kind
from windrow.stats.words import ENGLISH, Numbers, ratio_digits

_NO_BREAK = "\N{NO-BREAK SPACE}"
_NORTHERN: Numbers = {
    "decimal": ",",
    "thousands": _NO_BREAK,
    "grouping": [3],
    "currency": ["", ""],
    "percent": f"{_NO_BREAK}%",
}
# The fields by what tables call them.
_FIELDS = {words: field for field, words in LABELS.items()} | {
    "Creator": "creator",
    "Description": "description",
    "Identifiers": "identifier",
}


@dataclass(frozen=True, slots=True)
class Saying:
    """What `windrow.stats.words.Words` asks for, in one of the languages of pages."""

    tongue: Tongue
    look: Look
    topics: TopicLabels | None = None
    expander: Expander | None = None  # where fields are bound to vocabularies

    @property
    def numbers(self) -> Numbers:
        """How the language writes numbers."""
        return ENGLISH.numbers if self.tongue.code == "en" else _NORTHERN

    def say(self, label: Label) -> str:
        """Give a label in the language."""
        if isinstance(label, str):
            return label
        own = self.look.own_label(_FIELDS.get(label.text, ""), self.tongue)
        if own:
            return own
        values = tuple(
            (name, self._named(value) if isinstance(value, str) else value) for name, value in label.values
        )
        return self.tongue.tell(Message(label.text, values))

    def cell(self, value: Cell, kind: Kind) -> str:
        """Give a value as it is written in the language."""
        if value is None:
            return ""
        if isinstance(value, datetime):
            return self.tongue.moment(value)
        if isinstance(value, str):
            return self._value(kind.value, value)
        return self.say(value) if isinstance(value, Message) else self._number(value, kind)

    def _named(self, value: str) -> str:
        """Say a code or a concept in the language; what came out of records stays as it is."""
        if isinstance(value, LanguageCode):
            return self.tongue.language(value)
        if isinstance(value, EventValue):
            labels = (self._value(kind.value, value) for kind in (Kind.PLACE, Kind.PERIOD))
            return next((label for label in labels if label != value), value)
        if not isinstance(value, ConceptName):
            return value
        fields = (*NORMALISED, "subject")
        labels = (value_words(field, value, self.tongue, self.look.types, self.topics) for field in fields)
        return next((label for label in labels if label != value), value)

    def _value(self, field: str, value: str) -> str:
        """Return a value of a field, by its label where a vocabulary has one."""
        if self.expander is not None and field in self.expander.fields:
            label = self.expander.label(field, value, self.tongue.code, self.look.name or None)
            if label is not None:
                return label
        return value_words(field, value, self.tongue, self.look.types, self.topics)

    def _number(self, value: float, kind: Kind) -> str:
        match kind:
            case Kind.SHARE:
                return self.tongue.share(value)
            case Kind.CHANGE:
                return f"× {self.tongue.number(value, 2)}"
            case Kind.RATIO:
                return self.tongue.number(value, ratio_digits(value))
            case Kind.DECIMAL:
                return self.tongue.number(value, 1)
            case _:
                return self.tongue.number(value)
