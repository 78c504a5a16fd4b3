"""What vocabularies added to a search, as plain values and as a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from windrow.model.expansion import Addition
from windrow.model.vocabulary import best_label

MOST_NAMED = 5


def addition_as_dict(addition: Addition) -> dict[str, Any]:
    """Return an addition as plain values for JSON."""
    return {
        "written": addition.written,
        "field": addition.field,
        "vocabulary": addition.vocabulary,
        "uri": addition.uri,
        "labels": [{"text": each.text, "language": each.language or None} for each in addition.labels],
        "names": list(addition.names),
        "below": addition.below,
        "is_whole": addition.is_whole,
    }


def label_of(addition: Addition, languages: Sequence[str]) -> str:
    """Return what the concept is called in the first of these languages that it has a label in."""
    found = best_label(addition.labels, languages)
    return found.text if found else addition.uri


def named(addition: Addition, label: str = "") -> str:
    """Return the first of the names that are searched as well, but for the label, for people."""
    names = [name for name in addition.names if name != label]
    shown = ", ".join(names[:MOST_NAMED])
    return f"{shown} …" if len(names) > MOST_NAMED else shown


def sentence(addition: Addition, languages: Sequence[str]) -> str:
    """Return an addition as an English sentence."""
    label = label_of(addition, languages)
    parts = [f"{addition.written} is {label} in {addition.vocabulary}"]
    if names := named(addition, label):
        parts.append(f"also searched: {names}")
    if addition.below:
        noun = "concept" if addition.below == 1 else "concepts"
        parts.append(f"and {addition.below:,} {noun} below it")
    text = "; ".join(parts) + "."
    if not addition.is_whole:
        text += " It has more concepts below it than one search takes: choose a narrower one."
    return text
