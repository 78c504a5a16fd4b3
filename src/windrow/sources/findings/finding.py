"""One thing found out about a repository, and what Windrow does about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

LONGEST = 400


class Grade(StrEnum):
    """How a finding bears on harvesting."""

    GOOD = "good"
    NOTE = "note"  # worth knowing; Windrow copes
    PROBLEM = "problem"  # costs records, time or certainty


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found, in words; `action` completes the sentence "Windrow …"; `facts` are for programs."""

    topic: str
    grade: Grade
    found: str
    action: str = ""
    facts: Mapping[str, object] = field(default_factory=dict)


def brief(text: str) -> str:
    """Give text of bearable length: repositories may call themselves by a megabyte."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def good(topic: str, found: str, action: str = "", /, **facts: object) -> Finding:
    """Something as it should be."""
    return Finding(topic, Grade.GOOD, brief(found), action, facts)


def note(topic: str, found: str, action: str = "", /, **facts: object) -> Finding:
    """Something that is worth knowing."""
    return Finding(topic, Grade.NOTE, brief(found), action, facts)


def problem(topic: str, found: str, action: str = "", /, **facts: object) -> Finding:
    """Something that costs records, time or certainty."""
    return Finding(topic, Grade.PROBLEM, brief(found), action, facts)
