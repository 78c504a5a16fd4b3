"""What pages say in other languages: catalogues of messages, each keyed by its English text.

A catalogue is a folder of TOML files, one for each face that has words of its own. A message that depends on
a number is keyed by its singular and has both forms. What a catalogue does not have is said in English.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).with_name("messages")
Catalogue = Mapping[str, str | list[str]]


def message(text: str) -> str:
    """Give the text back: marks one that is translated where it is shown, not where it stands."""
    return text


@cache
def catalogue(language: str) -> Catalogue:
    """Give the messages in a language; English has none, it is what they are keyed by."""
    found: dict[str, str | list[str]] = {}
    for path in sorted((_FOLDER / language).glob("*.toml")):
        found |= tomllib.loads(path.read_text(encoding="utf-8"))
    return found


@cache
def language_names() -> Mapping[str, Mapping[str, str]]:
    """Give what languages are called, by their codes and then by the language they are called so in."""
    return tomllib.loads((_FOLDER / "languages.toml").read_text(encoding="utf-8"))
