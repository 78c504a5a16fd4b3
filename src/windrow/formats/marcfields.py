"""The fields of a MARC record, taken out of MARCXML: what the marcxml reader maps.

Names of elements are compared without namespace, because repositories send the namespace,
another prefix, the OAI namespace on the fields or none at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from windrow.formats.elements import local, text_of
from windrow.formats.leftovers import own_text
from windrow.formats.stated_names import trim

# U+0098 and U+009C bracket an article that is not sorted (German and Nordic catalogues).
_UNSORTED = dict.fromkeys((0x88, 0x89, 0x98, 0x9C))
_LONGEST_CODE = 8  # tags and codes come from outside too; they become names in extra
STRAY = "?"  # the code of text that stands in a field but in no subfield


@dataclass(slots=True)
class Field:
    """One data field. `used` gathers the codes that found a place in the document."""

    tag: str
    ind1: str
    ind2: str
    subfields: list[tuple[str, str]]
    used: set[str] = field(default_factory=set)

    def all(self, codes: str) -> list[str]:
        """Give the values of these subfields in the record's order, and count them as used."""
        self.used.update(codes)
        return [value for code, value in self.subfields if code in codes]

    def one(self, code: str) -> str:
        """Give the first value of this subfield; empty where there is none.

        It counts as used where it stands alone; of several, all stay in the rest as well.
        """
        found = [value for own, value in self.subfields if own == code]
        if len(found) == 1:
            self.used.add(code)
        return found[0] if found else ""

    def peek(self, codes: str) -> str:
        """Give the values of these subfields in one line without using them up."""
        return " ".join(value for code, value in self.subfields if code in codes)

    def rest(self) -> Iterator[tuple[str, str]]:
        """Give what nothing has used: codes and values."""
        return ((code, value) for code, value in self.subfields if code not in self.used)


def field_of(element: etree._Element) -> Field:
    """Give the field that a `datafield` element holds."""
    pairs = []
    for child in element:
        name = local(child)
        if name:
            code = child.get("code") or STRAY if name == "subfield" else STRAY
            pairs.append((code[:_LONGEST_CODE], text_of(child).translate(_UNSORTED)))
    pairs.append((STRAY, own_text(element)))
    ind1, ind2 = (element.get("ind1") or " ")[:1], (element.get("ind2") or " ")[:1]
    tag = (element.get("tag") or STRAY)[:_LONGEST_CODE]
    return Field(tag, ind1, ind2, [(code, text) for code, text in pairs if text])


def unbracket(text: str) -> str:
    """Give the text without the square brackets that mark it as supplied by the cataloguer."""
    text = trim(text)
    if text.startswith("[") and text.endswith("]") and text.count("[") == 1:
        return text[1:-1].strip()
    return text


def join_title(field: Field) -> str:
    """Give $a $b $n $p as one title.

    Where the record carries ISBD punctuation it stands already before each part; where it does not,
    as in German and repository records, it is put there.
    """
    pieces: list[str] = []
    for code, value in field.subfields:
        if code in "abnp":
            field.used.add(code)
            if pieces:
                pieces.append(_joint(pieces[-1][-1], code))
            pieces.append(value)
    return trim("".join(pieces))


def _joint(last: str, code: str) -> str:
    if last in ":;=/,.":
        return " "
    return " : " if code == "b" else ". "
