"""Controlled values: one concept for the many wordings of a type, an access right or a licence.

The three tables are under `tables/` and are based on the COAR vocabularies. The settings of a library can add
types (`ControlledValues.extended`). A wording that is not in a table is kept unchanged and counted under its
own name.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from windrow.model.text.folding import fold
from windrow.model.text.language_codes import labels_by_language

LONGEST_WORDING = 200  # characters; longer texts name no concept
MOST_REMEMBERED = 10_000  # wordings per table

_COAR = re.compile(r"purl\.org/coar/(?:resource_type|access_right|version)/([a-z0-9_-]{4,20})", re.IGNORECASE)
_PREFIX = re.compile(
    r"^(?:info:eu-repo/semantics/|(?:https?|info):\S*[/#]|doc-type:|publication-(?=[a-z]{4})|[a-z]+/)",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*")
# Publication types of the Finnish ministry of education: "G4 Monografiaväitöskirja", "A1 Journal article …".
_MINISTRY = re.compile(r"([A-I][1-6])[ _]+\S*[^\W\d_]{3}.*", re.DOTALL)
_IDLE = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class ControlledValue:
    """One value. Its name is its English label, under which it is counted and which is used in URLs."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict, hash=False)  # by language, without English
    kind: str = ""  # of a type: the kind of work, for citations

    def label(self, language: str) -> str:
        """Return the label in a language, or the name if there is none."""
        return self.labels.get(language) or self.name


class ControlledValues:
    """The concepts of one field, indexed by all their wordings."""

    def __init__(self, concepts: Iterable[ControlledValue], wordings: Mapping[str, ControlledValue]) -> None:
        self._by_name = {each.name: each for each in concepts}
        self._by_key = dict(wordings)
        self._remembered: dict[str, ControlledValue | None] = {}

    def __iter__(self) -> Iterator[ControlledValue]:
        return iter(self._by_name.values())

    def find(self, wording: str) -> ControlledValue | None:
        """Return the concept of a wording, or None if the table does not have it."""
        try:
            return self._remembered[wording]
        except KeyError:
            found = self._search(wording) if len(wording) <= LONGEST_WORDING else None
        if len(self._remembered) >= MOST_REMEMBERED:
            self._remembered.clear()
        if len(wording) <= LONGEST_WORDING:
            self._remembered[wording] = found
        return found

    def name(self, wording: str) -> str:
        found = self.find(wording)
        return wording if found is None else found.name

    def names(self, wordings: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(map(self.name, wordings)))

    def label(self, name: str, language: str) -> str:
        """Return the label of a concept in a language; any other value is returned unchanged."""
        found = self._by_name.get(name)
        return name if found is None else found.label(language)

    def labels(self, wordings: Iterable[str]) -> dict[str, str]:
        """Return all labels for the values of one record, mapped to the language of each."""
        found: dict[str, str] = {}
        for wording in wordings:
            known = self.find(wording)
            if known is not None:
                found.setdefault(known.name, "en")
                for language, label in known.labels.items():
                    found.setdefault(label, language)
        return found

    def extended(self, own: Mapping[str, Mapping[str, str]]) -> ControlledValues:
        """Return this table with additional wordings, each with its concept's labels by language.

        The label for every language ("") or else the English one names the concept, which is created unless
        one of its wordings exists; without either, the wording itself is the name. Labels in other languages
        replace the existing ones.
        """
        if not own:
            return self
        concepts, wordings = dict(self._by_name), dict(self._by_key)
        for wording, labels in own.items():
            meant = labels.get("") or labels.get("en") or wording
            name = self.name(meant)
            before = concepts.get(name) or ControlledValue(name)
            others = {language: label for language, label in labels.items() if language not in ("", "en")}
            concepts[name] = made = ControlledValue(name, {**before.labels, **others}, before.kind)
            for text in (wording, meant, *others.values()):
                wordings[wording_key(text)] = made
        renewed = {key: concepts[each.name] for key, each in wordings.items()}
        return ControlledValues(concepts.values(), renewed)

    def _search(self, wording: str) -> ControlledValue | None:
        coar = _COAR.search(wording)
        if coar is not None:
            return self._by_key.get(wording_key(coar[1]))
        for key in _keys(wording):
            found = self._by_key.get(key)
            if found is not None:
                return found
        return self._agreed(labels_by_language(wording).values() or wording.split(" / "))

    def _agreed(self, parts: Iterable[str]) -> ControlledValue | None:
        several = list(parts)
        found = {known for part in several if (known := self.find(part))} if len(several) > 1 else set()
        return found.pop() if len(found) == 1 else None


def wording_key(wording: str) -> str:
    return _IDLE.sub("", fold(wording))


def _keys(wording: str) -> Iterator[str]:
    """Yield the keys to look up for a wording, the most exact first."""
    bare = _PREFIX.sub("", wording.strip())
    exact = [key for text in (wording, bare, _BRACKETS.sub(" ", bare)) if (key := wording_key(text))]
    yield from exact
    yield from (key[:-1] for key in exact if len(key) > 4 and key.endswith("s"))
    yield from (f"{key[:-2]}is" for key in exact if key.endswith("theses"))
    ministry = _MINISTRY.fullmatch(bare)
    if ministry is not None:
        yield wording_key(f"okm {ministry[1]}")


TYPE, ACCESS, LICENCE = "type", "access", "licence"  # the fields that are counted by concept
_FILES = {TYPE: "resource_types", ACCESS: "access_rights", LICENCE: "licences"}
NORMALISED = tuple(_FILES)


@cache
def load_controlled_values(field: str) -> ControlledValues:
    """Return Windrow's own table of one of the NORMALISED fields."""
    path = files("windrow.model").joinpath(f"tables/{_FILES[field]}.toml")
    concepts: list[ControlledValue] = []
    wordings: dict[str, ControlledValue] = {}
    for name, row in tomllib.loads(path.read_text(encoding="utf-8")).items():
        labels = {language: row[language] for language in ("sv", "fi")}
        made = ControlledValue(name, labels, row.get("kind", ""))
        concepts.append(made)
        ministry = (f"okm {code}" for code in row.get("okm", ()))
        for wording in (name, *labels.values(), *row.get("codes", ()), *ministry, *row["also"]):
            wordings.setdefault(wording_key(wording), made)
    return ControlledValues(concepts, wordings)
