"""Names as catalogues state them: with a role, a full stop, a place, their departments, or no name at all.

`Halla, K. J., photographer.`, `Foster, Stephen Collins [composer]`, `New York : Firth, Pond & Co.` and
`unknown` are written where a name should be. The role becomes the role of the person, the place goes.
"""

from __future__ import annotations

import re

from windrow.formats.relators import CREATORS, WORDS
from windrow.model.institution_names import is_institution

_ISBD = " \t/:;,="
# What a final full stop belongs to when it is no punctuation.
_ABBREVIATED = frozenset(
    [
        "al",
        "bros",
        "co",
        "comp",
        "corp",
        "dept",
        "dr",
        "ed",
        "eds",
        "etc",
        "inc",
        "jr",
        "ltd",
        "no",
        "proc",
        "pt",
        "ser",
        "sr",
        "st",
        "suppl",
        "univ",
        "vol",
    ]
)
# What is written where nobody is known; "Anonymous" is how works are attributed and stays.
_NOBODY = frozenset(
    {
        *("unknown", "unknown author", "unknown creator", "not known", "not available", "not applicable"),
        *("n/a", "na", "n.a.", "none", "null", "nil", "tuntematon", "okänd", "ukjent", "unbekannt"),
    }
)
_LONGEST_NOBODY = max(map(len, _NOBODY))
_ROLES = frozenset(
    {
        *WORDS.values(),
        *(each for each in CREATORS if len(each) > 4 and each.isalpha()),
        *("architect", "depicted", "designer", "draughtsman", "editors", "engineer", "featured performer"),
        *("joint author", "lithographer", "manufacturer", "painter", "photographers", "publishers"),
        *("recipient", "surveyor", "compilers", "authors", "illustrators", "translators"),
    }
)
_BRACKETED = re.compile(r"(?P<name>\S.*?)[\s,]*[(\[](?P<role>[^()\[\]]{3,40})[)\]]\.?")
_APPENDED = re.compile(r"(?P<name>\S.*?)(?:,\s*|\s+)(?P<role>(?:[a-z]+ )?[a-z]+)\.?")
_LONGEST = 300  # characters that are looked at
_ENDS_OF_ROLES = frozenset(each.rpartition(" ")[2] for each in _ROLES)
_SHORTEST_STOPPED = 3  # small letters before a full stop that belongs to no initial
_PLACED = re.compile(r"(?P<place>[^:]{2,80}) : (?P<name>[^:]*[^\W\d_][^:]*)")
_PART = re.compile(  # of an institution, by a word in its name
    r"\b(?:facult\w*|faculd\w*|facolt\w*|fakult\w*|\w*tiedekunta|school|schule|skola|college|department\w*|departament\w*"
    r"|département|afdeling|\w*laitos|katedra|lehrstuhl|\w*institut\w*|ústav|istituto|osasto|yksikkö|avdelning\w*"
    r"|sektion\w*|division|cent(?:er|re)|centrum|keskus|escola|escuela|wydział|koulutusohjelma|program\w*)\b",
    re.IGNORECASE,
)
_NO_PUBLISHER = re.compile(r"\[?s\.? ?n\.?\]?\??", re.IGNORECASE)


def trim(text: str) -> str:
    """Return the text without the ISBD punctuation that only leads to the next subfield.

    A final full stop goes as well, unless it ends an initial, an abbreviation or an ellipsis.
    """
    text = text.rstrip(_ISBD).lstrip()
    if text.endswith(". -"):  # ISBD writes this between areas
        text = text[:-2].rstrip()
    if not text.endswith(".") or text.endswith(".."):
        return text
    word = text[-40:-1].rpartition(" ")[2].lstrip("([")
    if len(word) < 2 or "." in word or word.lower() in _ABBREVIATED:
        return text
    return text[:-1].rstrip(_ISBD)


def is_plainly_stated(name: str) -> bool:
    """Return whether a name surely has nothing behind it and does name somebody; told quickly by its end."""
    last = name[-1:]
    if last == ".":
        return not name[-_SHORTEST_STOPPED - 1 : -1].islower()
    if last in ",]":
        return False
    return name[name.rfind(" ") + 1 :] not in _ENDS_OF_ROLES and not names_nobody(name)


def names_nobody(name: str) -> bool:
    """Return whether a text stands where nobody is known."""
    return len(name) <= _LONGEST_NOBODY and name.casefold() in _NOBODY


def with_role(name: str) -> tuple[str, str | None]:
    """Return a name without the role and the full stop behind it, and the role."""
    if len(name) > _LONGEST:
        return name, None
    for pattern in (_BRACKETED, _APPENDED):
        found = pattern.fullmatch(name)
        if found is not None and found["role"].casefold() in _ROLES:
            return trim(found["name"]), found["role"].casefold()
    return trim(name), None


def publisher_name(text: str) -> str:
    """Return a publisher without the place before it and the brackets around it; "" where none is named."""
    if len(text) > _LONGEST:
        return text
    found = _PLACED.fullmatch(text)
    name = text if found is None else found["name"].strip()
    if name.endswith("]") and name.count("[") == (name[:1] == "[") and name.count("]") == 1:
        name = name.strip("[]").strip()
    return "" if _NO_PUBLISHER.fullmatch(name) else name


def institution_and_part(name: str) -> tuple[str, str | None]:
    """Return an institution without its faculty and department, and the last of these.

    `Univerzita Karlova, Pedagogická fakulta, Katedra hudební výchovy` is what many say grants their degrees.
    """
    for mark in (", ", ". ") if len(name) <= _LONGEST else ():
        whole, *parts = name.split(mark)
        if parts and is_institution(whole) and all(map(_PART.search, parts)):
            return whole, parts[-1].rstrip(".")
    return name, None
